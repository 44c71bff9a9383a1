"""Rows in groups as the options ask for them: compared within groups, or the means of the groups as rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

from sidelight.errors import InputError
from sidelight.families.options import ASSUMED, VARIATIONS, DataOptions
from sidelight.sources.rows import ReadRows
from sidelight.tables.all_rows import Tick
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.gaps import Gaps
from sidelight.tables.groups import between_groups, within_groups
from sidelight.tables.table import as_list
from sidelight.text.message import Message, Option, must_be, must_be_one_of


class GroupedRows(NamedTuple):
    """The rows, the options that are left for them, and the columns that do not vary within groups."""

    rows: ReadRows
    options: DataOptions
    left_out: tuple[Hashable, ...] = ()


def check_groups(options: DataOptions) -> None:
    """Raise where groups are not said by a column, or do not go with other options."""
    groups = options.groups
    if options.variation not in VARIATIONS:
        raise InputError(must_be_one_of("variation", VARIATIONS, options.variation))
    if groups is None and options.variation != VARIATIONS[0]:
        raise InputError(Message(Option("variation", options.variation), " goes with ", Option("groups")))
    if options.variation == "all" and options.time is None:
        raise InputError(Message(Option("variation", "all"), " goes with ", Option("time")))
    if groups is None:
        return
    if not isinstance(groups, Hashable):
        raise InputError(must_be("groups", "the name of a column", groups))
    if options.weights is not None:
        raise InputError(Message(Option("groups", groups), " does not go with ", Option("weights")))
    if options.compares_within and options.missing in ASSUMED:
        drop, between = Option("missing", "drop"), Option("variation", "between")
        how = (" does not go with rows that are compared within groups; ", drop, " does, or ", between)
        raise InputError(Message(Option("missing", options.missing), *how))


def in_groups(read: ReadRows, options: DataOptions, tick: Tick) -> GroupedRows:
    """What was read, in groups by the column that the options name."""
    assert options.groups is not None
    rows = read.rows
    if options.compares_within:
        within = within_groups(rows, options.groups, tick)
        discrete = options.discrete
        if discrete is not None:
            discrete = [name for name in as_list(discrete) if name not in within.left_out]
        findings = within.findings if options.time is None else map(_given_waves, within.findings)
        found = ReadRows(replace(within.rows, waves=rows.waves), read.find_gaps, (*read.notes, *findings))
        return GroupedRows(found, replace(options, discrete=discrete), within.left_out)
    if options.missing == "drop":
        rows = rows.complete(lambda: read.find_gaps().n_complete())
    between, findings = between_groups(rows, options.groups, options.missing in ASSUMED, tick)
    return GroupedRows(ReadRows(between, lambda: Gaps.of(between.sample), (*read.notes, *findings)), options)


def _given_waves(finding: Finding) -> Finding:
    """What is said of rows within groups, where earlier waves are taken into account."""
    if finding.kind != FindingKind.WITHIN_GROUPS:
        return finding
    remedy = Message(Option("variation", "all"), " takes rows as they are, so that what lasts counts too")
    return replace(finding, text=finding.text.partition(". Apart")[0], remedy=remedy)
