"""Discrete tables, sampled from the tables of known networks: accuracy and time beside PC and hill climbing.

    python benchmarks/discrete.py accuracy [ROWS …]      needs the extra "bench": pgmpy and causal-learn
    python benchmarks/discrete.py ours [ROWS …]          only our columns of that table
    python benchmarks/discrete.py peers [NAME …] [ROWS …]   beside MIIC and tabu search too: needs pyagrum
    python benchmarks/discrete.py scores [ROWS …]        which score for a search by score?
    python benchmarks/discrete.py priors [ROWS …]        the prior, the cost of edges without tests, restarts
    python benchmarks/discrete.py exact [ROWS …]         how far does search="exact" go?
    python benchmarks/discrete.py choices [ROWS …]       our boundary algorithms and levels
    python benchmarks/discrete.py speed                  one G² test, against pgmpy and causal-learn
    python benchmarks/discrete.py calibration            how often true independences are rejected at level 0.01

Accuracy: skeleton F1, distance of the essential graphs, seconds; means over five seeds, or as many as a method can do
in LIMIT seconds, which are then told; – when it cannot do one, or could not with fewer rows. Below, the distance of the
search by score as a share of RSL-D's on the same rows, where that is not 0. Defaults were chosen on other seeds
(CHOICE_SEEDS).
"""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from unittest.mock import patch

import networkx as nx
import numpy as np
import pandas as pd

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons
from sidelight.families.discrete import score as discrete_score
from sidelight.families.discrete.test import Contingency
from sidelight.families.score import RememberedScore, Space
from sidelight.graphs.dag import Dag
from sidelight.search.exact import exact_search
from sidelight.simulation import networks
from sidelight.simulation.bif import read_bif
from sidelight.simulation.discrete import DiscreteNetwork
from sidelight.tables.strings import code_columns

NETWORKS = ("asia", "survey", "sachs", "child", "insurance", "alarm", "hailfinder", "win95pts", "hepar2", "water")
MANY_CATEGORIES = ("barley", "mildew")  # up to 67 and 100; too large to bundle, so they are read from pgmpy's files
EXACT_NETWORKS, EXACT_SCORES = ("cancer", "earthquake", "survey", "asia", "sachs", "child"), ("bdeu", "qnml", "bic")
SMALLER = (*EXACT_NETWORKS, "insurance", "alarm", "water", "hepar2")


class Choice(NamedTuple):
    """What a search by BDeu can be done with; the values are the default's."""

    prior: float = 2
    untested: float = 1
    clear: float = 0.5
    search: str = "auto"
    restarts: int | None = None


PRIORS = {
    "default": Choice(),
    "prior 1": Choice(prior=1),
    "prior 4": Choice(prior=4),
    "prior 8": Choice(prior=8),
    "cost 0": Choice(untested=0),
    "cost ½": Choice(untested=0.5),
    "cost 2": Choice(untested=2),
    "none clear": Choice(clear=np.inf),
    "clear from log N": Choice(clear=1),
    "local": Choice(search="local"),
    "100 restarts": Choice(search="local", restarts=100),
}
LIMIT = 10
SEEDS, CHOICE_SEEDS = range(10, 15), range(5)
LEVEL = 0.01


def _test(frame: pd.DataFrame) -> sl.MomentChiSquare:
    coded = code_columns(list(frame), [frame[name].to_numpy() for name in frame])
    return sl.MomentChiSquare(coded.codes, coded.n_categories, coded.names)


def by_score(frame: pd.DataFrame, score: str = "auto") -> nx.DiGraph:
    """The default, but for the data doctor, who refuses hailfinder's copies of columns."""
    return sl.learn(_test(frame), learner="hybrid", score=score).to_networkx()


def ours(frame: pd.DataFrame, boundaries: str = "auto", share: float = Contingency.false_members) -> nx.DiGraph:
    """RSL-D alone."""
    level = min(LEVEL, share / frame.shape[1] ** 2)
    net = sl.learn(_test(frame), sl.DiamondFree(), "rsl", boundaries=boundaries, boundary_alpha=level)
    return net.to_networkx()


def causal_learn_pc(frame: pd.DataFrame, test: str = "chisq") -> nx.DiGraph:
    from causallearn.search.ConstraintBased.PC import pc

    if test == "chisq":
        values = code_columns(list(frame), [frame[name].to_numpy() for name in frame]).codes.astype(int)
    else:
        values = frame.to_numpy()
    found = pc(values, LEVEL, test, show_progress=False).G.graph
    # found[j, i] is 1 at an arrow's head j; where both ends are tails (or both heads), the edge has no direction.
    names = list(frame)
    return nx.DiGraph(
        (names[i], names[j]) for i, j in zip(*np.nonzero(found), strict=True) if found[j, i] == 1 or found[i, j] != 1
    )


def pgmpy_hill_climbing(frame: pd.DataFrame) -> nx.DiGraph:
    from pgmpy.estimators import HillClimbSearch

    found = HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False)
    dag = nx.DiGraph(found.edges())
    dag.add_nodes_from(frame)
    return sl.essential_graph(dag)


METHODS: dict[str, Callable[[pd.DataFrame], nx.DiGraph]] = {
    "sidelight": by_score,
    "RSL-D": ours,
    "causal-learn PC, χ²": causal_learn_pc,
    "pgmpy hill climbing, BIC": pgmpy_hill_climbing,
}


class Outcome(NamedTuple):
    """What one run gave."""

    f1: float
    distance: int
    seconds: float


def _sampled(name: str, n_rows: int, seed: int) -> tuple[pd.DataFrame, nx.DiGraph]:
    network = _pgmpy_network(name) if name in MANY_CATEGORIES else networks.load_discrete(name)
    frame = pd.DataFrame(network.sample(n_rows, np.random.default_rng(seed)))
    frame = frame.loc[:, frame.nunique() > 1]
    return frame, nx.DiGraph(network.structure.subgraph(frame.columns))


def _pgmpy_network(name: str) -> DiscreteNetwork:
    import pgmpy

    return read_bif(Path(pgmpy.__file__).parent / "utils" / "example_models" / f"{name}.bif.gz")


def _stop(signum: int, frame: object) -> None:
    raise TimeoutError


def measured(run: Callable[[pd.DataFrame], nx.DiGraph], frame: pd.DataFrame, truth: nx.DiGraph) -> Outcome | None:
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(0 if run in (by_score, ours) else LIMIT)  # only peers have a limit
    started = perf_counter()
    try:
        found = run(frame)
        seconds = perf_counter() - started
    except TimeoutError:
        return None
    finally:
        signal.alarm(0)
    found.add_nodes_from(frame)
    distance = class_distance(found, sl.essential_graph(truth))
    return Outcome(_f1(found, truth), distance, seconds)


def _f1(found: nx.DiGraph, truth: nx.DiGraph) -> float:
    return compare_skeletons(nx.Graph(found), truth).f1


def _outcomes(run: Callable[[pd.DataFrame], nx.DiGraph], name: str, n_rows: int) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for seed in SEEDS:
        outcome = measured(run, *_sampled(name, n_rows, seed))
        if outcome is not None:
            outcomes.append(outcome)
        spent = sum(done.seconds for done in outcomes)
        if outcome is None or (spent > LIMIT and run not in (by_score, ours)):
            break
    return outcomes


def _cell(outcomes: list[Outcome]) -> str:
    if not outcomes:
        return f"– (> {LIMIT} s)"
    f1, distance, seconds = np.mean(outcomes, axis=0)
    seeds = "" if len(outcomes) == len(SEEDS) else f", {len(outcomes)} seed{'s' * (len(outcomes) > 1)}"
    return f"{f1:.3f}, {distance:.1f} ({seconds:.2f} s{seeds})"


def accuracy(rows: list[int], methods: dict[str, Callable[[pd.DataFrame], nx.DiGraph]]) -> None:
    ours(_sampled("asia", 200, 0)[0])  # warm
    by_score(_sampled("asia", 200, 0)[0])
    shares: list[float] = []
    too_slow: set[tuple[str, str]] = set()
    for n_rows in rows:
        print(f"\n{n_rows} rows: skeleton F1, distance (seconds)\n\n| network | {' | '.join(methods)} |")
        print(f"|---|{'---|' * len(methods)}")
        for name in (*NETWORKS, *MANY_CATEGORIES):
            found = {}
            for method, run in methods.items():
                found[method] = [] if (method, name) in too_slow else _outcomes(run, name, n_rows)
                too_slow |= set() if found[method] else {(method, name)}
            shares += _share(found["sidelight"], found["RSL-D"])
            print(f"| {name} | {' | '.join(map(_cell, found.values()))} |", flush=True)
    print(f"\nDistance of sidelight as a share of RSL-D's: mean {np.mean(shares):.2f}, largest {max(shares):.2f}")


def pyagrum_learner(frame: pd.DataFrame) -> Any:
    import pyagrum

    return pyagrum.BNLearner(frame.astype(str).radd("category "))  # else it takes some columns as numbers


def pyagrum_miic(frame: pd.DataFrame) -> nx.DiGraph:
    learner = pyagrum_learner(frame)
    learner.useMIIC()
    found = learner.learnEssentialGraph()
    pairs = [*found.arcs(), *found.edges(), *((b, a) for a, b in found.edges())]
    return nx.DiGraph((learner.nameFromId(a), learner.nameFromId(b)) for a, b in pairs)


def pyagrum_tabu(frame: pd.DataFrame) -> nx.DiGraph:
    learner = pyagrum_learner(frame)
    learner.useScoreBIC()
    learner.useLocalSearchWithTabuList(100, 5)
    dag = nx.DiGraph((learner.nameFromId(a), learner.nameFromId(b)) for a, b in learner.learnDAG().arcs())
    dag.add_nodes_from(frame)
    return sl.essential_graph(dag)


PEERS = {
    "sidelight": by_score,
    "causal-learn PC, χ²": causal_learn_pc,
    "pyAgrum MIIC": pyagrum_miic,
    "pyAgrum tabu, BIC": pyagrum_tabu,
}


def peers(rows: list[int], names: list[str]) -> None:
    """Distance per edge, and skeleton F1."""
    print(f"| network | rows | {' | '.join(PEERS)} |\n|---|---|{'---|' * len(PEERS)}")
    for n_rows in rows:
        for name in names or NETWORKS:
            tables = [_sampled(name, n_rows, seed) for seed in SEEDS]
            cells = [_peer_cell(run, tables) for run in PEERS.values()]
            print(f"| {name} | {n_rows} | {' | '.join(cells)} |", flush=True)


def _peer_cell(run: Callable[[pd.DataFrame], nx.DiGraph], tables: list[tuple[pd.DataFrame, nx.DiGraph]]) -> str:
    found = []
    for frame, truth in tables:
        graph = run(frame)
        graph.add_nodes_from(frame)
        distance = class_distance(graph, sl.essential_graph(truth)) / truth.number_of_edges()
        found.append((distance, _f1(graph, truth)))
    distance, f1 = np.mean(found, axis=0)
    return f"{distance:.2f}, {f1:.3f}"


def _share(ours: list[Outcome], others: list[Outcome]) -> list[float]:
    """The mean distance as a share of the other's, unless that is 0."""
    distance, other = (float(np.mean([outcome.distance for outcome in found])) for found in (ours, others))
    return [distance / other] if other else []


def scores(rows: list[int]) -> None:
    """Skeleton F1 and distance of each score."""
    print(f"| rows | score | {' | '.join(NETWORKS)} | mean |\n|---|---|{'---|' * len(NETWORKS)}---|")
    for n_rows in rows:
        sampled = {name: [_sampled(name, n_rows, seed) for seed in CHOICE_SEEDS] for name in NETWORKS}
        for score in ("bdeu", "qnml", "bic"):
            means = []
            for pairs in sampled.values():
                found = [measured(lambda frame, score=score: by_score(frame, score), *pair) for pair in pairs]
                means.append(np.mean([outcome[:2] for outcome in found if outcome is not None], axis=0))
            cells = " | ".join(f"{f1:.3f}, {distance:.1f}" for f1, distance in [*means, np.mean(means, axis=0)])
            print(f"| {n_rows} | {score} | {cells} |", flush=True)


def priors(rows: list[int]) -> None:
    """Distance per edge with other choices than the default's."""
    print(f"| network | rows | {' | '.join(PRIORS)} |\n|---|---|{'---|' * len(PRIORS)}")
    means = []
    for name in SMALLER:
        for n_rows in rows:
            tables = [_sampled(name, n_rows, seed) for seed in CHOICE_SEEDS]
            cells = [np.mean([_per_edge(table, choice) for table in tables]) for choice in PRIORS.values()]
            means.append(cells)
            print(f"| {name} | {n_rows} | {' | '.join(f'{cell:.2f}' for cell in cells)} |", flush=True)
    print(f"| mean | | {' | '.join(f'{cell:.3f}' for cell in np.mean(means, axis=0))} |")


def _per_edge(table: tuple[pd.DataFrame, nx.DiGraph], choice: Choice) -> float:
    frame, truth = table
    with patch.multiple(discrete_score, PRIOR=choice.prior, UNTESTED=choice.untested, CLEAR=choice.clear):
        found = sl.learn(_test(frame), learner="hybrid", search=choice.search, restarts=choice.restarts).to_networkx()
    found.add_nodes_from(frame)
    return class_distance(found, sl.essential_graph(truth)) / truth.number_of_edges()


def exact(rows: list[int]) -> None:
    """Seconds, and how many sets of parents were scored; one table each."""
    print(f"| network | rows | all sets | {' | '.join(EXACT_SCORES)} |\n|---|---|---|{'---|' * len(EXACT_SCORES)}")
    for name in EXACT_NETWORKS:
        for n_rows in rows:
            test = _test(_sampled(name, n_rows, CHOICE_SEEDS[0])[0])
            n = len(test.names)
            cells = " | ".join(_exact_cell(test.score(kind, None), n) for kind in EXACT_SCORES)
            print(f"| {name} | {n_rows} | {n << (n - 1)} | {cells} |", flush=True)


def _exact_cell(score: RememberedScore, n: int) -> str:
    space, started = Space([set(range(n)) - {v} for v in range(n)], n), perf_counter()
    try:
        exact_search(score, space, None, lambda: None)
    except sl.InputError:
        return f"refused after {perf_counter() - started:.0f} s"
    return f"{perf_counter() - started:.2f} s, {score.n_known}"


def choices(rows: list[int]) -> None:
    """Skeleton F1 of RSL-D with each boundary algorithm, and with other levels for the default one."""
    ways = [(algorithm, Contingency.false_members) for algorithm in ("gs", "fast-iamb", "inter-iamb", "iamb")]
    ways += [("iamb", share) for share in (0.02, 2.0)]
    for n_rows in rows:
        print(
            f"\n| {n_rows} rows | alpha · n² | {' | '.join(NETWORKS)} | mean |\n|---|---|{'---|' * len(NETWORKS)}---|"
        )
        sampled = {name: [_sampled(name, n_rows, seed) for seed in CHOICE_SEEDS] for name in NETWORKS}
        for algorithm, share in ways:
            means = [
                np.mean(
                    [compare_skeletons(nx.Graph(ours(f, algorithm, share)), truth).f1 for f, truth in sampled[name]]
                )
                for name in NETWORKS
            ]
            cells = " | ".join(f"{mean:.3f}" for mean in [*means, np.mean(means)])
            print(f"| {algorithm} | {share} | {cells} |", flush=True)


def speed() -> None:
    from causallearn.utils.cit import CIT
    from pgmpy.estimators.CITests import g_sq

    print("| rows | conditioning set | ours, µs | pgmpy / ours | causal-learn / ours |\n|---|---|---|---|---|")
    for n_rows, n_tests in ((10_000, 40), (100_000, 20), (1_000_000, 6)):
        frame = pd.DataFrame(networks.load_discrete("alarm").sample(n_rows, np.random.default_rng(0)))
        coded = code_columns(list(frame), [frame[name].to_numpy() for name in frame])
        test, theirs = sl.GSquare(coded.codes, coded.n_categories, coded.names), CIT(coded.codes.astype(int), "gsq")
        rng = np.random.default_rng(1)
        for size in range(6):
            for y in range(1, frame.shape[1]):  # whatever lay idle is in memory again, ours and theirs
                test.p_value(0, y, [])
            theirs.data.sum()
            questions = [rng.choice(frame.shape[1], size + 2, replace=False).tolist() for _ in range(n_tests)]
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
                asked = test(coded.codes, coded.n_categories, coded.names)
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
    elif sys.argv[1:2] == ["scores"]:
        scores([int(n) for n in sys.argv[2:]] or [1000, 10_000])
    elif sys.argv[1:2] == ["peers"]:
        given = sys.argv[2:]
        peers([int(n) for n in given if n.isdigit()] or [500, 2000], [name for name in given if not name.isdigit()])
    elif sys.argv[1:2] == ["priors"]:
        priors([int(n) for n in sys.argv[2:]] or [500, 2000, 10_000])
    elif sys.argv[1:2] == ["exact"]:
        exact([int(n) for n in sys.argv[2:]] or [500, 2000, 10_000])
    elif sys.argv[1:2] == ["choices"]:
        choices([int(n) for n in sys.argv[2:]] or [1000, 10_000, 50_000])
    else:
        chosen = dict(list(METHODS.items())[:2]) if sys.argv[1:2] == ["ours"] else METHODS
        accuracy([int(n) for n in sys.argv[2:]] or [1000, 10_000, 50_000], chosen)
