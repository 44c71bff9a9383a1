"""Learning with hidden common causes, beside causal-learn's FCI.

    python benchmarks/hidden.py tables [TABLES] [COLUMNS] [ROWS]   marks, edges, ↔, legality and seconds, on numbers
    python benchmarks/hidden.py oracle [GRAPHS]                    exact PAGs, and distinct tests, with an oracle

Two families of hidden causes: a fifth as many as columns, roots with two effects each; or as many anywhere in the DAG,
with two effects or more. The mean degree is 3, weights are ±.2 to .8, variances 1 to 3. The distance is the number of
ends of edges that differ, for each edge of the true PAG. FCI is called with Fisher's Z at .01, and depth unlimited.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from io import StringIO
from time import process_time

import networkx as nx
import numpy as np
from causallearn.search.ConstraintBased.FCI import fci

import sidelight as sl
from sidelight.graphs.ancestral import mag_of
from sidelight.graphs.dag import Dag
from sidelight.graphs.marks import ARROW, CIRCLE, TAIL, MarkedGraph
from sidelight.orientation.pag import is_pag, pag_of
from sidelight.simulation.random_graphs import erdos_renyi

FIRST_SEED = 340_000  # not used to choose anything
DEGREE = 3
MARKS = {-1: TAIL, 1: ARROW, 2: CIRCLE}  # as causal-learn has them


def roots(n, rng):
    """A DAG over n columns and hidden roots with two effects each."""
    graph = erdos_renyi(n, DEGREE / (n - 1), rng)
    hidden = list(range(n, n + n // 5))
    graph.add_edges_from((u, int(v)) for u in hidden for v in rng.choice(n, 2, replace=False))
    return graph, hidden


def anywhere(n, rng):
    """A DAG of which some variables with two effects or more are hidden."""
    total = n + n // 5
    graph = erdos_renyi(total, DEGREE / (total - 1), rng)
    possible = [v for v in graph if graph.out_degree(v) >= 2]
    return graph, sorted(map(int, rng.choice(possible, min(n // 5, len(possible)), replace=False)))


def rows_of(graph, n_rows, rng):
    dag = Dag.from_networkx(graph)
    values = rng.standard_normal((n_rows, len(dag))) * np.sqrt(rng.uniform(1, 3, len(dag)))
    for v in dag.topological_order():
        for parent in sorted(dag.parents[v]):
            values[:, v] += rng.uniform(0.2, 0.8) * rng.choice([-1, 1]) * values[:, parent]
    return values, dag.names


def true_pag(graph, hidden):
    dag = Dag.from_networkx(graph)
    return pag_of(mag_of(dag, [dag.names.index(v) for v in hidden])).graph


def by_fci(values, names):
    with redirect_stdout(StringIO()):  # it prints edges even if asked not to
        matrix = fci(values, "fisherz", 0.01, show_progress=False)[0].graph
    pairs = [(a, b) for a in range(len(names)) for b in range(a) if matrix[a, b] or matrix[b, a]]
    return MarkedGraph.of_edges(names, [(a, b, MARKS[matrix[a, b]], MARKS[matrix[b, a]]) for a, b in pairs])


def by_sidelight(values, names):
    return sl.learn(values, names=names, hidden=True).by_position.marks


def of_the_dag(values, names):
    return pag_of(MarkedGraph.of_dag(sl.learn(values, names=names).by_position.dag)).graph


LEARNERS = {"sidelight": by_sidelight, "PAG of its DAG": of_the_dag, "causal-learn FCI": by_fci}


def compared(found, truth):
    """Distance, shared and all edges, shared and all ↔."""
    n = range(len(truth))
    distance = sum(found.mark(a, b) != truth.mark(a, b) for a in n for b in n if a != b) / max(1, truth.n_edges)
    edges, mutual = [], []
    for graph in (found, truth):
        edges.append({(e.a, e.b) for e in graph.edges()})
        mutual.append({(e.a, e.b) for e in graph.edges() if e.at_a == e.at_b == ARROW})
    shared = len(edges[0] & edges[1])
    return [
        distance,
        2 * shared / max(1, sum(map(len, edges))),
        *map(len, (mutual[0], mutual[1], mutual[0] & mutual[1])),
    ]


def tables(n_tables=10, n=20, n_rows=1000):
    print(
        f"{n} columns, {n_rows} rows, {n_tables} tables: distance, F1 of edges, ↔ found/true/both, legal, CPU seconds"
    )
    for family in (roots, anywhere):
        figures = {name: [] for name in LEARNERS}
        for number in range(-1, n_tables):  # the first is not counted: kernels are compiled
            rng = np.random.default_rng(FIRST_SEED + number)
            graph, hidden = family(n, rng)
            values, names = rows_of(graph, n_rows, rng)
            kept = [i for i, name in enumerate(names) if name not in hidden]
            truth = true_pag(graph, hidden)
            for name, learner in LEARNERS.items():
                start = process_time()
                found = learner(values[:, kept], [str(names[i]) for i in kept])
                seconds = process_time() - start
                if number >= 0:
                    figures[name].append([*compared(found, truth), is_pag(found), seconds])
        for name, rows in figures.items():
            distance, f1, found, true, both, legal, seconds = np.mean(rows, axis=0)
            print(
                f"{family.__name__:9} {name:17} {distance:.3f}  {f1:.3f}  {found:.1f}/{true:.1f}/{both:.1f}  "
                f"{legal:.0%}  {seconds:.2f}",
                flush=True,
            )


def oracle(n_graphs=200):
    exact, n_tests = 0, []
    for number in range(n_graphs):
        rng = np.random.default_rng(FIRST_SEED + number)
        n = int(rng.integers(4, 10))
        graph = erdos_renyi(n + int(rng.integers(0, 5)), min(1.0, DEGREE / (n - 1)), rng)
        others = [int(v) for v in rng.permutation(len(graph))][: len(graph) - n]
        cut = int(rng.integers(0, len(others) + 1))
        net = sl.learn(sl.DSeparation(graph, hidden=others[:cut], selected=others[cut:]), hidden=True)
        dag = Dag.from_networkx(graph)
        roles = ([dag.names.index(v) for v in role] for role in (others[:cut], others[cut:]))
        exact += net.by_position.marks == pag_of(mag_of(dag, *roles), cut < len(others)).graph
        separated = all(
            nx.is_d_separator(graph, {a}, {b}, {*given, *others[cut:]}) for (a, b), given in net.separating_sets.items()
        )
        assert separated
        n_tests.append(net.n_tests + net.boundary_tests)
    print(f"{exact} of {n_graphs} PAGs exact; every separating set separates; {np.mean(n_tests):.0f} tests on average")


if __name__ == "__main__":
    command, *numbers = sys.argv[1:] or ["tables"]
    {"tables": tables, "oracle": oracle}[command](*map(int, numbers))
