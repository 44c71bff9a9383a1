"""What a network rests on, as JSON has it, and back: separating sets, steps, p-values and effect sizes.

A pair that is not adjacent is separated by the boundary that the one removed first had then (``removals``), without the
other and without what ``left_out`` names for the pair; or by what ``explicit_sets`` names for it. ``missing_p_values``
has a row for each variable but the last, with an entry for each later variable: the p-value of the pair, or null where
it is adjacent. What would take long to compute is left out.

What a file says in several places, or of its own graph, must agree, else it cannot be shown as fact: ``complaints``.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

import msgspec

from sidelight.graphs.separating_sets import Pair as Positions
from sidelight.graphs.separating_sets import SeparatingSets, Skeleton, ordered
from sidelight.learners.task import Step
from sidelight.network import Network
from sidelight.output.formats.document import Count, FieldError, Name, Pair, Probability, Whole, as_json, positions
from sidelight.result.evidence import EdgeEvidence, EdgeStrength, TestedEdges, TestedMissing, quick_strengths

Found = TypeVar("Found", EdgeEvidence, EdgeStrength)
Members = tuple[int, ...]
Complaint = tuple[str, str]  # the field, and what is wrong with it
Rows = tuple[tuple[Probability | None, ...], ...]


class RemovalRecord(msgspec.Struct):
    """A variable and the boundary that it had when it was removed."""

    removed: Name
    boundary: tuple[Name, ...]


class SetRecord(msgspec.Struct):
    """A pair, and a set for it."""

    pair: Pair
    set: tuple[Name, ...]


class ExplicitRecord(SetRecord):
    """A set that no boundary says; ``replaced`` where it took the place of one that failed."""

    replaced: bool = False


# Records of the library, with the ranges of their numbers and what stands beside them.


@dataclass(frozen=True, kw_only=True)
class StepRecord(Step):
    """One removal."""

    tests: Mapping[str, Count]
    left_out: Whole | None


@dataclass(frozen=True, kw_only=True)
class EdgeRecord(EdgeEvidence):
    """An edge and what speaks for it."""

    edge: Pair
    weakest_p: Probability
    boundary_p: Probability
    n_tests: Count


@dataclass(frozen=True, kw_only=True)
class StrengthRecord(EdgeStrength):
    """An edge and how strong it is."""

    edge: Pair


# Separating sets.


def write_sets(network: Network) -> dict[str, list[Any]]:
    """The fields that the sets are made of, and the pairs whose set does not separate in the data."""
    names, sets = network.names, network.separating_sets
    removals, left_out, explicit = sets.parts()

    def named(*members: int) -> Any:
        return tuple(names[x] for x in members)

    return {
        "removals": [RemovalRecord(names[x], named(*members)) for x, members in removals],
        "left_out": [SetRecord(named(*pair), named(*members)) for pair, members in left_out],
        "explicit_sets": [
            ExplicitRecord(named(*pair), named(*members), pair in sets.replaced) for pair, members in explicit
        ],
        "failed_sets": [named(*pair) for pair in sorted(sets.failed)],
    }


def read_sets(
    names: tuple[Hashable, ...],
    adjacency: list[set[int]],
    removals: tuple[RemovalRecord, ...],
    left_out: tuple[SetRecord, ...],
    explicit: tuple[ExplicitRecord, ...],
    failed: tuple[Pair, ...],
    not_asked: frozenset[int],
) -> SeparatingSets:
    """The sets of a graph with these neighbours."""
    position = {name: i for i, name in enumerate(names)}
    boundaries = _boundaries(removals, position)
    given = {pair: frozenset(members) for pair, members in _sets("explicit_sets", explicit, position).items()}
    left = _sets("left_out", left_out, position)
    replaced = {ordered(*(position[name] for name in record.pair)) for record in explicit if record.replaced}
    unreliable = {ordered(*positions("failed_sets", pair, position)) for pair in failed}
    skeleton = Skeleton(adjacency, list(boundaries), boundaries, left, given, replaced, unreliable, given=not_asked)
    return SeparatingSets(names, skeleton)


def _boundaries(removals: tuple[RemovalRecord, ...], position: Mapping[Hashable, int]) -> dict[int, frozenset[int]]:
    """The boundary of each variable at its removal, in the order of removal."""
    found: dict[int, frozenset[int]] = {}
    for record in removals:
        if position[record.removed] in found:
            raise FieldError("removals", f"{record.removed!r} is removed twice")
        if record.removed in record.boundary:
            raise FieldError("removals", f"{record.removed!r} is in its own boundary")
        found[position[record.removed]] = frozenset(position[y] for y in record.boundary)
    lost = next((name for name, i in position.items() if i not in found), None)
    if lost is not None:
        raise FieldError("removals", f"{lost!r} is missing")
    return found


def _sets(field: str, records: Sequence[SetRecord], position: Mapping[Hashable, int]) -> dict[Positions, Members]:
    found: dict[Positions, Members] = {}
    for record in records:
        a, b = record.pair
        pair = ordered(*positions(field, record.pair, position))
        if {a, b} & set(record.set):
            raise FieldError(field, f"the set for {a!r} and {b!r} holds one of the two")
        if pair in found:
            raise FieldError(field, f"{a!r} and {b!r} have two sets")
        found[pair] = tuple(position[z] for z in record.set)
    return found


# Steps, p-values and effect sizes.


def read_steps(records: tuple[StepRecord, ...], names: tuple[Hashable, ...]) -> tuple[Step, ...]:
    """Either no steps, or every variable removed once."""
    steps = tuple(Step(**vars(record)) for record in records)
    if steps and (len(steps) != len(names) or len({step.removed for step in steps}) < len(names)):
        raise FieldError("steps", "every variable is expected to be removed once")
    return steps


def write_edges(network: Network) -> dict[str, list[dict[str, Any]] | None]:
    """Evidence and effect size of each edge, as far as they are known; none where that would take long to compute."""
    evidence = network.edge_evidence
    slow = isinstance(evidence, TestedEdges) and not evidence.is_quick
    return {
        "effects": _with_edges(network, quick_strengths(network.edge_strengths), EdgeStrength),
        "edge_evidence": None if slow else _with_edges(network, evidence, EdgeEvidence),
    }


def _with_edges(network: Network, found: Mapping[frozenset[Hashable], object], kind: type) -> list[dict[str, Any]]:
    edges = [(a, b) for a, _, b in network.edges]
    known = ((edge, found.get(frozenset(edge))) for edge in edges)
    return [{"edge": as_json(Pair, edge), **as_json(kind, record)} for edge, record in known if record is not None]


def by_edge(records: Iterable[EdgeRecord | StrengthRecord], kind: type[Found]) -> dict[frozenset[Hashable], Found]:
    """What is known of each edge."""
    entries = (dict(vars(record)) for record in records)
    return {frozenset(entry.pop("edge")): kind(**entry) for entry in entries}


def write_missing(network: Network) -> list[list[float | None]] | None:
    """The rows of p-values; None when there are none, or they would take long to compute."""
    p_values = network.missing_p_values
    if not p_values or (isinstance(p_values, TestedMissing) and not p_values.is_quick):
        return None
    names, known = network.names, dict(p_values.items())
    return [[known.get(frozenset((x, y))) for y in names[i:]] for i, x in enumerate(names[:-1], 1)]


def read_missing(rows: Rows | None, names: tuple[Hashable, ...]) -> dict[frozenset[Hashable], float]:
    """The p-value by pair."""
    if rows is None:
        return {}
    if [len(row) for row in rows] != list(range(len(names) - 1, 0, -1)):
        raise FieldError(
            "missing_p_values", "a row for each variable but the last, with an entry for each later one, is expected"
        )
    pairs = zip(combinations(names, 2), (p for row in rows for p in row), strict=True)
    return {frozenset(pair): p for pair, p in pairs if p is not None}


# Agreement.


def complaints(network: Network) -> Iterator[Complaint]:
    """Whatever contradicts something else in a network as it was read."""
    edges = {frozenset((a, b)) for a, _, b in network.edges}
    yield from _of_removals(network)
    for name in network.names:
        if name not in network.boundaries:
            yield "boundaries", f"{name!r} is missing"
        elif name in network.boundaries[name]:
            yield "boundaries", f"{name!r} is in its own boundary"
    yield from _of_pairs(network, edges)
    if network.edge_losses and set(network.edge_losses) != edges:
        yield "edge_losses", "they are not those of the edges"
    for tail, head in set(network.turn_costs) - set(network.directed_edges):
        yield "turn_costs", f"there is no arrow from {tail!r} to {head!r}"
    if (network.n_rows is None) != (network.n_complete is None) or (network.n_complete or 0) > (network.n_rows or 0):
        yield "n_complete", f"of {network.n_rows} rows, {network.n_complete} cannot be complete"


def _of_removals(network: Network) -> Iterator[Complaint]:
    names, sets, steps = network.names, network.separating_sets, network.steps
    removals, left_out, _ = sets.parts()
    boundary = {names[x]: {names[y] for y in members} for x, members in removals}
    if network.removal_order and list(network.removal_order) != list(boundary):
        yield "removal_order", "it is not the order of 'removals'"
    if steps and [step.removed for step in steps] != list(boundary):
        yield "steps", "their order is not that of 'removals'"
    for step in steps:
        if set(step.boundary) != boundary[step.removed]:
            yield "steps", f"the boundary of {step.removed!r} is not that in 'removals'"
        if not set(step.neighbours) <= set(step.boundary):
            yield "steps", f"{step.removed!r} has neighbours that are not in its boundary"
    for pair, members in left_out:
        first = names[sets.removed_first(*pair)]
        strangers = [names[z] for z in members if names[z] not in boundary[first]]
        if strangers:
            yield "left_out", f"{strangers[0]!r} was not in the boundary of {first!r}, so it cannot be left out of it"


def _of_pairs(network: Network, edges: Collection[frozenset[Hashable]]) -> Iterator[Complaint]:
    names, added = network.names, list(map(frozenset, network.added_edges))
    about_edges = {"edge_evidence": network.edge_evidence, "effects": network.edge_strengths, "added_edges": added}
    for field, pairs in about_edges.items():
        yield from ((field, f"{_both(pair)} are not adjacent") for pair in pairs if pair not in edges)
    for pair, found in network.edge_evidence.items():
        if pair & {*found.weakest_given, *found.boundary_given}:
            yield "edge_evidence", f"{_both(pair)} are tested given one of the two"
    failed = (frozenset((names[x], names[y])) for x, y in network.separating_sets.failed)
    yield from (("failed_sets", f"{_both(pair)} are adjacent") for pair in failed if pair in edges)
    for pair in network.missing_p_values:
        if pair in edges:
            yield "missing_p_values", f"{_both(pair)} are adjacent, so there is none for them"


def _both(pair: frozenset[Hashable]) -> str:
    return " and ".join(sorted(map(repr, pair)))
