"""Scores of tables with gaps: what is observed stays, what is drawn follows the network."""

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.families.discrete.incomplete import DRAWS, filled
from sidelight.families.discrete.score import DiscreteRows
from sidelight.families.gaussian.correlation import moments
from sidelight.families.gaussian.incomplete import scored_size
from sidelight.families.options import DataOptions
from sidelight.prepare import prepare


def copies(rows=2000, rate=0.3, seed=0):
    """x, and y which differs from it in one row of ten; z apart."""
    rng = np.random.default_rng(seed)
    x, z = rng.integers(0, 3, (2, rows))
    y = np.where(rng.random(rows) < 0.1, rng.integers(0, 3, rows), x)
    codes = np.column_stack([x, y, z]).astype(np.int8)
    return codes, np.where(rng.random(codes.shape) < rate, -1, codes).astype(np.int8)


def test_what_is_observed_stays_and_the_weights_are_the_samples():
    _, gaps = copies(300)
    rows = filled(DiscreteRows(gaps, (3, 3, 3), "xyz"), 200.0)
    incomplete = (gaps < 0).any(axis=1)
    assert rows.weights.sum() == pytest.approx(200)
    assert np.array_equal(rows.codes[: (~incomplete).sum()], gaps[~incomplete])
    for drawn in np.split(rows.codes[(~incomplete).sum() :], DRAWS):
        there = gaps[incomplete] >= 0
        assert np.array_equal(drawn[there], gaps[incomplete][there])
        assert (drawn >= 0).all()


def test_drawn_values_depend_on_the_rest_of_their_row_as_observed_ones_do():
    complete, gaps = copies()
    rows = filled(DiscreteRows(gaps, (3, 3, 3), "xyz"), 2000.0)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        joint = np.zeros((3, 3))
        np.add.at(joint, (rows.codes[:, i], rows.codes[:, j]), rows.weights / 2000)
        true = np.zeros((3, 3))
        np.add.at(true, (complete[:, i], complete[:, j]), 1 / 2000)
        assert np.abs(joint - true).max() < 0.03


def test_the_same_rows_are_filled_in_the_same_way():
    rows = DiscreteRows(copies(200)[1], (3, 3, 3), "xyz")
    assert np.array_equal(filled(rows, 100.0).codes, filled(rows, 100.0).codes)


def gaussian_with_gaps(rows=4000):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(rows)
    frame = pd.DataFrame({"x": x, "y": x + rng.standard_normal(rows), "z": rng.standard_normal(rows)})
    return frame, frame.mask(rng.random(frame.shape) < 0.3)


@pytest.mark.parametrize("kind", ["numbers", "both", "categories"])
def test_a_parent_gains_nearly_what_it_gains_in_complete_rows_of_the_same_number(kind):
    frame, gaps = gaussian_with_gaps()
    if kind != "numbers":
        changed = ["z"] if kind == "both" else list(frame)
        for table in (frame, gaps):
            for name in changed:
                table[name] = np.where(table[name].isna(), None, np.where(table[name] > 0, "up", "down"))
    test = prepare(gaps, DataOptions(missing="pairwise")).test
    incomplete = test.score("bic", None)
    n_rows = scored_size(gaps.notna().to_numpy())
    complete = prepare(frame[:n_rows], DataOptions()).test.score("bic", None)
    for v, parent in ((1, 0), (2, 0)):
        gain = [score.local(v, [parent]) - score.local(v, []) for score in (incomplete, complete)]
        assert gain[0] == pytest.approx(gain[1], rel=0.2, abs=4)


def test_gaps_leave_the_blocks_of_em_as_they_are_where_there_are_none():
    frame, _ = gaussian_with_gaps(500)
    test = prepare(frame.assign(g=np.where(frame["z"] > 0, "u", "v")), DataOptions(missing="pairwise")).test
    assert np.allclose(test._blocks.matrix[:3, :3], moments(frame.to_numpy()).correlations, atol=1e-5)


def test_by_default_tables_with_gaps_are_learned_by_score():
    _, gaps = copies(500)
    frame = pd.DataFrame(gaps, columns=list("xyz")).astype(float).replace(-1, np.nan)
    net = sl.learn(frame, missing="pairwise", discrete=list("xyz"))
    assert net.settings.learner == "hybrid"
    assert {frozenset(edge) for edge in net.skeleton.edges} == {frozenset("xy")}
