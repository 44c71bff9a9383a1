"""Steps and p-values of a network, as JSON has them, and back.

``missing_p_values`` has a row for each variable but the last, with an entry for each later variable: the p-value of the
pair, or null where it is adjacent. What would take long to compute is left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

from sidelight.learners.task import Step
from sidelight.network import Network
from sidelight.output.formats.document import Count, FieldError, Pair, Probability, Whole, encoded, plain
from sidelight.result.evidence import EdgeEvidence, Effect, TestedEdges, TestedMissing, quick_effects

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
class EffectRecord(Effect):
    """An edge and how strong it is."""

    edge: Pair


Found = TypeVar("Found", EdgeEvidence, Effect)
Rows = tuple[tuple[Probability | None, ...], ...]


def read_steps(records: tuple[StepRecord, ...], names: tuple[Hashable, ...]) -> tuple[Step, ...]:
    """Either no steps, or every variable removed once."""
    steps = tuple(Step(**vars(record)) for record in records)
    if steps and (len(steps) != len(names) or len({step.removed for step in steps}) < len(names)):
        raise FieldError("steps", "every variable is expected to be removed once")
    return steps


def write_edges(network: Network) -> list[dict[str, Any]] | None:
    """One entry for each edge; None when they would take long to compute."""
    evidence = network.edge_evidence
    if isinstance(evidence, TestedEdges) and not evidence.is_quick:
        return None
    return _with_edges(network, evidence)


def write_effects(network: Network) -> list[dict[str, Any]]:
    """One entry for each edge whose effect size is known; none when they would take long to compute."""
    return _with_edges(network, quick_effects(network.effects))


def _with_edges(network: Network, found: Mapping[frozenset[Hashable], object]) -> list[dict[str, Any]]:
    edges = (*network.directed_edges, *network.undirected_edges)
    known = ((edge, found.get(frozenset(edge))) for edge in edges)
    return [{"edge": list(map(plain, edge)), **encoded(record)} for edge, record in known if record is not None]


def by_edge(records: Iterable[EdgeRecord | EffectRecord], kind: type[Found]) -> dict[frozenset[Hashable], Found]:
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
