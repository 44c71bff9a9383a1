"""Texts from data made harmless: nothing in a name acts on a terminal, a page or a picture."""

from __future__ import annotations

import unicodedata


def visible(text: str) -> str:
    """The text with control characters, direction marks and lone surrogates spelled out, so that they do nothing."""
    return "".join(f"⟨{ord(letter):04X}⟩" if _acts(letter) else letter for letter in text)


def _acts(letter: str) -> bool:
    """Controls, direction marks, surrogates, what no XML may hold; the joiners inside emoji and scripts do no harm."""
    if letter in "\u200c\u200d":
        return False
    return letter in "\ufffe\uffff" or unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")
