"""Files that are damaged, too large or not files at all: one clear message, and no more memory than there is."""

import gzip
import importlib.util
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import sidelight as sl
from sidelight.files import memory
from sidelight.sources import column_files, delimited
from sidelight.sources.rows import read_table

TOOL = importlib.util.spec_from_file_location("fuzz", Path(__file__).parents[2] / "tools" / "fuzz.py")
fuzz = sys.modules["fuzz"] = importlib.util.module_from_spec(TOOL)
TOOL.loader.exec_module(fuzz)

READERS = {
    ".csv": read_table,
    ".parquet": read_table,
    ".json": sl.read,
    ".gml": sl.read_graph,
    ".toml": sl.read_knowledge,
}


@pytest.mark.parametrize("seed", range(4))
def test_nothing_but_a_clear_error_comes_of_damaged_files(tmp_path, seed):
    for sound, content in fuzz.damaged_files(96, seed):
        path = tmp_path / sound.name
        path.write_bytes(content)
        assert fuzz.fault(sound, path) == ""


def test_the_files_that_are_damaged_can_be_read_when_they_are_not(tmp_path):
    for sound in fuzz.sound_files():
        path = tmp_path / sound.name
        path.write_bytes(sound.content)
        assert sound.read(path) is not None


def test_a_reader_that_hangs_or_crashes_is_noticed(monkeypatch):
    monkeypatch.setattr(fuzz, "SECONDS", 0.01)
    here, there = multiprocessing.Pipe()
    assert fuzz._answer(here) == fuzz.TOO_LONG
    there.close()
    assert fuzz._answer(here) == fuzz.CRASHED


def test_a_damaged_gzip_is_named(tmp_path):
    packed = gzip.compress(("a,b\n" + "".join(f"{i},{i * i % 97}\n" for i in range(3000))).encode())
    path = tmp_path / "t.csv.gz"
    for at in range(10, len(packed), 97):
        path.write_bytes(packed[:at] + bytes([packed[at] ^ 0xFF]) + packed[at + 1 :])
        with pytest.raises(sl.InputError, match=r"t\.csv\.gz"):
            read_table(path)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(sl.InputError, match=r"cannot read .*t.csv.gz': it is not a gzip file, or is damaged"):
        read_table(path)


def test_an_offset_beyond_the_end_of_an_arrow_file_is_noticed(tmp_path):
    path = tmp_path / "t.arrow"
    pa.feather.write_feather(pa.table({"text": ["abc", "de", "f"] * 50}), path, "uncompressed")
    content = path.read_bytes()
    offsets = np.array([0, 3, 5, 6], dtype="<i4").tobytes()
    at = content.index(offsets)
    path.write_bytes(content[:at] + np.array([0, 3, 60_000, 6], dtype="<i4").tobytes() + content[at + len(offsets) :])
    with pytest.raises(sl.InputError, match=r"cannot read .*t\.arrow"):
        read_table(path)


@pytest.mark.parametrize("suffix", READERS)
def test_what_is_no_file_is_named(tmp_path, suffix):
    read = READERS[suffix]
    loop, device = tmp_path / f"loop{suffix}", tmp_path / f"device{suffix}"
    loop.symlink_to(loop.name)
    device.symlink_to("/dev/full")
    for path, message in (
        (tmp_path / f"absent{suffix}", "there is no file"),
        (tmp_path / f"{'x' * 300}{suffix}", "File name too long"),
        (tmp_path / f"nul\0{suffix}", "the name of a file is needed"),
        (tmp_path / f"half \ud800{suffix}", "there is no file"),
        (loop, "Too many levels of symbolic links"),
        (device, "is a device, not a file"),
    ):
        with pytest.raises(sl.InputError, match=message):
            read(path)
    (tmp_path / f"folder{suffix}").mkdir()
    with pytest.raises(sl.InputError, match=r"is a folder, not a file|has no tables"):
        read(tmp_path / f"folder{suffix}")


def test_a_file_of_somebody_else_is_named(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")

    def denied(*arguments, **options):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", denied)
    for read in (read_table, sl.read_graph):
        with pytest.raises(sl.InputError, match=r"cannot read .*t.csv': Permission denied"):
            read(path)


def test_a_name_that_is_not_utf_8_can_be_read(tmp_path):
    for suffix, write in ((".parquet", pa.parquet.write_table), (".feather", pa.feather.write_feather)):
        write(pa.table({"a": [1, 2]}), tmp_path / f"t{suffix}")
        strange = os.fsencode(tmp_path) + b"/\xff" + suffix.encode()
        os.rename(tmp_path / f"t{suffix}", strange)
        assert read_table(Path(os.fsdecode(strange))).values.tolist() == [[1], [2]]
    with pytest.raises(sl.InputError, match="no user has that name"):
        read_table("~nobody-has-this-name/t.csv")


# Memory.


def bomb(tmp_path, kind):
    """A small file that is large when it is unpacked."""
    path = tmp_path / f"bomb.{kind}"
    if kind == "csv.gz":
        path.write_bytes(gzip.compress(b"a,b\n" + b"0,0\n" * 3_000_000, 1))
    elif kind == "json.gz":
        path.write_bytes(gzip.compress(b"[" * 10_000_000, 1))
    else:
        table = pa.table({"a": np.zeros(8_000_000), "b": np.zeros(8_000_000)})
        pa.parquet.write_table(table, path, compression="zstd")
    return path


@pytest.mark.parametrize("kind", ["csv.gz", "json.gz", "parquet"])
def test_what_does_not_fit_into_memory_is_refused_before_it_is_there(tmp_path, monkeypatch, kind):
    path = bomb(tmp_path, kind)
    assert path.stat().st_size < 1_000_000
    monkeypatch.setattr(memory, "most_memory", lambda: 50_000_000)
    read = sl.read_graph if kind == "json.gz" else read_table
    with pytest.raises(sl.InputError, match=r"reading .*bomb.* takes about \d+ MB of memory, and 50 MB can be used"):
        read(path)


def test_one_row_that_does_not_end_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n" + b"0" * 40_000_000, 1))
    monkeypatch.setattr(memory, "most_memory", lambda: 100_000_000)
    with pytest.raises(
        sl.InputError, match="of memory, and 100 MB can be used: read some of its columns with columns="
    ):
        read_table(path)


def test_fewer_columns_fit(tmp_path, monkeypatch):
    path = bomb(tmp_path, "parquet")
    monkeypatch.setattr(memory, "most_memory", lambda: 100_000_000)
    assert read_table(path, columns=["b"]).values.shape == (8_000_000, 1)


@pytest.mark.parametrize(("owner", "name"), [(delimited, "_parse"), (column_files, "open_bytes")])
def test_running_out_of_memory_is_a_message(tmp_path, monkeypatch, owner, name):
    pa.parquet.write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("a\n1\n")

    def fail(*arguments):
        raise MemoryError

    monkeypatch.setattr(owner, name, fail)
    path = tmp_path / ("t.csv" if owner is delimited else "t.parquet")
    with pytest.raises(sl.InputError, match=r"there is not enough memory to read .*t\..*: read some of its columns"):
        read_table(path)


def test_the_smallest_limit_counts(tmp_path, monkeypatch):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:  900 kB\nMemAvailable:     500 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", meminfo)
    monkeypatch.setattr(memory, "GROUPS", ((tmp_path, "max", "current", "inactive_file"),))
    monkeypatch.setattr(memory, "_of_process", lambda: iter(()))
    assert memory.most_memory() == 500 * 1024
    (tmp_path / "memory.stat").write_text("anon 7\ninactive_file 1000\n")
    (tmp_path / "current").write_text("61000\n")
    (tmp_path / "max").write_text("max\n")
    assert memory.most_memory() == 500 * 1024
    (tmp_path / "max").write_text("200000\n")
    assert memory.most_memory() == 140_000
    assert (memory.in_words(140_000_000), memory.in_words(3.2e9)) == ("140 MB", "3.2 GB")


STATUS = Path("/proc/self/status")
PEAK = """
import re, sys
from pathlib import Path
from sidelight.sources.rows import read_table

def peak():  # of this process alone: what getrusage says includes the process that started it
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024

path, warm = sys.argv[1:]
read_table(warm)
before = peak()
table = read_table(path)
print((peak() - before) / table.values.nbytes)
"""


@pytest.mark.skipif(not STATUS.exists(), reason="the system does not say how much memory was used")
def test_a_csv_takes_the_memory_of_its_table_and_of_a_block(tmp_path):
    values = np.random.default_rng(0).standard_normal((1_000_000, 10)).round(3)
    for n_rows, name in ((10, "small.csv"), (1_000_000, "large.csv")):
        pa.csv.write_csv(pa.table({f"v{i}": values[:n_rows, i] for i in range(10)}), tmp_path / name)
    command = [sys.executable, "-c", PEAK, str(tmp_path / "large.csv"), str(tmp_path / "small.csv")]
    taken = float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert taken * values.nbytes < values.nbytes + 200_000_000  # the whole text and its cells would be 320 MB more


GUIDED = importlib.util.spec_from_file_location("guided", Path(__file__).parents[2] / "tools" / "fuzz_coverage.py")
guided = importlib.util.module_from_spec(GUIDED)
GUIDED.loader.exec_module(guided)


@pytest.mark.parametrize("reader", guided.READERS)
def test_files_from_which_the_fuzzer_starts_are_read_and_used_or_refused(reader, tmp_path):
    contents = [path.read_bytes() for path in sorted((guided.CORPUS / reader).iterdir())]
    assert len(contents) > 1
    for content in contents:
        guided._read(guided.USED[reader], tmp_path / guided.READERS[reader], content, sl.InputError)
