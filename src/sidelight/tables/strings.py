"""A column of texts, dates or other values that are not numbers: a code for each row, and each different value once.

Nearly all that is asked of such a column is a matter of its different values, which are few. Columns that are tested as
categories, numbers among them, are coded likewise, their values sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
MISSING = -1
MANY = 1_000  # values, which are kept in any case
FIRST_ROWS = 4_096  # where values are looked for before the rest


class Texts(Sequence[object]):
    """The values of a column by row; ``codes`` are positions in ``values``, −1 where there is none.

    Different codes have different values, and every value occurs unless rows were left out.
    """

    __slots__ = ("codes", "values")

    def __init__(self, codes: NDArray[np.integer], values: Sequence[object]) -> None:
        self.codes: Codes = np.asarray(codes, dtype=np.int32)
        self.values = tuple(values)

    @staticmethod
    def of(cells: Iterable[object]) -> Texts:
        """From cells of any kind, None where one is missing; 1 and True are two values."""
        codes: dict[tuple[type, object], int] = {}
        found = [MISSING if cell is None else codes.setdefault((type(cell), cell), len(codes)) for cell in cells]
        return Texts(np.array(found, dtype=np.int32), [value for _, value in codes])

    @staticmethod
    def missing_only(n_rows: int) -> Texts:
        """A column without any value."""
        return Texts(np.full(n_rows, MISSING, dtype=np.int32), ())

    @staticmethod
    def of_arrow(column: Any) -> Texts:
        """From a column of Arrow's texts, encoded already or not."""
        import pyarrow as pa

        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        return joined([_of_chunk(chunk) for chunk in chunks])

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Texts(self.codes[place], self.values)
        code = self.codes[place]
        return None if code < 0 else self.values[code]

    def __iter__(self) -> Iterator[object]:
        return iter(self.objects().tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """For each row, whether it lacks a value."""
        return self.codes < 0

    @property
    def is_empty(self) -> bool:
        """True where no row has a value."""
        return not (self.codes >= 0).any()

    @property
    def different(self) -> tuple[object, ...]:
        """The values that occur, in the order in which they first do."""
        return tuple(self.values[code] for code in self._occurring())

    def _occurring(self) -> list[int]:
        """The codes that occur, in the order in which they first do; often the first rows have all of them."""
        occurring = _occurring(self.codes[:FIRST_ROWS], len(self.values))
        return occurring if len(occurring) == len(self.values) else _occurring(self.codes, len(self.values))

    def first(self, value: object) -> int:
        """The first row that has this value."""
        return int((self.codes == self.values.index(value)).argmax())

    def objects(self) -> NDArray[Any]:
        """The values of all rows, equal ones as one object."""
        return self.mapped(lambda value: value, None, np.dtype(object))

    def numbers(self, read: Callable[[Any], float]) -> NDArray[np.float64]:
        """The number that each row's value is, NaN where there is none."""
        return self.mapped(read, np.nan, np.dtype(np.float64))

    def mapped(self, function: Callable[[Any], Any], missing: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
        """A function of each row's value, computed once for each that occurs; ``missing`` where there is none."""
        results = np.full(len(self.values) + 1, missing, dtype=dtype)
        for code in self._occurring():
            results[code] = function(self.values[code])
        return results[self.codes]

    def rows(self, index: NDArray[np.generic]) -> Texts:
        """Some of the rows, by position or by a mask; of many values, only those that occur are kept."""
        codes = self.codes[index]
        if len(self.values) <= 2 * len(codes) + MANY:
            return Texts(codes, self.values)
        kept, places = np.unique(codes[codes >= 0], return_inverse=True)
        compact = np.full(len(codes), MISSING, dtype=np.int32)
        compact[codes >= 0] = places
        return Texts(compact, [self.values[code] for code in kept.tolist()])

    def without(self, values: Callable[[object], bool]) -> Texts:
        """The same column, missing where its value is one of those that the function tells."""
        gone = [values(value) for value in self.values]
        return Texts(np.where(np.array([*gone, True])[self.codes], MISSING, self.codes), self.values)


def _occurring(codes: NDArray[np.generic], n_values: int) -> list[int]:
    first = np.full(n_values + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of equal ones, what is written last stays
    occurring: list[int] = np.argsort(first[:-1])[: int((first[:-1] < len(codes)).sum())].tolist()
    return occurring


def _of_chunk(chunk: Any) -> Texts:
    import pyarrow as pa

    encoded = chunk
    if pa.types.is_dictionary(chunk.type) and len(chunk.dictionary) > len(chunk) + MANY:  # that of many other rows
        encoded = chunk.dictionary_decode()
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode()
    codes = encoded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
    values = encoded.dictionary.to_pylist()
    if None in values or len(set(values)) < len(values):  # Arrow does not forbid it
        return Texts.of(np.array([*values, None], dtype=object)[codes].tolist())
    return Texts(codes, values)


def joined(parts: Sequence[Texts]) -> Texts:
    """The rows of all parts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    codes: dict[tuple[type, object], int] = {}
    pieces = []
    for part in parts:
        places = [codes.setdefault((type(value), value), len(codes)) for value in part.values]
        pieces.append(np.array([*places, MISSING], dtype=np.int32)[part.codes])
    return Texts(np.concatenate(pieces) if pieces else np.empty(0, np.int32), [value for _, value in codes])


# Columns as codes.


@dataclass(frozen=True)
class Coded:
    """Discrete columns as codes from 0 on (−1 is missing), with the values that the codes stand for."""

    names: tuple[Hashable, ...]
    codes: NDArray[np.integer]
    categories: tuple[tuple[object, ...], ...]

    @property
    def n_categories(self) -> list[int]:
        """The number of different values of each column."""
        return [len(values) for values in self.categories]

    def sizes(self, column: int) -> tuple[int, ...]:
        """How many rows each category of a column has, and how many have none, in ascending order."""
        counts = np.bincount(self.codes[:, column] + 1)
        return tuple(np.sort(counts[counts > 0]).tolist())


def as_in_data(category: Any, kind: str) -> object:
    """A whole number or a truth value as such: a table keeps both as floats."""
    return int(category) if kind == "integer" else bool(category) if kind == "boolean" else category


def code_columns(names: Sequence[Hashable], columns: Sequence[Texts | NDArray[np.generic]]) -> Coded:
    """Code columns of any values, sorted; one byte a cell where 127 values are enough."""
    coded = [coded_column(column) for column in columns]
    largest = max((len(categories) for _, categories in coded), default=0)
    kind = np.int8 if largest <= 127 else np.int16 if largest <= 32767 else np.int32
    n_rows = len(coded[0][0]) if coded else 0
    codes = np.empty((n_rows, len(coded)), dtype=kind, order="F")
    for i, (column, _) in enumerate(coded):
        codes[:, i] = column
    return Coded(tuple(names), codes, tuple(categories for _, categories in coded))


def coded_column(array: Texts | NDArray[np.generic]) -> tuple[NDArray[np.integer], tuple[object, ...]]:
    """The codes of a column, −1 where a value is missing, and its different values, sorted."""
    if isinstance(array, Texts):
        return _code_texts(array)
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=np.bool_)
    codes = np.full(len(array), -1, dtype=np.int64)
    categories, codes[~missing] = np.unique(array[~missing], return_inverse=True)
    return codes, tuple(categories.tolist())


def _code_texts(texts: Texts) -> tuple[NDArray[np.integer], tuple[object, ...]]:
    """Values that are written alike are one category; only the categories are sorted."""
    categories = sorted(set(map(str, texts.different)))
    rank = {category: code for code, category in enumerate(categories)}
    codes = texts.mapped(lambda value: rank[str(value)], -1, np.dtype(np.int32))
    return codes, tuple(categories)
