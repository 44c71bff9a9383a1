"""How a delimited file is written: one reading is taken, two readings are named with the option that decides."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.examples import example as example_table
from sidelight.sources import delimited
from sidelight.sources.delimited import open_delimited
from sidelight.sources.dialect import Dialect, DialectChoice, find_dialect
from sidelight.sources.rows import read_table
from sidelight.tables.findings import FindingKind
from sidelight.tables.strings import Texts
from sidelight.tables.treatment import marks_and_notes
from sidelight.text.message import in_command_words
from tests.numbers_for_tests import numbers_and_notes

ALL = 1 << 30  # rows at once


def opened(tmp_path, content, *asked, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_delimited(path, asked=DialectChoice(*asked))


def cells(file):
    """The columns as they are parsed, before strings become numbers."""
    (table,) = file.batches(file.names, (), ALL)
    return table.to_pydict()


def kinds(file):
    return [note.kind for note in file.notes]


# Decimal marks follow from columns.


@pytest.mark.parametrize("sizes", [["2,5", "M", "3,5"], ["size 2,5", "2,5", "2,5"], ["2,5", "", "x"]])
def test_a_string_with_a_comma_does_not_change_the_numbers_of_other_columns(tmp_path, sizes):
    rows = "".join(f'"{size}",37.817,{x}\n' for size, x in zip(sizes, (0.5, 1.25, 7), strict=True))
    file = opened(tmp_path, "size,mass,x\n" + rows)
    assert (file.decimal, file.notes) == (".", ())
    assert read_table(tmp_path / "t.csv").column("mass").tolist() == [37.817] * 3


def test_a_string_with_a_comma_leaves_three_decimals_decimals(tmp_path):
    file = opened(tmp_path, 'size,mass\n"2,5",37.817\nM,12.345\n')
    assert read_table(tmp_path / "t.csv").column("mass").tolist() == [37.817, 12.345]
    assert kinds(file) == [FindingKind.DECIMAL_MARK]  # no column says what the point is


def test_columns_with_another_mark_are_read_by_their_own(tmp_path):
    text = 'a,b,c\n"2,5",1.5,37.817\n"3,25",2.5,11.111\n'
    file = opened(tmp_path, text)
    table = read_table(tmp_path / "t.csv")
    assert [table.column(name).tolist() for name in "abc"] == [[2.5, 3.25], [1.5, 2.5], [37.817, 11.111]]
    (note,) = file.notes  # 'c' may be read in two ways, and columns contradict each other
    assert note.message == (
        "column 'c' is read with a decimal point: '37.817' in row 1 is 37.817, and with a decimal comma would be 37817 "
        '— if it is that: decimal=","'
    )


def test_a_point_between_groups_of_one_column_is_one_in_others(tmp_path):
    (tmp_path / "t.csv").write_text('a,b\n3.582,"2.349,525"\n335,"1.605,294"\n4.439,"17,5"\n')
    table = read_table(tmp_path / "t.csv")
    assert [table.column(name).tolist() for name in "ab"] == [[3582, 335, 4439], [2349.525, 1605.294, 17.5]]
    rows = "".join(f'{3 + i % 5}.58{i % 7},"{1 + i % 3}.349,{525 + i * i % 90}"\n' for i in range(60))
    (tmp_path / "t.csv").write_text("a,b\n" + rows)
    (note,) = [note for note in sl.learn(tmp_path / "t.csv").warnings if "decimal comma" in note.text]
    assert "'3.580' in row 1 of 'a' is 3580, and might be 3.58" in note.text


def test_numbers_that_are_all_of_three_decimals_are_named(tmp_path):
    text = "a;b\n1.234;1\n37.817;2\n"
    file = opened(tmp_path, text)
    assert kinds(file) == [FindingKind.DECIMAL_MARK]
    assert file.notes[0].culprits == ("a",)
    assert cells(file)["a"] == [1.234, 37.817]
    assert (opened(tmp_path, text, None, ".").notes, opened(tmp_path, text, None, ",").notes) == ((), ())


def texts(**columns):
    return {name: Texts.of(column) for name, column in columns.items()}


def test_what_other_columns_decide_is_named():
    numbers, (note,) = numbers_and_notes(texts(a=["12", "1,500"], b=["2.5", "3"]))
    assert numbers["a"].tolist() == [12, 1500]
    assert (note.kind, note.severity, note.culprits) == (FindingKind.DECIMAL_MARK, "warning", ("a",))
    assert "'1,500' in row 2 of 'a' is 1500, and might be 1.5" in note.text
    assert in_command_words(note.remedy).endswith("--decimal ,")
    assert numbers_and_notes(texts(a=["1,500"]), ".")[1] != ()
    assert numbers_and_notes(texts(a=["1,500.5"], b=["2.5"]))[1] == ()


def test_numbers_with_another_mark_than_the_rest_are_named():
    numbers, (note,) = numbers_and_notes(texts(size=[None, "2,5"], b=["2.5", "3"]))
    assert np.array_equal(numbers["size"], [np.nan, 2.5], equal_nan=True)
    assert "'2,5' in row 2 of 'size' is 2.5, and might be no number" in note.text
    assert list(numbers_and_notes(texts(size=["2,5"], b=["2.5"]), asked=".")[0]) == ["b"]
    _, (other,) = marks_and_notes(texts(a=["1,012,250"]), ",")
    assert "'1,012,250' in row 1 of 'a' is 1012250" in other.text


@pytest.mark.parametrize(("asked", "value"), [(".", 1500.0), (",", 1.5)])
def test_a_decimal_mark_that_is_asked_for_decides_alone(asked, value):
    numbers, notes = numbers_and_notes(texts(a=["1,500"]), asked=asked)
    assert (numbers["a"].tolist(), notes) == ([value], ())
    with pytest.raises(sl.InputError, match=r"may be 1500 or 1.5; say which with decimal=\".\" or decimal=\",\""):
        numbers_and_notes(texts(a=["1,500"]))


def test_an_exponent_leaves_one_reading():
    assert marks_and_notes(texts(a=["1.234e+05", "2.000d-01"])) == ({"a": "."}, ())


# Delimiters.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('name;x\n"Doe, J";1,5\n"Roe, K";2,5\n', {"name": ["Doe, J", "Roe, K"], "x": [1.5, 2.5]}),
        ('name;"a, b"\n"Doe, J";1,5\n"Roe, K";2,5\n', {"name": ["Doe, J", "Roe, K"], "a, b": [1.5, 2.5]}),
        ("name;x\nDoe, J;1\nRoe, K;2\n", {"name": ["Doe, J", "Roe, K"], "x": [1, 2]}),
        ('a|b\n"x;1"|2\n"y;2"|3\n', {"a": ["x;1", "y;2"], "b": [2, 3]}),
        ('sep=;\na;b\n1;"x, y"\n2;"x, z"\n', {"a": [1, 2], "b": ["x, y", "x, z"]}),
        ("sep=,\r\na,b\r\n1;2,3\r\n4;5,6\r\n", {"a": ["1;2", "4;5"], "b": [3, 6]}),
        ("\ufeffa\tb\r1\t2\r3\t4\r", {"a": [1, 3], "b": [2, 4]}),
        ("# a b c\n1 2 3\n4 5 6\n", {"a": [1, 4], "b": [2, 5], "c": [3, 6]}),  # as numpy.savetxt writes it
    ],
)
def test_a_delimiter_between_quotes_or_in_cells_is_none(tmp_path, text, expected):
    file = opened(tmp_path, text)
    assert (cells(file), file.notes) == (expected, ())


def test_two_delimiters_that_suit_are_named(tmp_path):
    text = "last, first\tage\nDoe, J\t5\nRoe, K\t6\n"
    file = opened(tmp_path, text)
    (note,) = file.notes
    assert cells(file) == {"last, first": ["Doe, J", "Roe, K"], "age": [5, 6]}
    assert note.kind == FindingKind.DELIMITER
    assert "between tabs, and might stand between commas: row 1 would then begin with 'Doe'" in note.text
    assert note.remedy == 'if they do: delimiter=","'
    other = opened(tmp_path, text, ",")
    assert (cells(other)["last"], other.notes) == (["Doe", "Roe"], ())
    assert opened(tmp_path, text, "tab").notes == ()


def test_lines_that_are_numbers_with_a_comma_are_named(tmp_path):
    decimals = opened(tmp_path, "a\n1,5\n2,25\n1,5\n")
    (note,) = decimals.notes
    assert (cells(decimals), note.kind) == ({"a": [1.5, 2.25, 1.5]}, FindingKind.DELIMITER)
    assert (
        note.message
        == "'1,5' is read as one number with a decimal comma, and might be two cells — if it is: delimiter=\",\""
    )
    numbered = opened(tmp_path, "a\n1,5\n2,25\n3,7\n")
    assert cells(numbered) == {"column 1": [1, 2, 3], "a": [5, 25, 7]}
    (note,) = numbered.notes
    assert note.remedy == 'if it is: delimiter=";"'
    asked = opened(tmp_path, "a\n1,5\n2,25\n3,7\n", ";")
    assert (cells(asked), asked.notes) == ({"a": [1.5, 2.25, 3.7]}, ())
    assert opened(tmp_path, "a\n1,5\n2,25\n3,7\n", ",").notes == ()
    assert opened(tmp_path, '"a"\n"1",5\n"2",25\n').notes == ()  # as R writes row names


def test_codes_are_named(tmp_path):
    file = opened(tmp_path, "x,zip,y\n1,10115,2\n2,01067,3\n")
    assert cells(file) == {"x": [1, 2], "zip": ["10115", "01067"], "y": [2, 3]}
    (note,) = file.notes
    assert (note.kind, note.culprits) == (FindingKind.CODES, ("zip",))
    assert note.text == "column 'zip' is kept as strings, since '01067' in row 2 of 'zip' begins with a 0"
    assert in_command_words(note.remedy) == "if they are numbers: --types zip=number"


def test_codes_can_be_numbers_if_the_user_says_so(tmp_path):
    rows = "".join(f"{i % 7 / 2},{i * i % 11 / 4},{i % 13:02}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("x,y,code\n" + rows)
    types = {column.name: column.type for column in sl.learn(tmp_path / "t.csv", types={"code": "number"}).types}
    assert types["code"] == "number"


# Headers.

TEXTS = "Paris,f,no\nLyon,m,yes\nParis,f,yes\nNice,m,no\n"


def test_names_in_a_comment_above_strings_are_names(tmp_path):
    file = opened(tmp_path, "#city,sex,smokes\n" + TEXTS)
    assert file.names == ("city", "sex", "smokes")
    assert cells(file)["city"] == ["Paris", "Lyon", "Paris", "Nice"]
    (note,) = file.notes
    assert (note.kind, note.remedy) == (FindingKind.HEADER, "if it has: header=True")
    assert opened(tmp_path, "#city,sex,smokes\n" + TEXTS, None, None, True).names == ("Paris", "f", "no")


@pytest.mark.parametrize(
    "text",
    ["# made by hand, in May, in Rome\ncity,sex,smokes\n" + TEXTS, "# by hand, in May\na,b\nx,1\ny,2\n", "#a,b\n1,2\n"],
)
def test_a_header_that_differs_from_its_columns_is_no_question(tmp_path, text):
    file = opened(tmp_path, text)
    assert file.names in (("city", "sex", "smokes"), ("a", "b"))
    assert file.notes == ()


def test_a_first_row_that_may_be_data_is_named(tmp_path):
    file = opened(tmp_path, TEXTS)
    (note,) = file.notes
    assert (file.names, note.kind) == (("Paris", "f", "no"), FindingKind.HEADER)
    assert note.text.endswith("might be data: 'Paris' stands above 'Paris' (row 2)")
    assert in_command_words(note.remedy) == "say which: --header or --no-header"
    bare = opened(tmp_path, TEXTS, None, None, False)
    assert (bare.names, bare.notes) == (("column 1", "column 2", "column 3"), ())
    assert cells(bare)["column 2"] == ["f", "m", "f", "m"]
    assert opened(tmp_path, TEXTS, None, None, True).notes == ()


def test_numbers_above_numbers_are_refused_or_named(tmp_path):
    iris = "5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,3.3,virginica\n"
    with pytest.raises(
        sl.InputError, match=r"first row \('5.1', .*\) has numbers .*say which: header=True or header=Fal"
    ):
        opened(tmp_path, iris)
    assert cells(opened(tmp_path, iris, None, None, False))["column 1"] == [5.1, 4.9, 6.3]
    assert opened(tmp_path, iris, None, None, True).names == ("5.1", "3.5", "setosa")
    years = opened(tmp_path, "country,1990,1991\nFrance,3,4\nSpain,5,6\n")
    assert (years.names[1], kinds(years)) == ("1990", [FindingKind.HEADER])


@pytest.mark.parametrize("above", ["height,weight\ncm,kg\n", "Heights, in cm\nheight,weight\n"])
def test_words_below_the_header_and_above_numbers_are_named(tmp_path, above):
    file = opened(tmp_path, above + "180.5,80\n170.5,70\n" * 20)
    (note,) = file.notes
    assert (note.kind, note.severity) == (FindingKind.HEADER, "warning")
    assert "row 1, 'cm' and 'kg', has words" in note.text or "row 1, 'height' and 'weight', has words" in note.text
    assert "missing_values={" in note.remedy


def test_units_can_be_taken_for_missing_values(tmp_path):
    rows = "".join(f"{170 + i * 7 % 31},{60 + i * i % 37}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("height,weight\ncm,kg\n" + rows)
    net = sl.learn(tmp_path / "t.csv", missing_values={"height": ["cm"], "weight": ["kg"]}, missing="drop")
    assert [column.type for column in net.types] == ["number", "number"]


def test_comments_are_skipped_where_there_is_no_header(tmp_path):
    file = opened(tmp_path, "# by hand\n\n1,2\n3,4\n", None, None, False)
    assert cells(file) == {"column 1": [1, 3], "column 2": [2, 4]}


# Long headers, quotes in cells, other encodings.


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("n_columns", [12_000, 50_000])
def test_a_header_may_have_any_length(tmp_path, quote, n_columns):
    names = [f"gene {i:05}; {i % 7}" for i in range(n_columns)]
    header = ",".join(f"{quote}{name}{quote}" for name in names)
    file = opened(tmp_path, header + "\n" + (",".join(["0.5"] * n_columns) + "\n") * 3)
    assert (file.names, file.notes) == (tuple(names), ())
    assert cells_of_two(file, names) == {names[0]: [0.5] * 3, names[-1]: [0.5] * 3}


def cells_of_two(file, names):
    (table,) = file.batches([names[0], names[-1]], (), ALL)
    return table.to_pydict()


@pytest.mark.parametrize("pipe", ['5" pipe', '5"', 'a "5" pipe', 'x"y'])
def test_a_quote_inside_a_cell_opens_nothing(tmp_path, monkeypatch, pipe):
    rows = [["x", pipe], *([str(i), f"line {i}\nand, {pipe}"] for i in range(200))]
    text = f"a,b\nx,{pipe}\n" + "".join(f'{i},"{b.replace(chr(34), 2 * chr(34))}"\n' for i, b in rows[1:])
    monkeypatch.setattr(delimited, "BLOCK", 97)
    monkeypatch.setattr(delimited, "BYTES_OF_COLUMN", 1)
    found = list(opened(tmp_path, text).batches(["a", "b"], ["a", "b"], ALL))
    assert len(found) > 10
    assert [list(row.values()) for table in found for row in table.to_pylist()] == rows


def ends_of_rows(text):
    """Where rows end, character by character: a quote opens a cell only at its start."""
    at_start, in_quotes, ends, at = True, False, [0], 0
    while at < len(text):
        character = text[at]
        if in_quotes:
            if text[at : at + 2] == '""':
                at += 1
            elif character == '"':
                in_quotes = False
        elif character == '"' and at_start:
            in_quotes = True
        elif character == "\n":
            ends.append(at + 1)
        at_start = not in_quotes and character in ",\n"
        at += 1
    return ends


@given(st.text('"",\nab'))
@example('"",')
@example('a"\n"a\na"\n')
def test_rows_end_where_a_character_by_character_reading_ends_them(text):
    assert delimited._end_of_rows(text.encode(), Dialect(",", ".", (), 0)) == ends_of_rows(text)[-1]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_other_encodings_are_refused_by_name(tmp_path, encoding):
    (tmp_path / "t.csv").write_bytes("a,é\n1,2\n".encode(encoding))
    with pytest.raises(sl.InputError, match=r"it is (UTF-16|not UTF-8) text; save it as UTF-8"):
        read_table(tmp_path / "t.csv")


# All together: what is read is what was written, or a note or an error says that it might be otherwise.

WORDS = st.sampled_from(["a", "b", "x y", 'say "so"', "a, b", "c; d", "2,5", "5.5", "line\nend"])
NUMBERS = st.integers(-99_999, 99_999).map(lambda n: n / 1000)


@st.composite
def tables(draw):
    n_rows = draw(st.integers(2, 6))
    kinds = draw(st.lists(st.sampled_from([WORDS, NUMBERS]), min_size=2, max_size=4))
    columns = [draw(st.lists(kind, min_size=n_rows, max_size=n_rows)) for kind in kinds]
    for kind, column in zip(kinds, columns, strict=True):
        column[-1] = "a word" if kind is WORDS else column[-1]  # else all may be numbers, and are
    return pd.DataFrame({f"v{i}": column for i, column in enumerate(columns)})


def written(frame, delimiter, decimal, header):
    file = io.StringIO()
    names = list(frame.columns)
    rows = ([_as_text(value, decimal) for value in row] for row in frame.itertuples(index=False))
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([names, *rows] if header else rows)
    return file.getvalue()


def _as_text(value, decimal):
    return str(value).replace(".", decimal) if isinstance(value, float) else value


def read_back(path, asked):
    file = open_delimited(path, asked=asked)
    if len(set(file.names)) < len(file.names):
        raise sl.InputError("two columns have one name")
    columns = {name: Texts.of(column) for name, column in _strings(file).items()}
    numbers, notes = numbers_and_notes(columns, file.decimal, asked.decimal)
    return [list(numbers.get(name, column)) for name, column in columns.items()], (*file.notes, *notes)


def _strings(file):
    (table,) = file.batches(file.names, file.names, ALL)
    return table.to_pydict()


def as_numbers_where_all_are(column, decimal):
    """What a column of strings and numbers comes back as."""
    found, _ = numbers_and_notes({0: Texts.of([_as_text(value, decimal) for value in column])}, asked=decimal)
    return list(found.get(0, column))


@given(tables(), st.sampled_from(",;\t|"), st.sampled_from(".,"), st.booleans())
def test_what_is_asked_for_is_read_as_it_was_written(tmp_path_factory, frame, delimiter, decimal, header):
    path = tmp_path_factory.mktemp("asked") / "t.csv"
    path.write_text(written(frame, delimiter, decimal, header))
    found, notes = read_back(path, DialectChoice(delimiter, decimal, header))
    assert found == [as_numbers_where_all_are(frame[name].tolist(), decimal) for name in frame]
    assert notes == ()


@given(tables(), st.sampled_from(",;\t|"), st.sampled_from(".,"))
def test_what_is_read_is_what_was_written_or_is_named_or_refused(tmp_path_factory, frame, delimiter, decimal):
    path = tmp_path_factory.mktemp("found") / "t.csv"
    path.write_text(written(frame, delimiter, decimal, header=True))
    try:
        found, notes = read_back(path, DialectChoice())
    except sl.InputError:
        return
    if not notes:
        assert found == [as_numbers_where_all_are(frame[name].tolist(), decimal) for name in frame]


@given(tables(), st.sampled_from(",;\t|"))
def test_a_first_row_that_recurs_is_never_taken_for_names_without_a_word(tmp_path_factory, frame, delimiter):
    path = tmp_path_factory.mktemp("bare") / "t.csv"
    path.write_text(written(pd.concat([frame, frame]), delimiter, ".", header=False))
    try:
        _, notes = read_back(path, DialectChoice())
    except sl.InputError:
        return
    assert FindingKind.HEADER in [note.kind for note in notes]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"delimiter": "ab"}, "delimiter must be one character such as \",\".*; got 'ab'"),
        ({"delimiter": '"'}, "delimiter must be one character"),
        ({"delimiter": "é"}, "delimiter must be one character"),
        ({"delimiter": 3}, "delimiter must be one character .*; got 3"),
        ({"decimal": ";"}, r"decimal must be one of '\.', ','; got ';'"),
        ({"header": "yes"}, "header must be True or False; got 'yes'"),
        ({"header": 0}, "header must be True or False; got 0"),
    ],
)
def test_a_dialect_that_no_file_has_is_refused(asked, message):
    with pytest.raises(sl.InputError, match=message):
        DialectChoice(**asked)


def test_a_row_with_too_many_cells_is_named_where_one_of_them_may_be_two_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2,5,1.500\n")
    with pytest.raises(sl.InputError, match="row 1 has 4 values, and there are 2 columns"):
        read_table(tmp_path / "t.csv")


def test_delimiters_have_names(tmp_path):
    assert DialectChoice("tab").mark == DialectChoice("\\t").mark == DialectChoice("\t").mark == "\t"
    assert DialectChoice("blank").mark == DialectChoice(" ").mark == " "
    file = opened(tmp_path, "full name\nAda  Lovelace\n Alan Turing\n", "blank")
    assert cells(file) == {"full": ["Ada", "Alan"], "name": ["Lovelace", "Turing"]}


def test_the_examples_have_one_reading():
    for path in map(example_table, ("newborns", "penguins")):
        assert open_delimited(path).notes == ()


def test_known_columns_make_a_header_certain():
    assert find_dialect(TEXTS, known=["Paris", "f"]).notes == ()
