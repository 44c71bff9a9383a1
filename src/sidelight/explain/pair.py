"""Why two variables are adjacent, or not: what tests say, what resamples say, and what was said of them beforehand."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

from sidelight.consistency.knowledge import meaning_of
from sidelight.errors import InputError
from sidelight.explain.direction import direction_facts, direction_words
from sidelight.explain.edge import edge_facts, edge_words
from sidelight.explain.marks import mark_facts, mark_words
from sidelight.explain.missing import missing_facts, missing_words
from sidelight.explain.phrases import names_of, written
from sidelight.graphs.names import hint_at_names
from sidelight.graphs.separating_sets import ordered
from sidelight.network import Network
from sidelight.result.marked_shares import at_ends
from sidelight.text.visible import visible

NOT_ASKED = (
    "Whether the two are adjacent is not asked: both come before the wave that is explained. Edges repeat over time, "
    "and stand once, where they lead to the last wave."
)


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a pair is adjacent or not, in sentences and as data."""

    pair: tuple[Hashable, Hashable]
    adjacent: bool
    sentences: tuple[str, ...]
    _facts: Callable[[], dict[str, Any]] = field(compare=False)

    def as_dict(self) -> dict[str, Any]:
        """The same and more as data that JSON can hold; made when called, as they can be many."""
        return self._facts()

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__


def explain(network: Network, a: Hashable, b: Hashable) -> Explanation:
    """Explain one pair of variables of a network."""
    x, y = (_position(network, name) for name in (a, b))
    if x == y:
        raise InputError(f"two different variables are needed; both are {a!r}")
    a, b = network.names[x], network.names[y]
    if not _is_asked(network, x, y):
        return Explanation((a, b), False, (NOT_ASKED,), partial(_not_asked, network, x, y))
    adjacent = y in network.by_position.edge_tests.adjacency[x]
    ends = mark_words if network.is_pag else direction_words
    words = [*edge_words(network, x, y), *ends(network, x, y)] if adjacent else missing_words(network, x, y)
    shares, called = network.shares, network.by_position.edge_tests.short_names
    resampled = [] if shares is None else [shares.in_words(x, y, called)]
    sentences = (*words, *resampled, *knowledge_words(network, x, y))
    return Explanation((a, b), adjacent, sentences, partial(_facts, network, x, y, adjacent))


def _is_asked(network: Network, x: int, y: int) -> bool:
    """Was it asked whether the two are adjacent? Not of two variables of earlier waves."""
    return not {x, y} <= network.separating_sets.given


def _not_asked(network: Network, x: int, y: int) -> dict[str, Any]:
    return {"pair": written(network, (x, y)), "adjacent": None, "alpha": network.settings.alpha}


def _facts(network: Network, x: int, y: int, adjacent: bool) -> dict[str, Any]:
    about = {"pair": written(network, (x, y)), "adjacent": adjacent, "alpha": network.settings.alpha}
    more = {**_resampled(network, x, y), **_knowledge(network, x, y)}
    if adjacent:
        ends = mark_facts if network.is_pag else direction_facts
        return {**about, **edge_facts(network, x, y), **ends(network, x, y), **more}
    return {**about, **missing_facts(network, x, y), **more}


def _position(network: Network, name: Hashable) -> int:
    """The variable of this name, or of a name that is written so: a command can only give texts."""
    index = network.by_position.edge_tests.index
    if isinstance(name, Hashable) and name in index:
        return index[name]
    for position, known in enumerate(network.names):
        if str(known) == name:
            return position
    raise InputError(f"there is no variable {name!r} in this network{hint_at_names(name, network.names)}")


def _resampled(network: Network, x: int, y: int) -> dict[str, Any]:
    """How often the two are adjacent among the graphs of resamples, and which way their edge points, from x to y."""
    shares = network.shares
    if shares is None:
        return {"shares": None}
    counts = shares.of(x, y)
    ways: dict[str, Any] = {way: shares.share(count) for way, count in counts._asdict().items()}
    if network.is_pag:
        ends = zip(("marks_at_first", "marks_at_second"), at_ends(counts), strict=True)
        ways |= {end: {str(mark): shares.share(n) for mark, n in found.items()} for end, found in ends}
    found = {
        "adjacent": shares.share(counts.adjacent),
        **ways,
        "resamples": shares.n_resamples,
        "standard_error": shares.error(counts.adjacent),
    }
    return {"shares": found}


def knowledge_words(network: Network, x: int, y: int) -> Iterator[str]:
    """The sentences about what was said of a pair, and about what the data say to that."""
    if not network.settings.known:
        return
    yield from map(visible, _said(network, x, y))
    about = [doubt for doubt in network.doubts if names_of(network, x, y) == set(doubt.variables)]
    yield from (visible(f"What is learned without what you said contradicts it: {doubt}.") for doubt in about)
    if meaning := meaning_of(about):
        yield f"{meaning[0].upper()}{meaning[1:]}."


def _knowledge(network: Network, x: int, y: int) -> dict[str, Any]:
    """The same as data: nothing where nothing was said."""
    return {"knowledge": list(knowledge_words(network, x, y))} if network.settings.known else {}


def pairs_said_apart(network: Network) -> Iterator[tuple[int, int, list[str]]]:
    """The pairs that are not adjacent of which something was said, with the sentences."""
    known = network.by_position.known
    if known is None:
        return
    doubted = {frozenset(doubt.variables) for doubt in network.doubts}
    adjacency = network.by_position.edge_tests.adjacency
    for x, y in combinations(range(len(network.names)), 2):
        said = known.apart[x, y]
        if y not in adjacency[x] and (said or names_of(network, x, y) in doubted):
            yield x, y, list(knowledge_words(network, x, y))


def statements_about(network: Network, x: int, y: int, adjacent: bool) -> list[str]:
    """The statements that say of two variables that they are adjacent, or that they are not."""
    a, b = ordered(x, y)
    pieces = network.by_position.statements
    if adjacent:
        return [said for said, piece in pieces if (a, b) in piece.adjacent]
    return [said for said, piece in pieces if piece.apart[a, b]]


def _said(network: Network, x: int, y: int) -> Iterator[str]:
    adjacent, apart = (statements_about(network, x, y, which) for which in (True, False))
    if adjacent:
        untested = (
            "You" if network.is_pag else "Not tested while learning: you"
        )  # of PAGs, edges are learned without it
        yield f"{untested} said that they are adjacent ({'; '.join(adjacent)})."
    if apart:
        yield f"You said that they are not adjacent ({'; '.join(apart)})."
        if ordered(x, y) in network.separating_sets.failed:
            yield "No set was found that separates them, and no direction follows from this pair."
