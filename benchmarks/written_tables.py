"""Files of known content, each written in another way: delimiters, decimals, quotes, headers, encodings, marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from pathlib import Path

import numpy as np
from readers import Cell

ROWS = 60
CITIES = ("Oslo", "New York", "Bern", "São Paulo", "Lima")


@dataclass(frozen=True)
class Style:
    """How a table is written."""

    delimiter: str = ","
    decimal: str = "."
    thousands: str = ""
    missing: str = ""
    quotes: str = "needed"  # or "all", or "never"
    line_end: str = "\n"
    above: tuple[str, ...] = ()  # lines before the header
    below: tuple[str, ...] = ()  # lines after the last row
    header: str = "{}"  # what the line with the names is put into; empty for none
    row_end: str = ""
    encoding: str = "utf-8"


@dataclass(frozen=True)
class WrittenTable:
    """A file, or the files of a folder by their names, and what they hold; no names where the file has none."""

    title: str
    files: Mapping[str, bytes]
    names: tuple[str, ...] | None
    columns: list[list[Cell]]

    def write(self, folder: Path) -> Path:
        """The path of the file, or of the folder if there are several."""
        folder.mkdir()
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        return folder if len(self.files) > 1 else folder / next(iter(self.files))


Values = dict[str, list[object]]


def values(seed: int, n_rows: int = ROWS) -> Values:
    """Columns of strings, fractions, whole numbers, two categories and dates; one cell in ten is missing."""
    rng = np.random.default_rng(seed)
    columns: Values = {
        "city": [str(city) for city in rng.choice(CITIES, n_rows)],
        "height": [round(float(x), 3) for x in rng.normal(1700, 900, n_rows)],
        "visits": [int(x) for x in rng.integers(0, 5000, n_rows)],
        "smokes": [str(x) for x in rng.choice(["yes", "no"], n_rows)],
        "day": [date(2020, 1, 1) + timedelta(int(x)) for x in rng.integers(0, 900, n_rows)],
    }
    for cells in list(columns.values())[1:]:
        for row in rng.choice(n_rows, n_rows // 10, replace=False):
            cells[row] = None
    return columns


def written_cell(value: object, style: Style) -> str:
    """The text of one value, before quotes."""
    if value is None:
        return style.missing
    if isinstance(value, bool | str | date | time):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}".replace(",", style.thousands)
    whole, _, fraction = f"{value:,.3f}".partition(".")
    return whole.replace(",", style.thousands) + style.decimal + fraction


def quoted(text: str, style: Style) -> str:
    """A cell, in quotes if it must be or all are."""
    needs = any(mark in text for mark in (style.delimiter, '"', "\n", "\r"))
    if style.quotes == "never" or (style.quotes == "needed" and not needs):
        return text
    return '"' + text.replace('"', '""') + '"'


def written(title: str, columns: Values, style: Style, suffix: str = ".csv", names: bool = True) -> WrittenTable:
    """The table of these values in this style; without names, there are none to be found."""
    cells = {name: [Cell(value, written_cell(value, style)) for value in column] for name, column in columns.items()}
    return of_cells(title, cells, style, suffix, names)


def of_cells(
    title: str, cells: Mapping[str, list[Cell]], style: Style, suffix: str = ".csv", names: bool = True
) -> WrittenTable:
    """The table of these cells in this style."""
    known = tuple(cells) if names else None
    return WrittenTable(title, {f"table{suffix}": content(cells, style)}, known, list(cells.values()))


def content(cells: Mapping[str, list[Cell]], style: Style) -> bytes:
    """The bytes of a file."""
    header = [style.header.format(style.delimiter.join(quoted(name, style) for name in cells))] if style.header else []
    rows = (
        style.delimiter.join(quoted(cell.written, style) for cell in row) + style.row_end
        for row in zip(*cells.values(), strict=True)
    )
    return (style.line_end.join((*style.above, *header, *rows, *style.below)) + style.line_end).encode(style.encoding)


def as_written(texts: Sequence[str], meant: Callable[[str], object] = str) -> list[Cell]:
    """Cells with these texts."""
    return [Cell(meant(text), text) for text in texts]


def with_column(name: str, texts: Sequence[str], meant: Callable[[str], object] = str) -> dict[str, list[Cell]]:
    """The plain table with one more column, whose texts are repeated."""
    plain = written("", values(1), Style()).columns
    cells = dict(zip(values(1), plain, strict=True))
    return {**cells, name: [Cell(meant(text), text) for text in (texts[row % len(texts)] for row in range(ROWS))]}


def combined(n_files: int, seed: int = 0) -> Iterator[WrittenTable]:
    """Files in combinations of ways that go together, drawn at random."""
    rng = np.random.default_rng(seed)

    def draw(*choices: object) -> object:
        return choices[rng.integers(len(choices))]

    for number in range(n_files):
        delimiter = draw(",", ";", "\t", "|")
        decimal = draw(".", ".", ",")
        style = Style(
            delimiter=str(delimiter),
            decimal=str(decimal),
            thousands=str(draw("", "", " ", "'", "." if decimal == "," else ",")),
            missing=str(draw("", "NA", "?", ".", "NaN", "NULL")),
            quotes=str(draw("needed", "all")),
            line_end=str(draw("\n", "\r\n")),
            above=tuple(draw((), (), ("# made by hand",), ("Heights of people", ""))),  # type: ignore[arg-type]
            encoding=str(draw("utf-8", "utf-8-sig")),
        )
        columns = values(seed * n_files + number, int(rng.integers(5, 200)))
        order = rng.permutation(len(columns))
        yield written(f"combination {number}", {list(columns)[i]: list(columns.values())[i] for i in order}, style)
