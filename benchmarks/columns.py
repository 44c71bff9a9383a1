"""Many columns: how does the time of learning grow, and what would more columns than memory allows take?

    python benchmarks/columns.py growth [N …]        1,000 to 10,000 columns, two rows for each: beside np.corrcoef
    python benchmarks/columns.py one N [TYPE [LEARNER]]   one of these runs, in this process; float32 or float64 values
    python benchmarks/columns.py components          components of thresholded correlations
    python benchmarks/columns.py screening           thresholded correlations of up to 50,000 columns without a matrix

Random DAGs with two edges for each column, coefficients ±[1, 1.5]. ``growth`` draws docs/pictures/columns.svg. Set
OPENBLAS_NUM_THREADS=1: what is measured are seconds of the processor, with one thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import process_time, sleep
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import sidelight as sl
from sidelight.evaluate.comparison import compare_skeletons
from sidelight.families.gaussian.test import critical_correlation
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi

SIZES, LEARNERS, ROWS_PER_COLUMN, DEGREE = (1000, 2000, 4000, 10_000), ("rsl", "hybrid"), 2, 4
PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "columns.svg"
STYLES = {"rsl": ("#0072b2", "o"), "hybrid": ("#d55e00", "s"), "np.corrcoef": ("#555555", "^")}
BLOCK = 2000  # columns that are screened against each other at a time


def drawn(n: int, n_rows: int, degree: float = DEGREE) -> tuple[nx.DiGraph, np.ndarray]:
    rng = np.random.default_rng(n)
    graph = erdos_renyi(n, degree / (n - 1), rng)
    return graph, linear_gaussian(graph, n_rows, rng)[1]


class Peak:
    """The most memory that this process takes within the block, above what it took before."""

    def __enter__(self) -> Peak:
        self.before = self.most = self._now()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.is_set():
            self.most = max(self.most, self._now())
            sleep(0.01)

    @staticmethod
    def _now() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @property
    def above(self) -> int:
        return self.most - self.before


def one(n: int, kind: str = "float64", *learners: str) -> list[dict[str, Any]]:
    """What np.corrcoef and each learner take on the same table."""
    for learner in learners or LEARNERS:  # kernels are loaded before, also those for many columns
        sl.learn(drawn(500, 600)[1], learner=learner, boundaries="iamb")
    graph, values = drawn(n, ROWS_PER_COLUMN * n)
    values = values.astype(kind, copy=False)
    limit = timed(lambda: np.corrcoef(values, rowvar=False))[0]
    return [{"n": n, "limit": limit, **learned(graph, values, learner)} for learner in learners or LEARNERS]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor, which other programs on the machine do not change much."""
    started = process_time()
    done = work()
    return process_time() - started, done


def learned(graph: nx.DiGraph, values: np.ndarray, learner: str) -> dict[str, Any]:
    at: dict[str, float] = {}  # when each phase began first
    with Peak() as peak:
        seconds, net = timed(
            lambda: sl.learn(values, learner=learner, progress=lambda phase, _: at.setdefault(phase, process_time()))
        )
    return {
        "learner": learner,
        "seconds": seconds,
        "boundaries": at["skeleton"] - at["boundaries"],
        "f1": compare_skeletons(net.skeleton, graph).f1,
        "matrices": peak.above / (8 * values.shape[1] ** 2),
        "wall": dict(net.seconds),
    }


def growth(sizes: tuple[int, ...]) -> None:
    """Each size in a process of its own, so that none begins with the memory of another."""
    print(
        "| columns | learner | np.corrcoef, s | total, s | ratio | boundaries, s | F1 | matrices above the table |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    runs = []
    for n in sizes:
        command = [sys.executable, __file__, "one", str(n)]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        for run in found:
            cells = (f"{run['limit']:.3g}", f"{run['seconds']:.3g}", f"{run['seconds'] / run['limit']:.1f}")
            more = (f"{run['boundaries']:.3g}", f"{run['f1']:.3f}", f"{run['matrices']:.1f}")
            print(f"| {n:,} | {run['learner']} | {' | '.join((*cells, *more))} |", flush=True)
        runs += found
    if len(sizes) > 1:
        picture(runs)


def picture(runs: list[dict[str, Any]]) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 9, "svg.hashsalt": "sidelight", "axes.spines.top": False})
    figure, (times, shares) = plt.subplots(1, 2, figsize=(9, 3.4))
    sizes = sorted({run["n"] for run in runs})
    lines = {"np.corrcoef": [run["limit"] for run in runs if run["learner"] == LEARNERS[0]]}
    lines |= {learner: [run["seconds"] for run in runs if run["learner"] == learner] for learner in LEARNERS}
    for name, seconds in lines.items():
        color, marker = STYLES[name]
        times.loglog(sizes, seconds, marker=marker, color=color, label=name)
    for learner in LEARNERS:
        color, marker = STYLES[learner]
        ratios = [run["seconds"] / run["limit"] for run in runs if run["learner"] == learner]
        shares.loglog(sizes, ratios, marker=marker, color=color, label=learner)
    shares.axhline(3, color="#555555", linestyle=":")
    times.set(xlabel="columns (two rows for each)", ylabel="seconds of one core")
    shares.set(xlabel="columns", ylabel="times np.corrcoef")
    shares.set_yticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    for axes in (times, shares):
        axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
        axes.minorticks_off()
        axes.legend(frameon=False)
        axes.spines["right"].set_visible(False)
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None})


# Without a matrix: blocks of correlations are computed, screened and forgotten; only pairs above a threshold are kept.


def screened(values: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of columns whose absolute correlation exceeds the threshold, from float32 blocks."""
    n_rows, n = values.shape
    standard = np.asarray((values - values.mean(axis=0)) / (values.std(axis=0) * np.sqrt(n_rows)), dtype=np.float32)
    first, second = [], []
    for i in range(0, n, BLOCK):
        for j in range(i, n, BLOCK):
            strong = np.abs(standard[:, i : i + BLOCK].T @ standard[:, j : j + BLOCK]) > threshold
            rows, columns = np.nonzero(np.triu(strong, 1) if i == j else strong)
            first.append(rows + i)
            second.append(columns + j)
    return np.concatenate(first), np.concatenate(second)


def largest_component(n: int, pairs: tuple[np.ndarray, np.ndarray]) -> tuple[int, int]:
    """How many components the graph of these pairs has, and how many columns the largest of them."""
    marks = np.ones(len(pairs[0]), dtype=np.bool_)
    count, labels = connected_components(coo_array((marks, pairs), shape=(n, n)), directed=False)
    return count, int(np.bincount(labels).max())


def components() -> None:
    print("| edges per column | rows | threshold | pairs kept per column | components | largest | true edges kept |")
    print("|---|---|---|---|---|---|---|")
    n = 10_000
    for degree in (0.8, 1.6, 4):
        for n_rows in (200, 1000):
            graph, values = drawn(n, n_rows, degree)
            least = critical_correlation(n_rows - 3, 2 / n**2)  # what IAMB's first step asks for
            for threshold in (least, 0.5, 0.7):
                pairs = screened(values, threshold)
                count, largest = largest_component(n, pairs)
                kept = set(zip(*(found.tolist() for found in pairs), strict=True))
                share = np.mean([(min(e), max(e)) in kept for e in graph.edges])
                cells = f"{threshold:.2f} | {len(pairs[0]) / n:.2f} | {count:,} | {largest:,} | {share:.3f}"
                print(f"| {degree / 2:g} | {n_rows:,} | {cells} |", flush=True)


def screening() -> None:
    print("| columns | rows | seconds of screening | pairs kept per column | size of a matrix |\n|---|---|---|---|---|")
    for n, n_rows in ((10_000, 200), (20_000, 200), (50_000, 200)):
        values = drawn(n, n_rows, 0.8)[1].astype(np.float32)
        threshold = critical_correlation(n_rows - 3, 2 / n**2)
        seconds, pairs = timed(lambda values=values, threshold=threshold: screened(values, threshold))
        print(f"| {n:,} | {n_rows} | {seconds:.3g} | {len(pairs[0]) / n:.2f} | {8 * n * n / 1e9:.1f} GB |", flush=True)


def main() -> None:
    what, *rest = sys.argv[1:]
    if what == "growth":
        growth(tuple(map(int, rest)) or SIZES)
    elif what == "one":
        print(json.dumps(one(int(rest[0]), *rest[1:])))
    else:
        {"components": components, "screening": screening}[what]()


if __name__ == "__main__":
    main()
