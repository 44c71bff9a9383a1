"""Random DAGs: Erdős–Rényi, or with a bounded clique number, without diamonds, of bounded treewidth.

For thousands of variables. Edges come in random order and are left out where they would violate the property, so that
dense graphs end up with fewer edges than the mean degree implies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.text.message import Message, Option, must_be

Indices = NDArray[np.int64]
DENSE = 5000  # variables, up to which all pairs are drawn at once
DEGREE = 3.0  # the default mean degree
RANDOM = {
    "erdos-renyi": "erdos-renyi",
    "diamond-free": "diamond-free",
    "clique": "clique:M",
    "treewidth": "treewidth:T",
}


def erdos_renyi(n: int, p: float, rng: np.random.Generator) -> nx.DiGraph:
    """A random DAG G(n, p) over 0 … n-1, its vertices in an order that is not topological."""
    order = rng.permutation(n)
    earlier, later = _adjacent(n, p, rng)
    graph = nx.empty_graph(n, create_using=nx.DiGraph)
    graph.add_edges_from(zip(order[earlier].tolist(), order[later].tolist(), strict=True))
    return graph


def _adjacent(n: int, p: float, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """The adjacent pairs, earlier and later; each with probability p, independently of the others."""
    if n <= DENSE:
        earlier, later = np.nonzero(np.triu(rng.random((n, n)) < p, 1))
        return earlier, later
    rows = [np.flatnonzero(rng.random(n - i - 1) < p) + i + 1 for i in range(n)]  # no matrix of all pairs
    return np.repeat(np.arange(n), [len(row) for row in rows]), np.concatenate(rows)


def with_clique_number(n: int, m: int, degree: float, rng: np.random.Generator) -> nx.DiGraph:
    """A random DAG of about this mean degree with no clique of more than m variables."""
    if m < 2:
        raise InputError(f"the clique number m must be at least 2; got {m}")

    def keeps(graph: nx.Graph, a: int, b: int) -> bool:
        return not _has_clique(graph, graph[a].keys() & graph[b].keys(), m - 1)

    return _grown(n, degree, rng, keeps)


def diamond_free(n: int, degree: float, rng: np.random.Generator) -> nx.DiGraph:
    """A random DAG of about this mean degree without diamonds."""

    def keeps(graph: nx.Graph, a: int, b: int) -> bool:
        graph.add_edge(a, b)
        children = (b, *(v for v in graph[a].keys() & graph[b].keys() if v > b))
        kept = all(_is_union_of_cliques(graph, {u for u in graph[v] if u < v}) for v in children)
        graph.remove_edge(a, b)
        return kept

    return _grown(n, degree, rng, keeps)


def with_treewidth(
    n: int, t: int, rng: np.random.Generator, max_in_degree: int | None = None, share: float = 0.7
) -> nx.DiGraph:
    """A random DAG of treewidth at most t: part of a random t-tree, each edge kept with this probability.

    Every variable has at most t parents, or ``max_in_degree`` if that is less.
    """
    if t < 1:
        raise InputError(f"the treewidth t must be at least 1; got {t}")
    most = t if max_in_degree is None else min(t, max_in_degree)
    graph, cliques = nx.empty_graph(n), [tuple(range(min(t, n)))]
    for v in range(n):
        home = tuple(range(v)) if v < t else cliques[int(rng.integers(len(cliques)))]
        chosen = [u for u in home if rng.random() < share]
        for u in rng.permutation(chosen)[:most].tolist() if chosen else []:
            graph.add_edge(u, v)
        if v >= t:
            cliques.extend((*home[:i], *home[i + 1 :], v) for i in range(t))
    return _shuffled(graph, rng)


# A DAG in the making is an undirected graph over positions in a topological order: parents are earlier neighbours.


def _grown(n: int, degree: float, rng: np.random.Generator, keeps: Callable[[nx.Graph, int, int], bool]) -> nx.DiGraph:
    _check_degree(degree, n)
    graph = nx.empty_graph(n)
    for a, b in _random_pairs(n, round(n * degree / 2), rng):
        if keeps(graph, a, b):
            graph.add_edge(a, b)
    return _shuffled(graph, rng)


def _shuffled(graph: nx.Graph, rng: np.random.Generator) -> nx.DiGraph:
    """The DAG over 0 … n-1, its vertices in an order that is not topological."""
    order = rng.permutation(len(graph)).tolist()
    found = nx.empty_graph(len(order), create_using=nx.DiGraph)
    found.add_edges_from((order[u], order[v]) for v in graph for u in sorted(graph[v]) if u < v)
    return found


def _check_degree(degree: float, n: int) -> None:
    if n < 0 or not 0 <= degree <= max(0, n - 1):
        raise InputError(must_be("degree", f"between 0 and {max(0, n - 1)} for {n} variables", degree))


def _random_pairs(n: int, count: int, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """``count`` different pairs a < b in random order."""
    if count > n * (n - 1) // 4:
        pairs = list(combinations(range(n), 2))
        yield from (pairs[i] for i in rng.permutation(len(pairs))[:count].tolist())
        return
    seen: set[tuple[int, int]] = set()
    while len(seen) < count:
        a, b = sorted(rng.integers(n, size=2).tolist())
        if a < b and (a, b) not in seen:
            seen.add((a, b))
            yield a, b


def _has_clique(graph: nx.Graph, among: set[int], size: int) -> bool:
    """True when ``size`` of these are pairwise adjacent."""
    if size <= 0:
        return True
    return any(_has_clique(graph, {u for u in among & graph[v].keys() if u < v}, size - 1) for v in among)


def _is_union_of_cliques(graph: nx.Graph, vertices: set[int]) -> bool:
    """True when, among these, the neighbours of each are pairwise adjacent: then there is no diamond."""
    return all(b in graph[a] for v in vertices for a, b in combinations(sorted(vertices & graph[v].keys()), 2))


def random_structure(
    text: str,
    n: int,
    rng: np.random.Generator,
    degree: float | None = None,
    exponent: float | None = None,
    max_parents: int | None = None,
) -> nx.DiGraph:
    """The random DAG that a text such as "diamond-free", "clique:3", "treewidth:2" or "erdos-renyi" names.

    ``degree`` is the mean degree, 3 by default; ``exponent`` e means G(n, n^-e) instead; ``max_parents`` is for a
    treewidth.
    """
    kind, _, number = text.partition(":")
    if kind not in RANDOM or (number.isdecimal() is not (kind in ("clique", "treewidth"))):
        raise InputError(f"a random structure must be one of {', '.join(RANDOM.values())}; got {text!r}")
    if n < 1:
        raise InputError(must_be("n", "at least 1", n, flag="--variables"))
    _refuse_what_does_not_apply(kind, degree, exponent, max_parents)
    if degree is None:
        degree = min(DEGREE, n - 1)
    match kind:
        case "clique":
            return with_clique_number(n, int(number), degree, rng)
        case "treewidth":
            return with_treewidth(n, int(number), rng, max_parents)
        case "diamond-free":
            return diamond_free(n, degree, rng)
    _check_degree(degree, n)
    return erdos_renyi(n, degree / max(1, n - 1) if exponent is None else n**-exponent, rng)


def _refuse_what_does_not_apply(
    kind: str, degree: float | None, exponent: float | None, max_parents: int | None
) -> None:
    if exponent is not None and (kind != "erdos-renyi" or degree is not None or not 0 <= exponent < np.inf):
        why = ": only erdos-renyi has an exponent, which is 0 or more and takes the place of a degree"
        raise InputError(Message(Option("exponent", exponent), why))
    if max_parents is not None and (kind != "treewidth" or max_parents < 0):
        raise InputError(Message(Option("max_parents", max_parents), ": only treewidth:T has this bound, 0 or more"))
    if degree is not None and kind == "treewidth":
        raise InputError(Message(Option("degree", degree), ": the mean degree of treewidth:T follows from T"))
