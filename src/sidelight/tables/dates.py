"""Dates, times of day and durations as numbers of days."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.strings import Texts

DAY = 86_400  # seconds
EPOCH = datetime(1970, 1, 1)
TRIED_FIRST = 20  # different values; hardly any column that holds no dates has as many that look like one
FORMATS = ("%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%m/%d/%y", "%d-%b-%Y", "%d %b %Y", "%b %d, %Y", "%b %Y")
CLOCK = re.compile(r"\s*(?:(\d+) days?,? *)?(?:(\d{1,4}):(\d\d)(?::(\d\d(?:\.\d+)?))?)?\s*")
QUARTER = re.compile(r"\s*(\d{4})[- ]?Q([1-4])\s*")


def days_of(values: Texts) -> NDArray[np.float64] | None:
    """Each value as a number of days, NaN where it is missing; None unless all others are dates, times or durations."""
    reading = reading_of(values)
    return None if reading is None else values.numbers(reading)


def reading_of(values: Texts) -> Callable[[object], float] | None:
    """How all values of a column are read as days; None unless there is a way."""
    different = values.different
    readings = _readings() if different else []
    found = (days for days in readings if _are_days(different[:TRIED_FIRST], days) and _are_days(different, days))
    return next(found, None)


def _are_days(values: Sequence[object], days: Callable[[object], float]) -> bool:
    """True if each value can be read so."""
    try:
        return all(days(value) is not None for value in values)
    except (ValueError, TypeError, OverflowError):
        return False


def _readings() -> list[Callable[[object], float]]:
    """The ways to read a value, one of which must do for a whole column."""
    formats = [partial(_by_format, form) for form in FORMATS]
    return [_typed, _iso, _clock, _quarter, *formats]


def _by_format(form: str, value: object) -> float:
    return _since_epoch(datetime.strptime(_text(value), form))


def _typed(value: object) -> float:
    """Values that are dates by their type."""
    if isinstance(value, datetime):
        return _since_epoch(value)
    if isinstance(value, date):
        return float(value.toordinal() - EPOCH.toordinal())
    if isinstance(value, time):
        return (value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6) / DAY
    if isinstance(value, timedelta):
        return value.total_seconds() / DAY
    raise ValueError(value)


def _since_epoch(moment: datetime) -> float:
    plain = moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    return (plain - EPOCH).total_seconds() / DAY


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value.strip()


def _iso(value: object) -> float:
    text = _text(value)
    if text.isdecimal():  # 20240131 may be any number
        raise ValueError(text)
    return _since_epoch(datetime.fromisoformat(text))


def _clock(value: object) -> float:
    """``14:30``, ``1:02:03``, ``2 days, 1:02:03``, ``3 days``."""
    found = CLOCK.fullmatch(_text(value))
    if found is None or not any(found.groups()):
        raise ValueError(value)
    days, hours, minutes, seconds = (float(group or 0) for group in found.groups())
    return days + (hours * 3600 + minutes * 60 + seconds) / DAY


def _quarter(value: object) -> float:
    """``2024Q1``."""
    found = QUARTER.fullmatch(_text(value))
    if found is None:
        raise ValueError(value)
    return _since_epoch(datetime(int(found[1]), 3 * int(found[2]) - 2, 1))
