"""What a network's file says in several places, or of its own graph, must agree, else it cannot be told as fact.

Each check yields the field that it is about, and a complaint.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import Any

from sidelight.graphs.separating_sets import SeparatingSets
from sidelight.result import EdgeEvidence, Step

Complaint = tuple[str, str]  # the field, and what is wrong with it


def complaints(
    names: tuple[Hashable, ...], sets: SeparatingSets, edges: Collection[frozenset[Hashable]], told: Mapping[str, Any]
) -> Iterator[Complaint]:
    """Whatever contradicts something else; ``told`` has the attributes as they were read."""
    removals, left_out, _ = sets.parts()
    boundary = {names[x]: {names[y] for y in members} for x, members in removals}
    yield from _of_removals(list(boundary), boundary, told["removal_order"], told["steps"])
    for (x, y), members in left_out:
        first = names[sets.removed_first(x, y)]
        strangers = [names[z] for z in members if names[z] not in boundary[first]]
        if strangers:
            yield "left_out", f"{strangers[0]!r} was not in the boundary of {first!r}, so it cannot be left out of it"
    yield from _of_boundaries(names, told["boundaries"])
    yield from _of_edges(edges, told["edge_evidence"])
    joined = next((pair for pair in told["missing_p_values"] if pair in edges), None)
    if joined is not None:
        yield "missing_p_values", f"{_both(joined)} are joined, so there is none for them"


def _of_removals(
    order: list[Hashable],
    boundary: Mapping[Hashable, set[Hashable]],
    told: tuple[Hashable, ...],
    steps: tuple[Step, ...],
) -> Iterator[Complaint]:
    if told and list(told) != order:
        yield "removal_order", "it is not the order of 'removals'"
    if steps and [step.removed for step in steps] != order:
        yield "steps", "their order is not that of 'removals'"
    for step in steps:
        if set(step.boundary) != boundary[step.removed]:
            yield "steps", f"the boundary of {step.removed!r} is not that in 'removals'"
        if not set(step.neighbours) <= set(step.boundary):
            yield "steps", f"{step.removed!r} has neighbours that are not in its boundary"


def _of_boundaries(
    names: tuple[Hashable, ...], boundaries: Mapping[Hashable, frozenset[Hashable]]
) -> Iterator[Complaint]:
    for name in names:
        if name not in boundaries:
            yield "boundaries", f"{name!r} is missing"
        elif name in boundaries[name]:
            yield "boundaries", f"{name!r} is in its own boundary"


def _of_edges(
    edges: Collection[frozenset[Hashable]], evidence: Mapping[frozenset[Hashable], EdgeEvidence]
) -> Iterator[Complaint]:
    for pair, found in evidence.items():
        if pair not in edges:
            yield "edge_evidence", f"{_both(pair)} are not joined"
        if pair & {*found.weakest_given, *found.boundary_given}:
            yield "edge_evidence", f"{_both(pair)} are asked about given one of the two"


def _both(pair: frozenset[Hashable]) -> str:
    return " and ".join(sorted(map(repr, pair)))
