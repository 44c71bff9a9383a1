"""Where rows come from: files, folders, data frames, queries, iterators and clusters, as one kind of value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from sidelight.tables.findings import Finding


@dataclass(frozen=True)
class Source(ABC):
    """A table that can be read more than once, some rows at a time; one that is in memory is one batch.

    Messages call it by its ``title``. Its ``notes`` say where it can be read in two ways: which was chosen, and the
    option that changes it.
    """

    title: str
    names: tuple[Any, ...]
    _: KW_ONLY
    n_rows: int | None = None  # where that is known without reading them
    decimal: str = ""  # the decimal mark of its numbers; empty where they are not written out
    categories: frozenset[str] = frozenset()  # columns that have them by their type
    notes: tuple[Finding, ...] = ()
    unnamed: frozenset[Any] = frozenset()  # columns without a heading, whose names are made up

    def most_rows(self, check: Callable[[int], None]) -> int | None:
        """The number of rows or a little more, where that is soon found; ``check`` raises if they are too many."""
        return self.n_rows

    @abstractmethod
    def batches(self, chosen: Sequence[Any], as_text: Collection[str], at_once: int) -> Iterator[Any]:
        """The chosen columns, about ``at_once`` rows at a time; some columns as strings, whatever they hold."""
