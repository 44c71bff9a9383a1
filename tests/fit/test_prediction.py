import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sidelight as sl
from sidelight.fit.model import read_rows
from sidelight.kinds.base import Sample
from tests.fit.test_gaussian import learned
from tests.fit.test_mixed import NET, simulated


@pytest.fixture(scope="module")
def fitted():
    return NET.fit(simulated(1500))


@pytest.fixture(scope="module")
def rows():
    return simulated(8, seed=5)


@pytest.mark.parametrize("column", ["smokes", "sex", "illness"])
def test_probabilities_are_those_of_the_joint_distribution(fitted, rows, column):
    found = fitted.predict_proba(column, rows)
    for i in range(len(rows)):
        joint = [np.exp(fitted.log_likelihood(rows[i : i + 1].assign(**{column: value}))) for value in found]
        assert np.allclose([found[value][i] for value in found], np.array(joint) / sum(joint))
    assert list(fitted.predict(column, rows)) == list(pd.DataFrame(found).idxmax(axis=1))


@pytest.mark.parametrize(("column", "low", "high"), [("bmi", -8, 12), ("age", -60, 160), ("cost", -40, 60)])
def test_the_mean_of_a_number_is_that_of_the_joint_distribution(fitted, rows, column, low, high):
    grid = np.linspace(low, high, 20_001)
    for i, found in enumerate(fitted.predict(column, rows)):
        row, weights = read_rows(rows.loc[[i] * len(grid)].assign(**{column: grid}), fitted.names, None, "error", None)
        columns = Sample.of(fitted.variables, row, weights).columns
        joint = np.exp(sum(node.log_densities(columns) for node in fitted.conditionals))
        assert found == pytest.approx(joint @ grid / joint.sum(), rel=1e-6)


def test_a_steep_regression_below_a_number_keeps_the_mean_exact():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("x", "c")])), sl.Required(("x", "c")))
    x = np.random.default_rng(0).standard_normal(400)
    fitted = net.fit(pd.DataFrame({"x": x, "c": np.where(x > 0, "up", "down")}), equivalent_sample_size=0.01)
    up = fitted.predict("x", pd.DataFrame({"c": ["up"]}))[0]
    node = fitted.conditional("x")
    assert up == pytest.approx(np.mean(x[x > 0]), abs=0.05)
    assert up == pytest.approx(
        stats.truncnorm.mean(-node.intercept / node.noise, 9, node.intercept, node.noise), abs=0.02
    )


def test_a_gaussian_network_predicts_the_conditional_mean_of_the_joint_normal_distribution():
    net, data = learned(n=6)
    fitted = net.fit(data)
    weights = np.array([[fitted.coefficients[a].get(b, 0.0) for b in net.names] for a in net.names])
    inverse = np.linalg.inv(np.eye(6) - weights)
    covariance = inverse @ np.diag(np.square(list(fitted.noise.values()))) @ inverse.T
    means = inverse @ list(fitted.intercepts.values())
    for v, name in enumerate(net.names):
        rest = [u for u in range(6) if u != v]
        slopes = np.linalg.solve(covariance[np.ix_(rest, rest)], covariance[rest, v])
        wanted = means[v] + (data.to_numpy()[:, rest] - means[rest]) @ slopes
        assert np.allclose(fitted.predict(name, data), wanted)
        assert np.allclose(fitted.predict(name, data.to_numpy()), wanted)


def test_tables_predict_what_enumeration_of_the_rows_does():
    data = pd.DataFrame(sl.networks.load_discrete("asia").sample(2000, np.random.default_rng(0)))
    fitted = sl.learn(data).fit(data)
    found = fitted.predict_proba("either", data[:4])
    for i in range(4):
        joint = [np.exp(fitted.log_likelihood(data[i : i + 1].assign(either=value))) for value in found]
        assert np.allclose([found[value][i] for value in found], np.array(joint) / sum(joint))


def test_only_the_markov_boundary_is_needed(fitted, rows):
    assert np.allclose(fitted.predict("bmi", rows[["sex", "age", "illness"]]), fitted.predict("bmi", rows))
    with pytest.raises(
        sl.InputError, match=r"no column 'age'.* 'bmi', its Markov boundary is needed: 'sex', 'age' and"
    ):
        fitted.predict("bmi", rows[["sex", "illness"]])
    with pytest.raises(sl.InputError, match="there is no variable 'bni'; did you mean 'bmi'"):
        fitted.predict("bni", rows)
    with pytest.raises(sl.InputError, match="column 'bmi' is a number and has no categories"):
        fitted.predict_proba("bmi", rows)
    gaps = rows.assign(age=[np.nan, *rows["age"][1:]])
    assert len(fitted.predict("bmi", gaps, missing="drop")) == 7


def test_rows_with_gaps_are_refused_or_left_out_but_never_predicted_from(fitted, rows):
    gaps = rows.assign(illness=[None, *rows["illness"][1:]])
    with pytest.raises(sl.InputError, match=r"must be one of 'error', 'drop'; got 'em'"):
        fitted.predict("bmi", gaps, missing="em")
    with pytest.raises(sl.InputError, match=r"column 'illness'; missing=\"drop\" leaves them out"):
        fitted.predict_proba("sex", gaps)


def test_marks_of_missing_values_and_dates_are_taken_in_every_table_as_when_learning():
    rng = np.random.default_rng(0)
    days = rng.integers(0, 900, 400)
    level = 0.01 * days + rng.standard_normal(400)
    plain = pd.DataFrame({"day": days + 18_000.0, "level": level, "dose": level + rng.standard_normal(400)})
    dated = plain.assign(day=pd.to_datetime(plain["day"], unit="D").dt.strftime("%Y-%m-%d"))
    marked = dated.assign(level=dated["level"].where(dated.index >= 9, -999.0))
    net = sl.learn(marked, dates=["day"], missing_values={"level": -999}, missing="drop")
    fitted = net.fit(marked, missing="drop")
    assert fitted.log_likelihood(marked, missing="drop") == pytest.approx(net.fit(plain[9:]).log_likelihood(plain[9:]))
    with pytest.raises(sl.InputError, match="9 of 400 rows have missing or infinite values, such as in column 'level'"):
        fitted.predict("dose", marked)
    assert fitted.predict("level", dated[9:]) == pytest.approx(net.fit(plain[9:]).predict("level", plain[9:]))


def test_a_variable_without_neighbours_has_the_same_prediction_in_every_row():
    graph = nx.DiGraph([("x", "c")])
    graph.add_nodes_from(["i", "j"])
    net = sl.learn(sl.DSeparation(graph), sl.Required(("x", "c")))
    rows = pd.DataFrame({"x": [1.0, 2, 4, 3], "c": list("abab"), "i": [1.0, 4, 2, 5], "j": list("uuuv")})
    fitted = net.fit(rows)
    assert np.allclose(fitted.predict("i", rows[["x"]]), [3.0] * 4)
    assert list(fitted.predict("j", rows[["x"]])) == ["u"] * 4


def test_a_row_that_is_impossible_has_no_prediction():
    rows = pd.DataFrame({"a": ["x", "x", "y"], "b": ["u", "u", "v"]})
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])), sl.Required(("a", "b")))
    both = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("b", "c")])), sl.Required(("a", "b"), ("b", "c")))
    fitted = both.fit(rows.assign(c=["p", "p", "q"]), equivalent_sample_size=0)
    with pytest.raises(sl.InputError, match="row 1 has probability 0 whatever 'b' is"):
        fitted.predict("b", pd.DataFrame({"a": ["x"], "c": ["q"]}))
    assert list(net.fit(rows, equivalent_sample_size=0).predict("b", rows)) == ["u", "u", "v"]


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_predictions_on_real_tables_are_about_as_good_as_those_of_scikit_learn(name):
    from sklearn import datasets
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.metrics import r2_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    frame = frame[[*frame.columns[:10][:-1], "target"]]
    frame["target"] = "class " + frame["target"].astype(str)
    kept = np.random.default_rng(0).random(len(frame)) < 0.7
    train, test = frame[kept], frame[~kept]
    fitted = sl.learn(train).fit(train)
    numbers = [name for name in frame.columns if name != "target"]
    theirs = make_pipeline(StandardScaler(), LogisticRegression()).fit(train[numbers], train["target"])
    ours = (fitted.predict("target", test) == test["target"]).mean()
    assert ours >= theirs.score(test[numbers], test["target"]) - 0.04
    dummies = pd.get_dummies(frame, columns=["target"], dtype=float)
    x, y = dummies.drop(columns=numbers[0]), dummies[numbers[0]]
    linear = LinearRegression().fit(x[kept], y[kept])
    assert r2_score(y[~kept], fitted.predict(numbers[0], test)) >= linear.score(x[~kept], y[~kept]) - 0.05
