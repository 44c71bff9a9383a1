"""Findings about single columns, whatever their kind, with the remedy that is always there: to drop a column."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from sidelight.data.table import Table
from sidelight.doctor.findings import Finding
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, listed

LONGEST_EXAMPLE = 40  # letters


def drop_columns(names: Sequence[Hashable]) -> Message:
    """The remedy ``drop it: drop=['a']``."""
    return Message(f"drop {'it' if len(names) == 1 else 'them'}: ", Option("drop", list(names)))


def of_one_value(names: list[Hashable]) -> Iterator[Finding]:
    """Constant columns, as one finding."""
    if names:
        have = "columns {} have" if len(names) > 1 else "column {} has"
        text = f"{have.format(listed(names, quoted=True))} one value only"
        yield Finding("constant", "error", tuple(names), text, drop_columns(names))


def gap(kind: str, name: Hashable, count: int, first: int, n_rows: int) -> Finding:
    """A column with missing or infinite values; ``first`` is the position of the first one."""
    if count == n_rows:
        return Finding(kind, "error", (name,), f"column {str(name)!r} has {kind} values only", drop_columns([name]))
    text = f"column {str(name)!r} has {counted(count, f'{kind} value')}, the first in row {first + 1}"
    remedy = Message(Option("missing", "drop"), " leaves such rows out; or ", drop_columns([name]))
    return Finding(kind, "error", (name,), text, remedy)


def not_numbers(table: Table) -> Iterator[Finding]:
    """Columns of texts where numbers are needed."""
    for name, column in table.texts.items():
        yield almost_numbers(name, column) or _texts(name, column)


def almost_numbers(name: Hashable, column: Sequence[object]) -> Finding | None:
    """A column that would be numeric without a few of its cells; None for others."""
    wrong = [(row, value) for row, value in enumerate(column) if value is not None and not _is_number(value)]
    if not wrong or len(wrong) > len(column) // 2:
        return None
    row, value = wrong[0]
    cells = f"{counted(len(wrong), 'cell')} among {len(column)} that {'is' if len(wrong) == 1 else 'are'} not numeric"
    text = f"column {str(name)!r} has {cells}, such as {str(value)[:LONGEST_EXAMPLE]!r} in row {row + 1}"
    remedy = Message("correct or empty such cells, or ", drop_columns([name]))
    return Finding("non-numeric", "error", (name,), text, remedy)


def _texts(name: Hashable, column: Sequence[object]) -> Finding:
    examples = [value for value in column if value is not None][:1]
    example = f", such as {str(examples[0])[:LONGEST_EXAMPLE]!r}" if examples else ""
    distinct = len(set(map(str, column)))
    what = f"column {str(name)!r} is not numeric"
    if distinct == len(column) > 1:
        text = f"{what} and differs in every row{example}: it looks like an identifier"
        return Finding("non-numeric", "error", (name,), text, drop_columns([name]))
    remedy = Message("code it as numbers, or ", drop_columns([name]))
    return Finding("non-numeric", "error", (name,), f"{what}{example}, with {distinct} different values", remedy)


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True
