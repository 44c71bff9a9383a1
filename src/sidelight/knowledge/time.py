"""What the order of time says of columns and their values of earlier waves, which learning conditions upon.

No arrow leads into a value of an earlier wave: what it depends on repeats, and is learned where it leads to the last
one. So nothing is asked of pairs of earlier values. They are taken as adjacent where tests, separating sets and
components of the graph are looked at (``closed``), and have no edges in what is learned.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from sidelight.graphs.dag import Dag
from sidelight.knowledge.constraints import Constraints, path_matrix
from sidelight.knowledge.contradictions import constraints_of
from sidelight.knowledge.facts import Columns, Facts
from sidelight.knowledge.statement import Known, Statement


class Lagged(NamedTuple):
    """A column with values of earlier waves: its name, that of the column itself, and how many waves earlier."""

    name: Hashable
    column: Hashable
    lag: int


@dataclass(frozen=True)
class TimeOrder(Statement):
    """Which columns are those of earlier waves, and whether columns of the same wave can have edges."""

    lagged: tuple[Lagged, ...]
    contemporaneous: bool = True

    @cached_property
    def by_name(self) -> dict[str, Lagged]:
        """The lagged columns by the text of their names."""
        return {str(each.name): each for each in self.lagged}

    @property
    def lags(self) -> int:
        """The largest lag."""
        return max(each.lag for each in self.lagged)

    def lag(self, name: Hashable) -> int:
        """How many waves earlier the values of a column are; 0 for those of the same wave."""
        return self.by_name[str(name)].lag if str(name) in self.by_name else 0

    def column(self, name: Hashable) -> Hashable:
        """The column that a lagged one is of, or the column itself."""
        return self.by_name[str(name)].column if str(name) in self.by_name else name

    def names(self) -> Iterator[Hashable]:
        return iter(())  # they are those of the table itself, or of what is left of it

    def facts(self, columns: Columns) -> Facts:
        before = self.positions(columns.names)
        now = np.setdiff1d(columns.everything, before)
        within = () if self.contemporaneous else ((now, now),)
        return Facts(forbidden=((columns.everything, before), *within), apart=within)

    def positions(self, names: Sequence[Hashable]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Where the lagged columns are among these names."""
        return np.array([i for i, name in enumerate(names) if str(name) in self.by_name], dtype=np.intp)

    def __str__(self) -> str:
        return "order of time"


def constraints_over_time(
    known: Known, order: TimeOrder, names: Sequence[Hashable], hidden: bool = False
) -> Constraints:
    """What is known beside the order of time, and what that says."""
    found = constraints_of(known & order, names, hidden)
    return replace(found, given=frozenset(order.positions(names).tolist()))


def closed(known: Constraints) -> Constraints:
    """What is known, with an arrow between any two variables that are given."""
    if not known.given:
        return known
    arrows = frozenset(combinations(sorted(known.given), 2))
    allowed = known.allowed.copy()
    for i, j in arrows:
        allowed[i, j], allowed[j, i] = True, False
    required = known.required | arrows
    certain = path_matrix(len(known.names), required | known.said_ancestors)
    return replace(
        known,
        allowed=allowed,
        required=required,
        adjacent=known.adjacent | arrows,
        certain=certain,
        excluded=known.excluded | certain.T,
        apart=~(allowed | allowed.T),
        given=frozenset(),
    )


def closed_dag(dag: Dag, known: Constraints | None) -> Dag:
    """The DAG with an arrow between any two variables that are given."""
    if known is None or not known.given:
        return dag
    parents = [found | {x for x in known.given if v in known.given and x < v} for v, found in enumerate(dag.parents)]
    return Dag(dag.names, tuple(parents))


def open_dag(dag: Dag, given: frozenset[int]) -> Dag:
    """The DAG without arrows into variables that are given."""
    return Dag(dag.names, tuple(frozenset() if v in given else found for v, found in enumerate(dag.parents)))
