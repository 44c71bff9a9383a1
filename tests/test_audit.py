"""An audit finds nothing where everything is true, and exactly what differs where it is not."""

import json
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.data import example, simulate
from tests.graphs_for_tests import d_separated, dags

LEARNERS = ["rsl", "marvel", "pc", "pc-stable", "gs", "cs", "mmpc", "hpc"]


@settings(max_examples=200)
@given(dags(min_size=1), st.sampled_from(LEARNERS))
def test_an_oracle_finds_nothing_wrong_with_what_was_learned_from_it(graph, learner):
    oracle = sl.DSeparation(graph)
    result = sl.learn(oracle, learner=learner).audit(oracle)
    assert result.holds
    assert result.failures == ()
    n = len(graph)
    assert result.n_missing + result.n_edges == n * (n - 1) // 2


@settings(max_examples=150)
@given(dags(min_size=5, max_size=5), dags(min_size=5, max_size=5), st.sampled_from(["rsl", "pc"]))
def test_another_dag_fails_exactly_the_pairs_that_it_answers_otherwise(graph, other, learner):
    net = sl.learn(sl.DSeparation(graph), learner=learner)
    failed = {frozenset(failure.pair): failure for failure in net.audit(sl.DSeparation(other)).failures}
    for pair in map(frozenset, combinations(graph, 2)):
        if pair in net.separating_sets:
            fails = not d_separated(other, *pair, net.separating_sets[pair])
        else:
            fails = d_separated(other, *pair, net.edge_evidence[pair].boundary_given)
        assert (pair in failed) == fails
        assert not fails or failed[pair].joined == (pair not in net.separating_sets)


def linear(seed, rows=400, n=10):
    rng = np.random.default_rng(seed)
    names, values = simulate.linear_gaussian(simulate.erdos_renyi(n, 0.25, np.random.default_rng(7)), rows, rng)
    return [f"v{name}" for name in names], values


def test_on_other_data_the_failures_are_those_of_single_questions():
    names, values = linear(0)
    _, others = linear(1, rows=40)
    net = sl.learn(values, names=names)
    result = net.audit(others, alpha=0.05)
    test = sl.FisherZ(sl.Correlation(np.corrcoef(others.T), len(others), names))

    def p_value(pair, given):
        return test.p_value(*(names.index(name) for name in pair), [names.index(name) for name in given])

    wrong = {pair for pair, given in net.separating_sets.items() if p_value(pair, given) <= 0.05 / result.n_missing}
    unseen = {pair for pair, told in net.edge_evidence.items() if p_value(pair, told.boundary_given) > 0.05}
    assert {frozenset(f.pair) for f in result.failures if not f.joined} == wrong
    assert {frozenset(f.pair) for f in result.failures if f.joined} == unseen
    assert unseen
    for failure in result.failures:
        assert failure.p == pytest.approx(p_value(failure.pair, failure.given), rel=1e-6)
        assert result.in_words(failure) in result.sentences
    json.dumps(result.facts)


def test_columns_are_matched_by_name_whatever_their_order_and_company():
    pandas = pytest.importorskip("pandas")
    names, values = linear(0)
    net = sl.learn(values, names=names)
    frame = pandas.DataFrame(values, columns=names)[names[::-1]]
    frame.insert(3, "site", 1.0)  # a constant, which is none of the network's business
    assert net.audit(frame).facts == net.audit(values).facts


def test_an_array_without_names_has_the_network_s_columns_in_its_order():
    names, values = linear(0)
    net = sl.learn(values, names=names)
    assert net.audit(values).facts == net.audit(values, names=names).facts
    assert net.audit(values.tolist()).facts == net.audit(values).facts


@pytest.mark.parametrize("n_columns", [2, 4])
@pytest.mark.parametrize("names", [None, ["a", "b", "c"]])
def test_an_array_with_fewer_or_more_columns_is_refused_unless_their_names_are_given(names, n_columns):
    values = np.random.default_rng(0).standard_normal((100, 4))
    net = sl.learn(values[:, :3], names=names)
    for use in (net.audit, net.fit):
        with pytest.raises(
            sl.InputError, match=f"the array has {n_columns} columns, the network 3 variables; say with"
        ):
            use(values[:, :n_columns])
    order = ["more", *net.names]
    assert net.audit(values[:, [3, 0, 1, 2]], names=order).facts == net.audit(values[:, :3]).facts
    assert net.fit(values[:, [3, 0, 1, 2]], names=order).noise == net.fit(values[:, :3]).noise


@pytest.mark.parametrize("extension", ["csv", "parquet"])
def test_files_have_the_columns_of_a_network_with_numbers_for_names(tmp_path, extension):
    pandas = pytest.importorskip("pandas")
    values = np.random.default_rng(0).standard_normal((100, 3))
    sl.learn(values).write(tmp_path / "net.json")
    net = sl.read(tmp_path / "net.json")
    frame = pandas.DataFrame(values, columns=["0", "1", "2"])[["2", "0", "1"]]
    path = tmp_path / f"data.{extension}"
    frame.to_csv(path, index=False) if extension == "csv" else frame.to_parquet(path)
    for source in (path, frame):
        assert net.audit(source).facts == net.audit(values).facts
        assert net.fit(source).noise == pytest.approx(net.fit(values).noise)
    pandas.DataFrame(values).to_csv(tmp_path / "bare.csv", index=False, header=False)
    with pytest.raises(sl.InputError, match="holds numbers, not the names of the columns"):
        net.audit(tmp_path / "bare.csv")


@pytest.mark.parametrize("options", [{}, {"correlation": "spearman"}, {"missing": "pairwise"}, {"weights": "w"}])
def test_the_options_of_learn_are_those_of_an_audit(options):
    pandas = pytest.importorskip("pandas")
    names, values = linear(0)
    frame = pandas.DataFrame(values, columns=names)
    if options.get("missing"):
        frame.iloc[:5, 0] = np.nan
    if options.get("weights"):
        frame["w"] = 2.0
    assert sl.learn(frame, **options).audit(frame, **options).n_edges > 0


def test_discrete_tables_are_audited_with_their_own_test():
    rows = sl.networks.load_discrete("asia").sample(2000, np.random.default_rng(0))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows)
    net = sl.learn(frame)
    result = net.audit(frame)
    assert result.test == net.settings["test"] == "MomentChiSquare"
    assert result.n_missing + result.n_edges == 28


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"data": sl.DSeparation(nx.DiGraph([("a", "x")]))}, "the data do not have the network's variables 'b', 'c'"),
        ({"data": np.zeros((9, 2))}, "the array has 2 columns, the network 3 variables; say with names= which"),
        ({"data": "nowhere.csv"}, "there is no file 'nowhere.csv'"),
        ({"alpha": 2}, "alpha=2: a level is a number between 0 and 1"),
        ({"test": "magic"}, "test='magic'"),
    ],
)
def test_what_cannot_be_audited_is_named(arguments, message):
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("b", "c")])))
    with pytest.raises(sl.InputError) as error:
        net.audit(**{"data": np.eye(9, 3), **arguments})
    assert message in str(error.value)


def test_what_was_learned_from_a_table_holds_in_it():
    result = sl.learn(example("newborns"), sl.DiamondFree()).audit(example("newborns"))
    assert result.holds
    assert str(result).endswith("All 190 hold.")
    assert "0.01 divided by their number (Bonferroni)" in str(result)
