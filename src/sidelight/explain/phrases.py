"""Names and numbers as parts of a sentence, and sentences about pairs that are not adjacent, with holes for these.

``explain.missing`` fills the holes; a report cannot hold the sentences of all pairs, so its script does the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from sidelight.network import Network
from sidelight.text.sentences import listed

_FOUND = "Found when {removed} was removed (step {step} of {steps})"
_REJECTED = "Tested again, that independence is rejected at alpha = {alpha} ({p})"

PHRASES = {
    # What was concluded: with a p-value, by an oracle, and where the p-value was not kept or contradicts it.
    "independent": "{a} and {b} are not adjacent: given {given} they are independent ({p}).",
    "independent marginally": "{a} and {b} are not adjacent: they are marginally independent ({p}).",
    "d-separated": "{a} and {b} are not adjacent: given {given} they are d-separated.",
    "d-separated marginally": "{a} and {b} are not adjacent: they are d-separated without conditioning.",
    "taken": "{a} and {b} are not adjacent: given {given} they were taken as independent.",
    "taken marginally": "{a} and {b} are not adjacent: they were taken as marginally independent.",
    "said": "{a} and {b} are not adjacent.",
    # How well the data support a conclusion that has no p-value, or a small one.
    "p not kept": "The p-value was not kept with the network; an audit with the data computes it.",
    "edge missing": f"{_REJECTED}, also after Bonferroni correction for {{n}} missing edges: an edge may be missing.",
    "chance": f"{_REJECTED}, but not after Bonferroni correction for {{n}} missing edges: this may be chance, or an "
    "edge may be missing.",
    "d-connected": "Tested again, they are d-connected: an edge may be missing.",
    # How the separating set was found, by a learner that removes variables.
    "boundary": f"{_FOUND}: the set is its Markov boundary at that step, which separates it from every other "
    "remaining variable.",
    "member": f"{_FOUND}: {{other}} was in its Markov boundary, and the rest of the boundary separates the two.",
    "member without": f"{_FOUND}: {{other}} was in its Markov boundary, and the rest of the boundary without "
    "{left_out} separates the two, so they share an effect but no edge.",
    "boundary search": f"{_FOUND}, by a search over subsets of its Markov boundary.",
    "re-test": "Found by the re-test of edges after the last step.",
    "limit": "Found before a limit ended the learning.",
    # The same by other learners, and after learning.
    "markov boundary": "The set is the Markov boundary of {removed}, which separates it from every variable outside.",
    "parents": "The conditioning set consists of the parents of {removed} in one DAG of the class.",
    "model": "The conditioning set is what separates the two in one model of the class, where causes may be hidden.",
    "search": "Found by a search over conditioning sets, at size {size}.",
    "check": "Found by the check of separating sets after learning: the set found first did not separate the two.",
    # What else is known about the two.
    "effect": "They have a common effect, {effects}; conditioning on it makes {a} and {b} dependent.",
    "effects": "They have common effects, {effects}; conditioning on any of them makes {a} and {b} dependent.",
    "overruled": "Conflicting evidence: {effect} is not in the separating set of {a} and {b}, which implies the "
    "v-structure {a} → {effect} ← {b}; it was overruled, because it contradicts other evidence.",
    "failed": "The separating set of {a} and {b} does not contain {effect}, which would imply the v-structure {a} → "
    "{effect} ← {b}; but the set does not separate the two in these data, so no direction is taken from it.",
    "one more overruled": "1 more v-structure of this pair was dismissed likewise.",
    "more overruled": "{more} more v-structures of this pair were dismissed likewise.",
}


def spoken(network: Network, positions: Iterable[int]) -> list[str]:
    """The names of variables as used in sentences."""
    return [network.by_position.edge_tests.short_names[v] for v in positions]


def spoken_names(network: Network, names: Iterable[Hashable]) -> list[str]:
    """The same for variables by name."""
    return spoken(network, (network.by_position.edge_tests.index[name] for name in names))


def written(network: Network, positions: Iterable[int]) -> list[str]:
    """The names of variables as data that JSON can hold."""
    return [str(network.names[v]) for v in positions]


def names_of(network: Network, x: int, y: int) -> frozenset[Hashable]:
    """A pair by name."""
    return frozenset((network.names[x], network.names[y]))


def conditioned_on(names: Iterable[Hashable]) -> str:
    """What a test conditions on: ``given A and B``, ``without conditioning`` when that is nothing."""
    texts = list(names)
    return f"given {listed(texts)}" if texts else "without conditioning"


def p_in_words(p: float, alpha: float) -> str:
    """A p-value with two significant digits, or as many as show on which side of the significance level it is."""
    if p <= 0:
        return "p < 1e-300"  # smaller ones are 0 to a computer
    rounded = (f"{p:.{digits}g}" for digits in range(2, 17))
    return "p = " + next((text for text in rounded if (float(text) > alpha) == (p > alpha)), repr(p))
