"""Panels and series with known edges between waves and within: F1 and distance beside PCMCI+ of tigramite.

    python benchmarks/waves.py [TABLES] [SECONDS]
    python benchmarks/waves.py persons [TABLES]

Linear Gaussian processes: each column is like itself a wave before with a weight of .2 to .5, and has on average one
cause a wave before and half a cause within the wave, with weights of ±.15 to .4. Rows of persons are stationary. F1 is
of the edges, with their lags (full) or of columns (summary); the distance is how many of these pairs differ from the
true class in presence or direction. Both get one lag and a level of .01. PCMCI+ (Runge 2020) tests partial
correlations; persons stand in one series with missing rows between them, so that no lag crosses. Where it takes longer
than SECONDS (default 60) of the processor for a table, it has no entry.

"persons": ten columns of 300 people who differ for good, by a number of each column's own and one that all share, each
with this deviation beside 1 of what is new in a wave; rows as they are, with one lag and two, and within persons. Which
of these is the default was decided on other tables.
"""

from __future__ import annotations

import signal
import sys
import warnings
from time import process_time

import networkx as nx
import numpy as np
import pandas as pd

import sidelight as sl
from sidelight.evaluate.comparison import class_distance
from sidelight.graphs.dag import Dag
from sidelight.knowledge.statement import Known
from sidelight.knowledge.time import Lagged, TimeOrder, constraints_over_time
from sidelight.orientation.essential import essential_graph
from sidelight.result.over_time import OverTime

FIRST_SEED = 360_000  # not used to choose anything
ROWS = {
    "5 columns, 50 people, 5 waves": (5, 50, 5),
    "5 columns, 500 people, 3 waves": (5, 500, 3),
    "20 columns, 50 people, 10 waves": (20, 50, 10),
    "20 columns, 500 people, 4 waves": (20, 500, 4),
    "20 columns, 3,000 people, 3 waves": (20, 3000, 3),
    "50 columns, 500 people, 5 waves": (50, 500, 5),
    "50 columns, 3,000 people, 3 waves": (50, 3000, 3),
    "5 columns, a series of 200": (5, 1, 200),
    "20 columns, a series of 500": (20, 1, 500),
    "20 columns, a series of 2,000": (20, 1, 2000),
    "50 columns, a series of 5,000": (50, 1, 5000),
}
BURN_IN = 60


def process(n, rng):
    """The weights of causes a wave before and within the wave, rows are effects; scaled until it is stationary."""

    def weights(share, low, high):
        chosen = rng.random((n, n)) < share
        return np.where(chosen, rng.choice([-1, 1], (n, n)) * rng.uniform(low, high, (n, n)), 0.0)

    before = weights(1 / (n - 1), 0.15, 0.4)
    np.fill_diagonal(before, rng.uniform(0.2, 0.5, n))
    within, place = np.tril(weights(1 / (n - 1), 0.15, 0.4), -1), rng.permutation(n)
    within = within[np.ix_(place, place)]
    largest = np.abs(np.linalg.eigvals(np.linalg.solve(np.eye(n) - within, before))).max()
    return before * min(1.0, 0.9 / largest), within


def drawn(n, people, waves, rng, spread=0.0):
    """The rows of each person, people × waves × columns, and the weights; persons differ for good by a spread."""
    before, within = process(n, rng)
    lasting = spread * (rng.standard_normal((people, n)) + rng.standard_normal((people, 1))) if spread else 0.0
    mixing, now, found = np.linalg.inv(np.eye(n) - within).T, np.zeros((people, n)), []
    for wave in range(-BURN_IN, waves):
        now = (now @ before.T + rng.standard_normal((people, n)) + lasting) @ mixing
        found += [now] * (wave >= 0)
    return np.stack(found, axis=1), before, within


def names_of(n):
    columns = [f"x{v}" for v in range(n)]
    return columns, [f"{name} (t-1)" for name in columns]


def order_of(n):
    return TimeOrder(tuple(Lagged(earlier, name, 1) for name, earlier in zip(*names_of(n), strict=True)))


def true_graph(before, within):
    n = len(before)
    columns, earlier = names_of(n)
    parents = [
        frozenset(np.flatnonzero(before[v]).tolist()) | {n + u for u in np.flatnonzero(within[v])} for v in range(n)
    ]
    dag = Dag((*earlier, *columns), (*[frozenset[int]()] * n, *parents))
    return essential_graph(dag, constraints_over_time(Known(), order_of(n), dag.names)).to_networkx(dag.names)


def by_sidelight(rows, **options):
    people, waves, n = rows.shape
    frame = pd.DataFrame(rows.reshape(-1, n), columns=names_of(n)[0])
    frame["wave"], groups = np.tile(np.arange(waves), people), {}
    if people > 1:
        frame["person"], groups = np.repeat(np.arange(people), waves), {"groups": "person"}
    return sl.learn(frame, time="wave", **groups, **options).to_networkx()


def by_pcmci_plus(rows):
    from tigramite.data_processing import DataFrame
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    people, _, n = rows.shape
    gap = np.full((people, 2, n), 999.0)
    data = DataFrame(np.concatenate([rows, gap], axis=1).reshape(-1, n), missing_flag=999.0)
    marks = PCMCI(data, ParCorr(), verbosity=0).run_pcmciplus(tau_min=0, tau_max=1, pc_alpha=0.01)["graph"]
    columns, earlier = names_of(n)
    graph = nx.DiGraph()
    graph.add_nodes_from([*earlier, *columns])
    for u, v, lag in zip(*np.nonzero(marks != ""), strict=True):
        mark = marks[u, v, lag]
        if lag == 1 and mark != "<--":
            graph.add_edge(earlier[u], columns[v], directed=True)
        elif lag == 0 and mark == "-->":
            graph.add_edge(columns[u], columns[v], directed=True)
        elif lag == 0 and mark in ("o-o", "x-x"):
            graph.add_edge(columns[u], columns[v], directed=False)
    return graph


class TooLongError(Exception):
    """A table took longer than is allowed."""


def too_long(*_):
    raise TooLongError


def timed(learn, rows, seconds):
    """What is learned and how long it takes; None where that is too long."""
    signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    started = process_time()
    try:
        return learn(rows), process_time() - started
    except TooLongError:
        return None, seconds
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def summary(graph, n):
    edges = [(a, "→" if way else "—", b) for a, b, way in graph.edges(data="directed") if way or a < b]
    found = OverTime.of(order_of(n), list(graph), edges)
    marks = {}
    for edge in found.edges:
        pair = frozenset((edge.cause, edge.effect))
        marks.setdefault(pair, set()).add((edge.cause, edge.effect) if edge.directed else "open")
    return marks


def f1(found, true):
    right = len(found & true)
    return 2 * right / max(1, len(found) + len(true))


def judged(graph, true, n):
    """F1 and distance of the full graph, and of the summary."""
    full, true_full = ({frozenset(edge) for edge in each.edges} for each in (graph, true))
    ours, truth = summary(graph, n), summary(true, n)
    differing = sum(ours.get(pair) != truth.get(pair) for pair in ours.keys() | truth.keys())
    return (
        f1(full, true_full),
        class_distance(graph, true),
        f1(ours.keys(), truth.keys()),
        differing,
    )


def persons(n_tables):
    pooled = {"variation": "all"}
    ways = {"as they are": pooled, "two lags": {"lags": 2, **pooled}, "within": {"variation": "within"}, "default": {}}
    print(f"| waves | spread | {' | '.join(f'{way}: F1 | distance' for way in ways)} |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for waves, spread in [(waves, spread) for waves in (4, 10, 30) for spread in (0.0, 0.3, 1.0)]:
        found = {way: [] for way in ways}
        for table in range(n_tables):
            rng = np.random.default_rng(FIRST_SEED + table)
            rows, before, within = drawn(10, 300, waves, rng, spread)
            true = true_graph(before, within)
            for way, options in ways.items():
                graph = by_sidelight(rows, **options)
                graph.remove_nodes_from([name for name in graph if name.endswith("(t-2)")])
                found[way].append(judged(graph, true, 10)[:2])
        cells = [f"{f1:.2f} | {distance:.1f}" for f1, distance in (np.mean(each, axis=0) for each in found.values())]
        print(f"| {waves} | {spread:g} | {' | '.join(cells)} |", flush=True)


def main(n_tables, seconds):
    warnings.simplefilter("ignore")
    timed(by_sidelight, drawn(5, 50, 5, np.random.default_rng(0))[0], 600)  # kernels are loaded once
    timed(by_sidelight, drawn(20, 50, 5, np.random.default_rng(0))[0], 600)
    judges = ["full F1", "distance", "summary F1", "distance"]
    print(f"| {' | '.join(['', 'edges', *judges, *(f'PCMCI+: {judge}' for judge in judges), 'time'])} |")
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for label, (n, people, waves) in ROWS.items():
        found, times, n_edges = {by_sidelight: [], by_pcmci_plus: []}, {by_sidelight: 0.0, by_pcmci_plus: 0.0}, 0
        for table in range(n_tables):
            rows, before, within = drawn(n, people, waves, np.random.default_rng(FIRST_SEED + table))
            true = true_graph(before, within)
            n_edges += int((before != 0).sum() + (within != 0).sum())
            for learn in found:
                if len(found[learn]) == table:  # one that took too long is not asked again
                    graph, took = timed(learn, rows, seconds if learn is by_pcmci_plus else 600)
                    times[learn] += took
                    found[learn] += [] if graph is None else [judged(graph, true, n)]
        cells = []
        for learn in found:
            done = len(found[learn]) == n_tables
            means = np.mean(found[learn], axis=0) if done else [np.nan] * 4
            cells += [f"{m:.2f}" if i % 2 == 0 else f"{m:.1f}" for i, m in enumerate(means)] if done else ["–"] * 4
        ratio = times[by_pcmci_plus] / times[by_sidelight]
        more = "" if len(found[by_pcmci_plus]) == n_tables else "> "
        print(f"| {label} | {n_edges / n_tables:.0f} | {' | '.join(cells)} | {more}{ratio:.0f} × |", flush=True)


if __name__ == "__main__":
    asked = [word for word in sys.argv[1:] if word == "persons"]
    numbers = [float(word) for word in sys.argv[1:] if word not in asked]
    n_tables = int(numbers[0]) if numbers else 3
    if asked:
        persons(n_tables)
    else:
        main(n_tables, numbers[1] if len(numbers) > 1 else 60.0)
