"""Tables larger than memory: how long learning takes beside reading the file, under a hard limit of memory.

    python benchmarks/scale.py numbers [ROWS [FOLDER]]     a file of 20 columns of numbers, 100,000,000 rows by default
    python benchmarks/scale.py discrete [ROWS [FOLDER]]    20 columns of texts, 50,000,000 rows by default
    python benchmarks/scale.py agreement     the same table in memory and in batches: how far correlations differ
    python benchmarks/scale.py counting      discrete tables in memory: each question from the rows, or from groups

The Parquet file is written by ``sidelight simulate``; in a FOLDER it is kept, and used the next time. Reading and
learning each run in a process of their own that may have 2 GB of memory (RLIMIT_DATA: what is not a file's), one after
the other; the reader is pyarrow's, batch by batch. The truth is compared with the learned graph, and the graph of a
million rows learned in memory with that of the same rows in batches.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from time import process_time

import numpy as np
import pyarrow.parquet as pq

import sidelight as sl
from sidelight.families.discrete import test as contingency
from sidelight.options import Options
from sidelight.prepare import prepare
from sidelight.simulation import networks
from sidelight.simulation.tables import simulate

LIMIT = 2_000_000_000
ROWS = {"numbers": 100_000_000, "discrete": 50_000_000}
STRUCTURE = {"numbers": ["erdos-renyi", "--variables", "20"], "discrete": ["child", "--kind", "discrete"]}
SAMPLE = 1_000_000
COUNTED = (("child", 200_000), ("alarm", 300_000), ("hailfinder", 1_000_000), ("alarm", 1_000_000))
READ = """
import pyarrow.parquet as pq, sys
for batch in pq.ParquetFile(sys.argv[1], pre_buffer=False).iter_batches():
    pass
"""
LEARN = """
import json, sys
import sidelight as sl
from sidelight.output.formats import read
net, truth = sl.learn(sys.argv[1], memory="1GB"), read(sys.argv[2])
print(json.dumps({"f1": sl.compare(net, truth).skeleton.f1, "seconds": dict(net.seconds)}))
"""
TIMED = """
import json, resource, subprocess, sys, time
started = time.perf_counter()
done = subprocess.run([sys.executable, "-c", *sys.argv[1:]], stdout=subprocess.PIPE, text=True, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = {"wall": time.perf_counter() - started, "cpu": used.ru_utime + used.ru_stime}
print(json.dumps({**seconds, "peak": used.ru_maxrss * 1024, "out": done.stdout}))
"""


def limited(code: str, *arguments: str) -> dict[str, float | str]:
    """Run code in a process that has no more memory than the limit; what it took, and what it printed."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))

    command = [sys.executable, "-c", TIMED, code, *arguments]
    done = subprocess.run(command, preexec_fn=limit, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float | str] = json.loads(done.stdout)
    return found


def measure(kind: str, rows: int, kept: str | None) -> None:
    """Write, read and learn a file."""
    with nullcontext(kept) if kept else tempfile.TemporaryDirectory() as folder:
        path, truth = Path(folder, "large.parquet"), Path(folder, "truth.json")
        if not path.exists() or pq.ParquetFile(path).metadata.num_rows != rows:
            command = [sys.executable, "-m", "sidelight", "simulate", *STRUCTURE[kind], "--rows", str(rows)]
            subprocess.run([*command, "--out", str(path), "--truth", str(truth), "--quiet", "--force"], check=True)
        sl.learn(path, memory="1GB", columns=pq.ParquetFile(path).schema_arrow.names[:3])  # compiles what is missing
        read, learned = limited(READ, str(path)), limited(LEARN, str(path), str(truth))
        found = json.loads(str(learned["out"]))
        print("| rows | file | pyarrow reads it | sidelight learns | ratio | peak memory | F1 |")
        print("|---|---|---|---|---|---|---|")
        sizes = f"{rows:,} | {path.stat().st_size / 1e9:.1f} GB"
        times = f"{read['wall']:.0f} s ({read['cpu']:.0f} s of CPU) | {learned['wall']:.0f} s ({learned['cpu']:.0f} s)"
        ratio = float(learned["wall"]) / float(read["wall"])
        print(f"| {sizes} | {times} | {ratio:.1f} | {float(learned['peak']) / 1e9:.2f} GB | {found['f1']:.3f} |")
        print({phase: round(seconds, 1) for phase, seconds in found["seconds"].items()}, flush=True)
        _same_on_a_sample(path)


def _same_on_a_sample(path: Path) -> None:
    sample = path.with_name("sample.parquet")
    batches = pq.ParquetFile(path, pre_buffer=False).iter_batches(SAMPLE)
    first = next(batches)
    with pq.ParquetWriter(sample, first.schema) as writer:
        writer.write_batch(first)
    nets = [sl.learn(sample, memory=memory) for memory in (None, "20MB")]
    print(f"{first.num_rows:,} rows in memory and in batches: {_same(nets)} graph")


def _same(nets: list[sl.Network]) -> str:
    edges = [(set(net.directed_edges), set(map(frozenset, net.undirected_edges))) for net in nets]
    return "the same" if edges[0] == edges[1] else "another"


def agreement() -> None:
    """Correlations of one table in memory and in batches."""
    print("| table | largest difference of correlations |\n|---|---|")
    table = simulate(networks.load("alarm"), 200_000, "gaussian", seed=1).table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        for name, shift in (("alarm, 200,000 rows", 0.0), ("the same, means 10⁶ standard deviations from 0", 1e6)):
            columns = [column.to_numpy() * 1.0 for column in table.columns]
            moved = [column + shift * column.std() for column in columns]
            pq.write_table(type(table).from_arrays(moved, table.column_names), path)
            for kind in ("pearson", "normal-scores"):
                tests = [prepare(path, Options(memory=m, correlation=kind)).test for m in (None, "20MB")]
                difference = np.abs(tests[0].correlation.matrix - tests[1].correlation.matrix).max()
                print(f"| {name}, {kind} | {difference:.1e} |", flush=True)


def counting() -> None:
    """Seconds of CPU for learning, with a pass over the rows for each question, and with groups of columns."""
    print("| network | rows | from the rows | from groups of columns | graph |\n|---|---|---|---|---|")
    sl.learn(simulate(networks.load("asia"), 2000, "discrete", seed=1).table)  # compiles
    for name, rows in COUNTED:
        table = simulate(networks.load(name), rows, "discrete", seed=1).table
        seconds, nets = [], []
        for contingency.MANY_ROWS in (sys.maxsize, 1):
            started = process_time()
            nets.append(sl.learn(table))
            seconds.append(process_time() - started)
        print(f"| {name} | {rows:,} | {seconds[0]:.1f} s | {seconds[1]:.1f} s | {_same(nets)} |", flush=True)


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "agreement":
        agreement()
    elif what == "counting":
        counting()
    else:
        measure(what, int(sys.argv[2]) if len(sys.argv) > 2 else ROWS[what], sys.argv[3] if len(sys.argv) > 3 else None)
