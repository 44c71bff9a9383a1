"""Parameters and likelihoods of rows with gaps, against scipy, complete rows and the theorems of EM."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sidelight as sl
from sidelight.simulation import networks
from sidelight.simulation.gaussian import linear_gaussian

GRAPH = nx.DiGraph([("a", "b"), ("c", "b"), ("b", "d")])


def numbers(rows=300, rate=0.2, seed=0):
    rng = np.random.default_rng(seed)
    names, values = linear_gaussian(GRAPH, rows, rng)
    frame = pd.DataFrame(10 + 3 * values, columns=names)
    return frame, frame.mask(rng.random(frame.shape) < rate)


def categories(rows=400, rate=0.2, seed=0):
    frame = pd.DataFrame(networks.load_discrete("survey").sample(rows, np.random.default_rng(seed)))
    return frame, frame.mask(np.random.default_rng(seed + 1).random(frame.shape) < rate)


def structure(graph):
    return sl.learn(sl.DSeparation(graph))


def gaussian_likelihood(fitted, frame):
    """The sum of the log-densities of what each row has, by scipy."""
    coefficients = np.zeros((4, 4))
    for i, child in enumerate(fitted.names):
        for parent, weight in fitted.coefficients[child].items():
            coefficients[i, fitted.names.index(parent)] = weight
    effect = np.linalg.inv(np.eye(4) - coefficients)
    mean = effect @ np.array(list(fitted.intercepts.values()))
    covariance = effect @ np.diag(np.square(list(fitted.noise.values()))) @ effect.T
    total = 0.0
    for row in frame[list(fitted.names)].to_numpy():
        there = np.isfinite(row)
        if there.any():
            total += stats.multivariate_normal(mean[there], covariance[np.ix_(there, there)]).logpdf(row[there])
    return total


def test_the_likelihood_of_incomplete_numbers_is_scipys_of_what_is_there():
    frame, gaps = numbers(60)
    fitted = structure(GRAPH).fit(frame)
    assert fitted.log_likelihood(gaps, missing="em") == pytest.approx(gaussian_likelihood(fitted, gaps))
    assert fitted.log_likelihood(frame, missing="em") == pytest.approx(fitted.log_likelihood(frame))


def test_no_other_parameters_of_a_gaussian_network_make_the_observed_values_more_likely():
    _, gaps = numbers()
    net = structure(GRAPH)
    best = net.fit(gaps, missing="em").log_likelihood(gaps, missing="em")
    for other in (net.fit(gaps, missing="drop"), net.fit(gaps.fillna(gaps.mean()))):
        assert other.log_likelihood(gaps, missing="em") < best
    fitted = net.fit(gaps, missing="em")
    node = fitted.conditional("b")
    for step in (-1e-2, 1e-2):
        changes = {"noise": node.noise + step, "intercept": node.intercept + step, "slopes": node.slopes + step}
        for name, value in changes.items():
            nudged = [replace(n, **{name: value}) if n is node else n for n in fitted.conditionals]
            assert replace(fitted, conditionals=tuple(nudged)).log_likelihood(gaps, missing="em") < best


def test_gaussian_parameters_come_close_to_those_of_complete_rows_as_gaps_vanish():
    net = structure(GRAPH)
    frame, _ = numbers()
    exact, gone = net.fit(frame).model.covariance(), np.random.default_rng(1).random(frame.shape)
    found = [net.fit(frame.mask(gone < rate), missing="em").model.covariance() for rate in (0.3, 0.03, 0.003)]
    distances = [np.abs(covariance - exact).mean() / np.abs(exact).mean() for covariance in found]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 0.01
    assert net.fit(frame, missing="em").coefficients == net.fit(frame).coefficients


@pytest.mark.parametrize("weights", [None, np.random.default_rng(0).integers(1, 4, 300)])
def test_values_missing_where_another_is_large_do_not_bias_gaussian_parameters_as_complete_rows_do(weights):
    frame, _ = numbers(rate=0.0)
    gaps = frame.copy()
    gaps.loc[frame["d"] > frame["d"].median(), "b"] = np.nan
    fitted = structure(GRAPH).fit(gaps, missing="em", weights=weights)
    dropped = structure(GRAPH).fit(gaps, missing="drop", weights=weights)
    true = structure(GRAPH).fit(frame, weights=weights)
    error, of_dropped = (abs(f.model.mean()[1] - true.model.mean()[1]) for f in (fitted, dropped))
    assert error < of_dropped / 3


def test_tables_from_incomplete_rows_are_more_likely_than_those_of_complete_rows():
    frame, gaps = categories()
    net = sl.learn(frame)
    fitted = net.fit(gaps, missing="em", equivalent_sample_size=0.5)
    dropped = net.fit(gaps, missing="drop", equivalent_sample_size=0.5)
    assert fitted.log_likelihood(gaps, missing="em") > dropped.log_likelihood(gaps, missing="em")
    assert fitted.n_rows == 400
    exact = net.fit(frame)
    assert net.fit(frame, missing="em").log_likelihood(frame) == pytest.approx(exact.log_likelihood(frame))


def test_a_row_without_any_value_says_nothing():
    _, gaps = categories(200)
    net, empty = sl.learn(categories(200)[0]), pd.DataFrame(None, index=range(5), columns=gaps.columns, dtype=object)
    fitted = net.fit(gaps, missing="em", equivalent_sample_size=0)
    more = pd.concat([gaps, empty], ignore_index=True)
    assert fitted.log_likelihood(more, missing="em") == pytest.approx(fitted.log_likelihood(gaps, missing="em"))


def test_gaps_are_refused_with_how_many_rows_would_remain():
    _, gaps = numbers(100)
    with pytest.raises(sl.InputError, match=rf'missing="em" .* and {len(gaps.dropna())} rows remain'):
        structure(GRAPH).fit(gaps)


def test_a_column_without_values_is_named():
    for frame in (numbers(50)[1].assign(a=np.nan), categories(50)[1].assign(A=None)):
        with pytest.raises(sl.InputError, match="has missing values only"):
            structure(nx.path_graph(list(frame), nx.DiGraph)).fit(frame, missing="em")


def test_an_estimator_that_learns_with_gaps_scores_rows_with_gaps():
    pytest.importorskip("sklearn")
    _, gaps = numbers()
    learner = sl.StructureLearner(missing="em").fit(gaps)
    assert learner.score(gaps) == pytest.approx(
        learner.network_.fit(gaps, missing="em").mean_log_likelihood(gaps, missing="em")
    )


def both_kinds(rows, seed=0):
    """A number that depends on a category and a number, and a category that depends on it."""
    rng = np.random.default_rng(seed)
    group, age = rng.choice(["a", "b", "c"], rows), rng.standard_normal(rows)
    size = (group == "b") * 1.5 + 0.8 * age + rng.standard_normal(rows)
    sick = np.where(rng.random(rows) < 1 / (1 + np.exp(-2 * size)), "yes", "no")
    return pd.DataFrame({"group": group, "age": age, "size": size, "sick": sick})


def test_gaps_of_a_mixed_table_are_drawn_from_the_network_and_bias_nothing():
    """Sizes are missing where someone is sick, at random given that; complete rows alone are of healthy ones."""
    frame = both_kinds(2000)
    rng = np.random.default_rng(1)
    gaps = frame.copy()
    gaps.loc[(frame["sick"] == "yes") & (rng.random(len(frame)) < 0.7), "size"] = np.nan
    gaps.loc[rng.random(len(frame)) < 0.1, "group"] = None
    net = structure(nx.DiGraph([("group", "size"), ("age", "size"), ("size", "sick")]))
    exact, filled, dropped = net.fit(frame), net.fit(gaps, missing="em"), net.fit(gaps, missing="drop")
    errors = [
        abs(fitted.conditional("size").intercept - exact.conditional("size").intercept) for fitted in (filled, dropped)
    ]
    assert errors[0] < errors[1] / 3
    assert filled.n_rows == len(frame)
    again = net.fit(gaps, missing="em")
    assert again.conditional("sick").slopes.tolist() == filled.conditional("sick").slopes.tolist()
    with pytest.raises(sl.InputError, match="numbers and categories together"):
        filled.log_likelihood(gaps, missing="em")
    with pytest.raises(sl.InputError, match="'size' has missing values only"):
        net.fit(gaps.assign(size=np.nan), missing="em", discrete=["group", "sick"])
