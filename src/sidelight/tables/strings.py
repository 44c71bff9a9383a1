"""A column of texts, dates or other values that are not numbers: a code for each row, and each different value once.

Nearly all that is asked of such a column is a matter of its different values, which are few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
MISSING = -1
MANY = 1_000  # values, which are kept in any case


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

    @overload
    def __getitem__(self, place: int) -> object: ...
    @overload
    def __getitem__(self, place: slice) -> Texts: ...
    def __getitem__(self, place: int | slice) -> object:
        if isinstance(place, slice):
            return Texts(self.codes[place], self.values)
        code = self.codes[place]
        return None if code < 0 else self.values[code]

    def __iter__(self) -> Iterator[object]:
        return iter(self.objects().tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash((len(self), self.values))

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
        first = np.full(len(self.values) + 1, len(self.codes))
        first[self.codes[::-1]] = np.arange(len(self.codes))[::-1]  # of equal ones, what is written last stays
        occurring: list[int] = np.argsort(first[:-1])[: int((first[:-1] < len(self.codes)).sum())].tolist()
        return occurring

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
