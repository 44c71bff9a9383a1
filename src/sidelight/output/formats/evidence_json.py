"""Steps and p-values of a network, as JSON has them, and back.

``missing_p_values`` has a row for each variable but the last, with an entry for each later variable: the p-value of the
pair, or null where it is joined. What would take long to ask is left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import combinations
from typing import Any

from sidelight.network import Network
from sidelight.output.formats import shapes
from sidelight.output.formats.shapes import plain
from sidelight.result import EdgeEvidence, Step, TestedEdges, TestedMissing

NAMES = shapes.list_of(shapes.name)
STEPS = shapes.list_of(
    shapes.record(
        removed=shapes.name,
        boundary=NAMES,
        neighbours=NAMES,
        tests=shapes.dict_of(shapes.text, shapes.count),
        fallback=shapes.truth,
        left_out=shapes.maybe(shapes.whole),
        undecided=shapes.truth,
    )
)
EDGES = shapes.list_of(
    shapes.record(
        edge=shapes.pair_of(shapes.name),
        weakest_p=shapes.share,
        weakest_given=NAMES,
        weakest_effect=shapes.maybe(shapes.number),
        boundary_p=shapes.share,
        boundary_given=NAMES,
        boundary_effect=shapes.maybe(shapes.number),
        effect_name=shapes.text,
        n_tests=shapes.count,
    )
)
ROWS = shapes.list_of(shapes.list_of(shapes.maybe(shapes.share)))


def write_steps(network: Network) -> list[dict[str, Any]]:
    """One entry for each removal, in order."""
    return [
        {
            **vars(step),
            "removed": plain(step.removed),
            "boundary": _plain(step.boundary),
            "neighbours": _plain(step.neighbours),
            "tests": dict(step.tests),
        }
        for step in network.steps
    ]


def read_steps(value: Any, names: shapes.Names) -> tuple[Step, ...]:
    """Either no steps, or every variable removed once."""
    steps = tuple(Step(**entry) for entry in STEPS(value, names))
    if steps and (len(steps) != len(names) or len({step.removed for step in steps}) < len(names)):
        raise shapes.WrongShapeError("every variable is expected to be removed once")
    return steps


def write_edges(network: Network) -> list[dict[str, Any]] | None:
    """One entry for each edge; None when they would take long to ask."""
    evidence = network.edge_evidence
    if isinstance(evidence, TestedEdges) and not evidence.is_quick:
        return None
    edges = (*network.directed_edges, *network.undirected_edges)
    found = ((edge, evidence.get(frozenset(edge))) for edge in edges)
    return [
        {
            "edge": _plain(edge),
            **vars(told),
            "weakest_given": _plain(told.weakest_given),
            "boundary_given": _plain(told.boundary_given),
        }
        for edge, told in found
        if told is not None
    ]


def read_edges(value: Any, names: shapes.Names) -> dict[frozenset[Hashable], EdgeEvidence]:
    """The evidence by edge."""
    return {frozenset(entry.pop("edge")): EdgeEvidence(**entry) for entry in EDGES(value, names)}


def write_missing(network: Network) -> list[list[float | None]] | None:
    """The rows of p-values; None when there are none, or they would take long to ask."""
    p_values = network.missing_p_values
    if not p_values or (isinstance(p_values, TestedMissing) and not p_values.is_quick):
        return None
    names, known = network.names, dict(p_values.items())
    return [[known.get(frozenset((x, y))) for y in names[i:]] for i, x in enumerate(names[:-1], 1)]


def read_missing(value: Any, names: shapes.Names) -> dict[frozenset[Hashable], float]:
    """The p-value by pair."""
    rows, all_names = ROWS(value, names), tuple(names.values())
    if [len(row) for row in rows] != list(range(len(names) - 1, 0, -1)):
        raise shapes.WrongShapeError(
            "a row for each variable but the last, with an entry for each later one, is expected"
        )
    pairs = zip(combinations(all_names, 2), (p for row in rows for p in row), strict=True)
    return {frozenset(pair): p for pair, p in pairs if p is not None}


def _plain(names: Iterable[Hashable]) -> list[str | int]:
    return [plain(name) for name in names]
