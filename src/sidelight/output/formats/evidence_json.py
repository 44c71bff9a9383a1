"""Steps and p-values of a network, as JSON has them, and back.

``missing_p_values`` has a row for each variable but the last, with an entry for each later variable: the p-value of the
pair, or null where it is adjacent. What would take long to compute is left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import combinations
from math import isfinite
from typing import Any

import msgspec

from sidelight.network import Network
from sidelight.output.formats.document import Count, FieldError, Name, Pair, Probability, Whole, plain
from sidelight.result import EdgeEvidence, Effect, Step, TestedEdges, TestedMissing, quick_effects


class StepRecord(msgspec.Struct):
    """One removal."""

    removed: Name
    boundary: tuple[Name, ...]
    neighbours: tuple[Name, ...]
    tests: dict[str, Count]
    fallback: bool
    left_out: Whole | None
    undecided: bool


class EdgeRecord(msgspec.Struct):
    """An edge and what speaks for it."""

    edge: Pair
    weakest_p: Probability
    weakest_given: tuple[Name, ...]
    weakest_effect: float | None
    boundary_p: Probability
    boundary_given: tuple[Name, ...]
    boundary_effect: float | None
    effect_name: str
    n_tests: Count


class EffectRecord(msgspec.Struct):
    """An edge and how strong it is."""

    edge: Pair
    size: float
    name: str
    given: tuple[Name, ...] = ()


Rows = tuple[tuple[Probability | None, ...], ...]


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


def read_steps(records: tuple[StepRecord, ...], names: tuple[Hashable, ...]) -> tuple[Step, ...]:
    """Either no steps, or every variable removed once."""
    steps = tuple(Step(**msgspec.structs.asdict(record)) for record in records)
    if steps and (len(steps) != len(names) or len({step.removed for step in steps}) < len(names)):
        raise FieldError("steps", "every variable is expected to be removed once")
    return steps


def write_edges(network: Network) -> list[dict[str, Any]] | None:
    """One entry for each edge; None when they would take long to compute."""
    evidence = network.edge_evidence
    if isinstance(evidence, TestedEdges) and not evidence.is_quick:
        return None
    edges = (*network.directed_edges, *network.undirected_edges)
    found = ((edge, evidence.get(frozenset(edge))) for edge in edges)
    return [
        {
            "edge": _plain(edge),
            **vars(tested),
            "weakest_given": _plain(tested.weakest_given),
            "weakest_effect": _finite(tested.weakest_effect),
            "boundary_given": _plain(tested.boundary_given),
            "boundary_effect": _finite(tested.boundary_effect),
        }
        for edge, tested in found
        if tested is not None
    ]


def read_edges(records: tuple[EdgeRecord, ...]) -> dict[frozenset[Hashable], EdgeEvidence]:
    """The evidence by edge."""
    entries = map(msgspec.structs.asdict, records)
    return {frozenset(entry.pop("edge")): EdgeEvidence(**entry) for entry in entries}


def write_effects(network: Network) -> list[dict[str, Any]]:
    """One entry for each edge whose effect size is known; none when they would take long to compute."""
    effects = quick_effects(network.effects)
    edges = (*network.directed_edges, *network.undirected_edges)
    found = ((edge, effects.get(frozenset(edge))) for edge in edges)
    return [
        {"edge": _plain(edge), **vars(effect), "given": _plain(effect.given)}
        for edge, effect in found
        if effect is not None
    ]


def read_effects(records: tuple[EffectRecord, ...]) -> dict[frozenset[Hashable], Effect]:
    """The effect by edge."""
    return {frozenset(record.edge): Effect(record.size, record.name, record.given) for record in records}


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


def _plain(names: Iterable[Hashable]) -> list[str | int]:
    return [plain(name) for name in names]


def _finite(effect: float | None) -> float | None:
    """The effect as JSON can hold it, which has no infinity and no NaN."""
    return effect if effect is not None and isfinite(effect) else None
