"""Learning with knowledge: exact with the oracle, in no more tests; kept by every learner, whatever the data say."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.graphs.dag import Dag
from sidelight.knowledge import Known, constraints_of
from sidelight.learners import LEARNERS
from sidelight.learners.rsl import VARIANTS
from sidelight.orientation.essential import essential_graph
from sidelight.orientation.known import agrees
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian
from tests.learners.test_hybrid import exact_correlation
from tests.orientation.test_known import dags_with_knowledge

OTHERS = [name for name in LEARNERS if name != "hybrid"]


def truth_with(graph, known):
    """The graph that true knowledge makes of the class of a DAG."""
    dag = Dag.from_networkx(graph)
    return set(essential_graph(dag, constraints_of(known, dag.names)).to_networkx(dag.names).edges)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=30, deadline=None)
@given(case=dags_with_knowledge(max_size=7))
def test_with_the_oracle_the_result_is_exact(variant, case):
    graph, known = case
    net = sl.learn(sl.DSeparation(graph), known, variant=variant)
    assert set(net.to_networkx().edges) == truth_with(graph, known)
    for pair, members in net.separating_sets.items():
        assert nx.is_d_separator(graph, *({name} for name in pair), set(members))


@pytest.mark.parametrize("variant", ["paper", "robust"])
@settings(max_examples=25, deadline=None)
@given(case=dags_with_knowledge(max_size=7))
def test_what_is_known_is_not_tested(variant, case):
    """With the same boundaries, variables are removed in the same order, without tests whose answer is known."""
    graph, known = case
    boundaries = {name: set(sl.learn(sl.DSeparation(graph)).boundaries[name]) for name in graph}
    without = sl.learn(sl.DSeparation(graph), variant=variant, boundaries=boundaries)
    with_it = sl.learn(sl.DSeparation(graph), known, variant=variant, boundaries=boundaries)
    assert with_it.n_tests <= without.n_tests
    assert set(with_it.to_networkx().edges) == truth_with(graph, known)


def test_tiers_save_more_than_half_of_the_tests():
    graph = random_graphs.erdos_renyi(1000, 1000**-0.72, np.random.default_rng(1))
    order = list(nx.topological_sort(graph))
    tiers = sl.Tiers(*(order[i : i + 100] for i in range(0, 1000, 100)))
    bound = sl.CliqueNumber(max(map(len, nx.find_cliques(graph.to_undirected()))))
    without, with_it = sl.learn(sl.DSeparation(graph), bound), sl.learn(sl.DSeparation(graph), bound & tiers)
    assert with_it.n_tests <= without.n_tests / 2
    assert with_it.boundary_tests <= without.boundary_tests
    assert set(with_it.to_networkx().edges) == truth_with(graph, Known((), (tiers,)))


@pytest.mark.parametrize("learner", OTHERS)
@settings(max_examples=15, deadline=None)
@given(case=dags_with_knowledge(max_size=6))
def test_every_learner_is_exact_with_true_knowledge(learner, case):
    graph, known = case
    net = sl.learn(sl.DSeparation(graph), known, learner=learner)
    assert set(net.to_networkx().edges) == truth_with(graph, known)


@settings(max_examples=40, deadline=None)
@given(case=dags_with_knowledge(max_size=6), seed=st.integers(0, 1000))
def test_the_search_by_score_is_exact_with_true_knowledge(case, seed):
    graph, known = case
    correlation = exact_correlation(graph, np.random.default_rng(seed))
    net = sl.learn(correlation, known, alpha=1e-6)
    truth = Dag.from_networkx(graph)
    found = Dag.from_networkx(net.to_dag())
    same = set(net.to_networkx().edges) == truth_with(graph, known)
    assert same or net.score >= score_of(correlation, graph) - 1e-3 * abs(score_of(correlation, graph))
    assert agrees(found, constraints_of(known, truth.names))


def score_of(correlation, graph):
    from sidelight.families.gaussian.score import GaussianBic

    return GaussianBic.extended(correlation).total(Dag.from_networkx(graph))


def table(kind, seed, n=7, rows=300):
    """A table, and statements about it that may be quite wrong."""
    rng = np.random.default_rng(seed)
    graph = random_graphs.erdos_renyi(n, 2.5 / (n - 1), rng)
    names, values = linear_gaussian(graph, rows, rng)
    frame = pd.DataFrame(values, columns=[f"v{name}" for name in names])
    if kind == "discrete":
        frame = frame.apply(lambda column: pd.cut(column, 3, labels=["low", "mid", "high"]).astype(str))
    elif kind == "mixed":
        frame["v0"] = np.where(frame["v0"] > 0, "yes", "no")
    order = [f"v{i}" for i in rng.permutation(n)]
    statements = (
        sl.Required((order[0], order[1])),
        sl.Forbidden((order[3], order[2]), (order[2], order[4])),
        sl.NoEdge((order[5], order[6])),
        sl.Edge((order[1], order[4])),
        sl.Order(*order[:3]),
        sl.NotAncestor((order[6], order[0])),
    )
    return frame, Known((), statements)


@pytest.mark.parametrize("kind", ["numbers", "discrete", "mixed"])
@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_data_say_every_learner_keeps_what_is_known(kind, seed):
    frame, known = table(kind, seed)
    constraints = constraints_of(known, tuple(frame.columns))
    for learner in LEARNERS if kind == "numbers" else ("rsl", "hybrid", "pc-stable"):
        net = sl.learn(frame, known, learner=learner)
        assert agrees(Dag.from_networkx(net.to_dag()), constraints), learner
        for tail, head in net.directed_edges:
            assert constraints.allowed[frame.columns.get_loc(tail), frame.columns.get_loc(head)]
