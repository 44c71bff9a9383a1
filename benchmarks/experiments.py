"""Rows from experiments: distance to the true class given them, beside gies and beside learning without them.

    python benchmarks/experiments.py [TABLES]

Numbers, G(n, p) with mean degree 3, weights ±.2 to .8, variances 1 to 3. Half of the rows are observed; in the others
one variable at a time, or two, is set to a random value. Pairs of columns that differ from the interventional essential
graph of the true DAG (seconds of the processor), means over tables on which nothing was chosen. "observed": our default
on the observed rows alone; "pooled": on all rows, as if nothing had been set.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from time import process_time

import networkx as nx
import numpy as np
import pandas as pd

import sidelight as sl
from sidelight.evaluate.comparison import class_distance
from sidelight.graphs.dag import Dag
from sidelight.knowledge.constraints import closure
from sidelight.orientation.essential import essential_graph
from sidelight.simulation.random_graphs import erdos_renyi

FIRST_SEED, DEGREE = 350_000, 3  # not used to choose anything
ROWS = {
    "10 columns, 5 set, 1,000 rows": (10, 5, 1, 1000),
    "10 columns, 5 pairs set, 1,000 rows": (10, 5, 2, 1000),
    "20 columns, 5 set, 1,000 rows": (20, 5, 1, 1000),
    "20 columns, 10 set, 1,000 rows": (20, 10, 1, 1000),
    "20 columns, 10 set, 5,000 rows": (20, 10, 1, 5000),
}


def drawn(n, n_settings, size, n_rows, rng):
    """A DAG, the settings, and the rows with the number of their setting, 0 where nothing was set."""
    dag = Dag.from_networkx(erdos_renyi(n, DEGREE / (n - 1), rng))
    chosen = rng.choice(n, (n_settings, size), replace=False) if n >= n_settings * size else None
    settings = [frozenset(), *(frozenset(map(int, row)) for row in chosen)]
    number = np.where(np.arange(n_rows) < n_rows // 2, 0, 1 + np.arange(n_rows) % n_settings)
    values = rng.standard_normal((n_rows, n)) * np.sqrt(rng.uniform(1, 3, n))
    for v in dag.topological_order():
        observed = np.array([v not in settings[k] for k in number])
        for parent in sorted(dag.parents[v]):
            weight = rng.uniform(0.2, 0.8) * rng.choice([-1, 1])
            values[observed, v] += weight * values[observed, parent]
        values[~observed, v] = 2 * rng.standard_normal((~observed).sum())
    return dag, settings, number, values


def true_class(dag, settings):
    known = replace(closure(dag.names, []), settings=frozenset(settings) - {frozenset()})
    return essential_graph(dag, known).to_networkx(dag.names)


def by_sidelight(values, settings, number):
    frame = pd.DataFrame(values, columns=[f"x{v}" for v in range(values.shape[1])])
    frame["set"] = [", ".join(f"x{v}" for v in sorted(settings[k])) for k in number]
    return _by_number(sl.learn(frame, targets="set").to_networkx())


def by_gies(values, settings, number):
    import gies

    rows = [values[number == k] for k in range(len(settings))]
    found, _ = gies.fit_bic(rows, [sorted(setting) for setting in settings])
    graph = nx.empty_graph(len(found), create_using=nx.DiGraph)
    graph.add_edges_from((int(i), int(j)) for i, j in np.argwhere(found))
    return graph


LEARNERS = {
    "sidelight": by_sidelight,
    "gies": by_gies,
    "observed": lambda values, settings, number: sl.learn(values[number == 0]).to_networkx(),
    "pooled": lambda values, settings, number: sl.learn(values).to_networkx(),
}


def _by_number(graph):
    return nx.relabel_nodes(graph, lambda name: int(name[1:]))


def main():
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"| | {' | '.join(LEARNERS)} |\n|---|{'---|' * len(LEARNERS)}")
    for name, size in ROWS.items():
        figures = {learner: [] for learner in LEARNERS}
        for number in range(-1, tables):  # the first is not counted: kernels are compiled
            dag, settings, of_row, values = drawn(*size, np.random.default_rng(FIRST_SEED + number))
            truth = true_class(dag, settings)
            for learner, learn in LEARNERS.items():
                started = process_time()
                found = learn(values, settings, of_row)
                seconds = process_time() - started
                if number >= 0:
                    figures[learner].append((class_distance(found, truth), seconds))
        means = [np.mean(rows, axis=0) for rows in figures.values()]
        print(f"| {name} | {' | '.join(f'{d:.1f} ({s:.1f} s)' for d, s in means)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
