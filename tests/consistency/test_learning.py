"""What is learned agrees with the data that it was learned from, or says where it does not."""

from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight import interview
from sidelight.evaluate.comparison import compare_skeletons
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian

CHAIN = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "d")])


def hub(n_rows, n_effects):
    """One cause of many effects, each a good measurement of it."""
    rng = np.random.default_rng(0)
    cause = rng.normal(size=n_rows)
    effects = [rng.uniform(0.5, 1.5) * cause + rng.normal(size=n_rows) for _ in range(n_effects)]
    return pd.DataFrame({"cause": cause, **{f"effect{i}": effect for i, effect in enumerate(effects)}})


@pytest.mark.parametrize(("n_rows", "n_effects"), [(1000, 80), (500, 40), (5000, 200)])
def test_a_cause_of_many_effects_is_found_though_the_effects_hide_it_from_each_other(n_rows, n_effects):
    table = hub(n_rows, n_effects)
    truth = nx.DiGraph([("cause", name) for name in table.columns[1:]])
    for learner in ("rsl", "hybrid"):
        assert compare_skeletons(sl.learn(table, learner=learner).skeleton, truth).f1 > 0.98


def redundant(kind, rng):
    """Tables in which columns nearly determine each other, and hide what depends on them."""
    a, b, c = rng.normal(size=(3, 500))
    y = a + b + rng.normal(size=500)
    if kind == "a rounded sum":
        return {"a": a, "b": b, "sum": (a + b).round(1), "y": y, "c": c}
    if kind == "dummies of one number":
        return {"low": 1.0 * (a < -1), "middle": 1.0 * (abs(a) < 1.1), "high": 1.0 * (a > 1), "a": a, "y": y, "c": c}
    if kind == "a logarithm beside the number":
        return {"x": np.exp(a / 4), "log": a + rng.normal(size=500) / 1000, "y": y, "c": c}
    return {"a": a, "copy": a + rng.normal(size=500) / 1000, "again": a + rng.normal(size=500) / 1000, "y": y, "c": c}


REDUNDANT = ("a rounded sum", "dummies of one number", "a logarithm beside the number", "near copies")


@pytest.mark.parametrize("kind", REDUNDANT)
@pytest.mark.parametrize("learner", ["rsl", "hybrid"])
def test_redundant_columns_do_not_make_plain_dependences_disappear(kind, learner):
    for seed in range(5):
        table = pd.DataFrame(redundant(kind, np.random.default_rng(seed)))
        net = sl.learn(table, learner=learner, discrete=[])
        p_values = sl.FisherZ(sl.Correlation(np.corrcoef(table.T), len(table), list(table)))
        component = {name: i for i, found in enumerate(nx.connected_components(net.skeleton)) for name in found}
        for x, y in combinations(range(table.shape[1]), 2):
            plain = p_values.p_value(x, y, []) < 1e-8
            assert not plain or component[net.names[x]] == component[net.names[y]]
        assert net.audit(table).n_missing == 0 or all(failure.adjacent for failure in net.audit(table).failures)


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes"])
@pytest.mark.parametrize("learner", ["rsl", "hybrid"])
def test_on_real_tables_what_tests_refute_is_reported(name, learner):
    from sklearn import datasets

    table = getattr(datasets, f"load_{name}")(as_frame=True).frame
    net = sl.learn(table, learner=learner, discrete=[])
    failures = [failure for failure in net.audit(table).failures if not failure.adjacent]
    kinds = {True: "marginal dependences", False: "tests against score"}  # what the score rejects is named, not added
    for no_open_path, kind in kinds.items():
        reported = {name for w in net.warnings if w.kind == kind for name in w.culprits}
        assert {name for f in failures if f.no_open_path == no_open_path for name in f.pair} <= reported


def test_where_mending_is_not_wanted_failed_sets_are_named_and_give_no_arrow():
    table = hub(500, 40)
    net = sl.learn(table, sl.DiamondFree(), "rsl", refuted="report")
    (finding,) = (w for w in net.warnings if w.kind == "failed separating sets")
    failed = {frozenset(net.names[v] for v in pair) for pair in net.separating_sets.failed}
    assert failed
    assert set().union(*failed) == set(finding.culprits)
    assert net.certificate.status == "cannot be checked"
    assert "the data refute some missing edges" in net.trust
    for a, c, b in net.by_position.dag.v_structures():
        assert frozenset((net.names[a], net.names[b])) not in failed or c in net.separating_sets.between(a, b)


def test_explain_says_at_the_very_pair_that_no_direction_is_taken_from_a_failed_set(tmp_path):
    from sklearn.datasets import load_breast_cancer

    net = sl.learn(load_breast_cancer(as_frame=True).frame, sl.DiamondFree(), "rsl", discrete=[], refuted="report")
    a, c, b = (net.names[v] for v in net.by_position.from_failed_sets[0])
    net.write(tmp_path / "net.json")
    for network in (net, sl.read(tmp_path / "net.json")):
        for pair in ((a, b), (a, c)):
            words = str(network.explain(*pair))
            assert "does not separate the two in these data, so no direction is taken from it" in words
        assert [a, c, b] in network.explain(a, b).as_dict()["from_failed_sets"]


def test_an_edge_that_the_check_added_is_said_to_be_so(tmp_path):
    rng = np.random.default_rng(1)
    for seed in range(20):
        graph = random_graphs.erdos_renyi(20, 3 / 19, np.random.default_rng(seed))
        names, values = linear_gaussian(graph, 200, rng)
        net = sl.learn(values, learner="rsl", names=names, boundaries="tc")
        if net.added_edges:
            break
    a, b = net.added_edges[0]
    assert "The check of separating sets added this edge" in str(net.explain(a, b))
    assert net.explain(a, b).as_dict()["added_by_check"]
    net.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json") == net


# What can never look good.


@pytest.mark.parametrize(("n_rows", "n_columns"), [(5, 3), (12, 10)])
def test_a_handful_of_rows_is_never_called_consistent(n_rows, n_columns):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n_rows, 1)) + 0.3 * rng.normal(size=(n_rows, n_columns))
    for side in (None, sl.CliqueNumber(n_columns), sl.DiamondFree()):
        net = sl.learn(values, side)
        assert net.certificate.status == "cannot be checked"
        assert "too few" in net.trust


def test_one_line_says_which_effects_the_rows_cannot_show():
    net = sl.learn(np.random.default_rng(0).normal(size=(335, 4)))
    assert net.trust == "335 rows: partial correlations below .14 would go unnoticed"
    assert net.trust in repr(net)


def test_an_effect_at_the_edge_of_what_is_visible_is_found_about_half_of_the_time():
    rng = np.random.default_rng(0)
    effect = sl.learn(rng.normal(size=(335, 2))).missing_p_values._test.visible_effect(0.01, 0)
    found = 0
    for _ in range(400):
        x, noise = rng.normal(size=(2, 335))
        y = effect * x + (1 - effect**2) ** 0.5 * noise
        found += sl.FisherZ(sl.Correlation(np.corrcoef(x, y), 335)).p_value(0, 1, []) <= 0.01
    assert 0.4 < found / 400 < 0.6


def test_a_test_that_the_rows_cannot_decide_is_counted_and_reported():
    values = np.random.default_rng(0).normal(size=(12, 1)) + np.random.default_rng(1).normal(size=(12, 11)) / 9
    boundaries = {x: [y for y in range(11) if y != x] for x in range(11)}  # larger than 12 rows can carry
    net = sl.learn(values, sl.CliqueNumber(2), boundaries=boundaries)
    (finding,) = (warning for warning in net.warnings if warning.kind == "undecided tests")
    assert "could not be decided" in finding.text
    assert net.certificate.status != "consistent"


def test_pairs_without_an_open_path_are_audited_too():
    """a → c ← b was learned; in other data a and b are dependent."""
    learned = nx.DiGraph([("e", "a"), ("a", "c"), ("b", "c"), ("f", "b")])
    net = sl.learn(sl.DSeparation(learned))
    audit = net.audit(sl.DSeparation(nx.DiGraph([*learned.edges, ("e", "f")])))
    unexplained = {frozenset(failure.pair) for failure in audit.failures if not failure.adjacent}
    assert {frozenset("ef"), frozenset("ab")} <= unexplained
    assert not audit.holds
    single = sl.learn(sl.DSeparation(nx.DiGraph([("a", "c"), ("b", "c")])))
    assert single.audit(sl.DSeparation(learned)).n_marginal == 0  # the empty set is tested once
    chain = sl.learn(sl.DSeparation(CHAIN))
    assert chain.audit(sl.DSeparation(CHAIN)).n_marginal == 0


def lost_variables(seed):
    """Few rows with effects that total conditioning cannot see."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(60, 8))
    for i in range(1, 8):
        values[:, i] += rng.choice([0, 0.6]) * values[:, rng.integers(0, i)]
    return values


@pytest.mark.parametrize("seed", range(40, 60))
def test_no_refuted_marginal_independence_is_left_between_components(seed):
    values = lost_variables(seed)
    net = sl.learn(values, boundaries="tc")
    component = {name: i for i, found in enumerate(nx.connected_components(net.skeleton)) for name in found}
    failures = [failure for failure in net.audit(values).failures if not failure.adjacent]
    assert all(component[failure.pair[0]] == component[failure.pair[1]] for failure in failures)


@pytest.mark.parametrize("max_tests", [20, 48, 100, 213, 300, 600])
def test_the_limit_holds_for_learning_checking_and_mending_together(max_tests):
    net = sl.learn(hub(200, 18), max_tests=max_tests)
    assert net.n_tests + net.check_tests <= max_tests


def test_what_was_not_checked_is_no_contradiction():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 4))
    values[:, 1] += values[:, 0]
    values[:, 2] += values[:, 1]
    net = sl.learn(values, max_conditioning=0)
    assert "contradict" not in net.certificate.sentence


# No silent explosion.


class Patient(sl.DSeparation):
    """An oracle that gives up by default after few tests."""

    default_budget = 2000


def test_a_default_budget_ends_the_search_with_a_legal_graph_and_names_the_remedy(monkeypatch):
    monkeypatch.setattr(interview, "REPORT_EVERY", 500)
    complete = nx.DiGraph(list(combinations(range(14), 2)))
    told = []
    net = sl.learn(Patient(complete), progress=lambda phase, done: told.append((phase, done)))
    (finding,) = (warning for warning in net.warnings if warning.kind == "limit reached")
    assert "the default of max_tests=" in str(finding)
    assert 'side="clique:4"' in str(finding)
    assert nx.is_directed_acyclic_graph(net.to_dag())
    assert nx.utils.edges_equal(net.skeleton.edges, nx.Graph(complete).edges)
    n_tests = [done for phase, done in told if phase == "tests"]
    assert n_tests == sorted(n_tests)
    assert len(n_tests) >= 4


def test_a_budget_of_ones_own_goes_beyond_the_default():
    complete = nx.DiGraph(list(combinations(range(9), 2)))
    unlimited = sl.learn(sl.DSeparation(complete))
    assert unlimited.n_tests > 3000
    net = sl.learn(Patient(complete), max_tests=10**6)
    assert not net.warnings
    assert net.n_tests == unlimited.n_tests
