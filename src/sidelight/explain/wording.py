"""Names and numbers as parts of a sentence."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from sidelight.network import Network

NAMES_SHOWN = 12
ORACLE = "DSeparation"


def listed(names: Iterable[Hashable]) -> str:
    """``A``, ``A and B``, ``A, B and C``; the last ones of a long list are only counted."""
    texts = [str(name) for name in names]
    if len(texts) > NAMES_SHOWN:
        texts = [*texts[:NAMES_SHOWN], f"{len(texts) - NAMES_SHOWN} more"]
    return in_a_row(texts)


def in_a_row(texts: list[str]) -> str:
    """All of them with commas, and ``and`` before the last."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def known(names: Iterable[Hashable]) -> str:
    """What a test conditions on: ``given A and B``, ``without conditioning`` when that is nothing."""
    texts = list(names)
    return f"given {listed(texts)}" if texts else "without conditioning"


def spoken(network: Network, positions: Iterable[int]) -> list[str]:
    """The names of variables as used in sentences."""
    return [network.edge_tests.short_names[v] for v in positions]


def spoken_names(network: Network, names: Iterable[Hashable]) -> list[str]:
    """The same for variables by name."""
    return spoken(network, (network.edge_tests.index[name] for name in names))


def is_oracle(network: Network) -> bool:
    """True when the network was learned from d-separation in a graph, which has no p-values."""
    return network.settings.is_oracle


def p_in_words(p: float, test: str | None) -> str:
    """A p-value of this test; an oracle gives only yes or no."""
    if test == ORACLE:
        return "d-separated" if p > 0 else "d-connected"
    return f"p = {p:.2g}" if p > 0 else "p < 1e-300"  # smaller ones are 0 to a computer


def effect_in_words(name: str, effect: float) -> str:
    """An effect size with two significant digits and a true minus sign."""
    return f"{name} {effect:#.2g}".replace("-", "−")


def alpha_of(network: Network) -> float:
    """The significance level at which independence was rejected."""
    return network.settings.alpha


def as_text(names: Iterable[Hashable]) -> list[str]:
    """Names as data that JSON can hold."""
    return [str(name) for name in names]
