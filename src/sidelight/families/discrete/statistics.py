"""Statistics of discrete columns: rows of codes, equal ones as one with a weight where they come in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.data import Statistics, TestData
from sidelight.families.discrete.distinct import DistinctRows
from sidelight.families.discrete.marginal_tables import MarginalTables, RowsElsewhere, RowsHere
from sidelight.families.discrete.test import Contingency, MomentChiSquare
from sidelight.families.gaussian.correlation import n_whole
from sidelight.tables.all_rows import AllRows, Batch, Fold, NotWorthItError, Tick, Weights
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.strings import Coded, Texts, as_in_data
from sidelight.tables.table import Table, code_table
from sidelight.text.message import Message, Option

SMALL_RANGE = 1 << 12
FEW_EXPECTED = 5  # rows in a cell; with fewer the textbook tests are not what their tables say
BROUGHT_HERE = 50_000_000  # bytes of codes; with more, workers of a cluster keep their own, and count


class DiscreteStatistics(Statistics):
    """Counts of categories, for a test of one kind."""

    def __init__(self, kind: type[Contingency], data: TestData) -> None:
        super().__init__(data)
        self.kind = kind

    @cached_property
    def coded(self) -> Coded:
        return code_table(self.data.table)

    def test(self) -> Contingency:
        data = self.data
        coded, weights, elsewhere = _all_coded(data.rows, self.coded, data.tick)
        counts, kinds = [max(1, count) for count in coded.n_categories], data.table.kinds
        named = zip(coded.names, coded.categories, strict=True)
        categories = [[as_in_data(category, kinds[name]) for category in values] for name, values in named]
        marginal = None if elsewhere is None else MarginalTables(elsewhere)
        return self.kind(coded.codes, counts, coded.names, weights, categories, marginal)

    def findings(self) -> Iterator[Finding]:
        if self.kind is not MomentChiSquare:
            seen = self.data.n_samples if self.data.rows.in_memory else self.data.table.n_rows
            yield from _sparse_counts(self.kind.option, self.coded, seen)


def _sparse_counts(test: str, coded: Coded, n_rows: int) -> Iterator[Finding]:
    """A warning of a textbook test where counts are small: those of rare categories, or those given four columns."""
    rarest = sorted(np.bincount(column[column >= 0]).min(initial=n_rows) for column in coded.codes.T)[:2]
    cells = prod(sorted(coded.n_categories)[-6:])
    if prod(map(int, rarest)) < FEW_EXPECTED * n_rows or n_rows < FEW_EXPECTED * cells:
        text = f"the test {test!r} does not keep its significance level: this table has cells that expect fewer than "
        remedy = Message(Option("test", MomentChiSquare.option), " does")
        yield Finding(FindingKind.SPARSE_COUNTS, "warning", (), f"{text}{FEW_EXPECTED} rows", remedy)


def _all_coded(rows: AllRows, sample: Coded, tick: Tick) -> tuple[Coded, Weights | None, RowsElsewhere | None]:
    """All rows, coded as the sample is, with weights; or their categories only, and the rows where they are.

    Those that come in batches are merged where equal, if that pays.
    """
    if rows.in_memory:
        return sample, rows.counts, None
    like = replace(sample, codes=sample.codes[:0])  # rows are not sent to where the work is done
    with suppress(NotWorthItError):
        merged = rows.fold(partial(_Merged, like, rows.room), tick)
        codes, counts = merged.finished()
        return replace(like, codes=codes.astype(like.codes.dtype)), counts, None
    n_bytes = rows.sample.n_all * len(like.names) * like.codes.itemsize
    can_keep = rows.passes is not None and rows.passes.keeps
    if can_keep and n_bytes > BROUGHT_HERE and rows.scale == 1:  # fractions are not added in groups
        parts = rows.kept(partial(_coded_rows, like=like), tick)
        return like, None, RowsElsewhere(parts, like.n_categories, n_whole(rows.n_samples))
    codes, weights = rows.stored(partial(codes_of, like=like), len(like.names), like.codes.dtype, tick)
    return replace(like, codes=codes), weights, None


class _Merged(Fold):
    """The different rows of a table, coded."""

    def __init__(self, like: Coded, memory: int | None) -> None:
        self._like, self._rows = like, DistinctRows(like.n_categories, memory)

    def add(self, batch: Batch) -> None:
        self._rows.add(codes_of(batch.table, self._like), batch.weights)

    def merge(self, later: _Merged) -> None:
        self._rows.join(later._rows)

    def settle(self) -> None:
        self._rows.merge()

    def finished(self) -> tuple[NDArray[np.integer], Weights]:
        return self._rows.finished()


def _coded_rows(batches: Iterator[Batch], like: Coded) -> RowsHere:
    """All rows of a part as codes."""
    codes, counts, weighted = [np.empty((0, len(like.names)), dtype=like.codes.dtype)], [np.empty(0)], False
    for table, weights in batches:
        codes.append(codes_of(table, like))
        counts += [] if weights is None else [weights]
        weighted |= weights is not None
    return RowsHere(np.concatenate(codes), like.n_categories, np.concatenate(counts) if weighted else None)


def codes_of(table: Table, like: Coded) -> NDArray[np.integer]:
    """The columns of ``like``, coded as there."""
    codes = np.empty((table.n_rows, len(like.names)), dtype=like.codes.dtype, order="F")
    for i, (name, categories) in enumerate(zip(like.names, like.categories, strict=True)):
        column = table.cells(name)
        found = _text_codes(column, categories) if isinstance(column, Texts) else _number_codes(column, categories)
        if (found < 0).any():
            raise InputError(f"column {str(name)!r} has a value that was not there when the table was first read")
        codes[:, i] = found
    return codes


def _text_codes(texts: Texts, categories: Sequence[object]) -> NDArray[np.integer]:
    rank: Mapping[object, int] = {category: code for code, category in enumerate(categories)}
    return texts.mapped(lambda value: rank.get(str(value), -1), -1, np.dtype(np.int32))


def _number_codes(column: NDArray[np.generic], categories: Sequence[object]) -> NDArray[np.integer]:
    known = np.array(categories, dtype=np.float64)
    wide = np.asarray(column, dtype=np.float64)
    if len(known) and (known == np.floor(known)).all() and known[-1] - known[0] < SMALL_RANGE:
        code = np.full(int(known[-1] - known[0]) + 2, -1, dtype=np.int32)  # the last one is for what is outside
        code[(known - known[0]).astype(np.int64)] = np.arange(len(known))
        place = np.clip(wide - known[0], -1, len(code) - 1)
        whole: NDArray[np.integer] = code[place.astype(np.int64)]
        return whole
    found = np.minimum(np.searchsorted(known, wide), max(0, len(known) - 1))
    return np.where(known[found] == wide, found, -1) if len(known) else np.full(len(wide), -1)
