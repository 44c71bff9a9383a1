"""How fast is learning from a table, beside the limit of one correlation matrix and one inverse, and beside peers?

    make bench                                   or: python benchmarks/speed.py [--quick] [--out FILE.json]
    OPENBLAS_NUM_THREADS=1 python benchmarks/speed.py --limit 1000      CPU time with 1,000 columns, nothing else

The data are the paper's: G(n, p), p = n^-0.72 and n^-0.82, 50 n samples. Each figure is the median of several runs in
this process, and every ratio compares runs on the same array. The growth of the RSL phase is the slope of its time
over n on logarithmic scales. Results go to benchmarks/results/speed.json too.
"""

from __future__ import annotations

import argparse
import json
import platform
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import networkx as nx
import numpy as np

import sidelight as sl
from sidelight.evaluate.comparison import compare_skeletons
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian

RESULTS = Path(__file__).parent / "results" / "speed.json"
SIDES = {"RSL-D": sl.DiamondFree(), "RSL-ω(3)": sl.CliqueNumber(3), "no side information": None}
LEARNERS = {
    "RSL-D": {"learner": "rsl", "side": sl.DiamondFree()},
    "default, diamond-free": {"side": sl.DiamondFree()},
    "default": {},
}
RUNS = {100: 15, 200: 15, 500: 9, 1000: 5, 2000: 3}


def seconds(run: Callable[[], object], runs: int) -> float:
    taken = []
    for _ in range(runs):
        started = perf_counter()
        run()
        taken.append(perf_counter() - started)
    return median(taken)


def limit(values: np.ndarray) -> None:
    np.linalg.inv(np.corrcoef(values, rowvar=False))


def simulated(n: int, exponent: float) -> tuple[nx.DiGraph, np.ndarray]:
    rng = np.random.default_rng(n)
    graph = random_graphs.erdos_renyi(n, n**exponent, rng)
    return graph, linear_gaussian(graph, 50 * n, rng)[1]


def measure(n: int, exponent: float) -> dict[str, object]:
    """The limit and the learners on one array, their runs taking turns so that noise hits all alike."""
    _, values = simulated(n, exponent)
    sl.learn(values, sl.DiamondFree(), "rsl")  # warm
    taken: dict[str, list[float]] = {"limit": [], **{name: [] for name in SIDES}}
    phases: dict[str, list[float]] = {name: [] for name in SIDES}
    for _ in range(RUNS[n]):
        taken["limit"].append(seconds(lambda: limit(values), 1))
        for name, side in SIDES.items():
            started = perf_counter()
            net = sl.learn(values, side, "rsl")
            taken[name].append(perf_counter() - started)
            phases[name].append(net.seconds["skeleton"])
    return {
        "n": n,
        "p": f"n^{exponent}",
        "limit_seconds": median(taken["limit"]),
        "ratios": {name: median(taken[name]) / median(taken["limit"]) for name in SIDES},
        "skeleton_seconds": {name: median(times) for name, times in phases.items()},
    }


def beside_limit(n: int, exponent: float) -> None:
    """CPU time, the least of three runs that take turns: the limit, and what learning takes as multiples of it."""
    _, values = simulated(n, exponent)
    runs: dict[str, Callable[[], object]] = {"limit": lambda: limit(values)}
    runs |= {name: lambda options=options: sl.learn(values, **options) for name, options in LEARNERS.items()}
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(4):  # the first warms
        for name, run in runs.items():
            started = process_time()
            run()
            taken[name].append(process_time() - started)
    least = {name: min(times[1:]) for name, times in taken.items()}
    ratios = " | ".join(f"{least[name] / least['limit']:.2f}" for name in LEARNERS)
    print(f"| G({n}, n^{exponent}), {50 * n:,} rows | {least['limit']:.2f} | {ratios} |", flush=True)


def growth(points: list[dict], name: str) -> float:
    """The exponent of the skeleton phase in n."""
    x = np.log([point["n"] for point in points])
    y = np.log([point["skeleton_seconds"][name] for point in points])
    return float(np.polyfit(x, y, 1)[0])


def compare_with_rcd(n: int) -> dict[str, float] | None:
    """The whole of learning, and what comes after the boundaries: rcd's time, with its own test, divided by ours."""
    try:
        from rcd import rsl_d
        from rcd.utilities.ci_tests import fisher_z
        from rcd.utilities.utils import compute_mb_gaussian
    except ImportError:
        return None
    graph, values = simulated(n, -0.72)
    ours = [sl.learn(values, sl.DiamondFree(), "rsl") for _ in range(5)]
    whole = seconds(lambda: sl.learn(values, sl.DiamondFree(), "rsl"), 5)
    skeleton = median(net.seconds["skeleton"] for net in ours)
    learned: list[nx.Graph] = []
    rcd_whole = seconds(lambda: learned.append(rsl_d.learn_and_get_skeleton(fisher_z, values)), 1)
    rcd_boundaries = seconds(lambda: compute_mb_gaussian(values), 1)
    return {
        "n": n,
        "rcd_seconds": rcd_whole,
        "whole": rcd_whole / whole,
        "after_boundaries": (rcd_whole - rcd_boundaries) / skeleton,
        "rcd_f1": compare_skeletons(learned[0], graph).f1,
        "our_f1": compare_skeletons(ours[0].skeleton, graph).f1,
    }


def compare_stable_pc(n: int) -> dict[str, float] | None:
    """The whole of PC-stable: causal-learn's and pybnesian's time divided by ours, and whether the skeletons agree."""
    try:
        import pandas as pd
        import pybnesian
        from causallearn.search.ConstraintBased.PC import pc
    except ImportError:
        return None
    _, values = simulated(n, -0.72)
    frame = pd.DataFrame(values, columns=[str(i) for i in range(n)])
    ours = sl.learn(values, learner="pc-stable")
    whole = seconds(lambda: sl.learn(values, learner="pc-stable"), 5)
    learned: list[np.ndarray] = []
    causal_learn = seconds(
        lambda: learned.append(pc(values, 0.01, "fisherz", stable=True, show_progress=False).G.graph), 1
    )
    other = seconds(lambda: pybnesian.PC().estimate(pybnesian.LinearCorrelation(frame), alpha=0.01), 3)
    theirs = {frozenset(map(int, pair)) for pair in np.argwhere(learned[0])}
    return {
        "n": n,
        "seconds": whole,
        "tests": ours.n_tests,
        "causal_learn": causal_learn / whole,
        "pybnesian": other / whole,
        "differing_edges": len({frozenset(edge) for edge in ours.skeleton.edges} ^ theirs),
    }


def show(points: list[dict], exponent: float) -> None:
    print(f"\nG(n, n^{exponent}), 50 n samples: time over that of np.corrcoef + np.linalg.inv\n")
    print(f"| n | limit, s | {' | '.join(SIDES)} | skeleton phase of RSL-D, ms |")
    print(f"|---|---|{'---|' * (len(SIDES) + 1)}")
    for point in points:
        ratios = " | ".join(f"{ratio:.2f}" for ratio in point["ratios"].values())
        phase = 1000 * point["skeleton_seconds"]["RSL-D"]
        print(f"| {point['n']} | {point['limit_seconds']:.3f} | {ratios} | {phase:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="up to n = 500, and the peers on small tables")
    parser.add_argument("--limit", type=int, metavar="COLUMNS", help="CPU time beside the limit, nothing else")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.limit:
        print(f"| data | limit, s of CPU | {' | '.join(LEARNERS)} |\n|---|---|{'---|' * len(LEARNERS)}")
        for exponent in (-0.72, -0.82):
            beside_limit(arguments.limit, exponent)
        return
    sizes = [100, 200, 500] if arguments.quick else list(RUNS)
    results: dict[str, object] = {"machine": f"{platform.machine()}, Python {platform.python_version()}"}
    for exponent in (-0.72, -0.82):
        points = [measure(n, exponent) for n in sizes]
        results[f"p = n^{exponent}"] = points
        show(points, exponent)
        exponents = {name: growth(points, name) for name in SIDES}
        results[f"growth, p = n^{exponent}"] = exponents
        print(f"\nthe skeleton phase grows as {', '.join(f'n^{e:.2f} ({name})' for name, e in exponents.items())}")
    beside = compare_with_rcd(100 if arguments.quick else 500)
    if beside:
        results["rcd"] = beside
        print(
            f"\nrcd at n = {beside['n']}: {beside['rcd_seconds']:.1f} s, {beside['whole']:.0f} times ours as a whole, "
            f"{beside['after_boundaries']:.0f} times ours after the boundaries; skeleton F1 {beside['rcd_f1']:.3f}, "
            f"ours {beside['our_f1']:.3f}"
        )
    stable = compare_stable_pc(50 if arguments.quick else 200)
    if stable:
        results["pc-stable"] = stable
        print(
            f"\nPC-stable at n = {stable['n']}: {stable['seconds']:.2f} s for {stable['tests']} tests; causal-learn "
            f"takes {stable['causal_learn']:.0f} times as long, pybnesian {stable['pybnesian']:.0f} times; "
            f"causal-learn's skeleton differs in {stable['differing_edges']} edges"
        )
    arguments.out.parent.mkdir(exist_ok=True)
    arguments.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
