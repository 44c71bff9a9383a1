"""How near the score-based search comes to the best structure: beside peers, exact search, and data written otherwise.

    python benchmarks/best_structure.py flop [SEEDS] [LIMIT] [ROWS]
                                                           F1 / distance per edge (CPU seconds), beside FLOP and BOSS;
                                                           ROWS: only these rows of the table, from 1 on
    python benchmarks/best_structure.py optimum [TABLES]   how often local search finds what exact search finds
    python benchmarks/best_structure.py orders [TABLES]    how often data written otherwise give another graph
    python benchmarks/best_structure.py penalties [SEEDS]  200 rows: distance per edge / held-out log-likelihood

FLOP (Wienöbst, Henckel and Weichwald 2025; ``pip install flopsearch``) gets the same penalty, and 0 or 20 restarts.
causal-learn's BOSS has LIMIT seconds for a table (20 if not said); – if it took longer, or did so with no more columns.
Weights are ±.2 to .8 and variances 1 to 3, or those of the paper's experiments (strong). Means over the seeds, with the
standard error of the difference between our distance and that of FLOP with 20 restarts.
"""

from __future__ import annotations

import sys
from time import process_time

import networkx as nx
import numpy as np
import pandas as pd
from held_out import log_likelihood
from hybrid import PEERS, measured, scale_free, strong, weak
from table_sources import limited

import sidelight as sl
from sidelight.evaluate.comparison import class_distance
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.score import Space
from sidelight.graphs.dag import Dag
from sidelight.orientation import essential_graph_of
from sidelight.search.exact import exact_search
from sidelight.search.restarts import restarted, usual_restarts
from sidelight.simulation.random_graphs import erdos_renyi

FIRST_SEED = 90_000  # not used to choose anything
BOSS = "BOSS"


def moderate(n, degree, rows):
    """G(n, p) of this mean degree, with weights of .2 to .8 and variances of 1 to 3."""

    def draw(rng):
        graph = erdos_renyi(n, degree / (n - 1), rng)
        dag, values = Dag.from_networkx(graph), rng.standard_normal((rows, n)) * np.sqrt(rng.uniform(1, 3, n))
        for v in dag.topological_order():
            for parent in sorted(dag.parents[v]):
                values[:, v] += rng.uniform(0.2, 0.8) * rng.choice([-1, 1]) * values[:, parent]
        return graph, values

    return draw


REGIMES = {
    "20, degree 2, 200 rows": moderate(20, 2, 200),
    "20, degree 6, 200 rows": moderate(20, 6, 200),
    "20, degree 4, 1,000 rows": moderate(20, 4, 1000),
    "20, degree 10, 1,000 rows": moderate(20, 10, 1000),
    "20, degree 10, 10,000 rows": moderate(20, 10, 10_000),
    "50, degree 2, 200 rows": moderate(50, 2, 200),
    "50, degree 4, 1,000 rows": moderate(50, 4, 1000),
    "50, degree 10, 200 rows": moderate(50, 10, 200),
    "50, degree 12, 1,000 rows": moderate(50, 12, 1000),
    "50, degree 16, 1,000 rows": moderate(50, 16, 1000),
    "50, degree 10, 10,000 rows": moderate(50, 10, 10_000),
    "50, degree 3, weak, 1,000 rows": weak(50, 3, 1000),
    "50, degree 6, strong, 1,000 rows": strong(50, 6, 1000),
    "50, scale-free, strong, 1,000 rows": scale_free(50, 1000),
    "100, degree 2, 200 rows": moderate(100, 2, 200),
    "100, degree 4, 1,000 rows": moderate(100, 4, 1000),
    "100, degree 6, 10,000 rows": moderate(100, 6, 10_000),
    "100, degree 10, 1,000 rows": moderate(100, 10, 1000),
    "100, scale-free, strong, 10,000 rows": scale_free(100, 10_000),
    "200, degree 2, 1,000 rows": moderate(200, 2, 1000),
    "200, degree 4, 1,000 rows": moderate(200, 4, 1000),
    "200, degree 6, strong, 10,000 rows": strong(200, 6, 10_000),
}


def by_flop(values, restarts):
    """The essential graph that FLOP finds."""
    from flopsearch import flop

    penalty = GaussianBic.extended(correlation_of(values)).penalty
    found = np.asarray(flop(np.ascontiguousarray(values), penalty, restarts=restarts))
    graph = nx.empty_graph(len(found), create_using=nx.DiGraph)
    graph.add_edges_from(zip(*(places.tolist() for places in np.nonzero(found)), strict=True))
    return graph


def by_boss(values):
    """The essential graph that causal-learn's BOSS finds."""
    parents = PEERS[BOSS](values)
    dag = nx.empty_graph(len(parents), create_using=nx.DiGraph)
    dag.add_edges_from((parent, v) for v, found in enumerate(parents) for parent in found)
    return essential_graph_of(dag)


def correlation_of(values):
    return sl.Correlation(np.corrcoef(values.T), len(values), list(range(values.shape[1])))


LEARNERS = {
    "sidelight": lambda values: sl.learn(values).to_networkx(),
    "FLOP, 0": lambda values: by_flop(values, 0),
    "FLOP, 20": lambda values: by_flop(values, 20),
}


def beside_flop(seeds: int, limit: str = "20", *rows: str) -> None:
    """Print a row for each kind of table."""
    for n in (20, 30):  # kernels are compiled and modules imported before
        _, values = moderate(n, 4, 200)(np.random.default_rng(0))
        for learn in (*LEARNERS.values(), by_boss):
            learn(values[:, : 5 if learn is by_boss else n])
    print(f"| columns, degree, rows | {' | '.join([*LEARNERS, BOSS])} | error |\n|---|{'---|' * (len(LEARNERS) + 2)}")
    too_many = 10**9  # columns for BOSS
    for number, (name, draw) in enumerate(REGIMES.items(), start=1):
        if rows and str(number) not in rows:
            continue
        results = {learner: [] for learner in (*LEARNERS, BOSS)}
        for seed in range(seeds):
            graph, values = draw(np.random.default_rng(FIRST_SEED + seed))
            for learner, learn in LEARNERS.items():
                results[learner].append(measured(graph, *timed(learn, values)))
            if values.shape[1] < too_many:
                try:
                    results[BOSS].append(measured(graph, *limited(timed, float(limit), by_boss, values)))
                except TimeoutError:
                    too_many = values.shape[1]
        cells = [_cell(each) if len(each) == seeds else "–" for each in results.values()]
        differences = np.array(results["sidelight"])[:, 1] - np.array(results["FLOP, 20"])[:, 1]
        error = differences.std(ddof=1) / np.sqrt(seeds) if seeds > 1 else np.nan
        print(f"| {name} | {' | '.join(cells)} | ±{error:.3f} |", flush=True)


def timed(learn, values):
    """What is found, and the seconds of the processor."""
    started = process_time()
    return learn(values), process_time() - started


def _cell(results) -> str:
    f1, distance, seconds = np.mean(results, axis=0)
    return f"{f1:.3f} / {distance:.3f} ({seconds:.2g} s)"


def beside_exact(tables: int) -> None:
    """How often the local search ends at the optimum, and what is missing where it does not."""
    print("| columns | tables | optimum found | without restarts | largest loss, nats |\n|---|---|---|---|---|")
    for n in (12, 14, 16, 18, 20):
        losses, before = [], []
        for seed in range(tables):
            degree, rows = (3, 6, 10)[seed % 3], (100, 500, 2000)[seed // 3 % 3]
            _, values = moderate(n, min(degree, n - 2), rows)(np.random.default_rng(FIRST_SEED + seed))
            score, space = (
                GaussianBic.extended(correlation_of(values)),
                Space([{*range(n)} - {v} for v in range(n)], 60),
            )
            best = exact_search(score, space, None, lambda: None).score
            once = score.search(score.order(), space)
            again, _ = restarted(score, once, space, None, usual_restarts(n), lambda: None)
            losses.append(best - again.score)
            before.append(best - once.score)
        found, without = (sum(loss < 1e-3 for loss in each) for each in (losses, before))
        print(f"| {n} | {tables} | {found} | {without} | {max(losses):.2f} |", flush=True)


def written_otherwise(tables: int) -> None:
    """In how many tables another way to write down the same data gives another essential graph."""
    print(f"| columns | rows | tables | {' | '.join(OTHERWISE)} |\n|---|---|---|{'---|' * len(OTHERWISE)}")
    for n, rows in ((15, 60), (30, 60), (30, 500), (50, 60), (50, 200), (50, 2000), (100, 1000)):
        changed = dict.fromkeys(OTHERWISE, 0)
        for seed in range(tables):
            rng = np.random.default_rng(FIRST_SEED + seed)
            _, values = moderate(n, 4, rows)(rng)
            for way, learn_both in OTHERWISE.items():
                changed[way] += bool(class_distance(*learn_both(values, rng)))
        print(f"| {n} | {rows} | {tables} | {' | '.join(map(str, changed.values()))} |", flush=True)


def permuted(values, rng):
    """Columns in another order, with other names, scales and signs; back under their names."""
    n = values.shape[1]
    order, other = rng.permutation(n), values * rng.uniform(0.1, 10, n) * rng.choice([-1, 1], n)
    names = [f"n{name}" for name in rng.permutation(n)]
    found = sl.learn(other[:, order], names=names).to_networkx()
    again = nx.relabel_nodes(found, dict(zip(names, order.tolist(), strict=True)))
    return sl.learn(values).to_networkx(), again


def weighted(values, rng):
    """Rows that are there twice, and the same with a weight of 2."""
    frame = pd.DataFrame(values).rename(columns="x{}".format)
    twice = sl.learn(pd.concat([frame, frame]))
    return twice.to_networkx(), sl.learn(frame.assign(weight=2), weights="weight").to_networkx()


def with_noise(values, rng):
    """Correlations, and the same with other last digits."""
    noise = 1e-15 * rng.choice([-1, 1], (values.shape[1],) * 2)
    matrix, noise = np.corrcoef(values.T), np.triu(noise, 1)
    both = (matrix, matrix + noise + noise.T)
    return [sl.learn(sl.Correlation(each, len(values))).to_networkx() for each in both]


OTHERWISE = {
    "order, names, scales and signs": permuted,
    "weights 2, rows twice": weighted,
    "correlations ± 1e-15": with_noise,
}


FEW_ROWS = {
    "20, degree 2": (20, 2),
    "20, degree 6": (20, 6),
    "20, degree 10": (20, 10),
    "50, degree 2": (50, 2),
    "50, degree 10": (50, 10),
    "100, degree 2": (100, 2),
}


def penalties(seeds: int) -> None:
    """Penalties where rows are few: the BIC's, and the extended BIC's with other weights of the number of columns."""
    gammas, factors = (0, 0.25, 0.5, 1), (1.5, 2)
    names = [*(f"γ = {gamma:g}" for gamma in gammas), *(f"penalty {factor:g}" for factor in factors)]
    print(f"| columns, 200 rows | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for name, (n, degree) in FEW_ROWS.items():
        cells = []
        for penalty in (*(1 + 4 * gamma * np.log(n) / np.log(200) for gamma in gammas), *factors):
            found = [_few_rows(n, degree, penalty, FIRST_SEED + seed) for seed in range(seeds)]
            distance, likelihood = np.mean(found, axis=0)
            cells.append(f"{distance:.2f} / {likelihood:.3f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _few_rows(n, degree, penalty, seed):
    """The distance per edge, and the log-likelihood of other rows, in nats for each of their cells."""
    graph, values = moderate(n, degree, 1200)(np.random.default_rng(seed))
    net = sl.learn(values[:200], score="bic", penalty=penalty)
    parents = Dag.from_networkx(net.to_dag()).parents
    return measured(graph, net.to_networkx(), 0.0)[1], log_likelihood(parents, values[:200], values[200:])


WHAT = {
    "flop": (beside_flop, 10),
    "optimum": (beside_exact, 100),
    "orders": (written_otherwise, 20),
    "penalties": (penalties, 5),
}

if __name__ == "__main__":
    run, usual = WHAT[sys.argv[1]] if sys.argv[1:2] and sys.argv[1] in WHAT else sys.exit(__doc__)
    run(int(sys.argv[2]) if len(sys.argv) > 2 else usual, *sys.argv[3:])
