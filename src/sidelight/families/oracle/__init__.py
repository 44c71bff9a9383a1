"""The independence oracle: d-separation in a known DAG, exactly.

x and y are d-separated given S when S cuts them apart in the moral graph of the ancestors of {x, y} ∪ S. For the
batch question the ancestors are those of all members, the same for every pair, so one pass answers all pairs: two
members depend on each other when they are adjacent in that moral graph, or touch one component of what is left of it
without the members.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from functools import cached_property

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.base import CITest, checked_members
from sidelight.families.subset_search import Found, Searches, run_kernel
from sidelight.graphs.dag import AdjacencyArrays, Dag


class DSeparation(CITest):
    """Answers from a DAG that is known: independent means d-separated. The p-value is 1 or 0.

    Args:
        dag: the DAG; its variables in order.
        hidden: the variables that nobody can ask about, such as hidden common causes.
        selected: those on which the rows were selected: every answer is given these, and nobody can ask about them.
    """

    option = "d-separation"
    is_exact = True
    releases_gil = True
    retest_budget = 50_000
    default_budget = 5_000_000

    def __init__(self, dag: nx.DiGraph, *, hidden: Iterable[Hashable] = (), selected: Iterable[Hashable] = ()) -> None:
        whole = Dag.from_networkx(dag)
        unseen = [_checked_role(role, of, whole) for role, of in (("hidden", hidden), ("selected", selected))]
        self.names = _observed(whole, *unseen)
        # Observed variables come first, so that their positions are the same among all.
        self.dag = _reordered(whole, [*self.names, *unseen[0], *unseen[1]])
        self._selected = list(range(len(self.dag) - len(unseen[1]), len(self.dag)))
        self.has_selection = bool(self._selected)
        self._parents = AdjacencyArrays.of(self.dag.parents)

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        return float(self.answers([x, y, *given], 0.5)[0, 1])

    def independent(self, x: int, y: int, given: Sequence[int], alpha: float) -> bool:
        return bool(self.answers([x, y, *given], alpha)[0, 1])

    def answers(self, members: Sequence[int], alpha: float, left_out: Sequence[int] = ()) -> NDArray[np.bool_]:
        # Imported on first use: compiling or loading a kernel has no place in "import sidelight".
        from sidelight.families.oracle.kernels import separated_pairs

        kept = checked_members([z for z in members if z not in left_out] if left_out else members, len(self.names))
        within = np.append(kept, self._selected) if self._selected else kept
        result: NDArray[np.bool_] = separated_pairs(self._parents.start, self._parents.items, within)
        return result[: len(kept), : len(kept)] if self._selected else result

    def p_values(
        self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]
    ) -> NDArray[np.float64]:
        checked_members([x, *candidates, *given], len(self.names))
        apart: NDArray[np.bool_] = ~self.connected(x, given)[np.asarray(candidates, dtype=np.int64)]
        return apart.astype(np.float64)

    def needed(self, x: int, y: int, pool: Sequence[int]) -> frozenset[int] | None:
        """The members of every subset of the pool that separates the two; None if no subset does.

        What is no ancestor of x or y closes no path between ancestors. So a member of the pool is needed that is joined
        with both, in the moral graph of the ancestors, by paths without other members of the pool.
        """
        from sidelight.families.oracle.kernels import reached

        sources = np.zeros(len(self.dag), dtype=np.bool_)
        sources[[x, y, *self._selected]] = True
        ancestors = reached(self._parents.start, self._parents.items, sources)
        members = [v for v in pool if ancestors[v]]
        separated = self.answers([x, y, *members], 0.5)
        joined = zip(members, ~(separated[0, 2:] | separated[1, 2:]), strict=True)
        return frozenset(v for v, both in joined if both) if separated[0, 1] else None

    def connected(self, x: int, given: Sequence[int]) -> NDArray[np.bool_]:
        """For every variable, whether it depends on x given these; all in one walk."""
        from sidelight.families.oracle.kernels import open_walks

        flags = np.zeros(len(self.dag), dtype=np.bool_)
        flags[checked_members(given, len(self.names))] = True
        flags[self._selected] = True
        children = self._children
        walks = open_walks(x, flags, self._parents.start, self._parents.items, children.start, children.items)
        arrived: NDArray[np.bool_] = walks.any(axis=0)[: len(self.names)]
        return arrived

    @cached_property
    def _children(self) -> AdjacencyArrays:
        return AdjacencyArrays.of(self.dag.children)

    def search(self, searches: Searches, alpha: float, budget: int, strengths: bool = False) -> Found:
        from sidelight.families.oracle.kernels import Parents

        searches.check(len(self.names))
        if self._selected:  # the kernel gives each set as it is
            return super().search(searches, alpha, budget, strengths)
        separated_at = np.zeros(int(searches.largest_sets.max(initial=0)) + 1)
        return run_kernel(searches, Parents(self._parents.start, self._parents.items), separated_at, budget)


def _checked_role(role: str, names: Iterable[Hashable], dag: Dag) -> list[Hashable]:
    """The names, each once; an ``InputError`` unless all are variables of the DAG."""
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise InputError(f"{role} must be a list of variables of the DAG; got {names!r}")
    listed = list(dict.fromkeys(names))
    unknown = next((name for name in listed if name not in dag.names), None)
    if unknown is not None:
        raise InputError(f"{role}: {unknown!r} is no variable of the DAG")
    return listed


def _observed(dag: Dag, hidden: Collection[Hashable], selected: Collection[Hashable]) -> tuple[Hashable, ...]:
    both = next((name for name in hidden if name in selected), None)
    if both is not None:
        raise InputError(f"{both!r} cannot be hidden and selected on at once")
    return tuple(name for name in dag.names if name not in hidden and name not in selected)


def _reordered(dag: Dag, names: Sequence[Hashable]) -> Dag:
    """The same DAG with its variables in this order."""
    position = {name: i for i, name in enumerate(names)}
    parents = dict(zip(dag.names, dag.parents, strict=True))
    return Dag(tuple(names), tuple(frozenset(position[dag.names[p]] for p in parents[name]) for name in names))
