"""Ordered categories in fitted networks: proportional odds, and as many parameters as the score charged."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.fit import read_fitted
from sidelight.kinds.category import TableNode
from sidelight.kinds.ordinal import ProportionalOddsNode
from sidelight.options import Options
from sidelight.prepare import prepare

ORDER = ("low", "mid", "high", "top")  # not that of the alphabet


def survey(n=600, seed=0):
    """Numbers a, b; ordered o from both, p from o; a category c from o; a number d from o."""
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, n))
    o = np.digitize(1.2 * a - 0.8 * b + rng.logistic(size=n), [-1.5, 0, 1.5])
    p = np.digitize(0.9 * o + rng.logistic(size=n), [0, 1, 2.5])
    c = np.array(list("uvw"))[np.digitize(0.8 * o + rng.logistic(size=n), [0.5, 2])]
    words = np.array(ORDER)
    return pd.DataFrame({"a": a, "b": b, "o": words[o], "p": words[p], "c": c, "d": 0.7 * o + rng.standard_normal(n)})


def fitted(frame, edges, **options):
    """A network with these arrows, fitted as it was learned."""
    types = {"o": ORDER, "p": ORDER}
    net = sl.learn(frame, sl.Required(*edges), types=types, **options)
    assert set(edges) <= set(nx.DiGraph(net.to_dag()).edges)
    return net.fit(frame)


def test_thresholds_and_slopes_are_those_of_statsmodels():
    ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    frame = survey()
    node = fitted(frame, [("a", "o"), ("b", "o")]).conditional("o")
    codes = pd.Categorical(frame["o"], ORDER, ordered=True)
    numbers = frame[["a", "b"]].to_numpy()
    theirs = ordinal.OrderedModel(codes.codes, numbers, distr="logit").fit(method="bfgs", disp=0)
    assert isinstance(node, ProportionalOddsNode)
    assert list(node.coefficients.values()) == pytest.approx(theirs.params[:2], abs=0.02)
    expected = theirs.model.transform_threshold_params(theirs.params)[1:-1]
    assert node.thresholds == pytest.approx(expected, abs=0.02)


def test_what_an_ordered_parent_adds_rises_along_its_order():
    effects = fitted(survey(), [("o", "d")]).conditional("d").coefficients["o"]
    assert list(effects) == list(ORDER)
    values = list(effects.values())
    assert values[0] == 0
    assert values == sorted(values)


def test_a_fitted_network_has_the_likelihood_and_the_parameters_that_the_score_charged():
    frame, types = survey(), {"o": ORDER, "p": ORDER}
    net = sl.learn(frame, types=types)
    model, score = (
        net.fit(frame, equivalent_sample_size=0),
        prepare(frame, Options(types=types)).test.score("auto", None),
    )
    per_parameter = np.log(len(frame)) / 2 + np.log(6)
    columns = {variable.name: variable.encoded(model_table(frame)) for variable in model.variables}
    for v, node in enumerate(model.conditionals):
        if node.variable.kind.is_coded:
            slopes = node.n_parameters - (len(node.variable.categories) - 1)
            expected = node.log_densities(columns).sum() - per_parameter * slopes
            assert score.local(v, model.structure.parents[v]) == pytest.approx(expected, abs=0.05)


def model_table(frame):
    from sidelight.sources.rows import read_table

    return read_table(frame)


def test_likert_items_have_few_parameters_and_categories_alone_keep_their_tables():
    rng = np.random.default_rng(1)
    trait = rng.standard_normal(800)
    items = {f"i{v}": np.digitize(trait + rng.standard_normal(800), [-1.5, -0.5, 0.5, 1.5]) for v in range(6)}
    frame = pd.DataFrame(items)
    ordered = sl.learn(frame, types=dict.fromkeys(frame, "ordinal")).fit(frame)
    assert ordered.n_parameters < 6 * 4 + 30
    tables = sl.learn(frame).fit(frame)
    assert all(isinstance(node, TableNode) for node in tables.conditionals)
    by_counts = sl.learn(frame, types=dict.fromkeys(frame, "ordinal"), test="chi2-moments").fit(frame)
    assert all(isinstance(node, TableNode) for node in by_counts.conditionals)


def test_an_effect_that_is_not_along_the_order_has_a_table():
    rng = np.random.default_rng(2)
    o = rng.integers(4, size=2000)
    p = np.where(rng.random(2000) < 0.9, np.isin(o, [1, 2]) * 2, rng.integers(3, size=2000))
    frame = pd.DataFrame({"o": o, "p": p, "x": rng.standard_normal(2000)})
    net = sl.learn(frame, sl.Required(("o", "p")), types={"o": "ordinal", "p": "ordinal"})
    assert isinstance(net.fit(frame).conditional("p"), TableNode)


def test_samples_predictions_and_interventions_use_the_order():
    frame = survey(1500)
    model = fitted(frame, [("a", "o"), ("b", "o"), ("o", "p")])
    drawn = pd.DataFrame(model.sample(4000, seed=1))
    shares = drawn["o"].value_counts(normalize=True) - frame["o"].value_counts(normalize=True)
    assert shares.abs().max() < 0.03
    right = np.mean(model.predict("o", frame) == frame["o"].to_numpy())
    assert right > 1.3 * frame["o"].value_counts(normalize=True).max()
    high, low = (model.do({"a": value}, "o").probabilities for value in (2.0, -2.0))
    assert high["top"] > 0.4 > low["top"]


def test_a_number_is_predicted_from_an_ordered_child_as_by_summing_over_a_grid():
    frame = survey(400)
    model = fitted(frame, [("a", "o"), ("b", "o")])
    row, grid = frame.head(1), np.linspace(-8, 8, 4001)
    rows = pd.concat([row] * len(grid), ignore_index=True).assign(a=grid)
    table = {variable.name: variable.encoded(model_table(rows)) for variable in model.variables}
    logs = sum(node.log_densities(table) for node in model.conditionals)
    weights = np.exp(logs - logs.max())
    assert model.predict("a", row)[0] == pytest.approx(weights @ grid / weights.sum(), abs=0.01)


def test_few_rows_for_each_parameter_are_warned_of():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.integers(8, size=160), "b": rng.integers(8, size=160)}).astype(str)
    model = sl.learn(frame, sl.Required(("a", "b"))).fit(frame)
    assert [finding.kind for finding in model.warnings] == ["few rows per parameter"]
    assert model.warnings[0].culprits == ("b",)
    assert "2.9 rows for each" in str(model)
    assert not sl.learn(survey(), types={"o": ORDER, "p": ORDER}).fit(survey()).warnings


def test_a_network_with_ordered_categories_is_read_as_it_was_written(tmp_path):
    frame = survey()
    model = fitted(frame, [("a", "o"), ("o", "p"), ("o", "d")])
    model.write(tmp_path / "survey.json")
    again = read_fitted(tmp_path / "survey.json")
    assert again.log_likelihood(frame) == pytest.approx(model.log_likelihood(frame))
    assert again.conditional("d").coefficients["o"] == pytest.approx(model.conditional("d").coefficients["o"])
