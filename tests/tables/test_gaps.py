"""Missing values: what is known of them from patterns is what the rows say."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.tables import gaps as module
from sidelight.tables.gaps import Gaps
from sidelight.tables.strings import Texts
from sidelight.tables.table import Table


def random_table(rng, n_rows, n_numbers):
    values = rng.normal(size=(n_rows, n_numbers))
    values[rng.random(values.shape) < rng.random(n_numbers)] = np.nan
    values[rng.random(values.shape) < 0.02] = np.inf
    names = tuple(f"x{i}" for i in range(n_numbers))
    texts = Texts.of([[None, "u", "v"][code] for code in rng.integers(0, 3, n_rows)])
    return Table(names, values, {"t": texts}, {**dict.fromkeys(names, "float"), "t": "text"})


def lacking(table, name):
    return table.texts[name].missing if name in table.texts else ~np.isfinite(table.column(name))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 11), st.integers(0, 40))
def test_rows_are_counted_as_they_are_whatever_columns_are_left_out(seed, n_rows, n_numbers, cut):
    rng = np.random.default_rng(seed)
    table = random_table(rng, n_rows, n_numbers)
    in_parts = Gaps()
    for part in np.split(np.arange(n_rows), [min(cut, n_rows)]):
        in_parts.merge(Gaps.of(table.rows(part)))
    for gaps in (Gaps.of(table), in_parts):
        assert gaps.known_complete == table.complete_rows().sum()
        assert gaps.n_rows == n_rows
        for name in table.all_names:
            gone = lacking(table, name)
            assert gaps.n_gaps(name) == gone.sum()
            if gone.any():
                assert gaps.by_column[name].first_row == gone.argmax()
        for size in (0, 1, 2):
            for without in list(combinations(table.all_names, size))[:20]:
                left = [name for name in table.all_names if name not in without]
                complete = ~np.logical_or.reduce([lacking(table, name) for name in left]) if left else np.ones(n_rows)
                assert gaps.n_complete(without) == complete.sum()
                assert gaps.part(left).n_complete() == complete.sum()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 40), st.integers(1, 6))
def test_the_columns_to_lose_leave_most_cells_in_complete_rows(seed, n_rows, n_numbers):
    table = random_table(np.random.default_rng(seed), n_rows, n_numbers)
    gaps = Gaps.of(table)
    emptiest = sorted(gaps.by_column, key=lambda name: -gaps.n_gaps(name))
    half_empty = [name for name in emptiest if gaps.n_gaps(name) > n_rows / 2]
    most = len(half_empty) if 2 * gaps.n_complete(half_empty) >= n_rows else len(emptiest)
    cells = [gaps.n_complete(emptiest[:count]) * (len(table.all_names) - count) for count in range(most + 1)]
    assert gaps.columns_to_lose() == tuple(emptiest[: int(np.argmax(cells))])


def test_too_many_patterns_are_not_kept_and_complete_rows_are_known(monkeypatch):
    table = random_table(np.random.default_rng(0), 200, 9)
    monkeypatch.setattr(module, "MOST_PATTERNS", 10)
    gaps = Gaps.of(table)
    assert gaps.patterns is None
    assert gaps.n_complete() == table.complete_rows().sum()
    assert gaps.n_complete(table.all_names) == 200


def test_a_complete_table_has_no_gaps():
    table = Table.of_array(("a", "b"), np.random.default_rng(0).normal(size=(20, 2)))
    gaps = Gaps.of(table)
    assert (gaps.n_complete(), gaps.empty, gaps.columns_to_lose(), gaps.n_infinite) == (20, [], (), 0)
