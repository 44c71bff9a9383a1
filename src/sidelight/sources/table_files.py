"""Files that hold a table: which kind one is, by its first bytes and its extension."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sidelight.errors import InputError
from sidelight.files.memory import budget_for
from sidelight.files.opening import open_bytes
from sidelight.sources.column_files import open_arrow, open_parquet
from sidelight.sources.delimited import open_delimited

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITED = {".csv": "", ".tsv": "\t", ".tab": "\t", ".txt": ""}  # with the delimiter that is preferred
PARQUET = {".parquet", ".pq"}
ARROW = {".feather", ".arrow", ".ipc"}
ACCEPTED = "CSV, TSV (also gzip'd: .csv.gz), Parquet (.parquet) or Feather/Arrow (.feather, .arrow)"
ZIP = b"PK\x03\x04"


class TableFile(Protocol):
    """A file that a table can be read from, in parts."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        ...

    @property
    def decimal(self) -> str:
        """The decimal mark of its numbers; empty where they are not written out."""
        ...

    def n_rows(self, n_columns: int) -> int:
        """The number of rows or a little more; refused when so many columns of them do not fit into memory."""
        ...

    @property
    def categories(self) -> frozenset[str]:
        """Columns that have categories by their type."""
        ...

    def count_rows(self) -> int | None:
        """The number of rows, where the file says it."""
        ...

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """The chosen columns, about so many rows at a time."""
        ...

    def parts(self, chosen: Sequence[str], as_text: Collection[str] = ()) -> Iterator[pa.Table]:
        """The chosen columns: some rows of all of them at a time, or all rows of some; some columns as texts."""
        ...


def is_table(path: Path) -> bool:
    """True if its extension is one of a table's."""
    return _suffix(path) in (*DELIMITED, *PARQUET, *ARROW)


def _suffix(path: Path) -> str:
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def open_table(path: Path, columns: Iterable[Hashable] = (), memory: int | None = None) -> TableFile:
    """The file, its column names read; a first row of numbers is a header if it has these columns.

    What is read as a whole may take so many bytes of ``memory``; by default all that can be used.
    """
    budget = budget_for(path, limit=memory)
    with open_bytes(path) as file:
        begins = file.read(8)
    suffix = _suffix(path)
    if not is_table(path):
        raise InputError(f"a table must be {ACCEPTED}; got {str(path)!r}")
    if begins.startswith(ZIP):
        raise InputError(f"cannot read {str(path)!r}: it is a zip archive or an Excel file; save the table as CSV")
    if suffix in PARQUET or begins.startswith(b"PAR1"):
        return open_parquet(path, budget)
    if suffix in ARROW or begins.startswith(b"ARROW1"):
        return open_arrow(path, budget)
    return open_delimited(path, DELIMITED[suffix], {str(name) for name in columns}, budget)
