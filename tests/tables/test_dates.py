"""Dates, times and durations as days, as pandas reads them."""

from datetime import time

import numpy as np
import pandas as pd
import pytest

from sidelight.tables.strings import Texts
from sidelight.tables.treatment import days_of

MOMENTS = pd.to_datetime(["2024-02-29 13:45:10", "1999-12-31 23:59:59", "1970-01-01 00:00:00", "2031-07-04 06:00:00"])
WHOLE = MOMENTS.normalize()
EPOCH = pd.Timestamp("1970-01-01")


@pytest.mark.parametrize(
    ("texts", "moments"),
    [
        (MOMENTS.strftime("%Y-%m-%d %H:%M:%S"), MOMENTS),
        (MOMENTS.strftime("%Y-%m-%dT%H:%M:%S"), MOMENTS),
        (WHOLE.strftime("%Y-%m-%d"), WHOLE),
        (WHOLE.strftime("%d.%m.%Y"), WHOLE),
        (WHOLE.strftime("%d/%m/%Y"), WHOLE),
        (WHOLE.strftime("%m/%d/%Y"), WHOLE),
        (WHOLE.strftime("%d %b %Y"), WHOLE),
        (MOMENTS.to_pydatetime(), MOMENTS),
    ],
)
def test_dates_are_days_since_1970(texts, moments):
    np.testing.assert_allclose(days_of(Texts.of(list(texts))), (moments - EPOCH) / pd.Timedelta(days=1))


def test_times_and_durations_are_parts_of_days_and_gaps_stay():
    np.testing.assert_allclose(days_of(Texts.of(["6:00", None, "18:30"])), [0.25, np.nan, 18.5 / 24])
    np.testing.assert_allclose(days_of(Texts.of([time(6), time(18, 30)])), [0.25, 18.5 / 24])
    np.testing.assert_allclose(days_of(Texts.of(["2 days, 6:00:00", "3 days"])), [2.25, 3])
    np.testing.assert_allclose(days_of(Texts.of(pd.to_timedelta([3600, 7200], "s"))), [1 / 24, 2 / 24])


@pytest.mark.parametrize("values", [["red", "blue"], ["2024-01-01", "soon"], ["20240131"], ["1", "2"], [None], []])
def test_other_values_are_no_dates(values):
    assert days_of(Texts.of(values)) is None
