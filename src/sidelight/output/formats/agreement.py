"""What a network's file says in several places, or of its own graph, must agree, else it cannot be shown as fact.

Each check yields the field that it is about, and a complaint.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping

from sidelight.learners.task import Step
from sidelight.network import Network
from sidelight.result.evidence import EdgeEvidence

Complaint = tuple[str, str]  # the field, and what is wrong with it


def complaints(network: Network) -> Iterator[Complaint]:
    """Whatever contradicts something else in a network as it was read."""
    names, sets = network.names, network.separating_sets
    edges = {frozenset(edge) for edge in (*network.directed_edges, *network.undirected_edges)}
    removals, left_out, _ = sets.parts()
    boundary = {names[x]: {names[y] for y in members} for x, members in removals}
    yield from _of_removals(list(boundary), boundary, network.removal_order, network.steps)
    for (x, y), members in left_out:
        first = names[sets.removed_first(x, y)]
        strangers = [names[z] for z in members if names[z] not in boundary[first]]
        if strangers:
            yield "left_out", f"{strangers[0]!r} was not in the boundary of {first!r}, so it cannot be left out of it"
    yield from _of_boundaries(names, network.boundaries)
    yield from _of_edges(edges, network.edge_evidence)
    yield from (("effects", f"{_both(pair)} are not adjacent") for pair in network.effects if pair not in edges)
    for x, y in sets.failed:
        if frozenset((names[x], names[y])) in edges:
            yield "failed_sets", f"{names[x]!r} and {names[y]!r} are adjacent"
    for a, b in network.added_edges:
        if frozenset((a, b)) not in edges:
            yield "added_edges", f"{a!r} and {b!r} are not adjacent"
    yield from _of_scores(network, edges)
    if (network.n_rows is None) != (network.n_complete is None) or (network.n_complete or 0) > (network.n_rows or 0):
        yield "n_complete", f"of {network.n_rows} rows, {network.n_complete} cannot be complete"
    adjacent = next((pair for pair in network.missing_p_values if pair in edges), None)
    if adjacent is not None:
        yield "missing_p_values", f"{_both(adjacent)} are adjacent, so there is none for them"


def _of_scores(network: Network, edges: Collection[frozenset[Hashable]]) -> Iterator[Complaint]:
    if network.edge_losses and set(network.edge_losses) != set(edges):
        yield "edge_losses", "they are not those of the edges"
    arrows = set(network.directed_edges)
    stranger = next((arrow for arrow in network.turn_costs if arrow not in arrows), None)
    if stranger is not None:
        yield "turn_costs", f"there is no arrow from {stranger[0]!r} to {stranger[1]!r}"


def _of_removals(
    order: list[Hashable],
    boundary: Mapping[Hashable, set[Hashable]],
    removal_order: tuple[Hashable, ...],
    steps: tuple[Step, ...],
) -> Iterator[Complaint]:
    if removal_order and list(removal_order) != order:
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
            yield "edge_evidence", f"{_both(pair)} are not adjacent"
        if pair & {*found.weakest_given, *found.boundary_given}:
            yield "edge_evidence", f"{_both(pair)} are tested given one of the two"


def _both(pair: frozenset[Hashable]) -> str:
    return " and ".join(sorted(map(repr, pair)))
