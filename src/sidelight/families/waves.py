"""Rows over time as the options ask for them: with the values of earlier waves beside those of each row."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sidelight.errors import InputError
from sidelight.families.options import ASSUMED, DataOptions
from sidelight.kinds.types import said_types
from sidelight.sources.rows import ReadRows
from sidelight.tables.all_rows import AllRows
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.gaps import Gaps
from sidelight.tables.table import Table, as_list
from sidelight.tables.waves import LaggedRows, about_stationarity, with_lags
from sidelight.text.message import Message, Option, must_be

MANY_WAVES = 9  # beside the lags, on average, from which on differences between groups that last are taken out


class RowsInWaves(NamedTuple):
    """The rows with earlier values, and the options, which say of these what they say of the columns themselves."""

    rows: ReadRows
    options: DataOptions


def check_time(options: DataOptions) -> None:
    """Raise where waves are not said by a column, or do not go with other options."""
    time, default = options.time, DataOptions()
    for name in ("lags", "contemporaneous"):
        if time is None and getattr(options, name) != getattr(default, name):
            raise InputError(Message(Option(name), " goes with ", Option("time")))
    if not isinstance(options.contemporaneous, bool):
        raise InputError(must_be("contemporaneous", "True or False", options.contemporaneous))
    if isinstance(options.lags, bool) or not isinstance(options.lags, int) or options.lags < 1:
        raise InputError(must_be("lags", "a whole number of waves, 1 or more", options.lags))
    if time is None:
        return
    if not isinstance(time, Hashable):
        raise InputError(must_be("time", "the name of a column", time))
    for name in ("weights", "targets"):
        if getattr(options, name) is not None:
            raise InputError(Message(Option("time", time), " does not go with ", Option(name)))
    if options.variation == "between":
        raise InputError(Message(Option("time", time), " does not go with ", Option("variation", "between")))


def in_waves(read: ReadRows, options: DataOptions) -> RowsInWaves:
    """What was read, in the order of the times in the column that the options name."""
    assert options.time is not None
    if not read.rows.in_memory:
        raise InputError(Message(Option("time", options.time), " needs all rows in memory; use a subset of the rows"))
    found, about = _lagged(read.rows.sample, options)
    if any(finding.kind == FindingKind.WAVES_LEFT for finding in about) and _has_many_waves(found, options):
        options = replace(options, variation="within")
        found, about = _lagged(read.rows.sample, options)
    rows = replace(AllRows.held(found.table), waves=found.waves)
    names = [*found.waves.order.lagged]
    types, discrete = options.types, options.discrete
    if types is not None:
        said = said_types(types)
        types = {**said, **{each.name: said[each.column] for each in names if each.column in said}}
    if discrete is not None:
        chosen = as_list(discrete)
        discrete = [*chosen, *(each.name for each in names if each.lag and each.column in chosen)]
    with_gaps = ReadRows(rows, lambda: Gaps.of(rows.sample), (*read.notes, *found.findings, *about))
    return RowsInWaves(with_gaps, replace(options, types=types, discrete=discrete))


def _lagged(table: Table, options: DataOptions) -> tuple[LaggedRows, list[Finding]]:
    """The rows with earlier values, and what speaks against taking them as alike but for these."""
    assert options.time is not None
    within = options.compares_within
    found = with_lags(table, options.time, options.groups, options.lags, options.contemporaneous, keep_groups=within)
    return found, list(about_stationarity(found.table, found.waves, within))


def _has_many_waves(found: LaggedRows, options: DataOptions) -> bool:
    """Can "auto" compare numbers within groups? With few waves, their means have too much of each value in them."""
    able = options.test in ("auto", "fisher-z") and options.missing not in ASSUMED and not found.table.texts
    if options.groups is None or options.variation != "auto" or not able:
        return False
    return found.table.n_rows >= MANY_WAVES * len(np.unique(found.waves.group))
