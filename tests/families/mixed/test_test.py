"""The block test against Fisher Z and χ², score tests against statsmodels, and both under true independences."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sidelight as sl
from sidelight.families.gaussian.correlation import moments
from sidelight.families.mixed.statistics import expand
from sidelight.families.options import DataOptions
from sidelight.kinds.category import Category
from sidelight.kinds.number import Number
from sidelight.prepare import prepare
from sidelight.sources.rows import read_table


def block_test(frame, discrete=(), weights=None):
    table = read_table(frame)
    kinds = {name: Category() if name in discrete else Number() for name in table.all_names}
    return sl.DegenerateGaussian(expand(table, kinds, weights), table.all_names)


def share_rejected(sample, n_tables, alpha=0.01, rows=300):
    """Of the independence of all x… and y… given the other columns; numbers are told by their type."""
    rng = np.random.default_rng(0)
    p = []
    for _ in range(n_tables):
        frame = pd.DataFrame(sample(rng, rows))
        test = block_test(frame, [name for name in frame if frame[name].dtype.kind not in "fi"])
        position = {name: i for i, name in enumerate(test.names)}
        given = [i for name, i in position.items() if name[0] not in "xy"]
        xs, ys = ([i for name, i in position.items() if name[0] == side] for side in "xy")
        p += [test.p_value(x, y, given) for x in xs for y in ys]
    return np.mean(np.array(p) <= alpha)


def coin(log_odds, rng):
    return rng.random(len(log_odds)) < 1 / (1 + np.exp(-log_odds))


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


def test_two_thresholds_of_one_number_are_independent_given_it():
    def sample(rng, rows):
        z = rng.standard_normal(rows)
        return {"z": z, "x": z > 0, "y": z > 0.5}

    assert share_rejected(sample, 200) <= 0.03


def test_two_categories_with_one_cause_are_independent_given_it():
    def sample(rng, rows):
        z = rng.standard_normal(rows)
        return {"z": z, **{name: coin(3 * z, rng) for name in ("x0", "x1", "x2", "y0", "y1", "y2")}}

    assert share_rejected(sample, 40, rows=2000) <= 0.03


def test_rare_categories_that_are_independent_are_seldom_rejected():
    def sample(rng, rows):
        rare = {name: rng.random(rows) < 0.03 for name in ("x0", "x1", "x2", "y0", "y1", "y2")}
        return {"z": rng.standard_normal(rows), **rare}

    def alone(rng, rows):
        return {name: column for name, column in sample(rng, rows).items() if name != "z"}

    assert share_rejected(sample, 120, rows=200) <= 0.03
    assert share_rejected(alone, 120, rows=200) <= 0.03


def test_a_discrete_effect_of_a_number_in_the_set_leaves_it_independent_of_its_cause_s_other_effects():
    def sample(rng, rows):
        z = rng.standard_normal(rows)
        y = z + rng.standard_normal(rows)
        return {"z": z, "y": y, "w": coin(2 * y, rng), **{f"x{i}": coin(2 * z, rng) for i in range(4)}}

    assert share_rejected(sample, 25, rows=20_000) <= 0.04


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_close_to_the_likelihood_ratio_of_statsmodels(weighted):
    api = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(7)
    z = rng.standard_normal(800)
    y = pd.Series(coin(z, rng)).map({True: "u", False: "v"})
    logits = np.outer(z, [0.0, 0.5, -1.0]) + np.outer(y == "u", [0.0, 0.35, 0.0])
    x = np.array(list("abc"))[(logits + rng.gumbel(size=logits.shape)).argmax(axis=1)]
    frame = pd.DataFrame({"x": x, "y": y, "z": z})
    weights = rng.integers(0, 3, 800).astype(float) if weighted else None
    rows = frame if weights is None else frame.loc[np.repeat(frame.index, weights.astype(int))]
    code = pd.Categorical(rows["x"]).codes
    null = api.add_constant(rows[["z"]].to_numpy())
    with_y = np.column_stack([null, rows["y"] == "u"])
    ratio = 2 * (api.MNLogit(code, with_y).fit(disp=0).llf - api.MNLogit(code, null).fit(disp=0).llf)
    test = block_test(frame, ["x", "y"], weights)
    assert stats.norm.isf(test._scores.p_value(0, 1, [2])) == pytest.approx(
        stats.norm.isf(stats.chi2.sf(ratio, 2)), abs=0.1
    )


def test_a_dependence_given_numbers_is_still_found():
    def sample(rng, rows):
        z = rng.standard_normal(rows)
        x = coin(z, rng)
        return {"z": z, "x": x, "y": coin(z + 1.2 * x, rng)}

    assert share_rejected(sample, 60, rows=500) > 0.9


def test_categories_given_categories_are_tested_as_in_tables_without_numbers():
    rng = np.random.default_rng(8)
    g, h = rng.choice(list("abc"), (2, 400))
    x = np.where(rng.random(400) < 0.3, g, h)
    frame = pd.DataFrame({"g": g, "h": h, "x": x})
    alone = prepare(frame, DataOptions()).test
    beside = block_test(frame.assign(number=rng.standard_normal(400)), list("ghx"))
    for x, y, given in ((0, 1, []), (0, 1, [2]), (0, 2, [1])):
        names = [alone.names[v] for v in (x, y, *given)]
        a, b, *rest = (beside.names.index(name) for name in names)
        assert beside.p_value(a, b, rest) == pytest.approx(alone.p_value(x, y, given), rel=1e-9)


def test_a_single_question_is_answered_without_a_linear_model_where_thousands_would_not_be():
    rng = np.random.default_rng(3)
    numbers = rng.standard_normal((5000, 12))  # more than a fit while learning may have, with so many rows
    x, y = (numbers[:, 0] + rng.standard_normal((2, 5000)) / 2 > 1.2).astype(int)
    frame = pd.DataFrame({**{f"z{i}": numbers[:, i] for i in range(12)}, "x": x, "y": y})
    test = block_test(frame, ["x", "y"])
    position = [test.names.index(name) for name in ("x", "y", *(f"z{i}" for i in range(12)))]
    question = position[0], position[1], position[2:]
    assert test.keeps_level(*question)
    assert test.p_value(*question) > 0.01
    assert not test.rejects(position[0], np.array(position[1:2]), position[2:], 0.01).any()


def test_a_category_that_the_set_separates_is_not_rejected():
    rng = np.random.default_rng(9)
    z = rng.standard_normal(300)
    frame = pd.DataFrame({"z": z, "x": z > 0, "y": np.where(z > 0, rng.random(300) < 0.9, z > -0.5)})
    test = block_test(frame, ["x", "y"])
    position = [test.names.index(name) for name in "xyz"]
    assert test.p_value(position[0], position[1], position[2:]) > 0.1


def test_a_category_that_does_not_vary_cannot_be_tested_and_is_counted():
    rng = np.random.default_rng(10)
    frame = pd.DataFrame({"x": ["a"] * 50, "y": rng.choice(list("ab"), 50), "z": rng.standard_normal(50)})
    test = block_test(frame, ["x", "y"])
    position = [test.names.index(name) for name in "xyz"]
    assert test.p_value(position[0], position[1], position[2:]) == 1
    assert test.n_undecided == 1


def test_categories_of_few_rows_beside_numbers_are_warned_of():
    rng = np.random.default_rng(11)
    frame = pd.DataFrame({"z": rng.standard_normal(200), "many": ["a", "b"] * 100, "few": ["a"] * 195 + ["b"] * 5})
    (warning,) = [w for w in sl.diagnose(frame).warnings if w.kind == "rare categories"]
    assert warning.culprits == ("few",)


def test_many_rows_are_warned_of_where_a_linear_model_decides():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.integers(0, 2, 6000).astype(str), "x": rng.normal(size=6000)})
    kinds = {n: [f.kind for f in sl.diagnose(table[:n]).findings] for n in (1000, 6000)}
    assert "linear tests" in kinds[6000]
    assert "linear tests" not in kinds[1000]
