"""Columns of texts as codes: what occurs, and where first, whether the first rows have all of it or not."""

import numpy as np
import pytest

from sidelight.tables.strings import FIRST_ROWS, Texts


@pytest.mark.parametrize("late", [(), (2,), (3, 2)], ids=["none", "one", "two"])
@pytest.mark.parametrize("n_values", [2, 4, 6], ids=["few", "all", "more than occur"])
def test_the_values_that_occur_come_in_the_order_of_their_first_rows(late, n_values):
    codes = np.random.default_rng(1).integers(-1, 2, FIRST_ROWS + 50).astype(np.int32)
    if n_values > 2:
        codes[FIRST_ROWS : FIRST_ROWS + len(late)] = late
    texts = Texts(codes, "abcdef"[:n_values])
    assert texts.different == tuple(dict.fromkeys(cell for cell in texts if cell is not None))


def test_a_function_is_asked_about_values_that_occur_alone():
    codes = np.array([0] * FIRST_ROWS + [2, -1], dtype=np.int32)
    found = Texts(codes, ("1", "no number", "3")).numbers(float)
    assert found[:FIRST_ROWS].tolist() == [1.0] * FIRST_ROWS
    assert found[-2] == 3.0
    assert np.isnan(found[-1])
