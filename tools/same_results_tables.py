"""The tables of ``same_results.py``, by group: simulated and real ones, and three of them from every kind of source."""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet

import sidelight as sl

LITTLE = "100kB"  # so little memory that the tables are read in batches
BATCH = 700  # rows of a frame that an iterator gives
KINDS = ("gaussian", "discrete", "mixed")


@dataclass(frozen=True)
class Case:
    """A table, and the options that it is learned with; the source is made in an empty folder when it is needed."""

    group: str
    name: str
    source: Callable[[Path], object]
    options: Mapping[str, Any] = field(default_factory=dict)


def cases() -> Iterator[Case]:
    """All tables in a fixed order; those with a cluster last, since all Dask frames are computed there once it is."""
    groups = (numbers, discrete, mixed, ordinal, missing, weights, knowledge, learners, broken, real, sources, dask)
    for group in groups:
        yield from group()


def case(group: str, name: str, table: object, **options: Any) -> Case:
    """A table that is in memory already."""
    return Case(group, f"{group}: {name}", lambda folder: table, options)


@cache
def simulated(network: str, rows: int, kind: str = "gaussian", seed: int = 1, share: float = 0.5) -> pa.Table:
    """Rows over a bundled structure; discrete ones from its own probabilities, where it has them."""
    own = kind == "discrete" and network in sl.networks.with_tables()
    structure = sl.networks.load_discrete(network) if own else sl.networks.load(network)
    return sl.simulate(structure, rows, kind=kind, seed=seed, share=share).table


def frame(network: str, rows: int, kind: str = "gaussian", seed: int = 1) -> pd.DataFrame:
    """The same as a data frame of pandas that may be changed."""
    return simulated(network, rows, kind, seed).to_pandas()


# Simulated tables in memory.


def numbers() -> Iterator[Case]:
    """Gaussian tables, some with fewer rows than columns, and some whose margins are far from Gaussian."""
    for network in ("asia", "sachs", "child", "insurance", "alarm"):
        for rows in (30, 200, 1000, 5000):
            yield case("numbers", f"{network}, {rows} rows", simulated(network, rows))
    for margin, function in {"exp": np.exp, "cube": lambda x: x**3, "ranks": lambda x: x.rank()}.items():
        for network in ("sachs", "child"):
            yield case("numbers", f"{network}, {margin}", function(frame(network, 800)))
    some = frame("child", 500)
    yield case("numbers", "single precision", some.astype(np.float32))
    yield case("numbers", "normal scores", some, correlation="normal-scores")
    yield case("numbers", "pearson on skewed margins", np.exp(some), correlation="pearson")
    yield case("numbers", "some columns", some, columns=list(some.columns[3:12]), alpha=0.05)
    yield case("numbers", "no edges", np.random.default_rng(0).normal(size=(200, 6)))


def discrete() -> Iterator[Case]:
    """Categories as strings, numbers and truth values."""
    for network in ("asia", "cancer", "earthquake", "survey", "sachs", "child", "insurance", "alarm"):
        for rows in (300, 3000):
            yield case("discrete", f"{network}, {rows} rows", simulated(network, rows, "discrete"))
    some = frame("asia", 2000, "discrete")
    yield case("discrete", "truth values", some == "yes")
    yield case("discrete", "codes", (some == "yes").astype(int))
    yield case("discrete", "codes as fractions", (some == "yes").astype(float))
    yield case("discrete", "category type", some.astype("category"))
    yield case("discrete", "discrete=", (frame("sachs", 1000, "discrete").apply(coded)), discrete=["Akt", "Erk", "Jnk"])
    for test in ("g2", "chi2", "chi2-moments"):
        yield case("discrete", f"test={test}", frame("sachs", 1500, "discrete"), test=test)
    yield case("discrete", "hardly repeated", hardly_repeated())


def coded(column: pd.Series[Any]) -> pd.Series[Any]:
    """Categories as whole numbers, in the order of their names."""
    return pd.Series(np.unique(column, return_inverse=True)[1], name=column.name)


@cache
def hardly_repeated(rows: int = 4000) -> pd.DataFrame:
    """Twelve columns of eight categories, each a noisy copy of an earlier one: nearly all rows are different."""
    rng = np.random.default_rng(11)
    codes = rng.integers(0, 8, (rows, 12))
    for column in range(1, 12):
        same = rng.random(rows) < 0.4
        codes[same, column] = codes[same, (column - 1) // 2]
    return pd.DataFrame({f"c{i}": np.array(list("abcdefgh"))[codes[:, i]] for i in range(12)})


def mixed() -> Iterator[Case]:
    """Numbers and categories together."""
    for network in ("asia", "sachs", "child"):
        for rows in (300, 1500):
            for share in (0.3, 0.7):
                table = simulated(network, rows, "mixed", share=share)
                yield case("mixed", f"{network}, {rows} rows, share {share}", table)


def ordinal() -> Iterator[Case]:
    """Ordered categories, by option and by type."""
    some = frame("sachs", 1200)
    cut = some.assign(**{name: pd.cut(some[name], 4, labels=False) for name in some.columns[:5]})
    words = ("low", "middle", "high")
    named = some.assign(**{name: pd.qcut(some[name], 3, labels=words).astype(str) for name in some.columns[2:6]})
    said = dict.fromkeys(cut.columns[:5], "ordinal")
    typed = named.astype({name: pd.CategoricalDtype(words, ordered=True) for name in named.columns[2:6]})
    yield case("ordinal", "numbers and ordered codes", cut, types=said)
    yield case("ordinal", "all ordered", cut.iloc[:, :5], types=said)
    yield case("ordinal", "ordered words", named, types=dict.fromkeys(named.columns[2:6], words))
    yield case("ordinal", "ordered words as an option in words", named, types=f"{named.columns[2]}=low<middle<high")
    yield case("ordinal", "pandas' ordered type", typed)
    yield case("ordinal", "polars' enumeration", pl.from_pandas(named).cast({named.columns[3]: pl.Enum(words)}))
    yield case("ordinal", "ordered codes, fisher-z", cut, types=said, test="fisher-z")
    yield case("ordinal", "ordered and unordered", cut, types={**said, cut.columns[0]: "category"})
    yield case("ordinal", "ignored", cut, types={cut.columns[0]: "ignore", cut.columns[1]: "number"})
    yield case("ordinal", "words without an order", named, types={named.columns[2]: "ordinal"})


def with_gaps(table: pd.DataFrame, share: float, seed: int = 3) -> pd.DataFrame:
    """The table with some cells missing completely at random."""
    return table.mask(np.random.default_rng(seed).random(table.shape) < share)


def missing() -> Iterator[Case]:
    """Missing values, and what may be done about them."""
    for share in (0.02, 0.1):
        for how in ("error", "drop", "pairwise", "em"):
            yield case("missing", f"numbers, {share}, {how}", with_gaps(frame("sachs", 800), share), missing=how)
        for how in ("drop", "pairwise"):
            table = with_gaps(frame("asia", 1500, "discrete"), share)
            yield case("missing", f"discrete, {share}, {how}", table, missing=how)
            table = with_gaps(frame("asia", 800, "mixed"), share)
            yield case("missing", f"mixed, {share}, {how}", table, missing=how)
    for seed in range(4):
        wide = pd.DataFrame(np.random.default_rng(seed).normal(size=(60, 40))).add_prefix("v")
        for how in ("pairwise", "em"):
            yield case("missing", f"60 × 40, seed {seed}, {how}", with_gaps(wide, 0.1, seed), missing=how)
    marked = with_gaps(frame("sachs", 800), 0.03).fillna(-999)
    marks = dict.fromkeys(marked.columns, -999)
    yield case("missing", "missing_values", marked, missing="drop", missing_values=marks)
    infinite = frame("sachs", 500)
    infinite.iloc[7, 2] = np.inf
    yield case("missing", "infinite", infinite)
    yield case("missing", "infinite, drop", infinite, missing="drop")


def weights() -> Iterator[Case]:
    """Frequency weights and survey weights, as a column and as an array."""
    rng = np.random.default_rng(4)
    for kind in KINDS:
        table = frame("asia", 1200, kind)
        counts, shares = rng.integers(0, 4, len(table)), rng.uniform(0.2, 3, len(table))
        yield case("weights", f"{kind}, frequencies", table.assign(w=counts), weights="w")
        yield case("weights", f"{kind}, survey", table.assign(w=shares), weights="w")
        yield case("weights", f"{kind}, array of frequencies", table, weights=counts)
        yield case("weights", f"{kind}, array of survey weights", table, weights=shares)
        gaps = with_gaps(table, 0.03).assign(w=counts)
        yield case("weights", f"{kind}, frequencies, rows left out", gaps, weights="w", missing="drop")
    for how in ("pairwise", "em"):
        gaps = with_gaps(frame("asia", 1200), 0.05).assign(w=rng.uniform(0.2, 3, 1200))
        yield case("weights", f"gaussian, survey, {how}", gaps, weights="w", missing=how)
    yield case("weights", "negative", frame("asia", 300).assign(w=-1.0), weights="w")


def knowledge() -> Iterator[Case]:
    """Bounds and statements, right and wrong ones."""
    known = {
        "diamond-free": sl.DiamondFree(),
        "clique number 3": sl.CliqueNumber(3),
        "clique number 2": "clique:2",
        "treewidth": sl.Treewidth(2),
        "vertex cover": sl.VertexCover(4),
        "in-degree": sl.MaxInDegree(2),
        "required": sl.Required(("smoke", "lung")),
        "required, wrongly": sl.Required(("xray", "asia")),
        "forbidden": sl.Forbidden(("lung", "smoke"), ("either", "tub")),
        "edges": sl.Edge(("tub", "either")) & sl.NoEdge(("asia", "smoke")),
        "tiers": sl.Tiers(["asia", "smoke"], ["tub", "lung", "bronc", "either"], ["xray", "dysp"]),
        "roots and leaves": sl.Roots("asia", "smoke") & sl.Leaves("xray", "dysp"),
        "ancestors": sl.Ancestor(("smoke", "dysp")) & sl.NotAncestor(("xray", "tub")),
        "order": sl.Order("asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"),
        "part": sl.Part([("asia", "tub"), ("tub", "either")]),
        "a bound and a statement": sl.CliqueNumber(3) & sl.Required(("smoke", "lung")),
        "contradictions": sl.Required(("smoke", "lung")) & sl.Forbidden(("smoke", "lung")),
    }
    for name, side in known.items():
        yield case("knowledge", f"{name}, numbers", simulated("asia", 1000), side=side)
    for name in ("clique number 3", "required", "required, wrongly", "tiers", "order"):
        yield case("knowledge", f"{name}, discrete", simulated("asia", 2000, "discrete"), side=known[name])
    yield case("knowledge", "tiers, rsl", simulated("asia", 1000), side=known["tiers"], learner="rsl")
    yield case("knowledge", "diamond-free, rsl", simulated("asia", 1000), side=known["diamond-free"], learner="rsl")


def learners() -> Iterator[Case]:
    """All learners, variants, boundaries, scores and limits."""
    for learner in ("rsl", "hybrid", "marvel", "pc", "pc-stable", "gs", "cs", "mmpc", "hpc"):
        yield case("learners", f"{learner}, numbers", simulated("sachs", 1000), learner=learner)
        yield case("learners", f"{learner}, discrete", simulated("asia", 2000, "discrete"), learner=learner)
    for variant in ("paper", "published"):
        yield case("learners", f"rsl, {variant}", simulated("sachs", 1000), learner="rsl", variant=variant)
    for boundaries in ("tc", "iamb", "inter-iamb", "fast-iamb", "gs"):
        yield case("learners", f"boundaries, {boundaries}", simulated("child", 800), boundaries=boundaries)
    for score in ("bic", "bdeu", "qnml"):
        yield case("learners", f"score {score}", simulated("asia", 1000, "discrete"), score=score)
    yield case("learners", "penalty", simulated("sachs", 1000), penalty=2)
    yield case("learners", "max_tests", simulated("child", 1000), learner="rsl", max_tests=50)
    yield case("learners", "max_conditioning", simulated("child", 1000), learner="pc-stable", max_conditioning=1)
    yield case("learners", "refuted, report", simulated("child", 300), learner="rsl", refuted="report")


def broken() -> Iterator[Case]:
    """Tables that something is wrong with, as they are and with all remedies."""
    rng = np.random.default_rng(5)
    good = frame("sachs", 600)
    total = good.assign(total=good["Akt"] + good["Erk"] + good["Jnk"])
    groups = pd.get_dummies(pd.Series(rng.integers(0, 3, len(good)))).astype(int).add_prefix("group")
    dates = pd.date_range("2020-01-01", periods=len(good))
    tables = {
        "constant": good.assign(constant=1.0, same="yes"),
        "copies": good.assign(copy=good["Akt"], scaled=2 * good["Erk"] + 1),
        "sums": total,
        "indicators": pd.concat([good, groups], axis=1),
        "sentinels": good.mask(rng.random(good.shape) < 0.03, -999.0),
        "identifiers": good.assign(id=np.arange(len(good)), name=[f"person {i}" for i in range(len(good))]),
        "dates": good.assign(when=dates),
        "dates as strings": good.assign(when=dates.strftime("%Y-%m-%d")),
        "few rows": good.head(12),
        "outlier": good.assign(Akt=good["Akt"].where(good.index != 5, 1e9)),
        "repeated rows": pd.concat([good.head(300)] * 2, ignore_index=True),
        "one category each": good.assign(text=[f"t{i}" for i in rng.integers(0, 400, len(good))]),
        "all at once": total.assign(constant=1.0, copy=good["Erk"], id=np.arange(len(good)), when=dates),
        "gaps": with_gaps(good, 0.05),
        "discrete copies": frame("asia", 1000, "discrete").assign(copy=lambda table: table["xray"], k="one"),
        "numbers in strings": good.assign(Akt=[f"{value:.2f}".replace(".", ",") for value in good["Akt"]]),
    }
    for name, table in tables.items():
        yield case("fix", f"{name}, as it is", table)
        yield case("fix", name, table, fix=True)


# Real tables.


def real() -> Iterator[Case]:
    """The bundled examples, and the tables that come with scikit-learn and statsmodels."""
    for name in ("penguins", "newborns"):
        yield case("real", name, example(name), missing="drop")
        yield case("real", f"{name}, fixed", example(name), fix=True)
    if find_spec("sklearn"):
        from sklearn import datasets

        for name in ("iris", "wine", "breast_cancer", "diabetes", "linnerud"):
            table = getattr(datasets, f"load_{name}")(as_frame=True).frame
            yield case("real", f"scikit-learn, {name}", table)
            yield case("real", f"scikit-learn, {name}, fixed", table, fix=True)
    folder = package_folder("statsmodels")
    for path in sorted(folder.glob("datasets/*/*.csv")) if folder else ():
        title = f"statsmodels, {path.parent.name}/{path.stem}"
        yield Case("real", f"real: {title}, fixed", partial(first_lines, path), {"fix": True, "missing": "drop"})


def first_lines(path: Path, folder: Path, lines: int = 3000) -> Path:
    """A file with the first lines of another."""
    target = folder / path.name
    target.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))
    return target


def example(name: str) -> Path:
    """A bundled table, wherever the package has the function."""
    for module in ("data", "tables", "sources", "simulation"):
        if find_spec(f"sidelight.{module}"):
            found = getattr(importlib.import_module(f"sidelight.{module}"), "example", None)
            if found is not None:
                return Path(found(name))
    return next(path for path in Path(sl.__file__).parent.rglob(f"{name}.csv"))


def package_folder(name: str) -> Path | None:
    """Where a package is installed, if it is."""
    found = find_spec(name)
    return None if found is None or found.origin is None else Path(found.origin).parent


# The same tables from every kind of source.


def as_csv(table: pa.Table, folder: Path) -> Path:
    """A CSV file."""
    pa.csv.write_csv(table, folder / "table.csv")
    return folder / "table.csv"


def as_gzip(table: pa.Table, folder: Path) -> Path:
    """A CSV file, compressed."""
    path = folder / "table.csv.gz"
    path.write_bytes(gzip.compress(as_csv(table, folder).read_bytes()))
    return path


def as_parquet(table: pa.Table, folder: Path) -> Path:
    """A Parquet file."""
    pa.parquet.write_table(table, folder / "table.parquet")
    return folder / "table.parquet"


def as_feather(table: pa.Table, folder: Path) -> Path:
    """A Feather file."""
    pa.feather.write_feather(table, folder / "table.feather")
    return folder / "table.feather"


def as_folder(table: pa.Table, folder: Path) -> Path:
    """Three Parquet files."""
    (within := folder / "files").mkdir()
    for number, part in enumerate(parts(table)):
        pa.parquet.write_table(part, within / f"part-{number}.parquet")
    return within


def as_reordered_folder(table: pa.Table, folder: Path) -> Path:
    """Three CSV files, each with its columns in another order; those of the first file are as in the table."""
    (within := folder / "files").mkdir()
    for number, part in enumerate(parts(table)):
        names = [*table.column_names[number:], *table.column_names[:number]]
        pa.csv.write_csv(part.select(names), within / f"part-{number}.csv")
    return within


def parts(table: pa.Table, count: int = 3) -> list[pa.Table]:
    """The table in parts of about the same size."""
    size = -(-table.num_rows // count)
    return [table.slice(start, size) for start in range(0, table.num_rows, size)]


def as_relation(table: pa.Table, folder: Path) -> object:
    """A relation of DuckDB."""
    import duckdb

    return duckdb.from_arrow(table)


def as_array(table: pa.Table, folder: Path) -> object:
    """An array without names."""
    return table.to_pandas().to_numpy()


def as_dataset(table: pa.Table, folder: Path) -> object:
    """A dataset of Arrow over three files."""
    return pa.dataset.dataset(as_folder(table, folder))


def as_iterator(table: pa.Table, folder: Path) -> object:
    """Small frames of pandas, one after the other."""
    return (table.slice(start, BATCH).to_pandas() for start in range(0, table.num_rows, BATCH))


IN_MEMORY = {
    "pandas": lambda table, folder: table.to_pandas(),
    "polars": lambda table, folder: pl.from_arrow(table),
    "Arrow": lambda table, folder: table,
    "array": as_array,
}
IN_BATCHES = {
    "CSV": as_csv,
    "gzip": as_gzip,
    "Parquet": as_parquet,
    "Feather": as_feather,
    "folder": as_folder,
    "folder, another order": as_reordered_folder,
    "polars, lazy": lambda table, folder: pl.from_arrow(table).lazy(),
    "DuckDB": as_relation,
    "dataset": as_dataset,
    "iterator": as_iterator,
    "reader": lambda table, folder: table.to_reader(max_chunksize=BATCH),
}


def tables_from_sources() -> dict[str, pa.Table]:
    """The tables that are learned from in every way."""
    simple = {kind: simulated("asia", 1500 if kind == "mixed" else 3000, kind, seed=6) for kind in KINDS}
    return {**simple, "hardly repeated": pa.Table.from_pandas(hardly_repeated(), preserve_index=False)}


def sources() -> Iterator[Case]:
    """Every source in memory, and those that can be read in batches with little memory, too."""
    for title, table in tables_from_sources().items():
        for name, make in {**IN_MEMORY, **IN_BATCHES}.items():
            yield Case("in memory", f"in memory: {title}, {name}", partial(make, table))
        for name, make in IN_BATCHES.items():
            yield Case("in batches", f"in batches: {title}, {name}", partial(make, table), {"memory": LITTLE})


def as_dask(table: pa.Table, folder: Path) -> object:
    """A data frame of Dask in three partitions."""
    import dask.dataframe as dd

    return dd.from_pandas(table.to_pandas(), npartitions=3)


def dask() -> Iterator[Case]:
    """Data frames of Dask without a cluster, then with one; there also a folder that the workers read."""
    if not find_spec("distributed"):
        return
    yield from on_dask("threads")
    from distributed import Client, LocalCluster

    cluster = LocalCluster(1, threads_per_worker=2, processes=False, dashboard_address=None)
    with cluster, Client(cluster) as client:
        yield from on_dask("cluster")
        for title, table in tables_from_sources().items():
            options = {"dask": client}
            yield Case("dask", f"dask: {title}, folder", partial(as_folder, table), options)
            yield Case("dask", f"dask: {title}, folder, another order", partial(as_reordered_folder, table), options)


def on_dask(where: str) -> Iterator[Case]:
    """Frames of all kinds; and with gaps and weights."""
    for title, table in tables_from_sources().items():
        yield Case("dask", f"dask: {title}, {where}", partial(as_dask, table))
    gaps = pa.Table.from_pandas(with_gaps(frame("asia", 1500), 0.02), preserve_index=False)
    yield Case("dask", f"dask: gaps, {where}", partial(as_dask, gaps), {"missing": "drop"})
    weighted = frame("asia", 1500, "discrete").assign(w=np.random.default_rng(7).integers(0, 4, 1500))
    yield Case("dask", f"dask: weights, {where}", partial(as_dask, pa.Table.from_pandas(weighted)), {"weights": "w"})
