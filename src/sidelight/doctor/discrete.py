"""Findings about columns that are treated as discrete."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence

import numpy as np

from sidelight.doctor.columns import MANY_CATEGORIES
from sidelight.tables.coding import Coded
from sidelight.tables.cures import Cure
from sidelight.tables.findings import Diagnosis, Finding, FindingKind, copies, drop_columns, of_one_value
from sidelight.tables.rows import FEWEST_ROWS
from sidelight.tables.type_option import types_in_words
from sidelight.text.message import Message, Option
from sidelight.text.sentences import listed

ROWS_PER_CATEGORY = 5  # on average; with fewer, hardly any category is frequent enough for a test
MOST_CATEGORIES = 500  # whatever the rows: strata of more take minutes


def examine_discrete(coded: Coded, weighted: bool, most_categories: int | None = None) -> Diagnosis:
    """All findings about columns that are treated as discrete, but for the number of rows.

    A test for which each category is a column of its own accepts no more than ``most_categories``.
    A weighted row stands for many, and may well be the only one of its kind.
    """
    if len(coded.codes) < FEWEST_ROWS and not weighted:
        return Diagnosis(len(coded.codes), len(coded.names), ())  # every column looks constant or like an identifier
    crowded = [] if weighted else list(_too_many_categories(coded, most_categories))
    findings = [
        *crowded,
        *_single_categories(coded),
        *_same_partitions(coded, {name for finding in crowded for name in finding.culprits}),
    ]
    return Diagnosis(len(coded.codes), len(coded.names), tuple(findings))


def _too_many_categories(coded: Coded, most: int | None) -> Iterator[Finding]:
    """Columns whose values hardly ever occur twice: identifiers, or numbers that are treated as categories."""
    n_rows = len(coded.codes)
    by_rows = max(MANY_CATEGORIES, n_rows // ROWS_PER_CATEGORY)
    accepted = min(by_rows, MOST_CATEGORIES if most is None else most)
    counts = {name: n for name, n in zip(coded.names, coded.n_categories, strict=True) if n > accepted}
    if counts:
        shown = [f"{str(name)!r} has {count} different values" for name, count in counts.items()]
        limit = f"at most {accepted} are accepted{'' if accepted == by_rows or most is None else ' beside numbers'}"
        text = f"column {listed(shown)} in {n_rows} rows, too many for categories: {limit}"
        numbers = {name: "number" for name, v in _by_name(coded).items() if name in counts and _are_numbers(v)}
        texts = tuple(name for name in counts if name not in numbers)
        as_numbers = [Option("types", types_in_words(numbers)), " takes numbers as such; or "] if numbers else ["or "]
        remedy = Message("group the values; ", *as_numbers, drop_columns(list(counts)))
        yield Finding(FindingKind.MANY_VALUES, "error", tuple(counts), text, remedy, Cure(drop=texts, types=numbers))


def _by_name(coded: Coded) -> dict[Hashable, tuple[object, ...]]:
    return dict(zip(coded.names, coded.categories, strict=True))


def _are_numbers(values: Sequence[object]) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _single_categories(coded: Coded) -> Iterator[Finding]:
    yield from of_one_value([name for name, count in zip(coded.names, coded.n_categories, strict=True) if count < 2])


def _same_partitions(coded: Coded, apart_from: Collection[Hashable]) -> Iterator[Finding]:
    """Columns that divide the rows in the same way, whatever their categories are called."""
    suspects: dict[tuple[int, ...], list[int]] = {}
    for i, (name, count) in enumerate(zip(coded.names, coded.n_categories, strict=True)):
        if 1 < count < len(coded.codes) and name not in apart_from:  # values that all differ are no categories
            suspects.setdefault(coded.sizes(i), []).append(i)
    found = [group for columns in suspects.values() if len(columns) > 1 for group in _recoded(coded, columns)]
    alike = [[coded.names[i] for i in group] for group in sorted(found)]
    yield from copies(FindingKind.RECODED, "error", alike, "define the same categories: one is a recoding of the other")


def _recoded(coded: Coded, columns: Sequence[int]) -> Iterator[list[int]]:
    """Those of some columns that are the same once categories are numbered in the order in which they occur."""
    groups: dict[bytes, list[int]] = {}
    for i in columns:
        _, first, inverse = np.unique(coded.codes[:, i], return_index=True, return_inverse=True)
        groups.setdefault(np.argsort(np.argsort(first))[inverse].tobytes(), []).append(i)
    yield from (group for group in groups.values() if len(group) > 1)
