"""Names and numbers as parts of a sentence."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from sidelight.network import Network
from sidelight.text.sentences import listed


def conditioned_on(names: Iterable[Hashable]) -> str:
    """What a test conditions on: ``given A and B``, ``without conditioning`` when that is nothing."""
    texts = list(names)
    return f"given {listed(texts)}" if texts else "without conditioning"


def spoken(network: Network, positions: Iterable[int]) -> list[str]:
    """The names of variables as used in sentences."""
    return [network.by_position.edge_tests.short_names[v] for v in positions]


def spoken_names(network: Network, names: Iterable[Hashable]) -> list[str]:
    """The same for variables by name."""
    return spoken(network, (network.by_position.edge_tests.index[name] for name in names))


def is_oracle(network: Network) -> bool:
    """True when the network was learned from d-separation in a graph, which has no p-values."""
    return network.settings.is_oracle


def p_in_words(p: float, alpha: float) -> str:
    """A p-value with two significant digits, or as many as show on which side of the significance level it is."""
    if p <= 0:
        return "p < 1e-300"  # smaller ones are 0 to a computer
    rounded = (f"{p:.{digits}g}" for digits in range(2, 17))
    return "p = " + next((text for text in rounded if (float(text) > alpha) == (p > alpha)), repr(p))


def effect_in_words(name: str, effect: float) -> str:
    """An effect size with two significant digits and a true minus sign."""
    return f"{name} {effect:#.2g}".replace("-", "−")


def alpha_of(network: Network) -> float:
    """The significance level at which independence was rejected."""
    return network.settings.alpha


def as_text(names: Iterable[Hashable]) -> list[str]:
    """Names as data that JSON can hold."""
    return [str(name) for name in names]
