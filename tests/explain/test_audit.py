"""An audit finds nothing where everything is true, and exactly what differs where it is not."""

import json
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.examples import example
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian
from tests.graphs_for_tests import d_separated, dags
from tests.orientation.test_pag import dags_with_hidden

LEARNERS = ["rsl", "marvel", "pc", "pc-stable", "gs", "cs", "mmpc", "hpc"]


@settings(max_examples=80)
@given(dags(min_size=1), st.sampled_from(LEARNERS))
def test_an_oracle_finds_nothing_wrong_with_what_was_learned_from_it(graph, learner):
    oracle = sl.DSeparation(graph)
    result = sl.learn(oracle, learner=learner).audit(oracle)
    assert result.holds
    assert result.failures == ()
    n = len(graph)
    assert result.n_missing + result.n_edges == n * (n - 1) // 2


@settings(max_examples=80)
@given(dags(min_size=5, max_size=5), dags(min_size=5, max_size=5), st.sampled_from(["rsl", "pc"]))
def test_another_dag_fails_exactly_the_pairs_that_it_answers_otherwise(graph, other, learner):
    net = sl.learn(sl.DSeparation(graph), learner=learner)
    failures = net.audit(sl.DSeparation(other)).failures
    failed = {frozenset(failure.pair): failure for failure in failures if not failure.no_open_path}
    for failure in failures:
        assert not failure.no_open_path or not d_separated(other, *failure.pair, ())
        assert not failure.no_open_path or d_separated(graph, *failure.pair, ())
    for pair in map(frozenset, combinations(graph, 2)):
        if pair in net.separating_sets:
            fails = not d_separated(other, *pair, net.separating_sets[pair])
        else:
            fails = d_separated(other, *pair, net.edge_evidence[pair].boundary_given)
        assert (pair in failed) == fails
        assert not fails or failed[pair].adjacent == (pair not in net.separating_sets)


@settings(max_examples=25)
@given(dags_with_hidden(max_size=7, selection=False), st.data())
def test_an_audit_of_a_pag_fails_exactly_what_another_model_answers_otherwise(case, data):
    graph, hidden, _ = case
    if len(hidden) == len(graph):
        return
    net = sl.learn(sl.DSeparation(graph, hidden=hidden), hidden=True)
    assert net.audit(sl.DSeparation(graph, hidden=hidden)).holds
    order = data.draw(st.permutations(list(graph)))
    other = nx.relabel_nodes(graph, dict(zip(graph, order, strict=True)))
    failures = net.audit(sl.DSeparation(other, hidden=hidden)).failures
    for failure in failures:
        assert d_separated(other, *failure.pair, failure.given) == failure.adjacent
        assert not failure.no_open_path or d_separated(graph, *failure.pair, ())
    missing = {frozenset(failure.pair) for failure in failures if not failure.adjacent and not failure.no_open_path}
    assert missing == {pair for pair, given in net.separating_sets.items() if not d_separated(other, *pair, given)}


def test_an_audit_of_a_pag_with_two_hidden_causes_tests_pairs_without_an_open_path():
    one = [("a", "x"), ("u", "x"), ("u", "y"), ("b", "y")]
    graph = nx.DiGraph([*one, *((tail + "2", head + "2") for tail, head in one)])
    oracle = sl.DSeparation(graph, hidden=["u", "u2"])
    net = sl.learn(oracle, hidden=True)
    assert [symbol for _, symbol, _ in net.edges].count("↔") == 2
    assert net.audit(oracle).holds
    graph.add_edge("a", "b2")
    failures = net.audit(sl.DSeparation(graph, hidden=["u", "u2"])).failures
    assert {frozenset(failure.pair) for failure in failures} >= {frozenset(("a", "b2")), frozenset(("a", "y2"))}


def linear(seed, rows=400, n=10):
    rng = np.random.default_rng(seed)
    names, values = linear_gaussian(random_graphs.erdos_renyi(n, 0.25, np.random.default_rng(7)), rows, rng)
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
    assert {frozenset(f.pair) for f in result.failures if not f.adjacent and not f.no_open_path} == wrong
    assert {frozenset(f.pair) for f in result.failures if f.adjacent} == unseen
    assert unseen
    for failure in result.failures:
        assert failure.p == pytest.approx(p_value(failure.pair, failure.given), rel=1e-6)
        assert result.in_words(failure) in result.sentences
    json.dumps(result.as_dict())


def test_columns_are_matched_by_name_whatever_their_order_and_company():
    pandas = pytest.importorskip("pandas")
    names, values = linear(0)
    net = sl.learn(values, names=names)
    frame = pandas.DataFrame(values, columns=names)[names[::-1]]
    frame.insert(3, "site", 1.0)  # a constant, which is none of the network's business
    assert net.audit(frame).as_dict() == net.audit(values).as_dict()


def test_an_array_without_names_has_the_network_s_columns_in_its_order():
    names, values = linear(0)
    net = sl.learn(values, names=names)
    assert net.audit(values).as_dict() == net.audit(values, names=names).as_dict()
    assert net.audit(values.tolist()).as_dict() == net.audit(values).as_dict()


@pytest.mark.parametrize("n_columns", [2, 4])
@pytest.mark.parametrize("names", [None, ["a", "b", "c"]])
def test_an_array_with_fewer_or_more_columns_is_refused_unless_their_names_are_given(names, n_columns):
    values = np.random.default_rng(0).standard_normal((100, 4))
    net = sl.learn(values[:, :3], names=names)
    for use in (net.audit, net.fit):
        with pytest.raises(
            sl.InputError, match=f"the array has {n_columns} columns, the network 3 variables; name the columns"
        ):
            use(values[:, :n_columns])
    order = ["more", *net.names]
    assert net.audit(values[:, [3, 0, 1, 2]], names=order).as_dict() == net.audit(values[:, :3]).as_dict()
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
        assert net.audit(source).as_dict() == net.audit(values).as_dict()
        assert net.fit(source).noise == pytest.approx(net.fit(values).noise)
    pandas.DataFrame(values).to_csv(tmp_path / "bare.csv", index=False, header=False)
    with pytest.raises(sl.InputError, match="has numbers instead of the names of the columns"):
        net.audit(tmp_path / "bare.csv")


def frame_of_all_kinds():
    """Floats, of which b depends on a and d on a and b, none of it linearly; numbers of few values; texts; gaps."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, 600), rng.integers(0, 2, 600)
    b = np.where(rng.random(600) < 0.7, (a == 1) | (a == 2), b)
    frame = pandas.DataFrame({"a": a / 1.5, "b": b * 1.5, "c": rng.integers(0, 3, 600) * 0.5})
    frame["d"] = np.where(rng.random(600) < 0.2, 0.5, (frame["a"] > 1) * 2.5 + frame["b"])
    frame["w"] = rng.integers(1, 4, 600)
    frame["text"] = np.where(rng.random(600) < 0.7, np.where(b == 1, "yes", "no"), "maybe")
    frame["gap"] = np.where(rng.random(600) < 0.1, np.nan, frame["d"] + rng.standard_normal(600))
    return frame


CALLS = [
    {"discrete": list("abcd")},
    {"discrete": list("abcd"), "test": "g2", "weights": "w"},
    {"test": "chi2", "alpha": 0.05},
    {"correlation": "normal-scores", "alpha": 0.123456789},
    {"columns": ["a", "c", "gap", "d"], "missing": "drop"},
    {"columns": ["a", "c", "gap", "d"], "missing": "pairwise"},
    {"columns": ["a", "c", "gap", "d"], "missing": "em", "learner": "pc"},
    {"columns": ["a", "b", "c", "text", "w"], "discrete": {"b", "text"}, "weights": "w"},
    {"columns": ["a", "b", "text"]},
]


@pytest.mark.parametrize("options", CALLS, ids=lambda options: "-".join(options))
def test_a_network_is_audited_as_it_was_learned_unless_told_otherwise(options, tmp_path):
    frame = frame_of_all_kinds()
    columns = ["a", "b", "c", "d", *(["w"] if "weights" in options else [])]
    net = sl.learn(frame, **{"columns": columns, **options})
    net.write(tmp_path / "net.json")
    result = net.audit(frame)
    for name in ("test", "alpha", "correlation", "discrete", "missing", "weighted", "weights_column"):
        assert getattr(result.settings, name) == getattr(net.settings, name)
    assert result.alpha == options.get("alpha", 0.01)
    assert set(result.warnings) <= set(net.warnings)
    assert ", as the network was learned:" in result.sentences[0]
    assert sl.read(tmp_path / "net.json").audit(frame).as_dict() == result.as_dict()
    given = {name: value for name, value in options.items() if name not in ("columns", "learner")}
    assert net.audit(frame, **given).as_dict() == result.as_dict()
    asked = {pair: net.missing_p_values[pair] for pair in net.separating_sets}
    missing = {frozenset(failure.pair): failure.p for failure in result.failures if not failure.adjacent}
    assert missing == pytest.approx({pair: p for pair, p in asked.items() if p <= result.missing_alpha})
    edges = {frozenset(failure.pair) for failure in result.failures if failure.adjacent}
    assert edges == {pair for pair, told in net.edge_evidence.items() if told.boundary_p > result.alpha}


def test_other_options_than_those_learned_with_are_used_and_told():
    frame = frame_of_all_kinds()
    net = sl.learn(frame, columns=["a", "b", "c", "d"], correlation="normal-scores", alpha=0.05)
    told = net.audit(frame, 0.01, test="g2").sentences[0]
    assert told.startswith("Tested with g2 (alpha 0.01), where the network was learned with fisher-z (alpha 0.05, ")
    assert net.audit(frame, correlation="pearson").settings.correlation == "pearson"
    assert net.audit(frame, discrete=list("abcd")).test == "chi2-moments"
    assert net.audit(frame, discrete=["b"]).settings.discrete == ("b",)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": float("nan")}, "alpha must be a number between 0 and 1"),
        ({"correlation": "magic"}, "correlation must be one of .*; got 'magic'"),
        ({"missing": "magic"}, "missing must be one of .*; got 'magic'"),
        ({"test": "mixed", "discrete": ("nobody",)}, "there is no column 'nobody'"),
    ],
)
def test_settings_that_a_file_has_wrong_are_named(settings, message):
    frame = frame_of_all_kinds()[["a", "b", "c", "d"]]
    net = sl.learn(frame)
    with pytest.raises(sl.InputError, match=message):
        replace(net, types=(), settings=replace(net.settings, **settings)).audit(frame)  # files need not have types


def test_weights_that_are_not_there_again_are_missed():
    frame = frame_of_all_kinds()
    columns = ["a", "b", "c", "d"]
    by_name = sl.learn(frame, columns=[*columns, "w"], weights="w")
    by_row = sl.learn(frame, columns=columns, weights=frame["w"].to_numpy())
    for result in (by_name.audit(frame[columns]), by_row.audit(frame)):
        assert not result.settings.weighted
        assert any(warning.kind == "no weights" for warning in result.warnings)
    weighed = by_row.audit(frame, weights=frame["w"].to_numpy())
    assert weighed.failures == by_name.audit(frame).failures
    assert ", as the network was learned:" in weighed.sentences[0]


def test_a_function_as_the_test_is_to_be_given_again():
    frame = frame_of_all_kinds()[["a", "b", "c"]]

    def p_value(x, y, given, data):
        return float({x, y} != {"a", "b"})

    net = sl.learn(frame, test=p_value)
    with pytest.raises(sl.InputError, match="was learned with a function as its test; give it again, or one of 'auto'"):
        net.audit(frame)
    assert net.audit(frame, test=p_value).holds
    assert net.audit(frame, test="auto").test == "fisher-z"


def test_discrete_tables_are_audited_with_their_own_test():
    rows = sl.networks.load_discrete("asia").sample(2000, np.random.default_rng(0))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows)
    net = sl.learn(frame)
    result = net.audit(frame)
    assert result.test == net.settings.test == "chi2-moments"
    assert result.n_missing + result.n_edges == 28


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"data": sl.DSeparation(nx.DiGraph([("a", "x")]))}, "the data do not have the network's variables 'b', 'c'"),
        ({"data": np.zeros((9, 2))}, "the array has 2 columns, the network 3 variables; name the columns"),
        ({"data": "nowhere.csv"}, "there is no file 'nowhere.csv'"),
        ({"alpha": 2}, "alpha must be a number between 0 and 1, such as 0.01; got 2"),
        ({"test": "magic"}, "test must be one of 'auto', 'fisher-z'"),
        ({"missing": "hope"}, "missing must be one of 'error', 'drop', 'pairwise', 'em'; got 'hope'"),
        ({"discrete": ["d"]}, "discrete: there is no column 'd'"),
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
    assert "0.01 divided by the number of missing edges (Bonferroni)" in str(result)


def test_a_level_that_differs_in_its_last_digits_is_another_level():
    frame = frame_of_all_kinds()[["a", "b", "c", "d"]]
    net = sl.learn(frame, alpha=0.0123456789)
    assert net.audit(frame).learned_with == ""
    assert net.audit(frame, 0.0123457).learned_with != ""


@pytest.mark.parametrize("changes", [{"correlation": "auto"}, {"discrete": []}])
def test_an_audit_says_what_auto_came_to(changes):
    rng = np.random.default_rng(1)
    x = rng.standard_normal(400)
    y = x + rng.standard_normal(400)
    table = np.exp(np.column_stack([x, y, y + rng.standard_normal(400)]))
    net = sl.learn(table)
    assert net.settings.correlation == "normal-scores"
    found = net.audit(table, **changes)
    assert (found.settings.correlation, found.learned_with) == ("normal-scores", "")
