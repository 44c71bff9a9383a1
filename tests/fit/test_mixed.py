import networkx as nx
import numpy as np
import pandas as pd
import pytest

import sidelight as sl

EDGES = [("sex", "bmi"), ("age", "bmi"), ("sex", "illness"), ("bmi", "illness"), ("illness", "cost"), ("age", "cost")]
GRAPH = nx.DiGraph([("smokes", "sex"), *EDGES])  # "smokes" has a table for its child
NET = sl.learn(sl.DSeparation(GRAPH), sl.Required(*GRAPH.edges))
ILLNESS = np.array([[0.0, 0.5, -1.0], [0.0, 0.8, -0.6], [0.0, 0.5, 1.2]])  # intercept, sex = m, bmi; by category
COST = {"acute": 0.0, "chronic": 3.0, "none": -1.0}


def simulated(n_rows, seed=0, do=None):
    """Rows of a known model, with some variables set to values."""
    rng, columns, do = np.random.default_rng(seed), {}, do or {}

    def put(name, drawn):
        columns[name] = np.full(n_rows, do[name]) if name in do else drawn

    put("smokes", np.where(rng.random(n_rows) < 0.3, "yes", "no"))
    put("sex", np.where(rng.random(n_rows) < np.where(columns["smokes"] == "yes", 0.7, 0.4), "m", "f"))
    put("age", 50 + 10 * rng.standard_normal(n_rows))
    male = columns["sex"] == "m"
    put("bmi", 0.5 + 0.8 * male + 0.04 * columns["age"] - 2 + 0.7 * rng.standard_normal(n_rows))
    scores = np.column_stack([np.ones(n_rows), male, columns["bmi"]]) @ ILLNESS
    codes = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    put("illness", np.array(sorted(COST))[codes])
    added = pd.Series(columns["illness"]).map(COST).to_numpy()
    put("cost", 10 + added + 0.1 * columns["age"] + 1.5 * rng.standard_normal(n_rows))
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def data():
    return simulated(20_000)


@pytest.fixture(scope="module")
def fitted(data):
    return NET.fit(data)


def test_parameters_of_a_simulated_model_are_recovered(fitted):
    bmi = fitted.conditional("bmi")
    assert bmi.coefficients["age"] == pytest.approx(0.04, abs=0.002)
    assert bmi.coefficients["sex"] == pytest.approx({"f": 0, "m": 0.8}, abs=0.05)
    assert bmi.intercept == pytest.approx(-1.5, abs=0.1)
    assert bmi.noise == pytest.approx(0.7, abs=0.02)
    illness = fitted.conditional("illness")
    assert np.allclose(illness.intercepts, ILLNESS[0, 1:], atol=0.15)
    columns = [parent.name for parent in illness.parents]
    assert np.allclose(illness.slopes[:, columns.index("sex")], ILLNESS[1, 1:], atol=0.15)
    assert np.allclose(illness.slopes[:, columns.index("bmi")], ILLNESS[2, 1:], atol=0.15)
    assert fitted.conditional("cost").coefficients["illness"] == pytest.approx(COST, abs=0.15)
    assert np.allclose(fitted.conditional("sex").probabilities, [[0.6, 0.4], [0.3, 0.7]], atol=0.03)


def test_the_likelihood_is_the_sum_of_those_of_statsmodels(data):
    import statsmodels.api as sm

    rows = data[:2000]
    fitted = NET.fit(rows, equivalent_sample_size=0)
    male, categories = (rows["sex"] == "m").astype(float), pd.get_dummies(rows["illness"], dtype=float).iloc[:, 1:]
    total = sm.OLS(rows["age"], np.ones(len(rows))).fit().llf
    total += sm.OLS(rows["bmi"], sm.add_constant(pd.DataFrame({"m": male, "age": rows["age"]}))).fit().llf
    total += sm.OLS(rows["cost"], sm.add_constant(categories.assign(age=rows["age"]))).fit().llf
    design = sm.add_constant(pd.DataFrame({"m": male, "bmi": rows["bmi"]}))
    illness = sm.MNLogit(rows["illness"].astype("category").cat.codes, design).fit(disp=0)
    for given in (None, rows["smokes"]):  # tables, as logistic regressions on indicators
        x = np.ones(len(rows)) if given is None else sm.add_constant((given == "yes").astype(float))
        child = rows["smokes"] == "yes" if given is None else rows["sex"] == "m"
        total += sm.Logit(child.astype(float), x).fit(disp=0).llf
    assert fitted.log_likelihood(rows) == pytest.approx(total + illness.llf, rel=1e-9)
    assert np.allclose(fitted.conditional("illness").intercepts, illness.params.loc["const"], atol=1e-4)
    assert fitted.n_parameters == 1 + 2 + 2 + 4 + 6 + 5
    assert fitted.bic(rows) == pytest.approx(total + illness.llf - 0.5 * 20 * np.log(2000), rel=1e-9)
    assert fitted.mean_log_likelihood(rows) == pytest.approx((total + illness.llf) / 2000, rel=1e-9)


def test_weights_count_rows_as_many(data):
    rows = data[:300]
    counts = np.random.default_rng(0).integers(1, 4, len(rows))
    repeated = rows.loc[rows.index.repeat(counts)]
    weighted, wanted = NET.fit(rows, weights=counts), NET.fit(repeated)
    assert weighted.log_likelihood(data) == pytest.approx(wanted.log_likelihood(data), rel=1e-7)
    assert weighted.n_rows == counts.sum()


def test_a_large_sample_fitted_again_gives_the_parameters_back(fitted, data):
    sample = fitted.sample(20_000, seed=1)
    assert tuple(sample) == fitted.names
    again = NET.fit(pd.DataFrame(sample))
    assert again.mean_log_likelihood(data) == pytest.approx(fitted.mean_log_likelihood(data), abs=0.003)


def test_categories_that_a_number_separates_have_finite_slopes_and_few_rows_do_not_fail():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("x", "c")])), sl.Required(("x", "c")))
    x = np.linspace(0, 1, 12)
    rows = pd.DataFrame({"x": x, "c": np.where(x < 0.5, "low", "high")})
    slopes = {size: abs(net.fit(rows, equivalent_sample_size=size).conditional("c").slopes[0, 0]) for size in (1, 10)}
    assert 0 < slopes[10] < slopes[1] < 1000
    assert np.isfinite(net.fit(rows, equivalent_sample_size=0).log_likelihood(rows))
    assert (net.fit(rows).predict("c", rows) == rows["c"]).all()


def test_the_prior_of_a_regression_on_what_says_nothing_is_that_of_a_table():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("x", "c")])), sl.Required(("x", "c")))
    rows = pd.DataFrame({"x": [-1.5, 1.5, -1.5, 1.5], "c": ["a", "a", "b", "b"]})
    rows = pd.concat([rows, rows.assign(c="a")])
    found = net.fit(rows, equivalent_sample_size=4).predict_proba("c", pd.DataFrame({"x": [0.3]}))
    assert found == {"a": pytest.approx((6 + 2) / 12), "b": pytest.approx((2 + 2) / 12)}


def test_what_cannot_be_fitted_or_sampled_is_named(fitted, data):
    with pytest.raises(sl.InputError, match="column 'cost' is constant"):
        NET.fit(data[:50].assign(cost=1.0))
    with pytest.raises(sl.InputError, match="'sex' has the value 'x', which is none of the fitted categories 'f', 'm'"):
        fitted.log_likelihood(data[:5].assign(sex="x"))
    for wrong in (-1, 2.5, "3"):
        with pytest.raises(sl.InputError, match="n_rows must be a whole number, 0 or more; got"):
            fitted.sample(wrong)
    for wrong in (-1, "x"):
        with pytest.raises(sl.InputError, match="seed must be a whole number, 0 or more; got"):
            fitted.sample(3, seed=wrong)
    assert [len(column) for column in fitted.sample(0).values()] == [0] * 6
    many = data[:3000].assign(illness=[f"i{i}" for i in range(3000)])
    with pytest.raises(sl.InputError, match=r"'illness' has 3000 categories, and their regression .* 8,997 parameters"):
        NET.fit(many)


def test_the_text_shows_every_conditional(fitted):
    lines = repr(fitted).splitlines()
    assert lines[0] == "<FittedMixed: 6 variables, 20 parameters, fitted to 20000 rows>"
    assert "  sex given smokes: f, m" in lines
    assert "  illness given sex, bmi, logistic: acute, chronic, none" in lines
    assert any(line.startswith("  bmi = -1.") and " + sex (f: +0, m: +0." in line for line in lines)


def test_the_noise_beside_categories_is_that_of_rows_that_were_left_out():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"group": rng.choice(["a", "b", "c"], 40), "x": rng.standard_normal(40)})
    rows["y"] = rows["x"] + 2 * (rows["group"] == "b") + rng.standard_normal(40)
    graph = nx.DiGraph([("group", "y"), ("x", "y")])
    node = sl.learn(sl.DSeparation(graph), sl.Required(*graph.edges)).fit(rows, equivalent_sample_size=1e-9)
    design = np.column_stack([np.ones(40), rows["group"] == "b", rows["group"] == "c", rows["x"]]).astype(float)
    left_out = [
        rows["y"][i] - design[i] @ np.linalg.lstsq(np.delete(design, i, axis=0), rows["y"].drop(i), rcond=None)[0]
        for i in range(40)
    ]
    assert node.conditional("y").noise == pytest.approx(np.sqrt(np.mean(np.square(left_out))), rel=1e-6)


def test_a_category_of_one_row_does_not_hide_that_the_number_varies():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"group": ["a"] * 30 + ["b"] * 29 + ["c"], "y": [*rng.standard_normal(59), 100.0]})
    net = sl.learn(sl.DSeparation(nx.DiGraph([("group", "y")])), sl.Required(("group", "y")))
    shrunk, free = net.fit(rows), net.fit(rows, equivalent_sample_size=0)
    assert shrunk.conditional("y").noise > 100 / np.sqrt(60) > free.conditional("y").noise
    again = rows.assign(y=np.roll(rows["y"], 30))  # the large value is now in a row of another group
    assert shrunk.log_likelihood(again) > free.log_likelihood(again) + 1000
