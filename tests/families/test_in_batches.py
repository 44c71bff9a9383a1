"""Statistics over batches: those of the table as a whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.families.discrete.distinct import DistinctRows
from sidelight.families.gaussian.correlation import moments, moments_of
from sidelight.families.gaussian.ranks import normal_scores, normal_scores_in_batches
from sidelight.tables.all_rows import AllRows, NotWorthItError
from sidelight.tables.table import Table


class Parts:
    """Passes over tables: the first two as one part, each of the others for itself."""

    keeps = False

    def __init__(self, tables):
        self.tables = tables

    def run(self, work, tick):
        return (work(iter(part)) for part in (self.tables[:2], *([table] for table in self.tables[2:])))


def rows_of(values, cuts, some=None):
    names = tuple(range(values.shape[1]))
    parts = np.split(values, sorted(cuts))
    tables = [Table.of_array(names, part) for part in parts]
    sample = Table.of_array(names, values if some is None else values[some])
    return AllRows(sample, passes=Parts(tables)), names


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 400), max_size=5), st.floats(-1e6, 1e6))
def test_moments_of_batches_are_those_of_the_rows(seed, cuts, shift):
    rng = np.random.default_rng(seed)
    values = np.cumsum(rng.normal(size=(400, 4)), axis=1) + shift
    rows, names = rows_of(values, cuts)
    found, expected = moments_of(rows, names, lambda count=1: None), moments(values)
    np.testing.assert_allclose(found.correlations, expected.correlations, atol=1e-10)
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.variances, expected.variances, rtol=1e-7)


@pytest.mark.parametrize("n_values", [300, 7])
def test_normal_scores_of_batches_are_exact_where_all_values_are_known(n_values):
    rng = np.random.default_rng(4)
    values = rng.integers(0, n_values, size=(900, 3)).astype(float)
    rows, _ = rows_of(values, [100, 500])
    found = normal_scores_in_batches(rows, lambda count=1: None)
    expected = normal_scores(values, lambda count=1: None)
    np.testing.assert_allclose(found.correlations, expected.correlations, atol=1e-10)


def test_normal_scores_of_batches_are_near_where_some_values_are_known():
    rng = np.random.default_rng(5)
    values = np.exp(np.cumsum(rng.normal(size=(20_000, 3)), axis=1))
    some = np.unique([*range(0, 20_000, 20), *values.argmin(axis=0), *values.argmax(axis=0)])
    rows, _ = rows_of(values, [10_000], some)
    found = normal_scores_in_batches(rows, lambda count=1: None)
    np.testing.assert_allclose(found.correlations, normal_scores(values, lambda count=1: None).correlations, atol=5e-4)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 40), min_size=1, max_size=30), st.booleans())
def test_distinct_rows_are_those_that_numpy_finds(seed, n_categories, weighted):
    rng = np.random.default_rng(seed)
    base = np.column_stack([rng.integers(0, count, 6) for count in n_categories])
    codes = base[rng.integers(0, 6, 100)]
    weights = rng.integers(1, 5, 100).astype(float) if weighted else None
    rows = DistinctRows(n_categories, None)
    for part in np.split(np.arange(100), [13, 60]):
        rows.add(codes[part], None if weights is None else weights[part])
    found, counts = rows.finished()
    expected, which = np.unique(codes, axis=0, return_inverse=True)
    totals = np.bincount(which.ravel(), weights, len(expected))
    order, theirs = np.lexsort(found.T), np.lexsort(expected.T)
    assert np.array_equal(found[order], expected[theirs])
    assert np.array_equal(counts[order], totals[theirs])


def test_rows_that_hardly_repeat_are_not_merged():
    rows = DistinctRows([100, 100], None)
    rows.add(np.random.default_rng(0).integers(0, 100, (50, 2)), None)
    with pytest.raises(NotWorthItError):
        rows.finished()
