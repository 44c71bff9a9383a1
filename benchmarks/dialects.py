"""The ways to write a table that readers are compared on, each with what the file was meant to hold."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from readers import Cell
from written_tables import (
    ROWS,
    Style,
    Values,
    WrittenTable,
    as_written,
    content,
    of_cells,
    values,
    with_column,
    written,
)

MANY_ROWS = 30_000


def dialects() -> Iterator[WrittenTable]:
    """All named ways to write a table."""
    yield from _by_style()
    yield from _numbers()
    yield from _texts()
    yield from _headers()
    yield from _late()
    yield from _shapes()
    yield from _folders()


STYLES: dict[str, Style] = {
    "commas": Style(),
    "semicolons": Style(";"),
    "tabs": Style("\t"),
    "bars": Style("|"),
    "blanks, all in quotes": Style(" ", quotes="all", missing="NA"),
    "all in quotes": Style(quotes="all"),
    "semicolons, decimal comma": Style(";", ","),
    "tabs, decimal comma": Style("\t", ","),
    "commas, decimal comma in quotes": Style(",", ","),
    "1,700.250 in quotes": Style(thousands=","),
    "1.700,250 and semicolons": Style(";", ",", "."),
    "1 700.250": Style(thousands=" "),
    "1'700.250": Style(thousands="'"),
    "1 700,250 with a no-break space": Style(";", ",", "\u00a0"),
    "missing: NA": Style(missing="NA"),
    "missing: -": Style(missing="-"),
    "missing: ?": Style(missing="?"),
    "missing: .": Style(missing="."),
    "missing: NaN": Style(missing="NaN"),
    "missing: NULL": Style(missing="NULL"),
    "missing: n/a": Style(missing="n/a"),
    "missing: *": Style(missing="*"),
    "missing: a blank": Style(missing=" "),
    "CRLF": Style(line_end="\r\n"),
    "CR": Style(line_end="\r"),
    "byte order mark": Style(encoding="utf-8-sig"),
    "UTF-16": Style(encoding="utf-16"),
    "Latin-1": Style(encoding="latin-1"),
    "# comments above the header": Style(above=("# made in May", "# by hand, twice")),
    "% comments above the header": Style(above=("% made in May", "% by hand, twice")),
    "a title": Style(above=("Heights of people",)),
    "a title and an empty line": Style(above=("Heights of people", "")),
    "titles with commas": Style(above=("Heights, in cm, of people", "May, 2024")),
    "sep=; above the header": Style(";", above=("sep=;",)),
    "empty lines at the end": Style(below=("", "")),
    "a note at the end": Style(below=("Source: own survey",)),
    "delimiter at the end of all lines": Style(header="{},", row_end=","),
    "delimiter at the end of rows only": Style(row_end=","),
    "a blank after each comma": Style(", "),
}


def _by_style() -> Iterator[WrittenTable]:
    for title, style in STYLES.items():
        yield written(title, values(1), style)
    yield written("tabs, .tsv", values(1), Style("\t"), ".tsv")
    packed = written("gzip", values(1), Style(), ".csv.gz")
    yield replace(packed, files={name: gzip.compress(data) for name, data in packed.files.items()})
    numbers = {name: column for name, column in values(1).items() if name in ("height", "visits")}
    yield written("blanks between numbers", numbers, Style(" ", missing="NA"), ".txt")
    lines = content(dict(zip(numbers, written("", numbers, Style(missing="NA")).columns, strict=True)), Style(" "))
    aligned = b"\n".join(b"".join(cell.rjust(12) for cell in line.split(b" ")) for line in lines.splitlines())
    truth = written("", numbers, Style(missing="NA"))
    yield WrittenTable("columns aligned with blanks", {"t.txt": aligned + b"\n"}, tuple(numbers), truth.columns)


def _numbers() -> Iterator[WrittenTable]:
    cases: dict[str, tuple[list[str], Callable[[str], object]]] = {
        "1.5e-05": (["1.5e-05", "2e-3", "3E+05", "-1e10"], float),
        "1.5D+02": (["1.5D+02", "2.25d-3"], lambda text: float(text.lower().replace("d", "e"))),
        "+5 and -5": (["+5", "-5", "+0.5"], float),
        ".5 and 5.": ([".5", "5.", "-.25"], float),
        "inf": (["1.5", "inf", "-inf", "2.5"], float),
        "whole numbers of 17 digits": (["90071992547409931", "90071992547409933"], int),
        "whole numbers of 25 digits": (["1234567890123456789012345", "2234567890123456789012345"], int),
        "codes 007": (["007", "013", "120"], str),
        "codes 007 among 7": (["007", "7", "120"], str),
        "codes 0x25": (["0x25", "0x1f", "17"], str),
        "codes 1_000": (["1_000", "2_500"], str),
        "codes 1-2 and 3/4": (["1-2", "3/4", "5-6"], str),
        "codes 12-05": (["12-05", "11-04", "10-03"], str),
        "codes 1.2.3": (["1.2.3", "4.5.6"], str),
        "45%": (["45%", "7%"], str),
        "$1.20": (["$1.20", "$7.00"], str),
        "a number among words": (["12", "many", "7"], str),
        "1,700 in quotes, other columns have decimals": (["1,700", "2,250"], lambda text: int(text.replace(",", ""))),
        "2,5 as a string in quotes": (["2,5", "two", "none at all"], str),
        "grades A+ and A-": (["A+", "A-", "B"], str),
        "minus sign of Unicode": (["−1.5", "−2.25", "3.5"], lambda text: float(text.replace("−", "-"))),
        "blanks around numbers": ([" 1.5 ", "2.5", "  3.5"], float),
        "numbers from 0 to 1": (["0", "1"], int),
    }
    for title, (texts, meant) in cases.items():
        yield of_cells(title, with_column("more", texts, meant), Style())
    only = {"a": as_written(["1,500", "2,250"] * 30, lambda text: int(text.replace(",", "")))}
    yield of_cells("1,700 in quotes, nothing else (two readings)", {**only, "b": as_written(["x", "y"] * 30)}, Style())
    shares = ["37,817", "2,250", "0,125"]
    meant = as_written(shares * 20, lambda text: float(text.replace(",", ".")))
    yield of_cells("semicolons, three decimals after a comma", {"a": meant, "b": as_written(["x"] * 60)}, Style(";"))
    two = {"a": as_written(["1,5", "2,25"] * 30, lambda text: float(text.replace(",", ".")))}
    both = {**two, "b": as_written(["2.500", "3.125"] * 30, float)}
    yield of_cells("1,5 in one column, 2.500 in the other (two readings)", both, Style(";"))
    points = {"a": as_written(["37.817", "12.250", "40.125"] * 20, float)}
    word = {"b": as_written(["2,5", "about 3", "4"] * 20)}
    yield of_cells("three decimals after a point, and a string 2,5", {**points, **word}, Style(";"))
    one = {"a": as_written(["1,5", "2,25", "3,125"] * 20, lambda text: float(text.replace(",", ".")))}
    yield of_cells("one column, decimal comma", one, Style(";"))


def _texts() -> Iterator[WrittenTable]:
    cases: dict[str, list[str]] = {
        "commas in quotes": ["Smith, Jr.", "Jones", "Lee, Sr., MD"],
        "line ends in quotes": ["two\nlines", "one", "three\n\nlines"],
        "quotes in quotes": ['the "big" one', "small"],
        "strings with blanks at their ends": [" a", "b ", "c"],
        "T and F": ["T", "F"],
        "an apostrophe": ["O'Brien", "it's", "Lee"],
        "backslashes": ["C:\\new", "D:\\old\\"],
        "# within strings": ["#1", "room #2", "3"],
    }
    for title, texts in cases.items():
        yield of_cells(title, with_column("more", texts), Style())
    yield of_cells("commas in quotes, semicolons between", with_column("more", ["a, b", "c, d", "e"]), Style(";"))
    yield of_cells("commas without quotes, semicolons between", _few(["a, b", "c", "d, e, f"]), Style(";"))
    yield of_cells('5" without quotes', _few(['5" pipe', "pipe", '7" pipe']), Style(quotes="never"))
    odd = 'name,note,x\nAnna,5" tall,1\n' + 'Bob,"two\nlines",2\n' * 30
    cells = [("Anna", '5" tall', 1.0)] + [("Bob", "two\nlines", 2.0)] * 30
    yield _by_hand("a quote in a cell, then line ends in quotes", odd, ("name", "note", "x"), cells)
    single = "name,x\n" + "'Smith, Jr.',1\n'Lee, MD',2\n" * 20
    yield _by_hand("single quotes", single, ("name", "x"), [("Smith, Jr.", 1.0), ("Lee, MD", 2.0)] * 20)
    escaped = "name,x\n" + '"the \\"big\\" one",1\n"small",2\n' * 20
    yield _by_hand('\\" in quotes', escaped, ("name", "x"), [('the "big" one', 1.0), ("small", 2.0)] * 20)
    truths: dict[str, tuple[str, str]] = {
        "true and false": ("true", "false"),
        "True and False": ("True", "False"),
        "TRUE and FALSE": ("TRUE", "FALSE"),
    }
    for title, (yes, _) in truths.items():
        yield of_cells(title, with_column("more", truths[title], yes.__eq__), Style())
    moments: dict[str, tuple[str, object]] = {
        "2024-05-01 10:30:00": ("%Y-%m-%d %H:%M:%S", datetime(2024, 5, 1, 10, 30)),
        "31.12.2024": ("%d.%m.%Y", date(2024, 12, 31)),
        "12/31/2024": ("%m/%d/%Y", date(2024, 12, 31)),
        "05/04/2024 (two readings)": ("%d/%m/%Y", date(2024, 4, 5)),
        "10:30": ("%H:%M", time(10, 30)),
    }
    for title, (form, moment) in moments.items():
        text = moment.strftime(form)  # type: ignore[attr-defined]
        yield of_cells(f"dates: {title}", with_column("more", [text], lambda _, moment=moment: moment), Style())


def _few(texts: list[str]) -> dict[str, list[Cell]]:
    return {"more": as_written(texts * 20), "x": as_written(["1.5", "2.5", "3.5"] * 20, float)}


def _by_hand(
    title: str, text: str, names: tuple[str, ...] | None, rows: Sequence[Sequence[object]], name: str = "t.csv"
) -> WrittenTable:
    columns = [[Cell(value, "" if value is None else str(value)) for value in column] for column in zip(*rows)]  # noqa: B905
    return WrittenTable(title, {name: text.encode()}, names, columns)


def _headers() -> Iterator[WrittenTable]:
    numbers: Values = {str(i): [float(10 * i + row) + 0.5 for row in range(ROWS)] for i in range(3)}
    yield written("no header, numbers", numbers, Style(header=""), names=False)
    yield written("no header, mixed", values(1), Style(header=""), names=False)
    yield written("header 0,1,2", numbers, Style())
    yield written("header of years", {str(2019 + i): column for i, column in enumerate(numbers.values())}, Style())
    words: Values = {name: [f"{name}{row % 3}" for row in range(ROWS)] for name in ("city", "sex", "smokes")}
    yield written("all cells strings", words, Style())
    yield written("# before the names, all cells strings", words, Style(header="#{}"))
    yield written(
        "# before the names, numbers", {f"x{n}": column for n, column in numbers.items()}, Style(header="# {}")
    )
    yield written("names with blanks, commas and quotes", {'size, "cm"': numbers["0"], "a b": numbers["1"]}, Style())
    yield written("names with line ends", {"size\nin cm": numbers["0"], "b": numbers["1"]}, Style())
    for mark, word in ((";", "semicolons"), ("|", "bars"), ("\t", "tabs")):
        comma = {"last, first": as_written(["Lee, Ann", "Ray, Bob"] * 20), "x": as_written(["1.5", "2.5"] * 20, float)}
        yield of_cells(f"a comma in names and cells, {word} between", comma, Style(mark))
    twice = "a,a\n" + "1.5,2.5\n" * 20
    yield _by_hand("two columns of one name", twice, None, [(1.5, 2.5)] * 20)
    r_names = '"a","b"\n' + "".join(f'"r{i}",{i}.5,{i}.25\n' for i in range(1, 21))
    yield _by_hand("row names without a heading", r_names, None, [(f"r{i}", i + 0.5, i + 0.25) for i in range(1, 21)])
    numbered = ",a,b\n" + "".join(f"{i},{i}.5,{i}.25\n" for i in range(20))
    yield _by_hand("row numbers under an empty name", numbered, None, [(i, i + 0.5, i + 0.25) for i in range(20)])
    unnamed = '"","x"\n' + "".join(f'"r{i}",{i}.5\n' for i in range(1, 21))
    yield _by_hand("two columns, the first without a name", unnamed, None, [(f"r{i}", i + 0.5) for i in range(1, 21)])
    units = "height,weight\ncm,kg\n" + "180.5,80.5\n170.5,70.5\n" * 20
    yield _by_hand("a row of units", units, ("height", "weight"), [(180.5, 80.5), (170.5, 70.5)] * 20)
    for n in (2_000, 12_000):
        wide: Values = {f"gene{i:010d}": [float(i), i + 0.5, i + 0.25] for i in range(n)}
        yield written(f"{n:,} columns", wide, Style())


def _late() -> Iterator[WrittenTable]:
    """What is seen only after many rows: DuckDB looks at 20,480 by default, sidelight reads 8 MB at once."""
    for n_rows in (MANY_ROWS, 400_000):
        last = n_rows - 5
        numbers = [Cell(float(row), f"{row}.0000000000000") for row in range(n_rows)]  # 22 bytes for each row
        for title, text, meant in (
            ("a word", "unknown", "unknown"),
            ("a fraction", "2.5", 2.5),
            ("NA", "NA", None),
            ("?", "?", None),
        ):
            column = [Cell(i % 7, str(i % 7)) for i in range(n_rows)]
            if title == "a word":  # then all are strings
                column = [Cell(cell.written, cell.written) for cell in column]
            column[last] = Cell(meant, text)
            yield of_cells(f"{title} after {last:,} rows", {"a": numbers, "b": column}, Style())
        days = [date(2000, 1, 1) + timedelta(row % 5000) for row in range(n_rows)]
        column = [Cell(str(day), str(day)) for day in days]
        column[last] = Cell("unknown", "unknown")
        yield of_cells(f"a word after {last:,} dates", {"a": numbers, "b": column}, Style())
        column = [Cell("10:30", "10:30")] * n_rows
        column[last] = Cell("late", "late")
        yield of_cells(f"a word after {last:,} times", {"a": numbers, "b": column}, Style())
        column = [Cell("one", "one")] * n_rows
        column[last] = Cell("two, or\nthree", "two, or\nthree")
        yield of_cells(f"the first quotes after {last:,} rows", {"b": column, "a": numbers}, Style())


def _shapes() -> Iterator[WrittenTable]:
    short = "a,b,c\n" + "1.5,2.5,3.5\n" * 19 + "1.5,2.5\n"
    yield _by_hand("a row too short", short, ("a", "b", "c"), [(1.5, 2.5, 3.5)] * 19 + [(1.5, 2.5, None)])
    first = "a,b,c\n1.5,2.5\n" + "1.5,2.5,3.5\n" * 19
    yield _by_hand("the first row too short", first, ("a", "b", "c"), [(1.5, 2.5, None)] + [(1.5, 2.5, 3.5)] * 19)
    long = "a,b\n" + "1.5,2.5\n" * 19 + "1.5,2.5,7.5\n"
    yield _by_hand("a row too long", long, None, [(1.5, 2.5, None)] * 19 + [(1.5, 2.5, 7.5)])
    blank = "a,b\n" + "1.5,2.5\n\n" * 19
    yield _by_hand("empty lines between rows", blank, ("a", "b"), [(1.5, 2.5)] * 19)
    mixed = "a,b\r\n" + "1.5,2.5\r\n3.5,4.5\n" * 10
    yield _by_hand("line ends of two kinds", mixed, ("a", "b"), [(1.5, 2.5), (3.5, 4.5)] * 10)
    yield _by_hand("no line end at the end", "a,b\n1.5,2.5\n3.5,4.5", ("a", "b"), [(1.5, 2.5), (3.5, 4.5)])
    yield _by_hand("one column of numbers", "a\n" + "1.5\n2.5\n" * 10, ("a",), [(1.5,), (2.5,)] * 10)
    yield _by_hand("one column of words", "name\nAnna Lee\nBob Ray\n", ("name",), [("Anna Lee",), ("Bob Ray",)])
    yield _by_hand("one row", "a,b\n1.5,x\n", ("a", "b"), [(1.5, "x")])
    holes = "a b c\n" + "1.5 2.5 3.5\n" * 19 + "1.5  3.5\n"
    yield _by_hand("a missing number between blanks (which?)", holes, None, [(1.5, 2.5, 3.5)] * 19 + [(1.5, None, 3.5)])
    gap = "a,b\n" + "1.5,\n2.5,\n" * 10
    yield _by_hand("a column without values", gap, ("a", "b"), [(1.5, None), (2.5, None)] * 10)


def _folders() -> Iterator[WrittenTable]:
    first, second = "a,b\n1.5,2\n2.5,3\n", "a,b\n3.5,4\n4.5,5\n"
    rows = [(1.5, 2.0), (2.5, 3.0), (3.5, 4.0), (4.5, 5.0)]
    cases = {
        "two files": (second, rows),
        "other order of columns": ("b,a\n4,3.5\n5,4.5\n", rows),
        "another delimiter": (second.replace(",", ";"), rows),
        "a fraction in the second": ("a,b\n3.5,4.5\n4.5,5\n", [*rows[:2], (3.5, 4.5), (4.5, 5.0)]),
        "words in the second": ("a,b\n3.5,x\n4.5,y\n", [(1.5, "2"), (2.5, "3"), (3.5, "x"), (4.5, "y")]),
        "no rows in the second": ("a,b\n", rows[:2]),
        "one more column in the second": ("a,b,c\n3.5,4,1\n4.5,5,1\n", [(*row, None) for row in rows[:2]]
                                          + [(*row, 1.0) for row in rows[2:]]),
    }  # fmt: skip
    for title, (text, expected) in cases.items():
        names = ("a", "b", "c")[: len(expected[0])]
        table = _by_hand(f"folder: {title}", first, names, expected)
        yield replace(table, files={"1.csv": first.encode(), "2.csv": text.encode()})
