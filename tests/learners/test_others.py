"""The learners beside RSL: exact with the oracle, the counts of the literature, legal under limits."""

import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.evaluate.comparison import compare_skeletons
from sidelight.families import CITest
from sidelight.families.subset_search import Searches
from sidelight.learners import LEARNERS
from sidelight.simulation import networks, random_graphs
from sidelight.simulation.gaussian import linear_gaussian
from tests.graphs_for_tests import d_separated, dags, edge_set, essential_graph_by_definition, small_dags

OTHERS = [name for name, learner in LEARNERS.items() if name != "rsl" and not learner.searches_by_score]
LIMITS = [("max_tests", 7), ("max_tests", 0), ("max_conditioning", 1), ("max_conditioning", 0)]


@pytest.mark.parametrize("learner", OTHERS)
@settings(max_examples=60)
@given(graph=dags(min_size=5, max_size=7))
def test_the_oracle_gives_the_true_skeleton_and_true_separating_sets(learner, graph):
    net = sl.learn(sl.DSeparation(graph), learner=learner)
    assert edge_set(net.skeleton) == edge_set(graph)
    for pair, separating_set in net.separating_sets.items():
        assert d_separated(graph, *pair, separating_set)
    assert len(net.separating_sets) == sum(1 for _ in combinations(graph, 2)) - graph.number_of_edges()
    assert net.warnings == ()
    assert net.certificate.status == "consistent"


@pytest.mark.parametrize("learner", OTHERS)
def test_every_dag_of_up_to_four_variables_is_learned_exactly(learner):
    for graph in small_dags():
        net = sl.learn(sl.DSeparation(graph), learner=learner)
        assert edge_set(net.skeleton) == edge_set(graph)
        assert all(d_separated(graph, *pair, found) for pair, found in net.separating_sets.items())


@pytest.mark.parametrize("learner", OTHERS)
@settings(max_examples=30)
@given(graph=dags(max_size=6))
def test_the_oracle_gives_the_true_essential_graph(learner, graph):
    net = sl.learn(sl.DSeparation(graph), learner=learner)
    directed, undirected = essential_graph_by_definition(graph)
    assert set(net.directed_edges) == directed
    assert {frozenset(edge) for edge in net.undirected_edges} == undirected


# The exact figures for the same graphs in the same order, from published code with exact d-separation.
@pytest.mark.parametrize(
    ("learner", "network", "tests"),
    [
        ("marvel", "hepar2", 1663),
        ("marvel", "andes", 6690),
        ("cs", "hepar2", 34083),
        ("cs", "andes", 45742),
        ("gs", "hepar2", 67408),
        ("gs", "andes", 56663),
        ("pc", "andes", 41364),
    ],
)
def test_as_many_tests_as_the_literature_counts(learner, network, tests):
    graph = networks.load(network)
    net = sl.learn(sl.DSeparation(graph), learner=learner)
    assert net.n_tests == tests
    assert edge_set(net.skeleton) == edge_set(graph)


@pytest.mark.parametrize("learner", ["rsl", *OTHERS])
@pytest.mark.parametrize("limit", LIMITS)
@settings(max_examples=15)
@given(graph=dags(max_size=7))
def test_a_limit_is_kept_and_reported_and_leaves_no_edge_out(learner, limit, graph):
    net = sl.learn(sl.DSeparation(graph), learner=learner, **dict([limit]))
    assert net.n_tests <= dict([limit]).get("max_tests", float("inf"))
    assert net.max_conditioning_size <= dict([limit]).get("max_conditioning", float("inf"))
    assert edge_set(net.skeleton) >= edge_set(graph)
    assert nx.is_directed_acyclic_graph(net.to_dag())
    reported = [warning for warning in net.warnings if limit[0] in warning.text]
    if edge_set(net.skeleton) != edge_set(graph):
        assert reported
        assert "a limit ended" in str(net.certificate)
    if not reported:
        assert edge_set(net.skeleton) == edge_set(graph)
    assert all(d_separated(graph, *pair, found) for pair, found in net.separating_sets.items())


def tables(n_variables=14, rows=400, seed=5):
    rng = np.random.default_rng(seed)
    graph = random_graphs.erdos_renyi(n_variables, 0.15, rng)
    names, values = linear_gaussian(graph, rows, rng)
    return graph, names, values


@pytest.mark.parametrize("learner", OTHERS)
def test_data_give_a_legal_graph_near_the_truth(learner):
    graph, names, values = tables(rows=4000)
    net = sl.learn(values, learner=learner, names=names)
    assert nx.is_directed_acyclic_graph(net.to_dag())
    assert compare_skeletons(net.skeleton, graph).f1 > 0.6
    assert net.settings.learner == learner
    assert sum(net.tests_by_phase.values()) == net.n_tests > 0


@pytest.mark.parametrize("learner", ["pc-stable", "gs"])
def test_any_number_of_workers_gives_the_same(learner):
    _, names, values = tables(n_variables=30)
    one, many = (sl.learn(values, learner=learner, names=names, n_jobs=jobs) for jobs in (1, 3))
    assert one == many
    assert dict(one.separating_sets) == dict(many.separating_sets)
    codes = (values > np.median(values, axis=0)).astype(int)
    one, many = (sl.learn(codes, learner=learner, names=names, n_jobs=jobs) for jobs in (1, 2))
    assert one == many


@settings(max_examples=60)
@given(seed=st.integers(0, 1000), base=st.integers(0, 2), smallest=st.integers(0, 2), budget=st.integers(0, 60))
def test_kernels_search_as_the_slow_search_does(seed, base, smallest, budget):
    rng = np.random.default_rng(seed)
    graph, _, values = tables(n_variables=8, seed=seed)
    x, y, *rest = rng.permutation(8).tolist()
    searches = Searches.one(x, y, rest[base:], rest[:base], smallest, 4)
    for test in (sl.FisherZ(sl.Correlation(np.corrcoef(values.T), len(values))), sl.DSeparation(graph)):
        quick, slow = test.search(searches, 0.01, budget), CITest.search(test, searches, 0.01, budget)
        assert quick.set_of(searches, 0) == slow.set_of(searches, 0)
        assert np.trim_zeros(quick.tests_by_size, "b").tolist() == np.trim_zeros(slow.tests_by_size, "b").tolist()
        assert quick.cut == slow.cut


@pytest.mark.parametrize("learner", OTHERS)
@settings(max_examples=20)
@given(graph=dags(max_size=7))
def test_limits_that_are_not_reached_change_nothing(learner, graph):
    test = sl.DSeparation(graph)
    free = sl.learn(test, learner=learner)
    within = sl.learn(test, learner=learner, max_tests=free.n_tests, max_conditioning=free.max_conditioning_size)
    assert within.tests_by_size == free.tests_by_size
    assert within.warnings == ()
    assert sl.learn(test, learner=learner, max_tests=10**30).tests_by_size == free.tests_by_size


def test_limits_hold_for_tests_that_are_made_one_at_a_time():
    class Counted(CITest):
        names = tuple(range(8))
        asked, largest = 0, 0

        def p_value(self, x, y, given):
            self.asked, self.largest = self.asked + 1, max(self.largest, len(given))
            return 0.0

    boundaries = {x: set(range(8)) - {x} for x in range(8)}
    for limit in ({"max_tests": 1}, {"max_conditioning": 1}):
        for learner in ("rsl", "marvel", "pc", "pc-stable", "gs", "cs"):
            test = Counted()
            given = {"boundaries": boundaries} if LEARNERS[learner].starts_from_boundaries else {}
            net = sl.learn(test, learner=learner, **limit, **given)
            assert test.asked == net.n_tests <= limit.get("max_tests", 10**9)
            assert test.largest <= limit.get("max_conditioning", 8)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("limit", [0, 1, 2])
def test_limits_hold_for_discrete_tables(learner, limit):
    codes = (tables()[2][:, :8] > 0).astype(int)
    net = sl.learn(codes, learner=learner, max_conditioning=limit)
    assert net.max_conditioning_size <= limit
    assert nx.is_directed_acyclic_graph(net.to_dag())


def test_interrupting_a_long_search_ends_it(tmp_path):
    """Ctrl-C arrives while a kernel enumerates far more subsets than it ever will."""
    rng = np.random.default_rng(0)
    parents = rng.normal(size=(2000, 40))
    values = np.column_stack([parents, parents.sum(axis=1) + rng.normal(size=2000)])
    np.savetxt(tmp_path / "table.csv", values, delimiter=",", header=",".join(f"v{i}" for i in range(41)), comments="")
    command = [sys.executable, "-m", "sidelight", "learn", str(tmp_path / "table.csv"), "--learner", "gs"]
    command += ["--max-tests", str(10**15)]
    terminal, its_end = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its_end, env={**os.environ, "TERM": "xterm"})
    os.close(its_end)
    shown = b""
    while shown.count(b"skeleton") < 10:  # a second of its search, however busy the machine
        shown += os.read(terminal, 1000)
    process.send_signal(signal.SIGINT)
    with suppress(OSError):  # what a terminal says when its other end is closed
        while more := os.read(terminal, 1000):
            shown += more
    assert process.wait(timeout=30) == 130
    assert b"sidelight: stopped; nothing was written" in shown
    assert b"Traceback" not in shown


def test_a_boundary_may_have_more_subsets_than_a_float_can_count():
    graph = nx.DiGraph((parent, 1100) for parent in range(1100))
    test = sl.DSeparation(graph)
    child = list(graph).index(1100)
    searches = Searches.one(0 if child else 1, child, range(1101), [], 0, 1101)
    found = test.search(searches, 0.01, 150_000)
    assert found.cut
    assert found.tests_by_size.sum() == 150_000


def test_searches_beyond_the_variables_are_refused():
    with pytest.raises(sl.InputError, match="0 … 13"):
        sl.DSeparation(tables()[0]).search(Searches.one(0, 99, [1], [], 0, 1), 0.01, 10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"learner": "pc", "side": sl.DiamondFree()}, "side= goes with learner=\"rsl\" or hybrid, not with 'pc'"),
        ({"learner": "gs", "variant": "paper"}, "variant= goes with learner=\"rsl\" or hybrid, not with 'gs'"),
        ({"learner": "pc-stable", "boundaries": "iamb"}, "'pc-stable' does not start from boundaries"),
        ({"learner": "hpc", "boundaries": "tc"}, "'hpc' does not start from boundaries"),
        ({"learner": "pc-stable", "boundary_alpha": 0.1}, "'pc-stable' finds no boundaries"),
        ({"max_tests": -1}, "max_tests must be a whole number"),
        ({"max_conditioning": 1.5}, "max_conditioning must be a whole number"),
        ({"learner": "pc", "boundaries": np.eye(3)}, "boundaries must be one of"),
        ({"max_tests": True}, "max_tests must be a whole number"),
    ],
)
def test_options_that_a_learner_does_not_use_are_refused(arguments, message):
    with pytest.raises(sl.InputError, match=message):
        sl.learn(sl.DSeparation(nx.DiGraph([("A", "B")])), **arguments)


def test_a_constant_answer_of_dependence_ends_with_the_complete_graph():
    class Dependent(CITest):
        names = tuple("abcdef")

        def p_value(self, x, y, given):
            return 0.0

    for learner in OTHERS:
        net = sl.learn(Dependent(), learner=learner)
        assert net.skeleton.number_of_edges() == 15
