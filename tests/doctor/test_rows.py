"""Rows that are not independent are named; independent ones, in whatever order and on whatever grid, are not."""

import numpy as np
import pandas as pd
import pytest

import sidelight as sl


def independent(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, 5))
    for i in range(1, 5):
        values[:, i] += values[:, rng.integers(0, i)]
    return pd.DataFrame(values, columns=list("abcde"))


def series(strength, rows=400, seed=0):
    """Five columns that depend on their own past, and on nothing else."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, 5))
    for i in range(1, rows):
        values[i] += strength * values[i - 1]
    return pd.DataFrame(values, columns=list("abcde"))


def kinds(frame, **options):
    return [finding.kind for finding in sl.diagnose(frame, **options).findings]


ALIKE = {
    "autoregressive": series(0.9),
    "random walks": series(1.0),
    "autoregressive, few rows": series(0.9, rows=100),
    "with a column of time": series(1.0).assign(time=np.arange(400) * 1.5),
    "with gaps": series(0.9).mask(np.random.default_rng(1).random((400, 5)) < 0.1),
    "categories": series(0.9).apply(lambda column: np.where(column > 0, "high", "low")),
    "alternating": series(-0.9),
}


@pytest.mark.parametrize("case", ALIKE)
def test_rows_that_are_alike_in_file_order_are_named_as_the_cause(case):
    options = {"missing": "pairwise"} if case == "with gaps" else {}
    assumed = ["missing values"] if case == "with gaps" else []
    assert kinds(ALIKE[case], **options) == [*assumed, "autocorrelated rows"]
    assert kinds(ALIKE[case].sample(frac=1, random_state=0), **options) == assumed


def test_the_warning_names_columns_with_their_autocorrelation_and_reaches_the_network():
    net = sl.learn(series(0.9))
    (warning,) = [warning for warning in net.warnings if warning.kind == "autocorrelated rows"]
    assert set(warning.culprits) == set("abcde")
    assert "and 2 other columns" in warning.text
    strongest = warning.culprits[0]
    clipped = series(0.9)[strongest].clip(*series(0.9)[strongest].quantile([0.05, 0.95]))
    assert f"{clipped.autocorr(1):.1f}" in warning.text


REPEATED = {
    "each twice": independent().loc[np.repeat(np.arange(400), 2)],
    "two files": pd.concat([independent(), independent()]),
    "a bootstrap sample": independent().sample(frac=1, replace=True, random_state=0),
    "ten of them": pd.concat([independent(), independent()[:10]]),
    "rounded": pd.concat([independent().round(2)] * 2),
    "one column of numbers": pd.concat([independent()[["a"]].assign(b=np.tile(["x", "y"], 200))] * 2),
}


@pytest.mark.parametrize("case", REPEATED)
def test_repeated_rows_are_counted_and_the_first_is_named(case):
    frame = REPEATED[case].reset_index(drop=True)
    (finding,) = [f for f in sl.diagnose(frame).findings if f.kind == "repeated rows"]
    copies = frame.duplicated()
    assert f"{copies.sum()} of {len(frame)} rows" in finding.text
    assert f"such as row {copies.idxmax() + 1}," in finding.text
    assert kinds(frame[~copies]) == []


rng = np.random.default_rng(3)
HARMLESS = {
    "sorted": independent().sort_values("a"),
    "sorted, with curved effects": independent().assign(b=lambda f: np.exp(f.a) + f.b).sort_values("a"),
    "grouped": independent().assign(g=lambda f: np.where(f.a > 0, "x", "y")).sort_values("g"),
    "one series": independent().assign(a=series(0.9)["a"]),
    "rounded": independent().round(1),
    "rounded, and a rare event": pd.DataFrame({"a": rng.normal(size=900).round(2), "b": rng.random(900) < 0.02}),
    "whole numbers": pd.DataFrame({"a": rng.poisson(60, 900), "b": rng.poisson(30, 900)}),
    "often zero": pd.DataFrame({"a": np.maximum(0, rng.normal(size=900)), "b": rng.integers(0, 3, 900)}),
    "categories": pd.DataFrame(rng.integers(0, 3, (900, 3))),
    "rare categories": pd.DataFrame(rng.random((900, 20)) < 0.01),
    "heavy tails": pd.DataFrame(rng.standard_cauchy((900, 20))),
}


@pytest.mark.parametrize("case", HARMLESS)
def test_independent_rows_raise_no_alarm(case):
    assert not {"autocorrelated rows", "repeated rows"} & set(kinds(HARMLESS[case]))


def test_false_alarms_are_rare():
    """None in 60 tables of 20 columns, where each has thousands of pairs of neighbouring rows."""
    values = np.random.default_rng(0).standard_normal((60, 200, 20))
    assert all(kinds(table) == [] for table in values)


def test_weighted_rows_are_not_looked_at_in_order():
    counts = pd.DataFrame({"a": np.repeat(["x", "y"], 50), "b": np.repeat([1.5, 2.5, 3.5, 4.5], 25), "n": [3] * 100})
    assert kinds(counts, weights="n") == []


def test_files_sorted_by_one_column_within_another_raise_no_alarm_and_series_within_them_do():
    frame = independent(600).assign(
        g=lambda f: np.digitize(f.a, [-1, 0, 1]), h=lambda f: np.digitize(f.b, np.arange(-2, 2)), c=lambda f: f.a + f.c
    )
    assert "autocorrelated rows" not in kinds(frame.sort_values(["g", "h"]))
    walks = series(0.95, 600).assign(g=np.repeat(np.arange(3), 200))
    assert "autocorrelated rows" in kinds(walks)


def test_a_slow_change_over_the_whole_file_is_no_series():
    """As in a file that is sorted by a column which is not in it."""
    assert kinds(independent().sort_values("a").drop(columns="a")) == []
