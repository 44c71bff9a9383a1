"""Reading tables: files, data frames of any library, arrays."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sidelight.data.table import KINDS_BY_DTYPE, Kind, Table, as_list, chosen_columns
from sidelight.errors import InputError
from sidelight.graphs.names import check_names
from sidelight.text.message import Message, Option, OptionName

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITED = {".csv": None, ".tsv": "\t", ".tab": "\t", ".txt": None}
PARQUET = {".parquet", ".pq"}
ARROW = {".feather", ".arrow", ".ipc"}
MISSING_MARKS = ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A", "-nan", "?", "."]
ACCEPTED = "CSV, TSV (also gzip'd: .csv.gz), Parquet (.parquet) or Feather/Arrow (.feather, .arrow)"


def read_table(
    source: object,
    names: Sequence[Hashable] | None = None,
    columns: Iterable[Hashable] | None = None,
    drop: Iterable[Hashable] | None = None,
) -> Table:
    """Read a path, a data frame that narwhals supports, or an array (with ``names`` for its columns).

    The column names of a file are texts: a number in ``columns`` also means the column whose name is that number
    written out, and is then its name in the table.
    """
    columns = None if columns is None else as_list(columns)
    if isinstance(source, str | Path):
        return _from_frame(read_file(Path(source).expanduser(), columns or ()), names, columns, drop)
    if isinstance(source, np.ma.MaskedArray):
        return _from_array(np.ma.filled(source.astype(np.float64), np.nan), names, columns, drop)
    if isinstance(source, np.ndarray | list | tuple):
        try:
            array = np.asarray(source)
        except ValueError as error:
            raise InputError("the rows must all have the same length") from error
        return _from_array(array, names, columns, drop)
    return _from_frame(source, names, columns, drop)


def _from_array(
    array: NDArray[Any],
    names: Sequence[Hashable] | None,
    columns: Iterable[Hashable] | None,
    drop: Iterable[Hashable] | None,
) -> Table:
    if array.ndim != 2:
        raise InputError(f"an array must have two axes, rows by columns; got one of shape {array.shape}")
    all_names = check_names(range(array.shape[1]) if names is None else names)
    if len(all_names) != array.shape[1]:
        count = f": the array has {array.shape[1]} columns, but {len(all_names)} names were given"
        raise InputError(Message(OptionName("names"), count))
    chosen = list(all_names) if columns is None and drop is None else chosen_columns(all_names, columns, drop)
    if len(chosen) < len(all_names):
        position = {name: i for i, name in enumerate(all_names)}
        array = array[:, [position[name] for name in chosen]]
    if array.dtype.kind in "biuf":
        return Table.of_array(tuple(chosen), array)
    return _assemble(chosen, [array[:, i] for i in range(array.shape[1])], array.shape[0])


def _from_frame(
    source: object,
    names: Sequence[Hashable] | None,
    columns: Iterable[Hashable] | None,
    drop: Iterable[Hashable] | None,
) -> Table:
    import narwhals.stable.v1 as nw

    if names is not None:
        raise InputError(Message(Option("names"), " is for arrays; a file or data frame has names of its own"))
    _check_duplicate_columns(source)
    try:
        frame: nw.DataFrame[Any] = nw.from_native(source, eager_only=True)
    except TypeError as error:
        raise InputError(
            f"a table must be a path ({ACCEPTED}), a pandas, polars or pyarrow table (collect lazy ones first) or a "
            f"NumPy array; got a {type(source).__name__}"
        ) from error
    all_names = _as_given(check_names(frame.columns), columns)
    chosen = chosen_columns(all_names, columns, drop)
    kept = set(chosen)
    series = [column for name, column in zip(all_names, frame.iter_columns(), strict=True) if name in kept]
    if len(chosen) == len(all_names) and all(column.dtype == nw.Float64 for column in series):
        return Table.of_array(tuple(chosen), frame.to_numpy())  # without a copy where the library allows
    arrays = [column.to_numpy() for column in series]
    kinds = [_frame_kind(column, array) for column, array in zip(series, arrays, strict=True)]
    return _assemble(chosen, arrays, len(frame), kinds)


def _as_given(names: tuple[Hashable, ...], columns: Iterable[Hashable] | None) -> tuple[Hashable, ...]:
    """The names of a table's columns, those in ``columns`` as they are written there."""
    given = {str(name): name for name in columns or () if isinstance(name, Hashable) and name not in names}
    return tuple(given.get(str(name), name) for name in names)


def _check_duplicate_columns(source: object) -> None:
    if type(source).__name__ == "LazyFrame":  # its names would be computed, and it is refused anyway
        return
    repeated = [name for name, count in Counter(map(str, labels_of(source))).items() if count > 1]
    if repeated:
        raise InputError(f"two columns are named {repeated[0]!r}; every column needs a name of its own")


def labels_of(frame: object) -> Iterable[Hashable]:
    """The names of a frame's columns, without reading the columns."""
    labels = getattr(frame, "column_names", None)
    labels = getattr(frame, "columns", None) if labels is None else labels
    return () if isinstance(labels, str) or not isinstance(labels, Iterable) else labels


def _frame_kind(column: Any, array: NDArray[Any]) -> Kind | None:
    """The kind of a column by its type in the data frame; None if it depends on the values."""
    import narwhals.stable.v1 as nw

    if column.dtype in (nw.Categorical, nw.Enum):
        return "text"
    if column.dtype == nw.Boolean:
        return "boolean"
    if column.dtype.is_integer() or (array.dtype.kind == "f" and column.null_count() and _all_whole(array)):
        return "integer"
    return None


def _all_whole(array: NDArray[Any]) -> bool:
    """True for integers that became floats because some are missing."""
    present = array[np.isfinite(array)]
    return bool((present == np.floor(present)).all())


def _assemble(
    names: list[Hashable], columns: list[NDArray[Any]], n_rows: int, known: Sequence[Kind | None] | None = None
) -> Table:
    """Numbers into one array, in the order of the columns; everything else by name."""
    known = known or [None] * len(names)
    numbers: dict[Hashable, NDArray[np.float64]] = {}
    texts: dict[Hashable, Sequence[object]] = {}
    for name, column, kind in zip(names, columns, known, strict=True):
        as_numbers = None if kind == "text" else _as_numbers(column)
        if as_numbers is None:
            texts[name] = [None if _is_missing(value) else value for value in _objects(column)]
        else:
            numbers[name] = as_numbers
    values = np.empty((n_rows, len(numbers)), order="F")
    for i, column in enumerate(numbers.values()):
        values[:, i] = column
    kinds = {
        name: kind or _kind(column, name in texts) for name, column, kind in zip(names, columns, known, strict=True)
    }
    return Table(tuple(numbers), values, texts, kinds)


def _objects(column: NDArray[Any]) -> list[Any]:
    """The values as Python has them; dates and durations as such, not as whole numbers of nanoseconds."""
    finest = {"M": "datetime64[us]", "m": "timedelta64[us]"}.get(column.dtype.kind)
    values: list[Any] = (column if finest is None else column.astype(finest)).tolist()
    return values


def _kind(column: NDArray[Any], is_text: bool) -> Kind:
    if column.dtype.kind == "O" and not is_text:
        present = [value for value in column.tolist() if not _is_missing(value)]
        if present and all(isinstance(value, bool | np.bool_) for value in present):
            return "boolean"
        return "integer" if all(float(value).is_integer() for value in present) else "float"
    return KINDS_BY_DTYPE.get(column.dtype.kind, "text")


def _as_numbers(column: NDArray[Any]) -> NDArray[Any] | None:
    if column.dtype.kind in "biuf":
        return column
    if column.dtype.kind != "O":
        return None
    filled = [np.nan if _is_missing(value) else value for value in column.tolist()]
    if not all(isinstance(value, int | float | np.number) or hasattr(value, "__float__") for value in filled):
        return None
    try:
        return np.array(filled, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


# Files.


def read_file(path: Path, columns: Iterable[Hashable] = ()) -> pa.Table:
    """Read a whole delimited, Parquet or Arrow file; a first row of numbers is a header if it has these columns."""
    if not path.exists():
        raise InputError(f"there is no file {str(path)!r}")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder, not a file")
    suffix = Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    import pyarrow as pa

    try:
        if suffix in DELIMITED:
            return _read_delimited(path, DELIMITED[suffix], {str(name) for name in columns})
        if suffix in PARQUET:
            import pyarrow.parquet

            return pyarrow.parquet.read_table(path)
        if suffix in ARROW:
            import pyarrow.feather

            return pyarrow.feather.read_table(path)
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {str(path)!r}: it is not UTF-8 text; save it as UTF-8") from error
    except (pa.ArrowException, OSError, EOFError) as error:
        raise InputError(f"cannot read {str(path)!r}: {_first_line(error)}") from error
    raise InputError(f"a table must be {ACCEPTED}; got {str(path)!r}")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _read_delimited(path: Path, delimiter: str | None, wanted: set[str]) -> pa.Table:
    from pyarrow import csv as arrow_csv

    header, blank = _header(path)
    delimiter = delimiter or max(",;\t|", key=lambda mark: header.count(mark))
    names = next(csv.reader([header], delimiter=delimiter), [])
    # Some programs write the row numbers as a column without a name.
    names = [name.strip() or f"column {position + 1}" for position, name in enumerate(names)]
    if not wanted or not wanted.issubset(names):
        _check_header(names, path)
    decimal = "," if delimiter == ";" and _has_decimal_commas(path, delimiter) else "."
    return arrow_csv.read_csv(
        path,
        read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=blank + 1),
        parse_options=arrow_csv.ParseOptions(delimiter=delimiter),
        convert_options=arrow_csv.ConvertOptions(
            decimal_point=decimal,
            null_values=MISSING_MARKS,
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


def _header(path: Path) -> tuple[str, int]:
    """The first line that is not blank, and the number of blank ones before it."""
    for blank, line in enumerate(_lines(path)):
        if line.strip("\ufeff \t\r\n"):
            return line.lstrip("\ufeff").rstrip("\r\n"), blank
    raise InputError(f"{str(path)!r} is empty")


def _lines(path: Path) -> Iterable[str]:
    import gzip

    open_text = gzip.open if path.suffix.lower() == ".gz" else open
    with open_text(path, "rt", encoding="utf-8") as file:
        yield from file


def _check_header(names: list[str], path: Path) -> None:
    def is_number(text: str) -> bool:
        try:
            float(text)
        except ValueError:
            return False
        return True

    if len(names) > 1 and all(is_number(name) for name in names):
        raise InputError(
            f"the first row of {str(path)!r} has numbers instead of the names of the columns; add a header"
        )


def _has_decimal_commas(path: Path, delimiter: str) -> bool:
    rows = csv.reader((line for _, line in zip(range(20), _lines(path), strict=False)), delimiter=delimiter)
    next(rows, None)
    return any(re.fullmatch(r"\s*-?\d+,\d+\s*", cell) for row in rows for cell in row)
