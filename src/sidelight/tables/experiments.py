"""Which variables were set in which row of a table, rather than observed, as one of its columns says."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.names import hint_at_names
from sidelight.tables.table import Mask, Table, categories_in
from sidelight.text.message import Message, Option, between_commas
from sidelight.text.sentences import counted

NOTHING_SET = ("", "none", "observed")  # beside an empty cell


@dataclass(frozen=True)
class SettingsOfRows:
    """The setting of each row, and the variables that are set in each setting."""

    of_row: NDArray[np.int64]
    targets: tuple[frozenset[Hashable], ...]

    def rows(self, kept: Mask | NDArray[np.integer]) -> SettingsOfRows:
        """Those of some rows."""
        return SettingsOfRows(self.of_row[kept], self.targets)

    def without(self, name: Hashable) -> Mask:
        """The rows in which a variable was not set."""
        free = np.array([name not in setting for setting in self.targets])
        kept: Mask = free[self.of_row]
        return kept

    @property
    def in_words(self) -> str:
        """``500 rows observed, 'x' set in 250, 'x' and 'y' in 250``."""
        sizes = np.bincount(self.of_row, minlength=len(self.targets))
        parts = []
        for setting, size in sorted(zip(self.targets, sizes, strict=True), key=lambda pair: (len(pair[0]), -pair[1])):
            names = " and ".join(sorted(repr(str(name)) for name in setting))
            parts.append(f"{names} set in {size}" if names else f"{counted(int(size), 'row')} observed")
        return ", ".join(parts)


def settings_in(table: Table, column: Hashable) -> tuple[Table, SettingsOfRows]:
    """The table without the column, and what it says was set in each row: names with commas between them."""
    others = tuple(name for name in table.all_names if name != column)
    values, codes = categories_in(table, column)
    found = [_targets(value, column, others) for value in values]
    targets = tuple(dict.fromkeys([frozenset[Hashable](), *found]))
    place = np.array([targets.index(setting) for setting in found] + [0])  # the last is that of empty cells
    of_row = place[np.where(codes < 0, len(found), codes)]
    if not of_row.any():
        raise _unusable(column, f": column {str(column)!r} says of no row that a variable was set in it")
    used = sorted(set(of_row.tolist()))
    of_row = np.searchsorted(used, of_row)
    return table.part(others), SettingsOfRows(of_row, tuple(targets[number] for number in used))


def _targets(value: object, column: Hashable, names: Sequence[Hashable]) -> frozenset[Hashable]:
    """The variables in a cell; names may have commas if they are the whole cell."""
    written, text = {str(name): name for name in names}, str(value).strip()
    if text in written:
        return frozenset({written[text]})
    if text.lower() in NOTHING_SET:
        return frozenset()
    parts = between_commas(text)
    unknown = next((part for part in parts if part not in written), None)
    if unknown is not None:
        what = f": {unknown!r} in column {str(column)!r} is none of the variables{hint_at_names(unknown, names)}"
        raise _unusable(column, what)
    return frozenset(written[part] for part in parts)


def _unusable(column: Hashable, why: str) -> InputError:
    return InputError(Message(Option("targets", column), why))
