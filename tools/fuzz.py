"""Damage files of every kind that sidelight reads, and read them: nothing but an ``InputError`` may come of it.

    python tools/fuzz.py [NUMBER OF FILES] [SEED]

Each file has five seconds. Files are read in a process of their own, so that a crash of it is noticed too; those that
fail are kept in build/fuzz.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

import sidelight as sl
from sidelight.output import formats
from sidelight.simulation.bif import read_bif, render_bif
from sidelight.sources.rows import read_table

SECONDS = 5.0
KEPT = Path("build/fuzz")
SPLICES = [bytes([byte]) for byte in b'\x00\xff"\n\r,;\t[]{}()|#\\<>']
SPLICES += [b"-1", b"9" * 400, b"1e999", b"nan", b"null", b"\x1b[2J", "\u202e".encode(), b"/*", b"//", b"&a;"]


@dataclass(frozen=True)
class Sound:
    """A file that is read without an error, and what reads it."""

    name: str
    content: bytes
    read: Callable[[Path], object]


def sound_files() -> list[Sound]:
    """One small file of every kind."""
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal((60, 4)).round(3)
    group, flag = rng.choice(["red", "green", "blue"], 60), rng.random(60) < 0.5
    table = pa.table({**{f"v{i}": numbers[:, i] for i in range(4)}, "group": group, "flag": flag})
    text = _csv(table, ",")
    dag = nx.DiGraph([("a", "b"), ("c", "b"), ("b", "d")])
    net = sl.learn(sl.DSeparation(dag))
    return [
        Sound("t.csv", text, read_table),
        Sound("t.tsv", _csv(table, "\t"), read_table),
        Sound("t.txt", _csv(table, " "), read_table),
        Sound("t.csv.gz", gzip.compress(text, mtime=0), read_table),
        Sound("t.parquet", _binary(lambda path: pa.parquet.write_table(table, path)), read_table),
        Sound("t.feather", _binary(lambda path: pa.feather.write_feather(table, path)), read_table),
        Sound("t.arrow", _binary(lambda path: pa.feather.write_feather(table, path, "uncompressed")), read_table),
        Sound("n.json", _written(net, ".json"), sl.read),
        Sound("g.json", _written(dag, ".json"), sl.read_graph),
        Sound("n.json.gz", gzip.compress(_written(net, ".json"), mtime=0), formats.read),
        Sound("g.gml", _written(net, ".gml"), sl.read_graph),
        Sound("g.graphml", _written(net, ".graphml"), sl.read_graph),
        Sound("g.csv", _written(net, ".csv"), sl.read_graph),
        Sound("m.bif", render_bif(sl.networks.load_discrete("asia")).encode(), read_bif),
        Sound("k.toml", TOML, sl.read_knowledge),
        Sound("k.txt", TETRAD, sl.read_knowledge),
    ]


TOML = b"""side = ["diamond-free"]
required = [["smoking", "cancer"]]
not_adjacent = [["lab_*", "lab_*"]]
order = [["a", "b", "c"]]

[tiers]
names = [["age", "sex"], ["smoking"]]
isolated = true

[[part]]
arrows = [["a", "b"]]
"""
TETRAD = b"""/knowledge
addtemporal
1* age sex
2- smoking

forbiddirect
smoking age

requiredgroup
smoking "two words"
cancer
"""


def _csv(table: pa.Table, delimiter: str) -> bytes:
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return "\n".join(delimiter.join(map(str, row)) for row in [table.column_names, *rows]).encode() + b"\n"


def _binary(write: Callable[[Path], object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write(path)
        return path.read_bytes()


def _written(graph: object, suffix: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        formats.write(graph, path)
        return path.read_bytes()


def damaged(sound: Sound, rng: np.random.Generator) -> bytes:
    """The content with a few random changes; of a gzip'd file, at times of what it holds."""
    if sound.name.endswith(".gz") and rng.random() < 0.5:
        return gzip.compress(_changed(gzip.decompress(sound.content), rng), mtime=0)
    return _changed(sound.content, rng)


def _changed(content: bytes, rng: np.random.Generator) -> bytes:
    for _ in range(int(rng.integers(1, 6))):
        at, length = int(rng.integers(len(content) + 1)), int(rng.integers(1, 40))
        match int(rng.integers(6)):
            case 0:
                content = content[:at] + bytes([int(rng.integers(256))]) + content[at + 1 :]
            case 1:
                content = content[:at] + content[at + length :]
            case 2:
                content = content[:at]
            case 3:
                content = content[:at] + content[at : at + length] * int(rng.integers(2, 60)) + content[at:]
            case 4:
                splice = SPLICES[int(rng.integers(len(SPLICES)))]
                content = content[:at] + splice * int(rng.choice([1, 2, 500])) + content[at:]
            case 5:
                other = int(rng.integers(len(content) + 1))
                content = content[:at] + content[other : other + length] + content[at + length :]
    return content


def fault(sound: Sound, path: Path) -> str:
    """What reading the file raised other than an ``InputError``; empty if nothing."""
    try:
        sound.read(path)
    except sl.InputError:
        return ""
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return ""


def damaged_files(count: int, seed: int) -> Iterator[tuple[Sound, bytes]]:
    """So many files, the kinds in turn; the same seed gives the same files."""
    kinds, rng = sound_files(), np.random.default_rng(seed)
    for number in range(count):
        sound = kinds[number % len(kinds)]
        yield sound, damaged(sound, rng)


def _worker(pipe: Connection) -> None:
    kinds = {sound.name: sound for sound in sound_files()}
    while True:
        name, path = pipe.recv()
        pipe.send(fault(kinds[name], path))


def run(count: int, seed: int) -> list[str]:
    """Read so many damaged files, each within five seconds; what went wrong, by file."""
    faults = []
    context = multiprocessing.get_context("spawn")
    worker, pipe = _started(context)
    with tempfile.TemporaryDirectory() as folder:
        for number, (sound, content) in enumerate(damaged_files(count, seed)):
            path = Path(folder) / sound.name
            path.write_bytes(content)
            pipe.send((sound.name, path))
            found = _answer(pipe)
            if found:
                faults.append(_kept(path, f"{seed}-{number}-{sound.name}", found))
            if found in (TOO_LONG, CRASHED):
                worker.kill()
                worker, pipe = _started(context)
    worker.kill()
    return faults


TOO_LONG, CRASHED = f"no answer within {SECONDS:g} s", "the process crashed"


def _started(context: multiprocessing.context.SpawnContext) -> tuple[multiprocessing.process.BaseProcess, Connection]:
    """A process that reads files, ready to do so."""
    here, there = context.Pipe()
    worker = context.Process(target=_worker, args=(there,), daemon=True)
    worker.start()
    there.close()
    sound = sound_files()[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / sound.name
        path.write_bytes(sound.content)
        here.send((sound.name, path))
        here.recv()  # imports are not counted
    return worker, here


def _answer(pipe: Connection) -> str:
    try:
        return str(pipe.recv()) if pipe.poll(SECONDS) else TOO_LONG
    except (EOFError, ConnectionError):
        return CRASHED


def _kept(path: Path, name: str, found: str) -> str:
    KEPT.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, KEPT / name)
    return f"{KEPT / name}: {found}"


if __name__ == "__main__":
    count, seed = (int(text) for text in (*sys.argv[1:], *("10000", "0")[len(sys.argv) - 1 :]))
    faults = run(count, seed)
    print("\n".join(faults))
    print(json.dumps({"files": count, "seed": seed, "faults": len(faults)}))
    sys.exit(bool(faults))
