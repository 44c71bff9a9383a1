"""Fisher's Z on tables with missing values: what the gaps cost."""

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.families import PairwiseFisherZ
from sidelight.families.options import DataOptions
from sidelight.prepare import prepare


def chain(rng, rows, rate):
    """x ← z → y with values missing at random, so that x and y are independent given z."""
    z = rng.standard_normal(rows)
    frame = pd.DataFrame({"x": z + rng.standard_normal(rows), "y": z - rng.standard_normal(rows), "z": z})
    return frame.where(rng.random(frame.shape) >= rate)


def apart(rows=300):
    """x and y depend on each other, but no row has both."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(rows)
    frame = pd.DataFrame({"x": x, "y": x + rng.standard_normal(rows), "z": x + rng.standard_normal(rows)})
    frame.loc[: rows // 2, "x"] = np.nan
    frame.loc[rows // 2 + 1 :, "y"] = np.nan
    return frame


def test_em_keeps_its_significance_level_when_half_of_the_values_are_missing():
    """5 of 40 at 0.01 are beyond chance (p < 0.0001); with all rows as the sample size there are about 10."""
    rng = np.random.default_rng(1)
    tests = [prepare(chain(rng, 200, 0.5), DataOptions(missing="em")).test for _ in range(40)]
    assert sum(test.p_value(0, 1, [2]) <= 0.01 for test in tests) < 5


@pytest.mark.parametrize("given", [[2], [2, 3]])
def test_em_has_more_to_go_by_than_the_complete_rows_and_less_than_all(given):
    values = np.random.default_rng(0).standard_normal((200, 4))
    values[np.random.default_rng(1).random(values.shape) < 0.3] = np.nan
    freedom = {m: prepare(values, DataOptions(missing=m)).test.estimate(0, 1, given)[1] for m in ("em", "pairwise")}
    assert freedom["pairwise"] < freedom["em"] < 200 - len(given) - 3


def test_all_answers_of_em_agree_with_its_p_values():
    test = prepare(chain(np.random.default_rng(0), 300, 0.3), DataOptions(missing="em")).test
    p = np.array([test.p_value(0, y, []) for y in (1, 2)])
    alpha = float(p.mean())
    assert np.allclose(test.p_values(0, [1, 2], []), p)
    assert test.rejects(0, np.array([1, 2]), [], alpha).tolist() == (p <= alpha).tolist()
    assert [not test.independent(0, y, [], alpha) for y in (1, 2)] == (p <= alpha).tolist()
    assert np.array_equal(np.argsort(-test.dependences(0, [1, 2], [])), np.argsort(p))


def test_gaps_outside_the_columns_of_a_test_cost_nothing():
    frame = chain(np.random.default_rng(0), 300, 0.0)
    frame.loc[::2, "z"] = np.nan
    test = prepare(frame, DataOptions(missing="em")).test
    expected = sl.FisherZ(sl.Correlation(np.corrcoef(frame[["x", "y"]].T), 300)).p_value(0, 1, [])
    assert test.p_value(0, 1, []) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("missing", ["pairwise", "em"])
def test_columns_that_are_never_seen_together_are_undecided_not_independent(missing):
    test = prepare(apart(), DataOptions(missing=missing)).test
    for given in ([], [2]):
        assert test.p_value(0, 1, given) == 1
        assert test.effect_size(0, 1, given) is None
        assert test.dependences(0, [1], given)[0] == -np.inf
    assert test.n_undecided == 4


@pytest.mark.parametrize("missing", ["pairwise", "em"])
def test_learning_warns_of_undecided_tests(missing):
    net = sl.learn(apart(), missing=missing)
    assert "undecided tests" in [warning.kind for warning in net.warnings]
    assert net.settings.test == "fisher-z"


def test_where_there_are_no_pairs_of_columns_all_rows_count():
    for n_columns in (0, 1):
        assert PairwiseFisherZ(np.zeros((300, n_columns)), range(n_columns)).sample_size == 300


@pytest.mark.parametrize("missing", ["pairwise", "em"])
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_rows", [0, 3])
def test_a_table_of_too_few_rows_is_refused_without_other_warnings(missing, n_rows):
    table = pd.DataFrame({"x": np.arange(3.0), "y": np.full(3, np.nan)})[:n_rows]
    with pytest.raises(sl.InputError, match=f"the table has {n_rows} rows, too few to test anything"):
        sl.learn(table, missing=missing)
