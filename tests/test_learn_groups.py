"""``learn`` and what follows from it with several rows of each subject."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import sidelight as sl
from sidelight.certainty.draws import Resampler
from sidelight.families.options import DataOptions
from sidelight.kernels.grouped_logistic import fit_in_groups
from sidelight.prepare import prepare


def subjects(seed, n_groups=40, n_rows=8, n_columns=5, icc=0.6):
    """Independent columns that differ between subjects, in rows of any order."""
    rng = np.random.default_rng(seed)
    who = rng.permutation(np.repeat(np.arange(n_groups), n_rows))
    noise = rng.standard_normal((len(who), n_columns))
    values = icc**0.5 * rng.standard_normal((n_groups, n_columns))[who] + (1 - icc) ** 0.5 * noise
    return pd.DataFrame(values, columns=[f"x{i}" for i in range(n_columns)]).assign(subject=[f"s{i}" for i in who])


def in_categories(frame, names):
    return frame.assign(**{name: np.where(frame[name] > 0.2, "high", "low") for name in names})


def test_subjects_make_false_edges_unless_they_are_groups():
    frame = subjects(1, 100, 10, 20)
    naive, within = sl.learn(frame.drop(columns="subject")), sl.learn(frame, groups="subject")
    assert len(naive.edges) > 10
    assert len(within.edges) <= 1
    assert "901 rows" in within.trust
    assert "differences within groups" in within.trust
    assert within.settings.given == {"groups": "subject"}


def test_a_test_within_groups_is_that_given_an_indicator_of_each_group():
    frame = subjects(2)
    frame["x1"] += 0.2 * frame["x0"]
    test = prepare(frame, DataOptions(groups="subject")).test
    basis = np.column_stack([pd.get_dummies(frame["subject"]).to_numpy(float), frame["x2"]])
    left = [column - basis @ np.linalg.lstsq(basis, column, rcond=None)[0] for column in (frame["x0"], frame["x1"])]
    assert test.effect_size(0, 1, [2]) == pytest.approx(np.corrcoef(left)[0, 1])
    assert test.sample_size == len(frame) - 40 + 1


@pytest.mark.parametrize("categories", [[], ["x0", "x1"]])
def test_what_differs_between_groups_and_the_order_of_rows_change_nothing(categories):
    frame = in_categories(subjects(3), categories)
    moved = frame.assign(x2=frame["x2"] + frame["subject"].str[1:].astype(float))[::-1]
    one, other = (prepare(table, DataOptions(groups="subject")).test for table in (frame, moved))
    for x, y, z in ((0, 1, 2), (0, 2, 1), (3, 0, 2)):
        assert one.p_value(x, y, [z]) == pytest.approx(other.p_value(x, y, [z]), rel=1e-6)


def test_in_pairs_of_rows_probabilities_are_those_given_that_one_of_both_is_a_case():
    """The conditional likelihood of pairs is a logistic regression of differences without an intercept."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 2))
    y = (rng.random((200, 2)) < expit(x + rng.standard_normal((200, 1)))).astype(int)
    order, starts = np.arange(400), np.arange(0, 401, 2)
    fitted, slopes = fit_in_groups(x.reshape(-1, 1), y.ravel(), 2, order, starts)
    unlike = y.sum(axis=1) == 1
    change, first = x[unlike, 0] - x[unlike, 1], y[unlike, 0]
    slope = 0.0
    for _ in range(30):  # Newton
        p = expit(slope * change)
        slope += change @ (first - p) / (change**2 @ (p * (1 - p)))
    assert slopes[0, 0] == pytest.approx(2 * slope, rel=5e-3)
    assert fitted[:, 1].reshape(-1, 2)[unlike, 0] == pytest.approx(expit(slope * change), abs=2e-3)


def test_fitted_probabilities_have_the_sums_of_each_group_and_along_each_column():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(30), 7)
    design, codes = rng.standard_normal((210, 2)), rng.integers(0, 3, 210)
    codes[groups == 4] = 1
    fitted, slopes = fit_in_groups(design, codes, 3, np.arange(210), np.arange(0, 211, 7))
    left = (codes[:, None] == np.arange(3)) - fitted
    assert np.abs([left[groups == g].sum(axis=0) for g in range(30)]).max() < 1e-6
    assert np.abs(left.T @ design - 0.01 * np.vstack([np.zeros(2), slopes]))[1:].max() < 1e-2
    assert (fitted[groups == 4] == [0, 1, 0]).all()


def test_categories_that_subjects_share_a_reason_for_are_independent_within_subjects():
    """A cause of each subject's own, and a cause of each row that is given: what marginal tests always reject."""
    rejected = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        who = np.repeat(np.arange(60), 8)
        z = rng.integers(0, 2, len(who))
        score = 1.5 * rng.standard_normal(60)[who] + 2.0 * z
        x, y = (rng.random((2, len(who))) < expit(score - 1)).astype(int)
        frame = pd.DataFrame({"x": x, "y": y, "z": z, "who": who}).astype(str)
        rejected.append(prepare(frame, DataOptions(groups="who")).test.p_value(0, 1, [2]) < 0.05)
    assert sum(rejected) <= 4  # five or more with probability .007


def test_resamples_draw_whole_groups_and_one_that_is_drawn_twice_is_two():
    frame = subjects(4)
    rows = prepare(frame, DataOptions(groups="subject")).rows
    resampler = Resampler.of(rows, "bootstrap", 0)
    by_group = pd.Series(resampler.counts(3)).groupby(frame["subject"])
    assert (by_group.nunique() == 1).all()
    test, _ = resampler.draw(3)
    assert test.sample_size == 40 * 8 - 40 + 1
    halves = [Resampler.of(rows, "complementary-pairs", 0).counts(number) for number in (0, 1)]
    assert (halves[0] + halves[1] == 1).all()
    assert halves[0].sum() == 20 * 8


def test_between_groups_is_learned_from_the_means():
    frame = subjects(5)
    net = sl.learn(frame, groups="subject", variation="between")
    means = frame.groupby("subject").mean()
    assert net.edges == sl.learn(means).edges
    assert (net.n_rows, "between groups" in net.trust) == (40, True)
