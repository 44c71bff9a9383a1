"""From what is handed in to a test: the same network from the same data in any form, and options that go with it."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.families import TABLE_TESTS
from sidelight.families.options import DataOptions
from sidelight.prepare import prepare
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi


def numbers(n_rows, n=12, seed=0):
    rng = np.random.default_rng(seed)
    return linear_gaussian(erdos_renyi(n, 0.3, rng), n_rows, rng)[1]


@pytest.mark.parametrize("n_rows", [40, 100, 1000])
def test_a_table_its_correlations_and_the_test_on_them_give_the_same_network(n_rows):
    """Few rows, rows enough for neither way to find boundaries, and many."""
    values = numbers(n_rows)
    correlation = sl.Correlation(np.corrcoef(values.T), n_rows)
    from_correlation, from_test = sl.learn(correlation), sl.learn(sl.FisherZ(correlation))
    assert from_test == from_correlation
    from_table = sl.learn(values)
    assert from_table.settings.boundaries == from_test.settings.boundaries
    assert from_table.to_networkx().edges == from_test.to_networkx().edges
    assert from_table.separating_sets == from_test.separating_sets


def test_rows_dropped_by_learn_or_before_give_the_same_network():
    values = numbers(300)
    values[::7, 3] = np.nan
    frame = pd.DataFrame(values)
    by_learn, before = sl.learn(frame, missing="drop"), sl.learn(frame.dropna())
    assert by_learn.to_networkx().edges == before.to_networkx().edges
    assert by_learn.separating_sets == before.separating_sets


def test_a_test_of_the_user_s_is_not_changed():
    class Mine(sl.CITest):
        names = ["a", "b"]  # noqa: RUF012

        def p_value(self, x, y, given):
            return 0.5

    test = Mine()
    assert sl.learn(test).names == ("a", "b")
    assert test.names is Mine.names


@pytest.mark.parametrize("n_rows", [20, 60])
@pytest.mark.parametrize("kind", ["numbers", "mixed", "pairwise"])
def test_total_conditioning_without_enough_rows_is_refused_instead_of_giving_an_empty_graph(kind, n_rows):
    rng = np.random.default_rng(0)
    n = n_rows + 5 if kind != "mixed" else n_rows // 2
    common = rng.standard_normal((n_rows, 1))
    frame = pd.DataFrame(np.sqrt(0.9) * common + np.sqrt(0.1) * rng.standard_normal((n_rows, n)))
    options = {}
    if kind == "mixed":
        for column in range(0, n, 2):
            frame[column] = pd.cut(frame[column], 4, labels=list("pqrs")).astype(str)
    if kind == "pairwise":
        frame.iloc[0, 0] = np.nan
        options = {"missing": "pairwise"}
    with pytest.raises(sl.InputError, match="total conditioning needs more rows"):
        sl.learn(frame, boundaries="tc", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "kernel", "weights": np.ones(50)}, "weights= does not go with the test 'kernel'"),
        ({"test": "kernel", "missing": "em"}, "missing=\"em\" does not go with the test 'kernel'"),
        (
            {"test": "g2", "correlation": "normal-scores"},
            "correlation=\"normal-scores\" does not go with the test 'g2'",
        ),
        ({"test": "mixed", "missing": "em"}, "missing=\"em\" does not go with the test 'mixed'"),
        ({"discrete": [0, 1, 2], "missing": "em"}, "missing=\"em\" does not go with the test 'chi2-moments'"),
        ({"discrete": [], "correlation": "normal-scores", "weights": np.ones(50)}, "weights= goes with correlation="),
        ({"correlation": "spearman"}, 'partial Spearman .* use correlation="normal-scores"'),
        ({"correlation": "kendall"}, 'partial Kendall .* use correlation="normal-scores"'),
        (
            {"discrete": [], "missing": "em", "correlation": "normal-scores"},
            'missing="em" supports only correlation="pearson"',
        ),
    ],
)
def test_options_that_do_not_go_together_are_named(options, message):
    values = np.random.default_rng(0).integers(0, 3, (50, 3)).astype(float)
    with pytest.raises(sl.InputError, match=message):
        sl.learn(values, **options)


def test_a_graph_is_not_a_source_of_answers():
    with pytest.raises(sl.InputError, match=r"wrap it: sl\.learn\(sl\.DSeparation"):
        sl.learn(nx.DiGraph([("a", "b")]))


@pytest.mark.parametrize("option", [name for name in TABLE_TESTS if name != "kernel"])
def test_the_settings_call_a_test_what_the_option_calls_it(option):
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 3, (200, 3)).astype(float), columns=list("abc"))
    options = {"discrete": ["a"]} if option == "mixed" else {}
    assert sl.learn(frame, test=option, **options).settings.test == option


def surveyed(kind, rng):
    """Independent columns of 400 rows, with weights that have nothing to do with them and sum to their number."""
    frame = pd.DataFrame(rng.standard_normal((400, 2)), columns=["a", "b"])
    if kind != "numbers":
        frame["a"] = np.where(frame["a"] > 0, "x", "y")
    if kind == "categories":
        frame["b"] = np.where(frame["b"] > 0.5, "u", "v")
    weights = rng.lognormal(size=400)
    return frame.assign(w=weights / weights.mean())


@pytest.mark.parametrize("kind", ["numbers", "categories", "mixed"])
def test_survey_weights_keep_the_significance_level(kind):
    """9 of 150 at 0.01 are beyond chance (p < 0.0001); as numbers of equal rows there are 20 or more."""
    rng = np.random.default_rng(0)
    tests = [prepare(surveyed(kind, rng), DataOptions(weights="w")).test for _ in range(150)]
    assert sum(test.p_value(0, 1, []) <= 0.01 for test in tests) < 9


@pytest.mark.parametrize("kind", ["numbers", "categories", "mixed"])
def test_survey_weights_are_reported_with_their_effective_sample_size(kind):
    frame = surveyed(kind, np.random.default_rng(0))
    (finding,) = [f for f in prepare(frame, DataOptions(weights="w")).findings if f.kind == "survey weights"]
    size = int(frame["w"].sum() ** 2 / (frame["w"] ** 2).sum())
    assert f"the effective sample size is {size} of 400 rows" in finding.text


def test_equal_weights_change_nothing_whatever_they_sum_to():
    frame = surveyed("numbers", np.random.default_rng(0)).drop(columns="w")
    plain = prepare(frame, DataOptions()).test.p_value(0, 1, [])
    for weight in (1 / 400, 0.1, 1.0, 1.5):
        weighted = prepare(frame, DataOptions(weights=np.full(400, weight))).test
        assert weighted.p_value(0, 1, []) == pytest.approx(plain)


def test_weights_that_sum_to_the_number_of_rows_are_weights():
    """A table of counts numbers its rows by nature."""
    counts = pd.DataFrame(
        {"dose": np.arange(1, 9), "effect": [2.0, 1, 4, 3, 6, 5, 8, 7], "n": [1, 1, 1, 1, 1, 1, 1, 1]}
    )
    for n in ([1] * 8, [2, 1] * 4):
        findings = sl.diagnose(counts.assign(n=n), weights="n", discrete=[]).findings
        assert [finding.kind for finding in findings] == []
