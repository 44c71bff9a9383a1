"""Rows in groups: sums of them, differences from their means, and the means as rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.sources.rows import read_table
from sidelight.tables.all_rows import AllRows, Batch
from sidelight.tables.groups import GroupSums, between_groups, centred, less_means_of_groups, within_groups

FRAME = pd.DataFrame(
    {
        "who": ["a", "b", "a", "c", "b", "a"],
        "x": [1.0, 2, 4, 5, 6, 7],
        "n": [1, 2, 1, 3, 2, 1],
        "sex": ["f", "m", "f", "f", "m", "f"],
        "yes": ["no", "yes", "yes", "no", "yes", "no"],
        "of three": ["p", "q", "r", "p", "q", "p"],
    }
)


def tick(count=1):
    return None


def held(frame):
    return AllRows.held(read_table(frame))


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(-3, 3), st.sampled_from("xyz")), min_size=2), st.data())
def test_sums_of_groups_that_are_spread_over_batches_are_those_of_all_rows(rows, data):
    table = read_table(pd.DataFrame(rows, columns=["who", "n", "c"]))
    cut = data.draw(st.integers(0, len(rows)))
    whole, first, second = (GroupSums("who", table) for _ in range(3))
    whole.add(Batch(table, None))
    first.add(Batch(table.rows(np.arange(cut)), None))
    second.add(Batch(table.rows(np.arange(cut, len(rows))), None))
    first.merge(second)
    order = [first.labels[label] for label in whole.labels]
    assert (first.n_rows, first.varies) == (whole.n_rows, whole.varies)
    assert first.sizes[order].tolist() == whole.sizes.tolist()
    assert np.array_equal(first.means(True)[order], whole.means(True), equal_nan=True)


def test_numbers_within_groups_are_differences_from_the_means_of_pandas():
    within = within_groups(held(FRAME), "who", tick)
    rows = centred(replace_texts(within.rows), tick)
    expected = FRAME["x"] - FRAME.groupby("who")["x"].transform("mean")
    assert rows.sample.column("x") == pytest.approx(expected.to_numpy())
    assert rows.n_samples == 6 - 3 + 1
    assert set(within.left_out) == {"n", "sex"}


def replace_texts(rows):
    return rows.part(("x", "n"))


def test_missing_values_of_a_mean_are_missing_or_left_out_as_asked():
    frame = FRAME.assign(x=[1.0, 2, np.nan, 5, 6, 7])
    all_of_them, _ = between_groups(held(frame), "who", False, tick)
    available, _ = between_groups(held(frame), "who", True, tick)
    assert np.array_equal(all_of_them.sample.column("x"), [np.nan, 4, 5], equal_nan=True)
    assert available.sample.column("x").tolist() == [4, 4, 5]


def test_between_groups_the_rows_are_means_shares_and_what_is_the_same_in_a_group():
    rows, findings = between_groups(held(FRAME), "who", False, tick)
    table, by = rows.sample, FRAME.groupby("who")
    assert table.column("x") == pytest.approx(by["x"].mean().to_numpy())
    assert table.column("yes") == pytest.approx(by["yes"].apply(lambda found: (found == "yes").mean()).to_numpy())
    assert (list(table.texts["sex"]), table.kinds["n"]) == (["f", "m", "f"], "integer")
    assert "of three" not in table.kinds
    assert [finding.kind for finding in findings] == ["between groups", "shares of groups", "same within groups"]


def test_what_is_constant_in_a_group_is_0_without_its_mean():
    columns, groups = np.asfortranarray([[1.0, 5], [1, 5], [2, 5]]), np.array([7, 7, 9])
    assert less_means_of_groups(columns, groups) == 1
    assert not columns.any()


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (FRAME, {"groups": "wo"}, "groups: there is no column 'wo'; did you mean 'who'"),
        (FRAME, {"groups": ["who"]}, "groups must be the name of a column"),
        (FRAME, {"variation": "between"}, 'variation="between" goes with groups='),
        (FRAME, {"groups": "who", "variation": "all"}, 'variation="all" goes with time='),
        (FRAME, {"groups": "who", "variation": "among"}, "one of 'auto', 'within', 'between', 'all'; got 'among'"),
        (FRAME, {"groups": "who", "weights": "n"}, 'groups="who" does not go with weights='),
        (FRAME, {"groups": "who", "missing": "em"}, 'missing="em" does not go with rows .*; missing="drop"'),
        (FRAME, {"groups": "who", "test": "chi2"}, 'test="chi2" does not compare rows within groups'),
        (FRAME, {"groups": "x"}, "every row has another value of 'x'; there must be several rows of a group"),
        (FRAME.assign(one="a"), {"groups": "one"}, "column 'one' has one value; there must be two groups or more"),
        (FRAME.assign(who=["a", None, "a", "b", "b", "b"]), {"groups": "who"}, "of no group for 1 row, .* is row 2"),
        (FRAME[["who", "n", "sex"]], {"groups": "who"}, 'no column varies within a group; variation="between"'),
        (sl.Correlation(np.eye(2), 9), {"groups": "who"}, "groups= goes with a table and its tests, not with a Corr"),
        (sl.DSeparation(sl.networks.load("asia")), {"groups": "who"}, "groups= goes with a table .* DSeparation"),
    ],
)
def test_what_cannot_be_groups_is_refused_with_what_can(frame, options, message):
    with pytest.raises(sl.InputError, match=message):
        sl.learn(frame, **options)
