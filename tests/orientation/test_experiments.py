"""The class of a DAG given experiments, against all DAGs that explain each of them as well (Hauser, Bühlmann 2012)."""

from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.graphs.dag import Dag
from sidelight.knowledge.constraints import closure
from sidelight.orientation.essential import essential_graph

N = 4


@cache
def all_dags():
    """Every DAG over four variables."""
    pairs = list(combinations(range(N), 2))
    found = []
    for ways in product((None, 0, 1), repeat=len(pairs)):
        parents = [set() for _ in range(N)]
        for (a, b), way in zip(pairs, ways, strict=True):
            if way is not None:
                tail, head = (a, b) if way else (b, a)
                parents[head].add(tail)
        dag = Dag(tuple(range(N)), tuple(map(frozenset, parents)))
        if is_acyclic(parents):
            found.append(dag)
    return found


def is_acyclic(parents):
    left = set(range(N))
    while ready := {v for v in left if not parents[v] & left}:
        left -= ready
    return not left


def class_of(dag):
    return frozenset(map(frozenset, dag.edges())), frozenset(dag.v_structures())


def without_causes(dag, setting):
    """The DAG where these variables are set: nothing acts on them."""
    return Dag(dag.names, tuple(frozenset() if v in setting else found for v, found in enumerate(dag.parents)))


settings_of_experiments = st.lists(st.frozensets(st.integers(0, N - 1), min_size=1, max_size=3), min_size=1, max_size=3)


@settings(max_examples=8)
@given(settings_of_experiments)
def test_an_edge_is_directed_exactly_if_all_dags_that_explain_each_experiment_agree(experiments):
    known = replace(closure(tuple(range(N)), []), settings=frozenset(experiments))
    classes = defaultdict(list)
    for dag in all_dags():  # with rows in which nothing was set
        classes[tuple(class_of(without_causes(dag, setting)) for setting in (frozenset(), *experiments))].append(dag)
    for members in classes.values():
        shared = set.intersection(*(set(dag.edges()) for dag in members))
        assert {frozenset(essential_graph(dag, known).directed_edges()) for dag in members} == {frozenset(shared)}
