"""One table, written in eleven ways, gives one result: in memory and in batches, also where rows hardly repeat."""

import gzip
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import sidelight as sl

LITTLE = "100kB"  # so little memory that every table below is read in batches
FILES = 3
SMALL_BATCH = 700  # rows


@cache
def table_of(kind):
    match kind:
        case "hardly repeated":
            return pa.Table.from_pandas(noisy_copies(6000, 12), preserve_index=False)
        case "discrete":
            return sl.simulate(sl.networks.load_discrete("asia"), 4000, seed=12).table
        case "mixed":
            return sl.simulate(sl.networks.load("asia"), 2500, kind="mixed", seed=12).table
        case _:
            return sl.simulate(sl.networks.load("asia"), 4000, kind="gaussian", seed=12).table


def noisy_copies(rows, columns):
    """Eight categories a column, each a noisy copy of an earlier one: 8¹² combinations, so that few rows are equal."""
    rng = np.random.default_rng(11)
    codes = rng.integers(0, 8, (rows, columns))
    for column in range(1, columns):
        same = rng.random(rows) < 0.1
        codes[same, column] = codes[same, (column - 1) // 2]
    return pd.DataFrame({f"c{i}": np.array(list("abcdefgh"))[codes[:, i]] for i in range(columns)})


@cache
def in_one_piece(kind):
    return facts(sl.learn(table_of(kind)))


def facts(net):
    return {
        "graph": (sorted(net.directed_edges), sorted(map(sorted, net.undirected_edges))),
        "score": pytest.approx(net.score, rel=1e-9),
        "rows": (net.n_rows, net.n_complete),
        "tests": (dict(net.tests_by_size), net.boundary_tests, net.check_tests),
        "types": [(column.name, column.type, n_categories(column), column.n_missing) for column in net.types],
        "certificate": (net.certificate.status, net.certificate.sentence),
        "warnings": [(warning.kind, warning.culprits) for warning in net.warnings if warning.kind != "batches"],
    }


def n_categories(column):
    """Different numbers are not counted in large tables."""
    return None if column.type == "number" else column.n_values


def parts(table):
    size = -(-table.num_rows // FILES)
    return [table.slice(start, size) for start in range(0, table.num_rows, size)]


def a_csv_file(table, folder):
    pa.csv.write_csv(table, folder / "table.csv")
    return folder / "table.csv"


def a_gzipped_csv_file(table, folder):
    path = folder / "table.csv.gz"
    path.write_bytes(gzip.compress(a_csv_file(table, folder).read_bytes()))
    return path


def a_parquet_file(table, folder):
    pq.write_table(table, folder / "table.parquet")
    return folder / "table.parquet"


def a_feather_file(table, folder):
    pa.feather.write_feather(table, folder / "table.feather")
    return folder / "table.feather"


def a_folder(table, folder):
    for number, part in enumerate(parts(table)):
        pq.write_table(part, folder / f"part-{number}.parquet")
    return folder


def a_folder_with_another_order_of_columns(table, folder):
    names = table.column_names
    for number, part in enumerate(parts(table)):  # the first file has the order of the table
        pa.csv.write_csv(part.select([*names[number:], *names[:number]]), folder / f"part-{number}.csv")
    return folder


def a_lazy_frame_of_polars(table, folder):
    return pl.from_arrow(table).lazy()


def a_relation_of_duckdb(table, folder):
    return pytest.importorskip("duckdb").from_arrow(table)


def a_dataset_of_arrow(table, folder):
    return pa.dataset.dataset(a_folder(table, folder))


def an_iterator_of_small_frames(table, folder):
    return (table.slice(start, SMALL_BATCH).to_pandas() for start in range(0, table.num_rows, SMALL_BATCH))


def a_frame_of_dask(table, folder):
    return pytest.importorskip("dask.dataframe").from_pandas(table.to_pandas(), npartitions=FILES)


WAYS = [
    a_csv_file,
    a_gzipped_csv_file,
    a_parquet_file,
    a_feather_file,
    a_folder,
    a_folder_with_another_order_of_columns,
    a_lazy_frame_of_polars,
    a_relation_of_duckdb,
    a_dataset_of_arrow,
    an_iterator_of_small_frames,
    a_frame_of_dask,
]


@pytest.mark.parametrize("kind", ["hardly repeated", "discrete", "gaussian", "mixed"])
@pytest.mark.parametrize("memory", [None, LITTLE], ids=["in memory", "in batches"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.replace("_", " "))
def test_a_table_gives_the_same_result_however_it_comes(tmp_path, kind, memory, way):
    assert facts(sl.learn(way(table_of(kind), tmp_path), memory=memory)) == in_one_piece(kind)


def test_nearly_all_rows_of_the_table_that_hardly_repeats_are_different():
    frame = table_of("hardly repeated").to_pandas()
    assert len(frame.drop_duplicates()) > 0.99 * len(frame)
    assert in_one_piece("hardly repeated")["graph"] != facts(sl.learn(frame.head(SMALL_BATCH)))["graph"]


def test_a_second_pass_over_an_iterator_sees_all_rows_with_their_weights():
    frame = table_of("hardly repeated").to_pandas()
    frame["w"] = 1 + (np.arange(len(frame)) % 100 == 1) - (np.arange(len(frame)) % 100 == 2)
    batches = (frame.iloc[start : start + SMALL_BATCH] for start in range(0, len(frame), SMALL_BATCH))
    assert facts(sl.learn(batches, weights="w", memory=LITTLE)) == facts(sl.learn(frame, weights="w"))
