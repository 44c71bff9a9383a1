"""Random DAGs for hypothesis, small named graphs, and slow, obvious versions of what is tested."""

from __future__ import annotations

from itertools import chain, combinations, permutations

import networkx as nx
from hypothesis import strategies as st

import sidelight as sl


@st.composite
def dags(draw, min_size=0, max_size=9):
    """Random DAGs of all densities, their vertices in an order that is not topological."""
    n = draw(st.integers(min_size, max_size))
    order = draw(st.permutations(range(n)))
    pairs = list(combinations(range(n), 2))
    density = draw(st.sampled_from([0.15, 0.3, 0.5, 0.8, 1.0]))
    rolls = draw(st.lists(st.floats(0, 1), min_size=len(pairs), max_size=len(pairs)))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from((order[i], order[j]) for (i, j), roll in zip(pairs, rolls, strict=True) if roll < density)
    return graph


def small_dags(max_size=4):
    """Every DAG over at most so many vertices, up to their names."""
    for n in range(max_size + 1):
        for edges in subsets(combinations(range(n), 2)):
            yield graph_in_order(range(n), edges)


def diamond_free(graph):
    """Drop edges until no diamond is left: every graph becomes diamond-free, none is rejected."""
    from sidelight.graphs.properties import diamonds

    graph = graph.copy()
    while (found := next(diamonds(graph), None)) is not None:
        graph.remove_edge(found[0], found[3])
    return graph


DIAMOND = nx.DiGraph([("A", "B"), ("A", "C"), ("A", "D"), ("B", "D"), ("C", "D")])


def graph_in_order(order, edges):
    """A DAG whose columns come in this order."""
    graph = nx.DiGraph()
    graph.add_nodes_from(order)
    graph.add_edges_from(edges)
    return graph


def subsets(items):
    items = list(items)
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def d_separated(graph, x, y, given):
    return nx.is_d_separator(graph, {x}, {y}, set(given))


def is_removable_by_definition(graph, x):
    """Definition 1 of the paper, by brute force: no d-separation among the others changes."""
    rest = [v for v in graph if v != x]
    without = graph.subgraph(rest)
    return all(
        d_separated(graph, y, z, given) == d_separated(without, y, z, given)
        for y, z in combinations(rest, 2)
        for given in subsets(v for v in rest if v not in (y, z))
    )


def essential_graph_by_definition(graph):
    """Directed and undirected edges by brute force: try every DAG over the skeleton."""
    wanted = v_structures(graph)
    seen = {edge for other in dags_over_the_skeleton(graph) if v_structures(other) == wanted for edge in other.edges}
    directed = {(a, b) for a, b in seen if (b, a) not in seen}
    return directed, {frozenset((a, b)) for a, b in seen if (b, a) in seen}


def dags_over_the_skeleton(graph):
    """Every DAG with this skeleton: each points along some order of its vertices."""
    skeleton = [tuple(edge) for edge in edge_set(graph)]
    places = (dict(zip(order, range(len(order)), strict=True)) for order in permutations(set().union(*skeleton)))
    for edges in {tuple((a, b) if place[a] < place[b] else (b, a) for a, b in skeleton) for place in places}:
        yield graph_in_order(graph, edges)


def v_structures(graph):
    return {
        (frozenset((a, b)), c)
        for c in graph
        for a, b in combinations(graph.predecessors(c), 2)
        if not graph.has_edge(a, b) and not graph.has_edge(b, a)
    }


def edge_set(graph):
    return {frozenset(e) for e in graph.edges}


class Recorded(sl.CITest):
    """The oracle without its batch answers, one question at a time, keeping every question."""

    is_exact = True

    def __init__(self, graph):
        self.names = list(graph.nodes)
        self._graph = graph
        self.questions = []

    def p_value(self, x, y, given):
        self.questions.append((frozenset((x, y)), frozenset(given)))
        names = self.names
        return float(d_separated(self._graph, names[x], names[y], [names[z] for z in given]))
