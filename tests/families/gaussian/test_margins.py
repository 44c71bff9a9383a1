"""Which columns are far from Gaussian, and when normal scores explain more than values do."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kurtosis, skew

import sidelight as sl
from sidelight.families.gaussian.test import HEAVY, SKEWED, margins_of


def chain(noise, rows=1000, seed=0):
    rng = np.random.default_rng(seed)
    values = np.zeros((rows, 6))
    for i in range(6):
        values[:, i] = (0.8 * values[:, i - 1] if i else 0) + noise(rng, rows)
    return values


def gaussian(rng, rows):
    return rng.standard_normal(rows)


def test_skewness_and_kurtosis_are_those_of_scipy():
    values = np.column_stack([chain(gaussian), np.exp(chain(gaussian)), np.random.default_rng(0).uniform(size=1000)])
    expected = (np.abs(skew(values)) > SKEWED) | (kurtosis(values) > HEAVY)
    np.testing.assert_array_equal(margins_of(values).far, expected)


@pytest.mark.parametrize("function", [np.exp, lambda x: x**3, np.sinh], ids=["exp", "cube", "sinh"])
def test_monotone_functions_of_gaussian_columns_need_normal_scores(function):
    values = function(chain(gaussian))
    assert margins_of(values).need_scores
    net = sl.learn(values)
    assert net.settings.correlation == "normal-scores"
    assert sl.learn(chain(gaussian), correlation="normal-scores").undirected_edges == net.undirected_edges
    assert [warning.kind for warning in net.warnings].count("normal scores") == 1


@pytest.mark.parametrize(
    "noise",
    [
        gaussian,
        lambda rng, rows: rng.uniform(size=rows),
        lambda rng, rows: rng.exponential(size=rows),
        lambda rng, rows: rng.laplace(size=rows),
        lambda rng, rows: rng.standard_t(5, rows),
    ],
    ids=["gaussian", "uniform", "exponential", "laplace", "t"],
)
def test_linear_effects_are_left_as_they_are(noise):
    assert not any(margins_of(chain(noise, seed=seed)).need_scores for seed in range(5))


def test_where_there_are_no_normal_scores_auto_is_pearson():
    frame = pd.DataFrame(np.exp(chain(gaussian, rows=300)), columns=list("abcdef"))
    assert sl.learn(frame, weights=np.full(300, 2)).settings.correlation == "pearson"
    assert sl.learn(frame.mask(frame < 0.1), missing="pairwise").settings.correlation == "pearson"
    assert sl.learn(frame.assign(g=["x", "y"] * 150)).settings.correlation is None


def test_copies_by_rank_do_not_make_a_table_unusable():
    frame = pd.DataFrame(np.exp(chain(gaussian, rows=300)), columns=list("abcdef"))
    assert not sl.diagnose(frame.assign(log=np.log(frame["a"]))).errors
