"""Tables as they come: what is unambiguous is read, what is not is refused with the file, the column or the row."""

import gzip
import io
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.sources import delimited
from sidelight.sources.rows import read_table
from sidelight.tables.strings import Texts
from tests.numbers_for_tests import numbers_and_notes


def read(tmp_path, content, name="data.csv", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, **options)


def columns(table):
    return {name: list(table.column(name)) for name in table.all_names}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("t.tsv", "a\tb\n1,5\t2\n0,25\t3\n", {"a": [1.5, 0.25], "b": [2, 3]}),
        ("t.csv", 'a,b\n"1,5",2\n"0,25",3\n', {"a": [1.5, 0.25], "b": [2, 3]}),
        ("t.csv", 'a,b\n"1,500.5",2\n"1,012,250",3\n', {"a": [1500.5, 1012250], "b": [2, 3]}),
        ("t.csv", 'a,b\n"1,500",2.5\n"12,250",3\n', {"a": [1500, 12250], "b": [2.5, 3]}),
        ("t.csv", "a;b\n1.500,5;2\n2,5;3\n", {"a": [1500.5, 2.5], "b": [2, 3]}),
        ("t.csv", "a,b\n1 500,2\n12 250,3\n", {"a": [1500, 12250], "b": [2, 3]}),
        ("t.csv", "a,b\n1 700.250,2\n900.125,3\n", {"a": [1700.25, 900.125], "b": [2, 3]}),
        ("t.csv", "a,b\n1'700'000.250,2\n900.125,3\n", {"a": [1700000.25, 900.125], "b": [2, 3]}),
        ("t.csv", "a;b\n1\u00a0700,250;2\n900,125;3\n", {"a": [1700.25, 900.125], "b": [2, 3]}),
        ("t.csv", "a,b\n\u22121.5,2\n2.5,3\n", {"a": [-1.5, 2.5], "b": [2, 3]}),  # the minus sign of print
        ("t.csv", "a,b\n1.5D+02,2\n1d-3,3\n", {"a": [150, 0.001], "b": [2, 3]}),
        ("t.csv", "a,b\n0x25,2\n17,3\n", {"a": ["0x25", "17"], "b": [2, 3]}),
        ("t.txt", "a b c\n1 2 3\n4 5 6\n", {"a": [1, 4], "b": [2, 5], "c": [3, 6]}),
        ("t.csv", "  a   b\n  1   2\n 14   5\n", {"a": [1, 14], "b": [2, 5]}),
        ("t.txt", '"a" "two  b"\n"x  y" 2\n"z" 5\n', {"a": ["x  y", "z"], "two  b": [2, 5]}),
        ("t.txt", '"a" "b"\n"1" 2 3\n"2" 4 5\n', {"column 1": [1, 2], "a": [2, 4], "b": [3, 5]}),
        ("t.csv", "body mass\n1\n4\n", {"body mass": [1, 4]}),
        ("t.csv", "full name\nAda Lovelace\nAlan Turing\n", {"full name": ["Ada Lovelace", "Alan Turing"]}),
        ("t.tsv", "a,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}),
        ("t.csv", '"a\nb",c\n1,2\n3,4\n', {"a\nb": [1, 3], "c": [2, 4]}),
        ("t.csv", "# made by hand, in May\n#\na,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}),
        ("t.csv", "# a,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}),  # as numpy.savetxt writes it
        ("t.csv", "My table\n\na,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}),
        ("t.csv", "My table,,\na,b,c\n1,2,3\n3,4,5\n", {"a": [1, 3], "b": [2, 4], "c": [3, 5]}),
        ("t.csv", "a,b\n007,1\n013,2\n", {"a": ["007", "013"], "b": [1, 2]}),
        ("t.csv", "a,b\n007,1\n7,0\n00,0\n", {"a": ["007", "7", "00"], "b": [1, 0, 0]}),
        ("t.csv", "a,b\n00.5,01\n10.5,x\n", {"a": [0.5, 10.5], "b": ["01", "x"]}),
        ("t.csv", '"","x"\n"ATS",13.76\n"BEF",40.34\n', {"column 1": ["ATS", "BEF"], "x": [13.76, 40.34]}),
        ("t.csv", ",x\nATS,no\nBEF,yes\n", {"column 1": ["ATS", "BEF"], "x": ["no", "yes"]}),
        ("t.csv", "name,x\n'Smith, Jr.',1\n'O''Hara',2\n", {"name": ["Smith, Jr.", "O'Hara"], "x": [1, 2]}),
        ("t.csv", "name;x\n'Lee';'1'\nRay;'2'\n", {"name": ["Lee", "Ray"], "x": [1, 2]}),
        ("t.csv", "name,x\n'tis,1\n'twas,2\n", {"name": ["'tis", "'twas"], "x": [1, 2]}),
        ("t.csv", "name,x\n'07,1\nit's,2\n", {"name": ["'07", "it's"], "x": [1, 2]}),
        ("t.csv", 'a,x\n"the \\"big\\", one",1\n"c:\\\\d",2\n', {"a": ['the "big", one', "c:\\d"], "x": [1, 2]}),
        ("t.csv", 'a,x\n"c:\\",1\n"d:\\e",2\n', {"a": ["c:\\", "d:\\e"], "x": [1, 2]}),
        ("t.csv", "% by hand, twice\n%\na,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}),
        ("t.csv", "% fat,b\n1,2\n3,4\n", {"% fat": [1, 3], "b": [2, 4]}),
        ("t.csv", "Heights, in cm, of men\nMay, 2024\na,b,c,d\nx,1,2,3\n", {"a": ["x"], "b": [1], "c": [2], "d": [3]}),
        ("t.csv", "Heights, in cm\na,b,c\nx,1,2\ny,3,4\n", {"a": ["x", "y"], "b": [1, 3], "c": [2, 4]}),
        ("t.csv", "a, b\nx, 1, 2\ny, 3, 4\n", {"column 1": ["x", "y"], "a": [1, 3], "b": [2, 4]}),
        ("t.csv", "a,b\n1,2,\n3,4,\n", {"a": [1, 3], "b": [2, 4]}),  # a delimiter ends the rows
        ("t.csv", "a,b,\n1,2,\n3,4,\n", {"a": [1, 3], "b": [2, 4]}),
        ("t.csv", "0,1,2\n5,6,7\n8,9,1\n", {"0": [5, 8], "1": [6, 9], "2": [7, 1]}),  # as pandas numbers columns
    ],
)  # fmt: skip
def test_a_file_is_read_as_it_was_meant(tmp_path, name, text, expected):
    assert columns(read(tmp_path, text, name)) == expected


@pytest.mark.parametrize("blank", ["", " ", "   ", " NA", "? ", '" "'])
def test_blanks_are_no_value_and_change_no_column(tmp_path, blank):
    table = read(tmp_path, f"a,b,c\n1.5,1,x\n{blank},2,{blank}\n")
    assert (dict(table.kinds), table.texts["c"]) == ({"a": "float", "b": "integer", "c": "text"}, ["x", None])
    assert np.array_equal(table.column("a"), [1.5, np.nan], equal_nan=True)


@pytest.mark.parametrize("text", ["a,b\n'x\ny, z',1\n{}", 'a,b\n"x \\"\n\\", y",1\n{}'], ids=["single", "escaped"])
def test_rows_in_other_quotes_end_where_the_quotes_say(tmp_path, monkeypatch, text):
    first = "a,b\n" + "'u, v',1\n" * 120 if "'x" in text else text.format("")
    row = text.removeprefix("a,b\n").format("")
    monkeypatch.setattr(delimited, "BLOCK", 97)
    monkeypatch.setattr(delimited, "BYTES_OF_COLUMN", 1)
    table = read(tmp_path, first + row * 300)
    assert table.texts["a"][-1] == ("x\ny, z" if "'x" in text else 'x "\n", y')
    assert table.column("b").tolist() == [1] * table.n_rows


def test_times_are_as_they_are_written_where_a_word_comes_late(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK", 500)
    late = read(tmp_path, "a,b\n" + "10:30,1\n" * 2000 + "late,2\n")
    assert late.texts["a"].different == ("10:30", "late")


TEXT = "a,b\n1,2\n3,4\n"
TABLE = pa.table({"a": [1, 3], "b": [2, 4]})


def parquet(table):
    file = io.BytesIO()
    pa.parquet.write_table(table, file)
    return file.getvalue()


def feather(table):
    file = io.BytesIO()
    pa.feather.write_feather(table, file)
    return file.getvalue()


@pytest.mark.parametrize(
    "content", [gzip.compress(TEXT.encode()), parquet(TABLE), feather(TABLE)], ids=["gzip", "Parquet", "Feather"]
)
def test_the_first_bytes_say_what_a_file_is_when_its_name_is_wrong(tmp_path, content):
    assert columns(read(tmp_path, content)) == {"a": [1, 3], "b": [2, 4]}


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("t.csv", TEXT)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", zipped(), "t.csv': it is a zip archive or an Excel file; its name must end in .xlsx, or save the"),
        ("t.csv", TEXT.encode("utf-16"), "it is UTF-16 text; save it as UTF-8"),
        ("t.csv", "x\n" + "a\n" * 70_000 + "\xfc\n", "column 'x' are not UTF-8"),
        ("t.csv", 'a,b\n"1,500",2\n"12,250",3\n', "column 'a', row 1: '1,500' may be 1500 or 1.5; .* with drop="),
        ("t.csv", "a,b\n1,2\n3,4,5\n", "t.csv': row 2 has 3 values, and there are 2 columns"),
        ("t.csv", "0,1\n5,6\n", "first row .* has numbers"),
        ("t.csv", "a,a\nx,007\ny,013\n", "two columns are named 'a'"),
        ("t.csv", "a,b,\n1,\n2,3,\n", "t.csv': row 1 has 2 values, and there are 3 columns"),
        ("t.csv", "a,b\n" + "1,2,\n" * 200 + "3,4,5\n", "t.csv': row 201 has a value after .* name in the header"),
        ("t.csv", "a b c\n1  3\n4 5 6\n7 8 9\n", "t.csv': row 1 has 2 values, and there are 3 columns"),
        ("t.parquet", parquet(pa.table([[1], [2]], names=["a", "a"])), "two columns are named 'a'"),
        ("t.parquet", parquet(pa.table({"a": [[1, 2]], "b": [1]})), "column 'a' holds lists"),
        ("t.feather", b"FEA1" + b"\0" * 100, "first version of Feather"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_clear_is_refused_with_what_is_wrong(tmp_path, name, content, message):
    content = content.encode("latin-1") if isinstance(content, str) else content
    with pytest.raises(sl.InputError, match=message):
        read(tmp_path, content, name)


def test_pandas_frames_of_arrow_are_read():
    frame = pd.DataFrame({"a": [1.5, 2, 3], "b": [2.5, 1, None]}).convert_dtypes(dtype_backend="pyarrow")
    table = read_table(frame)
    assert table.names == ("a", "b")
    assert np.array_equal(table.values, [[1.5, 2.5], [2, 1], [3, np.nan]], equal_nan=True)
    whole = pd.DataFrame({"a": [1.5, 2.5], "b": [2.5, 1]}).convert_dtypes(dtype_backend="pyarrow")
    assert read_table(whole).values.tolist() == [[1.5, 2.5], [2.5, 1]]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [[1, 2], [3]], "b": [1, 2]}),
        pd.DataFrame({"a": [{"x": 1}, {"x": 2}], "b": [1, 2]}),
        pd.DataFrame({"a": [np.array([1, 2]), np.array([3, 4])], "b": [1, 2]}),
        pl.DataFrame({"a": [[1, 2], [3]], "b": [1, 2]}),
        pl.DataFrame({"a": [{"x": 1}, {"x": 2}], "b": [1, 2]}),
        pa.table({"a": [[1, 2], [3]], "b": [1, 2]}),
        pa.table({"a": [{"x": 1}, {"x": 2}], "b": [1, 2]}),
    ],
)
def test_cells_with_several_values_are_refused_and_can_be_left_out(frame):
    with pytest.raises(sl.InputError, match=r"column 'a' holds .*one number, string, boolean or date.*drop=\['a'\]"):
        read_table(frame)
    assert read_table(frame, drop=["a"]).names == ("b",)


def test_integers_of_128_bits_are_numbers():
    table = read_table(pl.DataFrame({"a": pl.Series([1, None], dtype=pl.Int128), "b": [2, 3]}))
    assert np.array_equal(table.values, [[1, 2], [np.nan, 3]], equal_nan=True)


def test_a_number_too_large_is_named():
    with pytest.raises(sl.InputError, match="column 'a' has a number that is too large"):
        read_table(pd.DataFrame({"a": [10**5000, 2], "b": [1, 2]}, dtype=object))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_texts_that_are_numbers_are_numbers_in_frames_as_in_files(library):
    table = read_table(library({"a": ["1", "2.5", None], "b": ["1,5", "0,25", "3"], "c": ["007", "1", "2"]}))
    assert table.names == ("a", "b")
    assert np.array_equal(table.values, [[1, 1.5], [2.5, 0.25], [np.nan, 3]], equal_nan=True)
    assert table.texts["c"] == ["007", "1", "2"]  # a code
    assert dict(table.kinds) == {"a": "float", "b": "float", "c": "text"}


def test_categories_stay_categories_whatever_their_names():
    table = read_table(pd.DataFrame({"a": pd.Categorical(["1", "2", "1"]), "b": ["1", "2", "3"]}))
    assert list(table.texts) == ["a"]


@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=1),
    st.sampled_from([(",", "."), (".", ","), (" ", ","), ("'", ".")]),
)
def test_numbers_written_with_marks_are_read_back(numbers, marks):
    group, point = marks
    texts = [f"{n / 100:,.2f}".replace(",", "G").replace(".", point).replace("G", group) for n in numbers]
    assert np.array_equal(numbers_and_notes({"x": Texts.of(texts)})[0]["x"], [float(f"{n / 100:.2f}") for n in numbers])


@given(st.lists(st.text(), min_size=1))
def test_what_float_does_not_read_is_no_number_in_plain_notation(texts):
    found = numbers_and_notes({"x": Texts.of(texts)}, ".")[0].get("x")
    if found is not None and not any(set(text) & set(",dD '’\u2212") or len(text.split()) > 1 for text in texts):
        assert np.array_equal(found, [float(text) for text in texts])


def test_a_table_without_columns_or_rows_is_refused():
    for source in (np.empty((10, 0)), pd.DataFrame(index=range(5))):
        with pytest.raises(sl.InputError, match="no column"):
            sl.learn(source)
    for source in (np.empty((0, 3)), pd.DataFrame({"a": [], "b": []})):
        with pytest.raises(sl.InputError, match="the table has 0 rows"):
            sl.learn(source)


def test_a_header_alone_is_a_table_of_no_rows(tmp_path):
    assert read(tmp_path, "a,b\n").n_rows == 0


def test_a_column_is_reported_once():
    frame = pd.DataFrame({"a": [1.0], "b": [2.0]})
    with pytest.raises(sl.InputError, match="columns: there is no column 'z'; there are"):
        read_table(frame, columns=["z", "z"])


def test_weights_are_found_whatever_columns_are_chosen():
    frame = pd.DataFrame(np.random.default_rng(0).random((50, 4)), columns=list("abcd"))
    assert sl.learn(frame, columns=["a", "b"], weights="d").names == ("a", "b")
    assert sl.learn(frame, drop=["c", "d"], weights="d").names == ("a", "b")


@pytest.mark.parametrize("n_rows", [-1, 1.5, "many"])
def test_a_number_of_rows_to_draw_is_0_or_more(n_rows):
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((50, 2)), columns=["a", "b"])
    coins = pd.DataFrame(np.random.default_rng(0).choice(["x", "y"], (50, 2)), columns=["a", "b"])
    for data in (frame, coins):
        fitted = sl.learn(data).fit(data)
        assert all(len(column) == 0 for column in fitted.sample(0).values())
        with pytest.raises(sl.InputError, match="n_rows must be a whole number, 0 or more"):
            fitted.sample(n_rows)


ROWS = "".join(f'{i},{i / 8},"text {i % 3}"\n' for i in range(4000))


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_blocks_of_rows_make_the_same_table(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"t{suffix}"
    text = ("a,b,c\n" + ROWS).encode()
    path.write_bytes(gzip.compress(text) if suffix.endswith("gz") else text)
    whole = read_table(path)
    monkeypatch.setattr(delimited, "BLOCK", 5000)
    blocks = read_table(path)
    assert np.array_equal(whole.values, blocks.values)
    assert (whole.names, dict(whole.kinds), dict(whole.texts)) == (blocks.names, dict(blocks.kinds), dict(blocks.texts))


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("1.5,x", {"a": "float", "b": "text"}),
        ("word,x", {"a": "text", "b": "text"}),
        ("0x1f,x", {"a": "text", "b": "text"}),
        ("4,'x", {"a": "integer", "b": "text"}),
        ('4,"a line\nand another"', {"a": "integer", "b": "text"}),
    ],
)
def test_the_last_row_counts_as_much_as_the_first(tmp_path, monkeypatch, last, expected):
    text = "a,b\n" + "12,yes\n" * 2000 + last + "\n"
    whole = read(tmp_path, text)
    monkeypatch.setattr(delimited, "BLOCK", 500)
    blocks = read(tmp_path, text)
    assert dict(whole.kinds) == dict(blocks.kinds) == expected
    assert columns(whole) == columns(blocks)


def test_lines_may_end_in_several_ways_in_one_file(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK", 500)
    (tmp_path / "t.csv").write_bytes(b"a,b\n" + b"1.5,2\n3.5,4\r5.5,6\r\n" * 500)
    table = read_table(tmp_path / "t.csv")
    assert table.values.tolist() == [[1.5, 2], [3.5, 4], [5.5, 6]] * 500


def test_a_row_longer_than_what_is_parsed_at_once_is_read(tmp_path):
    names = [f"column number {i}" for i in range(2000)]
    row = ",".join(["0.123456789"] * 2000)
    table = read(tmp_path, ",".join(names) + "\n" + f"{row}\n{row.replace('0.1', '0' * 600 + '.1')}\n" * 2)
    assert table.values.shape == (4, 2000)
    assert (table.values == 0.123456789).all()


def test_columns_whose_names_are_no_strings_are_chosen_and_left_out():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 4)))
    assert sl.learn(frame, drop=[0]).names == (1, 2, 3)
    assert sl.learn(frame, columns=[2, 0]).names == (0, 2)
    pairs = [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert sl.learn(frame.set_axis(pd.MultiIndex.from_tuples(pairs), axis=1), drop=[("a", 1)]).names == tuple(pairs[1:])


def test_sparse_numbers_and_periods_of_pandas_are_read():
    rng = np.random.default_rng(1)
    numbers = np.where(rng.random(80) < 0.7, 0.0, rng.normal(size=80))
    months = pd.Series(pd.period_range("2020-01", periods=4, freq="M").repeat(20))
    frame = pd.DataFrame({"sparse": pd.arrays.SparseArray(numbers), "month": months})
    table = read_table(frame)
    np.testing.assert_array_equal(table.column("sparse"), numbers)
    assert list(map(str, table.column("month"))) == list(map(str, months))
