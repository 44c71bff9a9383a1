"""Sources of batches that cannot be used: the file is named, and nothing is left behind."""

import errno
import os
import tempfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.files import memory as files_memory
from sidelight.sources import queries
from sidelight.sources.rows import open_source

FRAME = pd.DataFrame(np.random.default_rng(0).normal(size=(5000, 3)), columns=list("abc"))


def in_folder(folder, **frames):
    for name, frame in frames.items():
        frame.to_parquet(folder / f"{name}.parquet")
    return folder


@pytest.mark.parametrize("memory", [None, "100kB"])
def test_a_file_with_other_columns_is_named(tmp_path, memory):
    folder = in_folder(tmp_path, first=FRAME, second=FRAME.rename(columns={"c": "d"}))
    with pytest.raises(
        sl.InputError, match=r"second.parquet' lacks the column 'c' and has a column 'd', unlike .*first"
    ):
        sl.learn(folder, memory=memory)


@pytest.mark.parametrize("memory", [None, "100kB"])
def test_a_column_of_another_type_is_named(tmp_path, memory):
    folder = in_folder(tmp_path, first=FRAME, second=FRAME.assign(b="text"))
    with pytest.raises(sl.InputError, match="'b' has numbers in one part of the table and texts in another"):
        sl.learn(folder, memory=memory)


@pytest.mark.parametrize("memory", [None, "20kB"])
def test_a_file_in_which_a_column_has_no_value_goes_with_texts_and_numbers(tmp_path, memory):
    values = np.random.default_rng(0).normal(size=300)
    columns = {"x": values, "y": values**3, "t": ["a", "b", "c"] * 100}
    for number, empty in enumerate(["", "t", "y", "ty"]):
        table = {name: pa.nulls(300) if name in empty else column for name, column in columns.items()}
        pq.write_table(pa.table(table), tmp_path / f"{number}.parquet")
    net = sl.learn(tmp_path, missing="drop", memory=memory)
    assert net.n_complete == 300
    assert {column.name: column.n_missing for column in net.types} == {"x": 0, "y": 600, "t": 600}


@pytest.mark.parametrize("memory", [None, "100kB"])
def test_a_damaged_file_is_named(tmp_path, memory):
    folder = in_folder(tmp_path, first=FRAME, second=FRAME)
    whole = (folder / "second.parquet").read_bytes()
    (folder / "second.parquet").write_bytes(whole[:-100])
    with pytest.raises(sl.InputError, match=r"second\.parquet"):
        sl.learn(folder, memory=memory)


def test_a_file_that_changes_while_it_is_read_is_named(tmp_path):
    folder = in_folder(tmp_path, first=FRAME)
    batches = open_source(folder / "first.parquet").batches(["a"], (), 1000)
    next(batches)
    os.utime(folder / "first.parquet", ns=(1, 1))
    with pytest.raises(sl.InputError, match=r"first.parquet' changed while it was read"):
        list(batches)


def test_batches_of_an_iterator_must_agree():
    with pytest.raises(sl.InputError, match="batch 2 of the iterator does not fit the first"):
        sl.learn(iter([FRAME, FRAME[["a"]]]))
    with pytest.raises(sl.InputError, match="must give data frames or Arrow batches; got a int"):
        sl.learn(iter([3]))
    with pytest.raises(sl.InputError, match="gives no rows"):
        sl.learn(iter([]))


def test_files_that_are_no_tables_are_passed_over(tmp_path):
    folder = in_folder(tmp_path, first=FRAME)
    (folder / "_SUCCESS").touch()
    (folder / "README.md").write_text("about")
    (folder / ".hidden.parquet").write_text("about")
    assert sl.diagnose(folder).n_rows == len(FRAME)


def test_a_disk_without_room_is_an_error_that_leaves_nothing(tmp_path, monkeypatch):
    def full(descriptor, offset, length):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(sl.InputError, match="no room for them on disk"):
        files_memory.empty((1000, 1000), np.float64, in_memory=10)
    assert not list(tmp_path.iterdir())


def test_arrays_on_disk_have_no_name_and_keep_what_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    array = files_memory.empty((500, 3), np.float64, in_memory=10)
    array[...] = 7.5
    assert isinstance(array, np.memmap)
    assert not list(tmp_path.iterdir())
    assert (array == 7.5).all()
    assert not isinstance(files_memory.empty((5, 3), np.float64, in_memory=1000), np.memmap)


@pytest.mark.parametrize(
    ("given", "expected"), [("4GB", 4e9), ("1.5 MB", 1.5e6), ("64", 64), (10**6, 10**6), ("2gib", 2e9)]
)
def test_sizes_are_read(given, expected):
    assert files_memory.memory_for(given) == expected


def test_a_parquet_file_is_never_held_as_a_whole(tmp_path):
    path = tmp_path / "large.parquet"
    pq.write_table(
        pa.table({name: np.random.default_rng(1).normal(size=400_000) for name in "abcd"}), path, row_group_size=20_000
    )
    before = pa.total_allocated_bytes()
    for _ in open_source(path).batches(["a", "b"], (), 5000):
        assert pa.total_allocated_bytes() - before < 4_000_000


def test_no_file_of_a_folder_stays_open(tmp_path):
    folder = in_folder(tmp_path, first=FRAME, second=FRAME)
    pa.feather.write_feather(pa.Table.from_pandas(FRAME), folder / "third.feather")
    before = len(os.listdir("/proc/self/fd"))
    batches = open_source(folder)
    assert len(os.listdir("/proc/self/fd")) == before
    assert sum(batch.num_rows for batch in batches.batches(["a"], (), 500)) == 3 * len(FRAME)


@pytest.mark.parametrize("weights", [None, "w"])
def test_a_pass_that_sees_fewer_rows_than_the_first_is_refused(weights):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 9, size=(6000, 6)), columns=list("abcdef")).assign(w=1)
    runs = []

    def shrinking(chosen, at_once):
        runs.append(None)
        return [frame[chosen] if len(runs) <= 2 else frame[chosen].head(4000)]  # held, surveyed, counted

    source = queries.Query("the query", tuple(frame.columns), shrinking)
    with pytest.raises(sl.InputError, match="had 6000 rows when it was first read, and now has 4000"):
        sl.learn(source, memory="10kB", weights=weights, test="chi2-moments", drop=[] if weights else ["w"])
