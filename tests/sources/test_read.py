"""Every accepted source gives the same table; every other is refused by name."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import sidelight as sl
from sidelight.sources.rows import read_table

NAMES = ("wind", "rain", "temp °C")
VALUES = np.array([[1.5, 2, -3], [2.5, 4, 1e-3], [0, -1, 2], [3.25, 7, 9], [1, 1, 2]])
FRAME = pd.DataFrame(VALUES, columns=NAMES)


def write(path, kind):
    text = FRAME.to_csv(index=False, sep="\t" if kind.startswith("tsv") else ";" if kind == "csv;" else ",")
    target = path / f"data.{kind.strip(';,')}"
    if kind.endswith(".gz"):
        target.write_bytes(gzip.compress(text.encode()))
    elif kind == "parquet":
        pa.parquet.write_table(pa.Table.from_pandas(FRAME), target)
    elif kind in ("feather", "arrow"):
        pa.feather.write_feather(FRAME, target)
    else:
        target.write_text(text)
    return target


@pytest.mark.parametrize("kind", ["csv", "csv;", "tsv", "csv.gz", "tsv.gz", "parquet", "feather", "arrow"])
def test_every_file_format_keeps_names_and_values(tmp_path, kind):
    for path in (write(tmp_path, kind), str(write(tmp_path, kind))):
        table = read_table(path)
        assert table.names == NAMES
        assert np.array_equal(table.values, VALUES)
        assert not table.texts


@pytest.mark.parametrize(
    "source",
    [FRAME, pl.DataFrame(FRAME.to_dict("list")), pa.Table.from_pandas(FRAME), FRAME.astype({"rain": "Int64"})],
    ids=["pandas", "polars", "pyarrow", "pandas nullable"],
)
def test_every_data_frame_keeps_names_and_values(source):
    table = read_table(source)
    assert table.names == NAMES
    assert np.array_equal(table.values, VALUES)


def test_arrays_take_names_or_number_their_columns():
    assert read_table(VALUES).names == (0, 1, 2)
    assert read_table(VALUES, names=NAMES).names == NAMES
    assert read_table(VALUES.tolist(), names=NAMES).values.shape == (5, 3)
    assert np.array_equal(read_table(VALUES.astype(object)).values, VALUES)


def test_an_array_is_not_copied():
    assert read_table(VALUES).values is VALUES


@pytest.mark.parametrize("kind", ["frame", "arrow table", "parquet", "feather"])
def test_float32_stays_float32_unless_other_numbers_stand_beside_it(tmp_path, kind):
    narrow = FRAME.astype(np.float32)
    for frame, expected in ((narrow, np.float32), (narrow.assign(more=[1.0, 2.0, 3.0, 4.0, 5.0]), np.float64)):
        table = read_table(_as(kind, frame, tmp_path))
        assert table.values.dtype == expected
        assert np.array_equal(table.values, frame.to_numpy())


def _as(kind, frame, folder):
    """The frame as this kind of source, a file in parts of two rows."""
    table, path = pa.Table.from_pandas(frame), folder / f"data.{kind}"
    if kind == "parquet":
        pa.parquet.write_table(table, path, row_group_size=2)
    elif kind == "feather":
        pa.feather.write_feather(table, path, chunksize=2)
    return {"frame": frame, "arrow table": table}.get(kind, path)


def test_columns_can_be_chosen_and_dropped():
    for source, kwargs in ((FRAME, {}), (VALUES, {"names": NAMES})):
        chosen = read_table(source, columns=["temp °C", "wind"], **kwargs)
        assert chosen.names == ("wind", "temp °C")
        assert np.array_equal(chosen.values, VALUES[:, [0, 2]])
        assert read_table(source, drop=["rain"], **kwargs).names == ("wind", "temp °C")
        assert read_table(source, drop="rain", **kwargs).names == ("wind", "temp °C")


def test_what_a_frame_says_of_its_columns_is_kept():
    frame = pd.DataFrame(
        {
            "code": pd.array([0, 1, None], dtype="Int64"),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "group": pd.Categorical([3, 1, 3]),
            "text": pd.array(["a", None, "b"], dtype="string"),
            "size": [0.5, 1.5, 2.5],
        }
    )
    table = read_table(frame)
    assert dict(table.kinds) == {
        "code": "integer",
        "flag": "boolean",
        "group": "text",
        "text": "text",
        "size": "float",
    }
    assert table.texts["text"] == ["a", None, "b"]


def test_missing_marks_are_missing_in_texts_too(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text('a,b\nx,1\n?,2\n"",3\nNA,4\ny,5\n')
    assert read_table(path).texts["a"] == ["x", None, None, None, "y"]


def test_masked_cells_are_missing():
    masked = np.ma.masked_equal(np.array([[1.0, -999], [2, 3]]), -999)
    assert np.isnan(read_table(masked).values[0, 1])


@pytest.mark.parametrize("drop", [FRAME.columns[:1], np.array(["wind"]), {"wind"}, "wind"])
def test_names_can_be_given_in_any_collection(drop):
    assert read_table(FRAME, drop=drop).names == NAMES[1:]


def test_decimal_commas_are_read_where_semicolons_separate(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a;b\n1,5;2\n-0,25;3\n")
    assert read_table(path).values.tolist() == [[1.5, 2], [-0.25, 3]]


def test_a_column_without_a_name_gets_one(tmp_path):
    path = tmp_path / "data.csv"
    FRAME.to_csv(path)  # writes the row numbers without a name
    assert read_table(path).names == ("column 1", *NAMES)
    path.write_text("\ufeff\n a , b\r\n1,?\r\n2,.\r\n")
    table = read_table(path)
    assert table.names == ("a", "b")
    assert np.isnan(table.values[:, 1]).all()


def test_text_that_begins_late_is_still_a_text_column(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "1,2\n" * 400_000 + "oops,3\n")
    table = read_table(path)
    assert list(table.texts) == ["a"]
    assert table.names == ("b",)


def test_missing_values_become_nan_and_booleans_numbers():
    frame = pd.DataFrame({"a": [1, None, 3], "b": [True, False, True], "c": ["x", "y", None]})
    table = read_table(frame)
    assert np.isnan(table.values[1, 0])
    assert table.values[:, 1].tolist() == [1, 0, 1]
    assert list(table.texts) == ["c"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("data.csv", "", "is empty"),
        ("data.csv", "1,2\n3,4\n", "first row .* has numbers instead of the names"),
        ("data.csv", "a,b\n1,2\n3\n", "cannot read .*row 2 has 1 value, and there are 2 columns"),
        ("data.csv", "a,a\n1,2\n", "two columns are named 'a'"),
        ("data.csv", b"a,b\nM\xfcnchen,2\n", "is not UTF-8 text; save it as UTF-8"),
        ("data.pdf", "x", r"a table must be CSV.*; got .*data.pdf"),
        ("data.parquet", "not parquet", "cannot read .*data.parquet"),
        ("data.feather", "not feather", "cannot read .*data.feather"),
        ("data.csv.gz", "not gzip", "cannot read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(sl.InputError, match=message):
        read_table(tmp_path / name)


@pytest.mark.parametrize(
    ("source", "arguments", "message"),
    [
        ("nowhere.csv", {}, "there is no file 'nowhere.csv'"),
        (str(Path(__file__).parent), {}, "has no tables"),
        (3.5, {}, "a table must be a path .*; got a float"),
        (np.zeros(3), {}, "rows by columns"),
        (VALUES, {"names": ["a"]}, "3 columns, but 1 names were given"),
        (VALUES, {"names": ["a", "b", "b"]}, "'b' is used twice"),
        (FRAME, {"names": NAMES}, "names= is for arrays"),
        (FRAME, {"drop": ["raim"]}, "drop: there is no column 'raim'; did you mean 'rain'"),
        (FRAME, {"columns": ["xyz"]}, "columns: there is no column 'xyz'; there are 'wind', 'rain'"),
        (FRAME, {"drop": list(NAMES)}, "no column is left to learn from; see columns= and drop="),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), {}, "two columns are named 'a'"),
    ],
)
def test_a_source_that_cannot_be_used_is_named(source, arguments, message):
    with pytest.raises(sl.InputError, match=message):
        read_table(source, **arguments)
