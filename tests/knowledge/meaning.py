"""What each statement means, slowly and obviously: which DAGs agree with it."""

from itertools import chain, combinations, pairwise, product

import networkx as nx
from hypothesis import strategies as st

from sidelight.knowledge import (
    Ancestor,
    Edge,
    Forbidden,
    Leaves,
    NoEdge,
    NotAncestor,
    Order,
    Part,
    Required,
    Roots,
    Tiers,
)

NAMES = ("a", "b", "c", "d")


def all_dags(names=NAMES):
    """Every DAG over the names."""
    pairs = list(combinations(names, 2))
    graphs = []
    for choice in product(range(3), repeat=len(pairs)):
        graph = nx.DiGraph()
        graph.add_nodes_from(names)
        graph.add_edges_from(pair if way == 1 else pair[::-1] for pair, way in zip(pairs, choice, strict=True) if way)
        if nx.is_directed_acyclic_graph(graph):
            graphs.append(graph)
    return graphs


def adjacent(graph, a, b):
    return graph.has_edge(a, b) or graph.has_edge(b, a)


def none_backwards(graph, groups):
    pairs = ((x, y) for early, late in combinations(groups, 2) for y in early for x in late)
    return not any(nx.has_path(graph, x, y) for x, y in pairs)


def tiers_hold(graph, tiers):
    tier = {name: at for at, names in enumerate(tiers.tiers) for name in names}
    edges = [(tier[x], tier[y]) for x, y in graph.edges if x in tier and y in tier]
    return (
        none_backwards(graph, tiers.tiers)
        and not (tiers.isolated and any(x == y for x, y in edges))
        and not (tiers.next_only and any(y > x + 1 for x, y in edges))
    )


def part_holds(graph, part):
    mentioned = set(chain.from_iterable(part.arrows)) | set(part.variables)
    return set(graph.subgraph(mentioned).edges) == set(part.arrows)


HOLDS = {
    Required: lambda graph, said: all(graph.has_edge(*pair) for pair in said.pairs),
    Forbidden: lambda graph, said: not any(graph.has_edge(*pair) for pair in said.pairs),
    Edge: lambda graph, said: all(adjacent(graph, *pair) for pair in said.pairs),
    NoEdge: lambda graph, said: not any(adjacent(graph, *pair) for pair in said.pairs),
    Ancestor: lambda graph, said: all(nx.has_path(graph, *pair) for pair in said.pairs),
    NotAncestor: lambda graph, said: not any(nx.has_path(graph, *pair) for pair in said.pairs),
    Roots: lambda graph, said: all(graph.in_degree(name) == 0 for name in said.variables),
    Leaves: lambda graph, said: all(graph.out_degree(name) == 0 for name in said.variables),
    Order: lambda graph, said: none_backwards(graph, said.groups),
    Tiers: tiers_hold,
    Part: part_holds,
}


def holds(graph, statement):
    return HOLDS[type(statement)](graph, statement)


def agrees(graph, constraints):
    """True when the DAG agrees with what is known by position."""
    name = dict(enumerate(constraints.names))
    at = {value: key for key, value in name.items()}
    return (
        all(constraints.allowed[at[x], at[y]] for x, y in graph.edges)
        and all(graph.has_edge(name[i], name[j]) for i, j in constraints.required)
        and all(adjacent(graph, name[i], name[j]) for i, j in constraints.adjacent)
        and all(nx.has_path(graph, name[i], name[j]) for i, j in constraints.ancestors)
        and not any(nx.has_path(graph, name[i], name[j]) for i, j in constraints.not_ancestors)
    )


pairs = st.sampled_from([pair for pair in product(NAMES, NAMES) if pair[0] != pair[1]])
some_pairs = st.lists(pairs, min_size=1, max_size=3)
some_names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True)


@st.composite
def groups(draw, everything=False):
    """The names, or some of them, in one to four groups."""
    order = draw(st.permutations(NAMES))
    order = order if everything else order[: draw(st.integers(1, len(order)))]
    cuts = sorted(draw(st.sets(st.integers(1, len(order)))) | {0, len(order)})
    return [order[start:end] for start, end in pairwise(cuts)]


@st.composite
def known_parts(draw):
    order = draw(st.permutations(NAMES))
    size = draw(st.integers(1, len(NAMES)))
    arrows = draw(st.lists(st.sampled_from(list(combinations(order[:size], 2))), unique=True)) if size > 1 else []
    return Part(arrows, order[:size])


def tiers(everything):
    options = {"isolated": st.booleans(), "next_only": st.booleans()}
    return st.builds(lambda places, **on: Tiers(*places, **on), groups(everything), **options)


plain_statements = st.one_of(
    *(some_pairs.map(lambda chosen, kind=kind: kind(*chosen)) for kind in (Required, Forbidden, Edge, NoEdge)),
    *(some_names.map(lambda chosen, kind=kind: kind(*chosen)) for kind in (Roots, Leaves)),
    tiers(everything=True),
    known_parts(),
)
all_statements = st.one_of(
    plain_statements,
    *(some_pairs.map(lambda chosen, kind=kind: kind(*chosen)) for kind in (Ancestor, NotAncestor)),
    tiers(everything=False),
    groups().map(lambda places: Order(*places)),
)
