"""Surveys: what they say of all rows is what the whole table says, however it is divided."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.tables import survey as module
from sidelight.tables.all_rows import Batch
from sidelight.tables.strings import Texts
from sidelight.tables.survey import Survey
from sidelight.tables.table import Table


def random_table(rng, n_rows):
    values = np.column_stack([rng.normal(size=n_rows), rng.integers(0, 5, n_rows), rng.integers(0, 10**6, n_rows)])
    values = values.astype(float)
    values[rng.random(values.shape) < 0.02] = np.nan
    values[rng.random(values.shape) < 0.01] = np.inf
    texts = [[None, "u", "v", "w"][code] for code in rng.integers(0, 4, n_rows)]
    kinds = {"x": "float", "y": "float", "z": "float", "t": "text"}
    return Table(("x", "y", "z"), values, {"t": Texts.of(texts)}, kinds)


def part(table, start, stop):
    return Batch(table.rows(np.arange(start, stop)), None)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 3000), max_size=4), st.booleans())
def test_a_survey_knows_of_all_rows(seed, cuts, apart):
    rng = np.random.default_rng(seed)
    table = random_table(rng, 3000)
    bounds = [0, *sorted(cuts), 3000]
    whole = Survey()
    for start, stop in pairwise(bounds):
        if apart:
            other = Survey()
            other.add(part(table, start, stop))
            whole.merge(other)
        else:
            whole.add(part(table, start, stop))
    assert whole.n_rows == 3000
    assert whole.gaps.n_complete() == table.complete_rows().sum()
    for i, name in enumerate("xyz"):
        column, found = table.values[:, i], whole.columns[name]
        finite = column[np.isfinite(column)]
        assert (found.low, found.high) == (finite.min(), finite.max())
        gaps = whole.gaps.by_column[name]
        assert (gaps.n_missing, gaps.n_infinite) == (np.isnan(column).sum(), np.isinf(column).sum())
        assert gaps.first_row == np.flatnonzero(~np.isfinite(column))[0]
    assert whole.columns["t"].values == {"u", "v", "w"}


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 300))
def test_the_rows_that_are_kept_have_every_value_extreme_and_kind_of_gap(seed, at_once):
    rng = np.random.default_rng(seed)
    table = random_table(rng, 1000)
    usual = module.FIRST_ROWS, module.EVEN_ROWS, module.FEWEST_EVEN, module.MOST_VALUES
    try:
        module.FIRST_ROWS, module.EVEN_ROWS, module.FEWEST_EVEN, module.MOST_VALUES = 10, 20, 20, 30
        survey = Survey(lambda name: 11)
        for start in range(0, 1000, at_once):
            survey.add(part(table, start, min(1000, start + at_once)))
        kept = survey.table()
    finally:
        module.FIRST_ROWS, module.EVEN_ROWS, module.FEWEST_EVEN, module.MOST_VALUES = usual
    assert kept.n_rows < 200
    assert kept.n_all == 1000
    for i, place in enumerate(kept.origin.places.tolist()):
        assert np.array_equal(kept.values[i], table.values[place], equal_nan=True)
        assert kept.texts["t"][i] == table.texts["t"][place]
    for i in range(3):
        column, seen = (values[np.isfinite(values)] for values in (table.values[:, i], kept.values[:, i]))
        assert (column.min(), column.max()) == (seen.min(), seen.max())
    assert set(kept.values[np.isfinite(kept.values[:, 1]), 1]) == set(range(5))
    assert set(kept.texts["t"].different) == {"u", "v", "w"}
    assert kept.texts["t"].missing.any()
    assert np.array_equal(kept.origin.places[:10], np.arange(10))
