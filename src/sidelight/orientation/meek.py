"""Meek's four rules (1995), applied until no undirected edge has its direction forced."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import combinations

from sidelight.graphs.dag import PartialDag

Others = tuple[int, ...]


def close_under_meek_rules(graph: PartialDag) -> None:
    """Orient, in place, every undirected edge whose other direction would make a cycle or a new v-structure."""
    waiting = deque(range(len(graph)))
    for _ in _forced_arrows(graph, waiting, waiting.pop):
        pass


def forced_by(graph: PartialDag, tail: int, head: int) -> Iterator[tuple[int, int]]:
    """Direct an undirected edge of a closed graph, in place, and then, nearest first, every edge that this forces."""
    graph.orient(tail, head)
    waiting = deque(sorted({tail, head} | graph.adjacency(tail) | graph.adjacency(head)))
    return _forced_arrows(graph, waiting, waiting.popleft)


def _forced_arrows(graph: PartialDag, waiting: deque[int], take: Callable[[], int]) -> Iterator[tuple[int, int]]:
    """Direct what is forced at the variables that wait, and at those that a new arrow may concern."""
    queued = set(waiting)
    while waiting:
        a = take()
        queued.discard(a)
        for b in sorted(graph.undirected[a]):
            if b not in graph.undirected[a]:
                continue
            arrow = next((arrow for arrow in ((a, b), (b, a)) if is_forced(graph, *arrow)), None)
            if arrow is None:
                continue
            graph.orient(*arrow)
            yield arrow
            # A new arrow can force edges at its ends and, by the fourth rule, at their neighbours.
            for v in sorted({a, b} | graph.adjacency(a) | graph.adjacency(b)):
                if v not in queued and graph.undirected[v]:
                    waiting.append(v)
                    queued.add(v)


def is_forced(graph: PartialDag, a: int, b: int) -> bool:
    """True when one of the rules directs the undirected edge a — b as a → b; each needs an arrow into a or b."""
    return bool(graph.parents[a] or graph.parents[b]) and any(True for rule in RULES for _ in rule(graph, a, b))


def avoids_new_v_structure(graph: PartialDag, a: int, b: int) -> Iterator[Others]:
    """Rule 1: c → a — b with c, b not adjacent."""
    return ((c,) for c in graph.parents[a] if not graph.adjacent(c, b))


def avoids_cycle(graph: PartialDag, a: int, b: int) -> Iterator[Others]:
    """Rule 2: a → c → b."""
    return ((c,) for c in graph.children[a] & graph.parents[b])


def avoids_cycle_or_v_structure(graph: PartialDag, a: int, b: int) -> Iterator[Others]:
    """Rule 3: a — c → b and a — d → b with c, d not adjacent."""
    between = graph.undirected[a] & graph.parents[b]
    return ((c, d) for c, d in combinations(sorted(between), 2) if not graph.adjacent(c, d))


def avoids_both_by_a_path(graph: PartialDag, a: int, b: int) -> Iterator[Others]:
    """Rule 4: a — c → d → b with c, b not adjacent and a, d adjacent."""
    return (
        (c, d)
        for d in graph.parents[b]
        if graph.adjacent(a, d)
        for c in graph.parents[d] & graph.undirected[a]
        if not graph.adjacent(c, b)
    )


# Each yields the other variables of every instance that directs a — b as a → b.
RULES = (avoids_new_v_structure, avoids_cycle, avoids_cycle_or_v_structure, avoids_both_by_a_path)
