"""Rows in the order of time: what is earlier is looked up within each group, and where it is not there, is missing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.options import Options
from sidelight.prepare import prepare
from sidelight.sources.rows import read_table
from sidelight.tables.waves import about_stationarity, with_lags


def lagged(frame, groups="who", lags=1, time="when", keep_groups=False):
    return with_lags(read_table(frame), time, groups, lags, True, keep_groups)


def series(n=60, seed=0, **columns):
    """An autoregression in one group, with what is added to it."""
    x = np.zeros(n)
    for t, e in enumerate(np.random.default_rng(seed).standard_normal(n)):
        x[t] = 0.5 * x[t - 1] + e
    return pd.DataFrame({"when": np.arange(n), "x": x, **columns})


@settings(max_examples=40, deadline=None)
@given(
    rows=st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 7)), st.integers(0, 99), min_size=3, max_size=20),
    lags=st.integers(1, 3),
    seed=st.integers(0, 9),
)
def test_earlier_values_are_those_of_the_same_group_that_many_waves_before(rows, lags, seed):
    """Against a look-up by group and time, whatever the order of rows; time 7 makes sure that a step is 1."""
    rows |= {(9, t): 100 + t for t in range(lags + 1)}
    frame = pd.DataFrame([{"who": who, "when": when, "v": v} for (who, when), v in rows.items()])
    found = lagged(frame.sample(frac=1, random_state=seed), lags=lags)
    first = frame.groupby("who")["when"].min()
    late = [key for key in sorted(rows) if key[1] - first[key[0]] >= lags]
    assert found.table.all_names == (*(f"v (t-{lag})" for lag in range(lags, 0, -1)), "v")
    for lag in range(lags + 1):
        column = found.table.column(f"v (t-{lag})" if lag else "v")
        expected = [rows.get((who, when - lag), np.nan) for who, when in late]
        np.testing.assert_array_equal(column, expected)


def test_a_wave_that_a_group_lacks_leaves_missing_values_which_a_warning_counts():
    frame = pd.DataFrame({"who": list("aaabb"), "when": [1, 2, 4, 1, 2], "v": [1.0, 2, 3, 4, 5], "w": list("xyzxy")})
    found = lagged(frame)
    assert list(found.table.column("v")) == [2, 3, 5]
    np.testing.assert_array_equal(found.table.column("v (t-1)"), [1, np.nan, 4])
    assert list(found.table.column("w (t-1)")) == ["x", None, "x"]
    assert any("1 row lacks a wave before" in finding.text for finding in found.findings)


def test_dates_of_months_are_evenly_spaced_although_months_are_not():
    starts, ends = (pd.date_range("2019-01-15", periods=40, freq=freq) for freq in ("MS", "ME"))
    for dates in (starts, ends, [f"{2001 + i // 4}Q{i % 4 + 1}" for i in range(40)]):
        found = lagged(series(40).assign(when=dates), groups=None)
        assert found.table.n_rows == 39
        assert not found.table.incomplete
        assert [finding.kind for finding in found.findings] == ["waves"]


def test_times_without_a_common_step_are_taken_in_their_order_and_a_warning_says_so():
    found = lagged(series(5).assign(when=[1.0, 2.0, 3.5, 3.9, 8.0]), groups=None)
    assert found.table.n_rows == 4
    assert any("not evenly spaced" in finding.text for finding in found.findings)


def test_what_never_changes_in_a_group_comes_before_all_waves():
    frame = pd.DataFrame({"who": list("aabb"), "when": [1, 2, 1, 2], "sex": [0, 0, 1, 1], "v": [1.0, 2, 3, 4]})
    found = lagged(frame)
    assert found.table.all_names == ("sex", "v (t-1)", "v")
    assert found.waves.order.lag("sex") == 0
    assert [each.name for each in found.waves.order.lagged] == ["sex", "v (t-1)"]


@pytest.mark.parametrize(
    ("frame", "options", "words"),
    [
        (series(9).assign(when=[1, 2, 3, 4, 4, 5, 6, 7, 8]), {}, "rows 4 and 5 have the same time, 4; .* groups="),
        (
            pd.DataFrame({"who": list("aab"), "when": [3, 3, 4], "x": [1.0, 2, 3]}),
            {"groups": "who"},
            "rows 1 and 2 are both of time 3 in group a",
        ),
        (series(6), {"lags": 6}, "the rows have more than 6 waves, and lags=6 needs one more"),
        (
            pd.DataFrame({"who": list("abc"), "when": [1, 2, 3], "x": [1.0, 2, 3]}),
            {"groups": "who"},
            "no column changes over time",
        ),
        (series(6).assign(when=[1, 2, np.nan, 4, 5, 6]), {}, "no time for 1 row, the first is row 3"),
        (series(6).assign(when=list("abcdef")), {}, "neither numbers nor dates"),
        (series(6, **{"x (t-1)": np.arange(6.0)}), {}, "rename it"),
        (series(6), {"lags": 0}, "lags must be a whole number of waves, 1 or more"),
        (series(6), {"hidden": True}, "does not go with hidden=True"),
        (series(6), {"learner": "pc"}, "learners that search by a score"),
        (series(6), {"weights": "x"}, "does not go with weights="),
        (series(6), {"variation": "between", "groups": "x"}, 'does not go with variation="between"'),
        (series(6), {"time": None, "lags": 2}, "lags= goes with time="),
        (series(6), {"time": "day"}, "time: there is no column 'day'"),
    ],
)
def test_what_cannot_be_an_order_of_time_is_refused_by_name(frame, options, words):
    with pytest.raises(sl.InputError, match=words):
        sl.learn(frame, **{"time": "when", **options})


def about(frame, lags=1):
    found = lagged(frame, groups=None, lags=lags)
    return {(finding.kind, *finding.culprits) for finding in about_stationarity(found.table, found.waves)}


def test_trends_changing_spread_and_lags_that_are_left_out_are_diagnosed_and_stationary_series_are_not():
    stationary = series(2000)
    assert not about(stationary)
    drifting = stationary.assign(x=np.linspace(0, 3, 2000) + stationary["x"])
    assert ("trend", "x") in about(drifting)
    assert ("trend", "x") in about(stationary.assign(x=stationary["x"] * np.linspace(0.5, 2, 2000)))
    second = np.zeros(2000)
    for t, e in enumerate(np.random.default_rng(1).standard_normal(2000)):
        second[t] = 0.4 * second[t - 1] + 0.4 * second[t - 2] + e
    assert ("earlier waves left", "x") in about(stationary.assign(x=second))
    assert not about(stationary.assign(x=second), lags=2)


def test_what_is_said_of_a_columns_type_holds_for_its_earlier_values():
    frame = series(80, y=np.random.default_rng(1).integers(0, 3, 80))
    test = prepare(frame, Options(time="when", types={"y": "category"})).examined.rows
    assert test.data.discrete == ("y (t-1)", "y")
    test = prepare(frame, Options(time="when", discrete=["y"])).examined.rows
    assert test.data.discrete == ("y (t-1)", "y")
