"""Findings about a table as it was read, whatever the test: what is no variable, or no variable of its own."""

from __future__ import annotations

from collections.abc import Collection, Hashable

from sidelight.doctor.copies import examine_copies
from sidelight.doctor.gaps import Gaps, empty_columns
from sidelight.doctor.identifiers import examine_identifiers
from sidelight.doctor.sentinels import examine_sentinels
from sidelight.doctor.sums import examine_sums
from sidelight.doctor.texts import examine_texts
from sidelight.families.gaussian.correlation import Summaries
from sidelight.tables.findings import Finding, Severity
from sidelight.tables.rows import FEWEST_ROWS
from sidelight.tables.table import Table


def examine_whole(
    table: Table,
    gaps: Gaps,
    discrete: Collection[Hashable],
    severity_by_ranks: Severity,
    summaries: Summaries,
) -> tuple[Finding, ...]:
    """All such findings; a column that one of them would drop is not looked at by the next."""
    if table.n_rows < FEWEST_ROWS:
        return ()
    found = [*empty_columns(gaps)]
    found += examine_texts(table.part(set(table.all_names) - _dropped(found)), discrete)
    found += examine_identifiers(table, _dropped(found))
    found += examine_sentinels(table, _dropped(found))
    found += examine_copies(table, discrete, _dropped(found), severity_by_ranks)
    found += examine_sums(table, discrete, _dropped(found), summaries)
    return tuple(found)


def set_aside(table: Table, findings: Collection[Finding]) -> Table:
    """The table without columns that cannot be learned from, so that the rest of it can be examined."""
    errors = [finding for finding in findings if finding.severity == "error"]
    unusable = {name for finding in errors for name in (*finding.cure.drop, *finding.cure.dates)}
    unusable |= {name for finding in errors for name in finding.cure.missing_values}
    return table.part(name for name in table.all_names if name not in unusable)


def _dropped(findings: Collection[Finding]) -> set[Hashable]:
    return {name for finding in findings for name in finding.cure.drop}
