"""Findings about columns that are treated as discrete."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence

import numpy as np

from sidelight.data.coding import Coded
from sidelight.data.rows import FEWEST_ROWS
from sidelight.data.table import Table
from sidelight.doctor.findings import Diagnosis, Finding, almost_numbers, drop_columns, gap, not_numbers, of_one_value
from sidelight.text.message import Message
from sidelight.text.sentences import listed

ROWS_PER_CATEGORY = 5  # on average; with fewer, hardly any category is frequent enough for a test
MANY_CATEGORIES = 20  # a column with no more values is accepted, however few the rows


def examine_discrete(
    table: Table, coded: Coded, allow_missing: bool, weighted: bool, most_categories: int | None = None
) -> Diagnosis:
    """All findings about columns that are treated as discrete, but for the number of rows.

    A test for which each category is a column of its own accepts no more than ``most_categories``.
    A weighted row stands for many, and may well be the only one of its kind.
    """
    if len(coded.codes) < FEWEST_ROWS and not weighted:
        return Diagnosis(len(coded.codes), len(coded.names), ())  # every column looks constant or like an identifier
    identifying = [] if weighted else list(_identifying_texts(table))
    known = {name for finding in identifying for name in finding.culprits}
    crowded = (
        []
        if weighted
        else [finding for finding in _too_many_categories(coded, most_categories) if finding.culprits[0] not in known]
    )
    findings = [
        *identifying,
        *crowded,
        *([] if allow_missing else _missing_codes(coded)),
        *_single_categories(coded),
        *_same_partitions(coded, known.union(*(finding.culprits for finding in crowded))),
    ]
    return Diagnosis(len(coded.codes), len(coded.names), tuple(findings))


def _identifying_texts(table: Table) -> Iterator[Finding]:
    differing = {
        name: column
        for name, column in table.texts.items()
        if len(set(map(str, column))) == len(column) > 1 or (_has_many_values(column) and almost_numbers(name, column))
    }
    yield from not_numbers(Table((), table.values, differing, {}))


def _has_many_values(column: Sequence[object]) -> bool:
    """True for more values than categories such as 0, 1, 2 and "3+" have."""
    return len(set(map(str, column))) > max(MANY_CATEGORIES, len(column) // 20)


def _too_many_categories(coded: Coded, most: int | None) -> Iterator[Finding]:
    """Columns whose values hardly ever occur twice: identifiers, or numbers that are treated as categories."""
    n_rows = len(coded.codes)
    for name, count in zip(coded.names, coded.n_categories, strict=True):
        accepted = max(MANY_CATEGORIES, n_rows // ROWS_PER_CATEGORY)
        if count > (accepted if most is None else min(accepted, most)):
            beside = " beside numbers" if count <= accepted else ""
            text = (
                f"column {str(name)!r} has {count} different values in {n_rows} rows, too many for categories{beside}"
            )
            remedy = Message("group its values, treat it as a number if it is one, or ", drop_columns([name]))
            yield Finding("many values", "error", (name,), text, remedy)


def _missing_codes(coded: Coded) -> Iterator[Finding]:
    for i in np.flatnonzero((coded.codes < 0).any(axis=0)):
        gone = coded.codes[:, i] < 0
        yield gap("missing", coded.names[i], int(gone.sum()), int(gone.argmax()), len(gone))


def _single_categories(coded: Coded) -> Iterator[Finding]:
    yield from of_one_value([name for name, count in zip(coded.names, coded.n_categories, strict=True) if count < 2])


def _same_partitions(coded: Coded, apart_from: Collection[Hashable]) -> Iterator[Finding]:
    """Columns that divide the rows in the same way, whatever their categories are called."""
    groups: dict[bytes, list[Hashable]] = {}
    for name, column, count in zip(coded.names, coded.codes.T, coded.n_categories, strict=True):
        if count > 1 and name not in apart_from:
            _, first, inverse = np.unique(column, return_index=True, return_inverse=True)
            groups.setdefault(np.argsort(np.argsort(first))[inverse].tobytes(), []).append(name)
    for members in groups.values():
        if len(members) > 1:
            text = f"columns {listed(members, quoted=True)} define the same categories: one is a recoding of the other"
            remedy = Message("keep one; ", drop_columns(members[1:]))
            yield Finding("duplicated", "error", tuple(members), text, remedy)
