"""What readers cost: seconds, memory, counting by a data base, and installed size; for ``reading.py``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from itertools import combinations
from pathlib import Path
from time import perf_counter

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from sidelight.families.discrete.marginal_tables import MarginalTables, RowsHere
from sidelight.sources.rows import read_table
from sidelight.tables.table import code_table

REPEATS, COLUMNS, FILES, FEW_ROWS = 4, 20, 20, 2000
CATEGORIES = (2, 3, 4, 2, 5, 3, 2, 4, 3, 2)

TIMED = """
import json, sys, time
path = sys.argv[1]
{imports}
{work}  # of a small file: what is imported or started at the first use is no part of reading
path = sys.argv[2]
started, cpu = time.perf_counter(), time.process_time()
result = {work}
seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
if isinstance(result, dict):
    result = len(next(iter(result.values())))
elif not isinstance(result, int):
    result = getattr(result, "num_rows", None) or getattr(result, "n_rows", None) or len(result)
status = open("/proc/self/status").read()  # ru_maxrss would be that of the process that started this one
peak = status.split("VmHWM:")[1].split()[0]
print(); print(json.dumps([seconds, cpu, 1024 * int(peak), result]))  # DuckDB prints its progress
"""
IN_BATCHES = "sum(len(batch) for batch in {})"
IN_BATCHES_HERE = (
    "(lambda source: sum(b.num_rows for b in source.batches(source.names, (), 1 << 17)))(open_source(path))"
)
BATCHES_HERE = "from sidelight.sources.rows import open_source\nimport pyarrow.csv, pyarrow.parquet"
STRINGS = """
names = open(path).readline().strip().replace('"', '').split(',')
strings = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string()))
"""
SIDELIGHT = (
    "import pyarrow.csv, pyarrow.parquet\nfrom sidelight.sources.rows import read_table",
    "read_table(path)",
)
READ_FILES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    ".csv": {
        "pyarrow": ("import pyarrow.csv", "pyarrow.csv.read_csv(path)"),
        "sidelight": SIDELIGHT,
        "DuckDB, NumPy out": ("import duckdb", "duckdb.read_csv(path).fetchnumpy()"),
        "DuckDB, all rows sniffed, NumPy out": ("import duckdb", "duckdb.read_csv(path, sample_size=-1).fetchnumpy()"),
        "DuckDB, Arrow out": ("import duckdb, pyarrow", "duckdb.read_csv(path).to_arrow_table()"),
        "DuckDB, strings, Arrow out": (
            "import duckdb, pyarrow",
            "duckdb.read_csv(path, all_varchar=True).to_arrow_table()",
        ),
        "pyarrow, strings": ("import pyarrow.csv\n" + STRINGS, "pyarrow.csv.read_csv(path, convert_options=strings)"),
        "pandas": ("import pandas", "pandas.read_csv(path)"),
        "polars": ("import polars", "polars.read_csv(path)"),
        "pyarrow, in batches": ("import pyarrow.csv", IN_BATCHES.format("pyarrow.csv.open_csv(path)")),
        "sidelight, in batches": (BATCHES_HERE, IN_BATCHES_HERE),
        "DuckDB, in batches": (
            "import duckdb, pyarrow",
            IN_BATCHES.format("duckdb.read_csv(path).to_arrow_reader(1 << 17)"),
        ),
    },
    ".parquet": {
        "pyarrow": ("import pyarrow.parquet", "pyarrow.parquet.read_table(path)"),
        "sidelight": SIDELIGHT,
        "DuckDB, NumPy out": ("import duckdb", "duckdb.read_parquet(path).fetchnumpy()"),
        "DuckDB, Arrow out": ("import duckdb, pyarrow", "duckdb.read_parquet(path).to_arrow_table()"),
        "pandas": ("import pandas", "pandas.read_parquet(path)"),
        "polars": ("import polars", "polars.read_parquet(path)"),
        "pyarrow, in batches": (
            "import pyarrow.parquet",
            IN_BATCHES.format("pyarrow.parquet.ParquetFile(path, pre_buffer=False).iter_batches(1 << 17)"),
        ),
        "sidelight, in batches": (BATCHES_HERE, IN_BATCHES_HERE),
        "DuckDB, in batches": (
            "import duckdb, pyarrow",
            IN_BATCHES.format("duckdb.read_parquet(path).to_arrow_reader(1 << 17)"),
        ),
    },
    "": {
        "pyarrow": ("import pyarrow.dataset", "pyarrow.dataset.dataset(path, format='csv').to_table()"),
        "sidelight": SIDELIGHT,
        "DuckDB, NumPy out": ("import duckdb", "duckdb.read_csv(path + '/*.csv').fetchnumpy()"),
        "DuckDB, Arrow out": ("import duckdb, pyarrow", "duckdb.read_csv(path + '/*.csv').to_arrow_table()"),
        "polars": ("import polars", "polars.read_csv(path + '/*.csv')"),
    },
}
OTHERS = ("duckdb", "nanoarrow", "pandas", "polars", "polars-runtime-32")
IMPORTS = ("pass", "import pyarrow", "import pyarrow.csv", "import duckdb", "import pandas", "import polars")


def in_a_process(code: str, *arguments: str) -> list[float]:
    """What a program prints last, as JSON; it runs in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"the process ended with {done.returncode}: {code}", file=sys.stderr)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def speed(rows: int) -> None:
    """Seconds and peak memory of each reader: the least of some processes, as the machine has other work."""
    print("| file | reader | seconds | of CPU | ratio to pyarrow, CPU | peak memory |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as small, tempfile.TemporaryDirectory() as large:
        for (_, first), (title, path) in zip(
            _written_files(FEW_ROWS, Path(small)), _written_files(rows, Path(large)), strict=True
        ):
            found = _least(READ_FILES[path.suffix], first, path, rows)
            for name, (seconds, cpu, peak) in found.items():
                alone = found["pyarrow, in batches" if "batches" in name else "pyarrow"][1]
                print(f"| {title} | {name} | {seconds:.2f} | {cpu:.2f} | {cpu / alone:.1f} | {peak / 1e9:.2f} GB |")
    print("\n| first | seconds, with Python's start |\n|---|---|")
    for statement in IMPORTS:
        print(f"| `{statement}` | {min(_seconds_to_run(statement) for _ in range(7)):.2f} |")


def _least(ways: Mapping[str, tuple[str, str]], first: Path, path: Path, rows: int) -> dict[str, list[float]]:
    """The least seconds, seconds of CPU and peak memory of each way to read a file."""
    runs: dict[str, list[list[float]]] = {name: [] for name in ways}
    for _ in range(REPEATS):  # one after the other, so that what else the machine does is shared
        for name, (imports, work) in ways.items():
            *figures, n_read = in_a_process(TIMED.format(imports=imports, work=work), str(first), str(path))
            assert n_read == rows, name
            runs[name].append(figures)
    return {name: [min(figures) for figures in zip(*found, strict=True)] for name, found in runs.items()}


def _seconds_to_run(statement: str) -> float:
    started = perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return perf_counter() - started


def _written_files(rows: int, folder: Path) -> Iterator[tuple[str, Path]]:
    """Each is removed when the next one is written."""
    rng = np.random.default_rng(0)
    numbers = pa.table({f"x{i}": rng.normal(size=rows).round(6) for i in range(COLUMNS)})
    words = np.array(["north", "south", "east", "west", "none of these"])
    mixed = {f"x{i}": rng.normal(size=rows).round(6) for i in range(COLUMNS // 2)}
    mixed |= {f"n{i}": rng.integers(0, 1000, rows) for i in range(COLUMNS // 4)}
    mixed |= {f"w{i}": words[rng.integers(0, len(words), rows)] for i in range(COLUMNS // 4)}
    path = folder / "table.csv"
    for title, table in (("numbers", numbers), ("mixed", pa.table(mixed))):
        pa.csv.write_csv(table, path)
        yield f"{title}, CSV", path
    path.unlink()
    pa.parquet.write_table(numbers, folder / "table.parquet")
    yield "numbers, Parquet", folder / "table.parquet"
    parts = folder / "parts"
    parts.mkdir()
    for number in range(FILES):
        pa.csv.write_csv(numbers.slice(number * rows // FILES, rows // FILES), parts / f"{number:02}.csv")
    yield f"numbers, {FILES} CSV files", parts


# Counting.


def counts(rows: int) -> None:
    """Seconds for the tables of all pairs of discrete columns, which must be the same."""
    rng = np.random.default_rng(0)
    codes = {f"x{i}": rng.integers(0, k, rows).astype(np.int8) for i, k in enumerate(CATEGORIES)}
    names = pa.array([f"category {i}" for i in range(max(CATEGORIES))])
    words = {name: names.take(pa.array(column)) for name, column in codes.items()}
    pairs = list(combinations(codes, 2))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "discrete.parquet")
        print("| columns | how | seconds |\n|---|---|---|")
        for kind, columns in (("whole numbers", codes), ("words", words)):
            pa.parquet.write_table(pa.table(columns), path)
            sidelight = _counted_here(path, pairs)
            for how, (seconds, found) in {**sidelight, **_counted_by_duckdb(path, pairs)}.items():
                assert found == next(iter(sidelight.values()))[1], how
                print(f"| {kind} | {how} | {seconds:.2f} |", flush=True)


Found = tuple[float, list[list[int]]]


def _counted_here(path: Path, pairs: list[tuple[str, str]]) -> dict[str, Found]:
    small = RowsHere(np.zeros((10, 2), dtype=np.int8), [2, 2])
    small.tables([[0, 1]])  # compiles
    read_table(path, columns=["x0"])  # imports
    started = perf_counter()
    table = read_table(path)
    read = perf_counter() - started
    coded = code_table(table)
    coding = perf_counter() - started - read
    found: dict[str, Found] = {}
    positions = [(coded.names.index(x), coded.names.index(y)) for x, y in pairs]
    started = perf_counter()
    tables = MarginalTables(RowsHere(coded.codes, coded.n_categories))
    kept = [tables.counts(pair).astype(int).tolist() for pair in positions]
    found["sidelight, groups of columns, rows in memory"] = (perf_counter() - started, kept)
    started = perf_counter()
    each = RowsHere(coded.codes, coded.n_categories).tables(positions)
    found["sidelight, each pair, rows in memory"] = (perf_counter() - started, [t.astype(int).tolist() for t in each])
    found["sidelight, reading before"], found["sidelight, coding before"] = (read, kept), (coding, kept)
    return found


def _counted_by_duckdb(path: Path, pairs: list[tuple[str, str]]) -> dict[str, Found]:
    connection = duckdb.connect()
    started = perf_counter()
    connection.execute(f"create table kept as from read_parquet('{path}')")
    loaded = perf_counter() - started
    found = {}
    for how, source in (("a table in memory", "kept"), ("the Parquet file", f"read_parquet('{path}')")):
        started = perf_counter()
        each = [_grouped(connection, source, x, y) for x, y in pairs]
        found[f"DuckDB, GROUP BY for each pair, {how}"] = (perf_counter() - started, each)
        started = perf_counter()
        together = _grouping_sets(connection, source, pairs)
        found[f"DuckDB, GROUPING SETS, {how}"] = (perf_counter() - started, together)
    found["DuckDB, loading the table before"] = (loaded, found["DuckDB, GROUP BY for each pair, a table in memory"][1])
    return found


def _grouped(connection: duckdb.DuckDBPyConnection, source: str, x: str, y: str) -> list[int]:
    query = f"select count(*) from {source} group by {x}, {y} order by {x}, {y}"
    return [row[0] for row in connection.execute(query).fetchall()]


def _grouping_sets(connection: duckdb.DuckDBPyConnection, source: str, pairs: list[tuple[str, str]]) -> list[list[int]]:
    names = sorted({name for pair in pairs for name in pair})
    sets, listed = ", ".join(f"({x}, {y})" for x, y in pairs), ", ".join(names)
    query = f"select grouping_id({listed}), {listed}, count(*) from {source} group by grouping sets ({sets})"
    tables: dict[int, list[tuple[int, ...]]] = {}
    for group, *cells, count in connection.execute(query).fetchall():
        tables.setdefault(group, []).append((*(cell for cell in cells if cell is not None), count))
    masks = [sum(1 << (len(names) - 1 - i) for i, name in enumerate(names) if name not in pair) for pair in pairs]
    return [[row[-1] for row in sorted(tables[mask])] for mask in masks]


# Size.


def size() -> None:
    """Megabytes of what is installed, as pip recorded it."""
    core = _with_requirements("sidelight") - {"sidelight"}
    sizes = {name: _bytes_of(distribution(name)) for name in core | set(OTHERS)}
    print("| package | MB |\n|---|---|")
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True)[:12]:
        print(f"| {name} | {sizes[name] / 1e6:.0f} |")
    total = sum(sizes[name] for name in core)
    print(f"| core as it is | {total / 1e6:.0f} |")
    print(f"| core without pyarrow | {(total - sizes['pyarrow']) / 1e6:.0f} |")
    print(f"| core with DuckDB too | {(total + sizes['duckdb']) / 1e6:.0f} |")
    in_place = total - sizes["pyarrow"] + sizes["duckdb"] + sizes["nanoarrow"]
    print(f"| core with DuckDB and nanoarrow in place of pyarrow | {in_place / 1e6:.0f} |")


def _with_requirements(name: str) -> set[str]:
    """A package and all that it requires, without extras."""
    known, waiting = set[str](), [name]
    while waiting:
        package = waiting.pop()
        if package in known:
            continue
        try:
            required = distribution(package).requires or []
        except PackageNotFoundError:  # for another platform
            continue
        known.add(package)
        names = (re.split(r"[ ;<>=!~\[(]", line, maxsplit=1)[0] for line in required if "extra ==" not in line)
        waiting += [name.lower().replace("_", "-") for name in names]
    return known


def _bytes_of(package: Distribution) -> int:
    paths = [Path(str(file.locate())) for file in package.files or ()]
    return sum(path.stat().st_size for path in paths if path.is_file())
