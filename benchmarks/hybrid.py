"""The search by score beside RSL, PC-stable and peers: Gaussian data of known structures.

    python benchmarks/hybrid.py [SEEDS] [LIMIT]     how many seeds, and seconds for each run of a peer (0: no peers);
                                                    then names of data, if not all
    python benchmarks/hybrid.py limit [SEEDS]       seconds as a multiple of one correlation matrix and one inverse
    python benchmarks/hybrid.py choices [SEEDS]     which penalty?
    python benchmarks/hybrid.py bounds [SEEDS]      what a true bound gains
    python benchmarks/hybrid.py orders [SEEDS]      how much permuted columns change the result

F1 of the skeleton / structural Hamming distance of essential graphs per true edge (seconds), means over the seeds; –
for a peer that takes longer than the limit for one of them, or did so with no more columns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from accuracy import STRUCTURES
from few_rows import TRUTH, collider
from held_out import LEARNERS as HELD_OUT
from table_sources import limited

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons
from sidelight.graphs.dag import Dag
from sidelight.graphs.properties import clique_number
from sidelight.orientation import essential_graph_of
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi

FIRST_SEED = 40_000  # not used to choose anything
WEAK = (0.1, 0.5)
Draw = Callable[[np.random.Generator], tuple[nx.DiGraph, Any]]


def strong(n: int, degree: float, rows: int) -> Draw:
    """G(n, p) of this mean degree, with coefficients of at least 1."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, np.ndarray]:
        graph = erdos_renyi(n, degree / (n - 1), rng)
        return graph, linear_gaussian(graph, rows, rng)[1]

    return draw


def weak(n: int, degree: float, rows: int) -> Draw:
    """The same with coefficients of .1 to .5."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, np.ndarray]:
        graph = erdos_renyi(n, degree / (n - 1), rng)
        dag, values = Dag.from_networkx(graph), rng.standard_normal((rows, n))
        for v in dag.topological_order():
            for parent in sorted(dag.parents[v]):
                values[:, v] += rng.uniform(*WEAK) * rng.choice([-1, 1]) * values[:, parent]
        return graph, values

    return draw


def scale_free(n: int, rows: int) -> Draw:
    """Preferential attachment with two edges for each new variable, directed by a random order."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, np.ndarray]:
        order, graph = rng.permutation(n), nx.DiGraph()
        graph.add_nodes_from(range(n))
        edges = nx.barabasi_albert_graph(n, 2, seed=int(rng.integers(2**31))).edges
        graph.add_edges_from((a, b) if order[a] < order[b] else (b, a) for a, b in edges)
        return graph, linear_gaussian(graph, rows, rng)[1]

    return draw


def structure(name: str, rows: int) -> Draw:
    """One of the paper's structures."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, np.ndarray]:
        graph = nx.convert_node_labels_to_integers(sl.networks.load(name))
        return graph, linear_gaussian(graph, rows, rng)[1]

    return draw


def three_causes(rows: int) -> Draw:
    """The few rows of ``few_rows.py``: three causes of one effect, and an effect of that."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, np.ndarray]:
        graph = nx.relabel_nodes(TRUTH, {name: i for i, name in enumerate("abcyz")})
        return graph, collider(rows, int(rng.integers(2**31)))

    return draw


def sparse(n: int, rows: int) -> Draw:
    """G(n, n^-.72)."""
    return strong(n, (n - 1) * n**-0.72, rows)


REGIMES: dict[str, Draw] = {
    "G(20), degree 3, 200 rows": strong(20, 3, 200),
    "G(50, n^-.72), 2,500 rows": sparse(50, 2500),
    "G(50), degree 3, 250 rows": strong(50, 3, 250),
    "G(50), degree 3, weak, 1,000 rows": weak(50, 3, 1000),
    "G(50), degree 6, 5,000 rows": strong(50, 6, 5000),
    "G(100), degree 3, 300 rows": strong(100, 3, 300),
    "scale-free 100, 2,000 rows": scale_free(100, 2000),
    **{f"three causes, {rows} rows": three_causes(rows) for rows in (150, 300, 1000)},
    "G(200, n^-.72), 10,000 rows": sparse(200, 10_000),
    **{f"{name}, 10,000 rows": structure(name, 10_000) for name in STRUCTURES},
    "G(500, n^-.72), 2,500 rows": sparse(500, 2500),
    "G(500, n^-.72), 25,000 rows": sparse(500, 25_000),
    "G(1000, n^-.72), 20,000 rows": sparse(1000, 20_000),
}
LARGEST = "G(1000, n^-.72), 20,000 rows"  # only beside the limit
LARGE = ("G(200, n^-.72), 10,000 rows", "G(500, n^-.72), 25,000 rows", LARGEST)


def by_ours(values: np.ndarray, learner: str, n_jobs: int = 1) -> nx.DiGraph:
    return sl.learn(values, learner=learner, n_jobs=n_jobs).to_networkx()


def hill_climbing(values: np.ndarray) -> list[frozenset[int]]:
    from pgmpy.estimators import HillClimbSearch

    frame = pd.DataFrame(values, columns=[f"x{v}" for v in range(values.shape[1])])
    found = HillClimbSearch(frame).estimate(scoring_method="bic-g", show_progress=False).edges()
    return [frozenset(int(tail[1:]) for tail, head in found if head == f"x{v}") for v in range(values.shape[1])]


PEERS = {"BOSS": HELD_OUT["causal-learn BOSS"], "GES": HELD_OUT["causal-learn GES"], "hill climbing": hill_climbing}


def by_peer(values: np.ndarray, name: str) -> tuple[nx.DiGraph, float]:
    """The essential graph that a peer finds, and its seconds."""
    PEERS[name](values[:, :2])  # imports and loads
    started = perf_counter()
    parents = PEERS[name](values)
    seconds = perf_counter() - started
    dag = nx.empty_graph(len(parents), create_using=nx.DiGraph)
    dag.add_edges_from((parent, v) for v, found in enumerate(parents) for parent in found)
    return essential_graph_of(dag), seconds


def measured(graph: nx.DiGraph, found: nx.DiGraph, seconds: float) -> tuple[float, float, float]:
    skeleton = nx.Graph(found.to_undirected())
    distance = class_distance(found, essential_graph_of(graph)) / max(1, graph.number_of_edges())
    return compare_skeletons(skeleton, graph).f1, distance, seconds


def run(draw: Draw, learner: str, seed: int, limit: float) -> tuple[float, float, float] | None:
    graph, values = draw(np.random.default_rng(seed))
    if learner not in PEERS:
        seconds, found = timed(lambda: by_ours(values, learner))
        return measured(graph, found, seconds)
    try:
        return measured(graph, *limited(by_peer, limit, values, learner))
    except TimeoutError:
        return None


def cell(draw: Draw, learner: str, seeds: int, limit: float, too_many: dict[str, int]) -> str:
    """``too_many``: with how many columns a peer took too long already."""
    results, n_columns = [], draw(np.random.default_rng(0))[1].shape[1]
    for seed in range(seeds):
        late = n_columns >= too_many.get(learner, 10**9)
        result = None if late else run(draw, learner, FIRST_SEED + seed, limit)
        if result is None:
            too_many[learner] = min(n_columns, too_many.get(learner, 10**9))
            return "–"
        results.append(result)
    f1, distance, seconds = np.mean(results, axis=0)
    return f"{f1:.3f} / {distance:.2f} ({seconds:.2g} s)"


def beside_peers(seeds: int, limit: float, names: list[str]) -> None:
    columns = ["hybrid", "rsl", "pc-stable", *(PEERS if limit > 0 else ())]
    too_many: dict[str, int] = {}
    for draw in list(REGIMES.values())[:7]:  # so that all kernels are loaded
        for learner in columns[:3]:
            run(draw, learner, 0, limit)
    print(f"| data | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name, draw in REGIMES.items():
        if name == LARGEST or (names and name.split(",")[0] not in names):
            continue
        cells = [cell(draw, learner, seeds, limit, too_many) for learner in columns]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def limits(seeds: int) -> None:
    """The limit is one correlation matrix and one inverse, in the same run; both use all cores."""
    for learner in ("rsl", "hybrid"):  # kernels are compiled before
        by_ours(REGIMES[LARGE[0]](np.random.default_rng(0))[1], learner, n_jobs=-1)
    print("| data | F1 / distance | seconds | times the limit | RSL alone |\n|---|---|---|---|---|")
    for name in LARGE:
        rows = []
        for seed in range(seeds):
            graph, values = REGIMES[name](np.random.default_rng(FIRST_SEED + seed))
            least, _ = timed(lambda values=values: np.linalg.inv(np.corrcoef(values.T)))
            alone, _ = timed(lambda values=values: by_ours(values, "rsl", n_jobs=-1))
            whole, found = timed(lambda values=values: by_ours(values, "hybrid", n_jobs=-1))
            rows.append((*measured(graph, found, whole), whole / least, alone / least))
        f1, distance, seconds, ratio, alone = np.mean(rows, axis=0)
        print(f"| {name} | {f1:.3f} / {distance:.2f} | {seconds:.2g} | {ratio:.1f} | {alone:.1f} |", flush=True)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = perf_counter()
    done = work()
    return perf_counter() - started, done


def bounds(seeds: int) -> None:
    """The same search without a bound, and with the true one."""
    names = list(REGIMES)[:7]
    sides: dict[str, Callable[[nx.DiGraph], Any]] = {
        "none": lambda graph: None,
        "in-degree": lambda graph: sl.MaxInDegree(max(dict(graph.in_degree).values())),
        "clique number": lambda graph: sl.CliqueNumber(clique_number(graph)),
    }
    _print_ways({name: REGIMES[name] for name in names}, sides, lambda side, graph: {"side": side(graph)}, seeds)


def orders(seeds: int) -> None:
    """Pairs that differ between two orders of the columns, per true edge."""
    print("| data | rsl | hybrid |\n|---|---|---|")
    for name in list(REGIMES)[:7]:
        cells = []
        for learner in ("rsl", "hybrid"):
            changes = []
            for seed in range(seeds):
                graph, values = REGIMES[name](np.random.default_rng(FIRST_SEED + seed))
                order = np.random.default_rng(seed).permutation(values.shape[1])
                found = by_ours(values, learner)
                other = nx.relabel_nodes(by_ours(values[:, order], learner), dict(enumerate(order.tolist())))
                changes.append(class_distance(found, other) / max(1, graph.number_of_edges()))
            cells.append(f"{np.mean(changes):.3f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def choices(seeds: int) -> None:
    """Penalties for numbers, on other seeds than above."""
    penalties = {f"bic, penalty {penalty:g}": {"penalty": penalty} for penalty in (1, 1.5, 2, 3)}
    names = ("G(20), degree 3, 200 rows", "G(50), degree 3, 250 rows", "G(50), degree 3, weak, 1,000 rows")
    data = {name: REGIMES[name] for name in (*names, "G(100), degree 3, 300 rows")}
    data["G(200), degree 3, 400 rows"] = strong(200, 3, 400)
    ways = {"rsl": {"learner": "rsl"}, "ebic": {"score": "ebic"}, **penalties}
    _print_ways(data, ways, lambda options, graph: options, seeds)


def _print_ways(
    data: dict[str, Draw], ways: dict[str, Any], options: Callable[[Any, nx.DiGraph], dict[str, Any]], seeds: int
) -> None:
    print(f"| data | {' | '.join(ways)} |\n|---|{'---|' * len(ways)}")
    for name, draw in data.items():
        cells = []
        for way in ways.values():
            drawn = (draw(np.random.default_rng(seed)) for seed in range(seeds))
            found = [measured(graph, _learned(table, options(way, graph)), 0.0) for graph, table in drawn]
            f1, distance, _ = np.mean(found, axis=0)
            cells.append(f"{f1:.3f} / {distance:.2f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _learned(table: Any, options: dict[str, Any]) -> nx.DiGraph:
    return sl.learn(table, **options).to_networkx()


WHAT = {"limit": limits, "choices": choices, "bounds": bounds, "orders": orders}


def main() -> None:
    if sys.argv[1:2] and sys.argv[1] in WHAT:
        WHAT[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 10)
        return
    seeds, limit, *names = [*sys.argv[1:], *("10", "20")[len(sys.argv) - 1 :]]
    beside_peers(int(seeds), float(limit), names)


if __name__ == "__main__":
    main()
