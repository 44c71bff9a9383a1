"""Is learning as quick as with an earlier version? Seconds of the processor of both, their runs taking turns.

    git worktree add ../earlier 46bc3c0
    python benchmarks/versions.py ../earlier/src limit 1000       the columns of G(n, n^-0.72), 50 rows for each
    python benchmarks/versions.py ../earlier/src growth 1000      random DAGs, two rows for each column
    python benchmarks/versions.py ../earlier/src reading          a million rows of 20 numbers, as CSV and Parquet
    python benchmarks/versions.py ../earlier/src numbers 10000000 such a Parquet file in batches; or discrete

The same table is learned from in processes of their own, with one thread; each process learns once to warm up and then
twice, of which the least counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from columns import drawn
from scale import STRUCTURE
from speed import simulated

HERE = Path(__file__).parent.parent / "src"
TURNS = 2
LIMITS = {"limit": "np.linalg.inv(np.corrcoef(table, rowvar=False))", "growth": "np.corrcoef(table, rowvar=False)"}
LEARN = {
    "limit": {
        "RSL-D": "sl.learn(table, side=sl.DiamondFree(), learner='rsl')",
        "default, diamond-free": "sl.learn(table, side=sl.DiamondFree())",
        "default": "sl.learn(table)",
    },
    "growth": {"rsl": "sl.learn(table, learner='rsl')", "hybrid": "sl.learn(table, learner='hybrid')"},
    "reading": {"rsl": "sl.learn(table, learner='rsl')"},
    "batches": {"default, memory=1GB": "sl.learn(table, memory='1GB')"},
}
CHILD = """
import json, sys, warnings
from time import process_time
import numpy as np
import sidelight as sl
warnings.simplefilter("ignore")
path, work = sys.argv[1], json.loads(sys.argv[2])
table = np.load(path) if path.endswith(".npy") else path
least = {name: float("inf") for name in work}
for run in range(3):
    for name, code in work.items():
        started = process_time()
        eval(code)
        least[name] = min(least[name], process_time() - started) if run else least[name]
print(json.dumps(least))
"""


def seconds(source: Path, table: Path, work: dict[str, str]) -> dict[str, float]:
    """What each piece of work takes with the version in this folder."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = {**os.environ, **one, "PYTHONPATH": str(source.resolve())}
    command = [sys.executable, "-c", CHILD, str(table), json.dumps(work)]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def compared(earlier: Path, table: Path, label: str, work: dict[str, str], limit: str | None = None) -> None:
    """A row for each way of learning: both versions, in seconds or as multiples of the limit in the same process."""
    every = {**work, **({"limit": limit} if limit else {})}
    runs = [(seconds(earlier, table, every), seconds(HERE, table, every)) for _ in range(TURNS)]
    for name in work:
        before, now = (
            [min(run[side][each] for run in runs) for each in (name, "limit") if each in every] for side in (0, 1)
        )
        cells = f"{before[0]:.2f} | {now[0]:.2f} | {now[0] / before[0]:.2f}"
        beside = f"{before[0] / before[1]:.2f} | {now[0] / now[1]:.2f}" if limit else "– | –"
        print(f"| {label} | {name} | {cells} | {beside} |", flush=True)


def written(folder: Path, kind: str, rows: int, suffix: str) -> Path:
    path = folder / f"{kind}{suffix}"
    command = [sys.executable, "-m", "sidelight", "simulate", *STRUCTURE[kind], "--rows", str(rows), "--out", str(path)]
    subprocess.run([*command, "--quiet", "--force"], check=True, env={**os.environ, "PYTHONPATH": str(HERE)})
    return path


def main() -> None:
    earlier, what, *rest = Path(sys.argv[1]), *sys.argv[2:]
    number = int(rest[0]) if rest else 1_000_000
    print("| table | learner | earlier, s | now, s | ratio | earlier, times the limit | now |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if what in LIMITS:
            values: Any = simulated(number, -0.72)[1] if what == "limit" else drawn(number, 2 * number)[1]
            np.save(table := folder / "table.npy", values)
            compared(earlier, table, f"{number:,} columns, {len(values):,} rows", LEARN[what], LIMITS[what])
        elif what == "reading":
            for suffix in (".csv", ".parquet"):
                table = written(folder, "numbers", number, suffix)
                compared(earlier, table, f"{number:,} × 20 numbers, {suffix[1:]}", LEARN[what])
        else:
            table = written(folder, what, number, ".parquet")
            compared(earlier, table, f"{number:,} rows, {what}, in batches", LEARN["batches"])


if __name__ == "__main__":
    main()
