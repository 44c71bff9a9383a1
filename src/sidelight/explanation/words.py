"""Names and numbers as parts of a sentence."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from sidelight.errors import InputError
from sidelight.network import Network

NAMES_SHOWN = 12


def listed(names: Iterable[Hashable]) -> str:
    """``A``, ``A and B``, ``A, B and C``; the last ones of a long list are only counted."""
    texts = [str(name) for name in names]
    if len(texts) > NAMES_SHOWN:
        texts = [*texts[:NAMES_SHOWN], f"{len(texts) - NAMES_SHOWN} more"]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def known(names: Iterable[Hashable]) -> str:
    """The condition of a question: ``once A and B are known``, ``on their own`` when there is none."""
    texts = list(names)
    return f"once {listed(texts)} {'is' if len(texts) == 1 else 'are'} known" if texts else "on their own"


def p_in_words(p: float, test: str | None) -> str:
    """A p-value of this test; an oracle knows only yes and no."""
    if test == "DSeparation":
        return "d-separated" if p > 0 else "d-connected"
    return f"p = {p:.2g}" if p > 0 else "p < 1e-300"  # smaller ones are 0 to a computer


def level(network: Network) -> float:
    """The level at which independence was rejected."""
    told = network.settings.get("alpha", "0.01")
    try:
        return float(told)
    except ValueError:
        raise InputError(f"the network's settings have alpha={told!r}: a level is a number between 0 and 1") from None


def as_text(names: Iterable[Hashable]) -> list[str]:
    """Names as data that JSON can hold."""
    return [str(name) for name in names]
