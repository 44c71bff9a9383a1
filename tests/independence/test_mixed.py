"""The block test against Fisher Z on numbers, against G² on categories, and under independence."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sidelight as sl
from sidelight.data.read import read_table
from sidelight.sufficient import moments
from sidelight.sufficient.blocks import expand


def block_test(frame, discrete=()):
    table = read_table(frame)
    return sl.DegenerateGaussian(expand(table, frozenset(discrete), None), table.all_names)


def mixed_frame(rows, seed):
    rng = np.random.default_rng(seed)
    group = rng.choice(list("abc"), rows)
    x = rng.standard_normal(rows) + (group == "a")
    y = x + rng.standard_normal(rows)
    return pd.DataFrame({"group": group, "x": x, "y": y, "flag": rng.random(rows) < 1 / (1 + np.exp(-y))})


def test_on_numbers_it_is_close_to_fisher_z():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((300, 5)) @ (np.eye(5) + 0.15 * rng.standard_normal((5, 5)))  # weak effects
    blocks = block_test(pd.DataFrame(values, columns=list("abcde")))
    fisher = sl.FisherZ(sl.Correlation(moments(values).correlations, 300))
    for x, y, *given in ([0, 1], [0, 1, 2], [3, 4, 0, 1], [2, 4, 0, 1, 3]):
        one, other = blocks.p_value(x, y, given), fisher.p_value(x, y, given)
        assert stats.norm.isf(one / 2) == pytest.approx(stats.norm.isf(other / 2), rel=0.03, abs=0.02)


def test_on_categories_it_agrees_with_chi_square_for_many_rows():
    """Without a conditioning set the block test is one of association between two sets of indicators."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 3, 20_000)
    b = np.where(rng.random(20_000) < 0.02, a, rng.integers(0, 3, 20_000))
    codes = np.asfortranarray(np.column_stack([a, b]).astype(np.int8))
    chi = sl.ChiSquare(codes, [3, 3], ["a", "b"]).count(0, 1, []).statistic
    frame = pd.DataFrame({"a": a.astype(str), "b": b.astype(str)})
    statistic, freedom = block_test(frame, ["a", "b"])._statistics(np.array([0, 1]))
    assert freedom[0, 1] == 4
    assert statistic[0, 1] == pytest.approx(chi, rel=0.02)


def test_under_independence_p_values_are_uniform():
    rng = np.random.default_rng(3)
    marginal, conditional = [], []
    for _ in range(1500):
        g, x = rng.choice(list("abc"), 150), rng.standard_normal(150)
        h, z = rng.choice(list("xy"), 150), rng.standard_normal(150)
        test = block_test(pd.DataFrame({"g": g, "x": x, "h": h, "z": z}), ["g", "h"])
        marginal.append(test.p_value(0, 1, []))
        conditional.append(test.p_value(0, 1, [2, 3]))
    assert stats.kstest(marginal, "uniform").pvalue > 0.01
    assert stats.kstest(conditional, "uniform").pvalue > 0.01


def test_batch_answers_equal_single_ones():
    test = block_test(mixed_frame(400, 4), ["group", "flag"])
    for alpha in (0.01, 0.2):
        answers = test.answers([0, 1, 2, 3], alpha)
        for x, y in ((0, 1), (0, 2), (1, 3), (2, 3)):
            given = [z for z in range(4) if z not in (x, y)]
            assert answers[x, y] == answers[y, x] == (test.p_value(x, y, given) > alpha)
            assert test.p_value(x, y, given) == pytest.approx(test.p_value(y, x, given[::-1]))


def test_a_determined_variable_is_independent_and_nothing_is_nan():
    frame = mixed_frame(300, 5).assign(twice=lambda f: 2 * f["x"], same=lambda f: f["group"].map(str.upper))
    test = block_test(frame, ["group", "flag", "same"])
    assert test.p_value(4, 2, [1]) > 0.9  # twice and y given x
    assert test.p_value(0, 1, [5]) > 0.9  # group and x given a copy of group
    assert np.isfinite(test.dependences(2, [0, 1, 3, 4, 5], [])).all()
