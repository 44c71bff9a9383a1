"""What a source of rows is to the rest of the library: names, and batches of Arrow-like columns."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import Any, Protocol

from sidelight.tables.findings import Finding

BYTES_OF_CELL = 10  # of a table in memory, with what reading takes beside
FEWEST_AT_ONCE, MOST_AT_ONCE = 1_000, 1 << 17  # rows of a batch


class Source(Protocol):
    """A table that can be read more than once, some rows at a time; one that is in memory is one batch."""

    @property
    def title(self) -> str:
        """What messages call it."""
        ...

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The columns."""
        ...

    @property
    def decimal(self) -> str:
        """The decimal mark of its numbers; empty where they are not written out."""
        ...

    @property
    def categories(self) -> frozenset[str]:
        """Columns that have categories by their type."""
        ...

    @property
    def notes(self) -> tuple[Finding, ...]:
        """Where it can be read in two ways: which was chosen, and the option that changes it."""
        ...

    def count_rows(self) -> int | None:
        """The number of rows, where that is known without reading them."""
        ...

    def most_rows(self, n_columns: int) -> int | None:
        """The number of rows or a little more, where that is soon found; raises if they do not fit into memory."""
        ...

    def batches(self, chosen: Sequence[Any], as_text: Collection[str], at_once: int) -> Iterator[Any]:
        """The chosen columns, about ``at_once`` rows at a time; some columns as strings, whatever they hold."""
        ...


def rows_at_once(n_columns: int, memory: int | None) -> int:
    """How many rows of these columns a batch has: a small part of the memory, and of a processor's cache."""
    most = MOST_AT_ONCE if memory is None else memory // (64 * max(1, n_columns))
    return max(FEWEST_AT_ONCE, min(MOST_AT_ONCE, most))
