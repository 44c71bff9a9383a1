"""A table of results: as CSV for programs, as Markdown for readers. The same numbers give the same bytes."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

Cell = str | int | float | None
LONG = 45  # rows; longer tables are shown by their files only


@dataclass(frozen=True)
class ResultTable:
    """Rows under headings. ``of_times`` is True for run times, of which no two runs give the same."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    of_times: bool = False

    @property
    def place(self) -> str:
        """The folder that it belongs to."""
        return "times" if self.of_times else "tables"

    def to_csv(self) -> str:
        """All cells, numbers with six digits."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in self.rows)
        return text.getvalue()

    def to_markdown(self) -> str:
        """A Markdown table under its title."""
        lines = [self.columns, ["---"] * len(self.columns), *(map(shown, row) for row in self.rows)]
        return f"**{self.title}**\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def shown(cell: Cell) -> str:
    """A cell for readers."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.3f}" if abs(cell) < 10 else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
