"""The independence oracle: d-separation in a known DAG, exactly.

x and y are d-separated given S when S cuts them apart in the moral graph of the ancestors of {x, y} ∪ S. For the
batch question the ancestors are those of all members, the same for every pair, so one pass answers all pairs: two
members depend on each other when they are adjacent in that moral graph, or touch one component of what is left of it
without the members.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import CITest, checked_members
from sidelight.families.subset_search import Found, Searches, run_kernel
from sidelight.graphs.dag import AdjacencyArrays, Dag


class DSeparation(CITest):
    """Answers from a DAG that is known: independent means d-separated. The p-value is 1 or 0."""

    option = "d-separation"
    is_exact = True
    releases_gil = True
    retest_budget = 50_000
    default_budget = 5_000_000

    def __init__(self, dag: nx.DiGraph) -> None:
        self.dag = Dag.from_networkx(dag)
        self.names = self.dag.names
        self._parents = AdjacencyArrays.of(self.dag.parents)

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        return float(self.answers([x, y, *given], 0.5)[0, 1])

    def independent(self, x: int, y: int, given: Sequence[int], alpha: float) -> bool:
        return bool(self.answers([x, y, *given], alpha)[0, 1])

    def answers(self, members: Sequence[int], alpha: float, left_out: Sequence[int] = ()) -> NDArray[np.bool_]:
        # Imported on first use: compiling or loading a kernel has no place in "import sidelight".
        from sidelight.families.oracle.kernels import separated_pairs

        result: NDArray[np.bool_] = separated_pairs(
            self._parents.start,
            self._parents.items,
            checked_members([z for z in members if z not in left_out] if left_out else members, len(self.names)),
        )
        return result

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

        sources = np.zeros(len(self.names), dtype=np.bool_)
        sources[[x, y]] = True
        ancestors = reached(self._parents.start, self._parents.items, sources)
        members = [v for v in pool if ancestors[v]]
        separated = self.answers([x, y, *members], 0.5)
        joined = zip(members, ~(separated[0, 2:] | separated[1, 2:]), strict=True)
        return frozenset(v for v, both in joined if both) if separated[0, 1] else None

    def connected(self, x: int, given: Sequence[int]) -> NDArray[np.bool_]:
        """For every variable, whether it depends on x given these; all in one walk."""
        from sidelight.families.oracle.kernels import open_walks

        flags = np.zeros(len(self.names), dtype=np.bool_)
        flags[checked_members(given, len(self.names))] = True
        children = self._children
        walks = open_walks(x, flags, self._parents.start, self._parents.items, children.start, children.items)
        arrived: NDArray[np.bool_] = walks.any(axis=0)
        return arrived

    @cached_property
    def _children(self) -> AdjacencyArrays:
        return AdjacencyArrays.of(self.dag.children)

    def search(self, searches: Searches, alpha: float, budget: int, strengths: bool = False) -> Found:
        from sidelight.families.oracle.kernels import Parents

        searches.check(len(self.names))
        separated_at = np.zeros(int(searches.largest_sets.max(initial=0)) + 1)
        return run_kernel(searches, Parents(self._parents.start, self._parents.items), separated_at, budget)
