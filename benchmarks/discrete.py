"""Discrete tables, sampled from the tables of known networks: accuracy and time beside PC and hill climbing.

    python benchmarks/discrete.py accuracy [ROWS …]      needs the extra "bench": pgmpy and causal-learn
    python benchmarks/discrete.py speed                  one G² test, against pgmpy and causal-learn
    python benchmarks/discrete.py calibration            how often true independences are rejected at level 0.01

Skeleton F1 and seconds of one run each; a method that takes longer than LIMIT seconds is stopped and shown as –.
"""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable
from time import perf_counter

import networkx as nx
import numpy as np
import pandas as pd

import sidelight as sl
from sidelight.compare import compare_skeletons
from sidelight.data import networks
from sidelight.data.coding import code_columns
from sidelight.graphs import Dag

NETWORKS = ("asia", "survey", "sachs", "child", "insurance", "alarm", "hailfinder", "win95pts")
LIMIT = 120


def ours(frame: pd.DataFrame) -> nx.Graph:
    """As ``sl.learn(frame, …)``, but for the data doctor, who refuses hailfinder's copies of columns."""
    coded = code_columns(list(frame), [frame[name].to_numpy() for name in frame])
    test = sl.MomentChiSquare(coded.codes, coded.n_levels, coded.names)
    level = min(0.01, 0.2 / frame.shape[1] ** 2)
    return sl.learn(test, sl.DiamondFree(), boundaries="iamb", boundary_alpha=level).skeleton


def pgmpy_pc(frame: pd.DataFrame) -> nx.Graph:
    from pgmpy.estimators import PC

    skeleton, _ = PC(frame).build_skeleton(
        ci_test="chi_square", significance_level=0.01, max_cond_vars=5, show_progress=False, n_jobs=1
    )
    return skeleton


def causal_learn_pc(frame: pd.DataFrame) -> nx.Graph:
    from causallearn.search.ConstraintBased.PC import pc

    coded = code_columns(list(frame), [frame[name].to_numpy() for name in frame])
    found = pc(coded.codes.astype(int), 0.01, "chisq", show_progress=False).G.graph
    graph = nx.Graph()
    graph.add_nodes_from(frame)
    graph.add_edges_from((frame.columns[i], frame.columns[j]) for i, j in zip(*np.nonzero(found), strict=True) if i < j)
    return graph


def pgmpy_hill_climbing(frame: pd.DataFrame) -> nx.Graph:
    from pgmpy.estimators import HillClimbSearch

    return nx.Graph(HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False).edges())


METHODS: dict[str, Callable[[pd.DataFrame], nx.Graph]] = {
    "sidelight RSL-D": ours,
    "pgmpy PC, χ²": pgmpy_pc,
    "causal-learn PC, χ²": causal_learn_pc,
    "pgmpy hill climbing, BIC": pgmpy_hill_climbing,
}


def _stop(signum: int, frame: object) -> None:
    raise TimeoutError


def measured(run: Callable[[pd.DataFrame], nx.Graph], frame: pd.DataFrame, truth: nx.DiGraph) -> str:
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(LIMIT)
    started = perf_counter()
    try:
        found = compare_skeletons(run(frame), truth)
        return f"{found.f1:.3f} ({perf_counter() - started:.1f} s)"
    except TimeoutError:
        return f"– (> {LIMIT} s)"
    except ImportError as error:
        return f"– ({error.name} is not installed)"
    finally:
        signal.alarm(0)


def accuracy(rows: list[int]) -> None:
    sl.learn(pd.DataFrame(networks.load_discrete("asia").sample(200, np.random.default_rng(0))))  # warm
    for n_rows in rows:
        print(f"\n{n_rows} rows: skeleton F1 (seconds)\n\n| network | {' | '.join(METHODS)} |")
        print(f"|---|{'---|' * len(METHODS)}")
        for name in NETWORKS:
            network = networks.load_discrete(name)
            frame = pd.DataFrame(network.sample(n_rows, np.random.default_rng(0)))
            frame = frame.loc[:, frame.nunique() > 1]
            truth = network.structure.subgraph(frame.columns)
            cells = [measured(run, frame, truth) for run in METHODS.values()]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


def speed() -> None:
    from causallearn.utils.cit import CIT
    from pgmpy.estimators.CITests import g_sq

    print("| rows | conditioning set | ours, µs | pgmpy / ours | causal-learn / ours |\n|---|---|---|---|---|")
    for n_rows, n_questions in ((10_000, 40), (100_000, 20), (1_000_000, 6)):
        frame = pd.DataFrame(networks.load_discrete("alarm").sample(n_rows, np.random.default_rng(0)))
        coded = code_columns(list(frame), [frame[name].to_numpy() for name in frame])
        test, theirs = sl.GSquare(coded.codes, coded.n_levels, coded.names), CIT(coded.codes.astype(int), "gsq")
        rng = np.random.default_rng(1)
        for size in range(6):
            questions = [rng.choice(frame.shape[1], size + 2, replace=False).tolist() for _ in range(n_questions)]
            names = [[frame.columns[v] for v in question] for question in questions]
            mine = _seconds(lambda q, test=test: test.p_value(q[0], q[1], q[2:]), questions)
            pgmpy = _seconds(lambda q, frame=frame: g_sq(q[0], q[1], q[2:], frame, boolean=False), names)
            causal = _seconds(lambda q, theirs=theirs: theirs(q[0], q[1], q[2:]), questions)
            print(f"| {n_rows} | {size} | {1e6 * mine:.0f} | {pgmpy / mine:.0f} | {causal / mine:.0f} |", flush=True)


def calibration() -> None:
    """x and y given the true boundary of x, for all y outside of it; and parents given the rest of the boundary."""
    tests = (sl.GSquare, sl.ChiSquare, sl.MomentChiSquare)
    names = [test.__name__ for test in tests]
    print(f"| network | {' | '.join(names)} | {' | '.join(f'{name}, edges' for name in names)} |")
    print(f"|---|{'---|' * 6}")
    for name in ("child", "insurance", "alarm", "hailfinder", "win95pts"):
        network = networks.load_discrete(name)
        columns = network.sample(10_000, np.random.default_rng(0))
        coded = code_columns(list(columns), list(columns.values()))
        dag = Dag.from_networkx(network.structure)
        boundaries = [sorted(members) for members in dag.boundaries()]
        outside = [(x, y, b) for x, b in enumerate(boundaries) for y in range(len(dag)) if y != x and y not in b]
        edges = [(x, y, [z for z in boundaries[x] if z != y]) for x in range(len(dag)) for y in dag.parents[x]]
        shares = []
        for questions in (outside, edges):
            for test in tests:
                asked = test(coded.codes, coded.n_levels, coded.names)
                shares.append(np.mean([asked.p_value(*question) < 0.01 for question in questions]))
        print(f"| {name} | {' | '.join(f'{share:.3f}' for share in shares)} |", flush=True)


def _seconds(run: Callable[[list], object], questions: list[list]) -> float:
    run(questions[0])  # another question than those measured: causal-learn remembers its answers
    taken = []
    for question in questions[1:]:
        started = perf_counter()
        run(question)
        taken.append(perf_counter() - started)
    return float(np.median(taken))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["speed"]:
        speed()
    elif sys.argv[1:2] == ["calibration"]:
        calibration()
    else:
        accuracy([int(n) for n in sys.argv[2:]] or [1000, 10_000])
