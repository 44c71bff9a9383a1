"""Texts from data made harmless: nothing in a name acts on a terminal, a page or a picture."""

from __future__ import annotations

import json
import unicodedata


def visible(text: str) -> str:
    """The text with control characters, direction marks and lone surrogates spelled out, so that they do nothing."""
    return "".join(f"⟨{ord(letter):04X}⟩" if _acts(letter) else letter for letter in text)


def visible_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(visible, text.split("\n")))


def visible_json(text: str) -> str:
    """JSON that holds the same data, with all that would act on a terminal escaped; what is between lines stays."""
    return "".join(_escaped(letter) if letter != "\n" and _acts(letter) else letter for letter in text)


def ascii_json(text: str) -> str:
    """JSON that holds the same data in ASCII."""
    return "".join(letter if letter.isascii() else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    """A character as JSON escapes it: in two halves beyond the first 65,536."""
    return json.dumps(letter)[1:-1] if ord(letter) > 127 else f"\\u{ord(letter):04x}"


def _acts(letter: str) -> bool:
    """Controls, direction marks, surrogates, what no XML may hold; the joiners inside emoji and scripts do no harm."""
    if letter in "\u200c\u200d":
        return False
    return letter in "\ufffe\uffff" or unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")
