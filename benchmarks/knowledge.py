"""What knowledge gains, and whether false knowledge is noticed.

    python benchmarks/knowledge.py gains [SEEDS]     distance to the true DAG with and without true knowledge
    python benchmarks/knowledge.py doubts [SEEDS]    one false piece among true ones: is it one of the first doubts?
    python benchmarks/knowledge.py tests [SEEDS]     tests with and without ten tiers, with the oracle

True knowledge: three tiers from a topological order, or a tenth of the arrows required, or both. The distance counts
pairs of variables at which the learned graph, with its undirected edges, differs from the true DAG.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import networkx as nx
import numpy as np
import pandas as pd

import sidelight as sl
from sidelight.graphs.properties import clique_number
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi

FIRST_SEED = 60_000  # not used to choose anything
TIERS, NETWORKS = 3, ("alarm", "child", "insurance")
Draw = Callable[[np.random.Generator], tuple[nx.DiGraph, pd.DataFrame]]


def gaussian(n: int, rows: int) -> Draw:
    """G(n) of mean degree 3."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, pd.DataFrame]:
        graph = erdos_renyi(n, 3 / (n - 1), rng)
        names, values = linear_gaussian(graph, rows, rng)
        named = nx.relabel_nodes(graph, {name: f"x{name}" for name in graph})
        return named, pd.DataFrame(values, columns=[f"x{name}" for name in names])

    return draw


def discrete(name: str, rows: int) -> Draw:
    """Rows of a network's own tables, without columns that came out constant."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, pd.DataFrame]:
        simulated = sl.simulate(sl.networks.load_discrete(name), rows, seed=int(rng.integers(2**31)))
        frame = simulated.table.to_pandas()
        kept = [column for column in frame if frame[column].nunique() > 1]
        return simulated.graph.subgraph(kept).copy(), frame[kept]

    return draw


DATA: dict[str, Draw] = {
    **{f"G(100), {rows:,} rows": gaussian(100, rows) for rows in (300, 1000, 5000)},
    **{
        f"{name}, {rows:,} rows": discrete(name, rows)
        for name in ("alarm", "child", "insurance")
        for rows in (1000, 5000)
    },
}


def tiers_of(graph: nx.DiGraph, n: int = TIERS) -> sl.Tiers:
    order = list(nx.lexicographical_topological_sort(graph, key=str))
    return sl.Tiers(*(list(part) for part in np.array_split(np.array(order, dtype=object), n)))


def some_arrows(graph: nx.DiGraph, rng: np.random.Generator) -> sl.Required:
    arrows = sorted(graph.edges)
    chosen = rng.choice(len(arrows), size=max(1, len(arrows) // 10), replace=False)
    return sl.Required(*(arrows[i] for i in sorted(chosen)))


def distance(found: nx.DiGraph, truth: nx.DiGraph) -> int:
    """Pairs at which the graphs differ."""
    pairs = {tuple(sorted(edge)) for graph in (found, truth) for edge in graph.edges}
    ways = [{(a, b): (graph.has_edge(a, b), graph.has_edge(b, a)) for a, b in pairs} for graph in (found, truth)]
    return sum(ways[0][pair] != ways[1][pair] for pair in pairs)


def gains(seeds: int) -> None:
    """Learn with and without."""
    print("| data | learner | without | tiers | arrows | both |\n|---|---|---|---|---|---|")
    for name, draw in DATA.items():
        for learner in ("rsl", "hybrid"):
            rows = []
            for seed in range(seeds):
                rng = np.random.default_rng(FIRST_SEED + seed)
                graph, frame = draw(rng)
                tiers, arrows = tiers_of(graph), some_arrows(graph, rng)
                sides = (None, tiers, arrows, tiers & arrows)
                rows.append([distance(sl.learn(frame, side, learner=learner).to_networkx(), graph) for side in sides])
            print(f"| {name} | {learner} | {' | '.join(f'{mean:.1f}' for mean in np.mean(rows, axis=0))} |", flush=True)


def false_pieces(graph: nx.DiGraph, rng: np.random.Generator) -> Iterator[tuple[str, sl.Known, set[str]]]:
    """True tiers and arrows with one false piece, and the variables that it is about."""
    tiers, arrows = tiers_of(graph), some_arrows(graph, rng)
    given = {frozenset(arrow) for arrow in arrows.pairs}
    compelled = [e for e in sl.essential_graph(graph).edges if not sl.essential_graph(graph).has_edge(*e[::-1])]
    free = [edge for edge in sorted(compelled) if frozenset(edge) not in given]
    apart = [(a, b) for a in sorted(graph) for b in sorted(graph) if a < b and not graph.to_undirected().has_edge(a, b)]
    if free:
        tail, head = free[rng.integers(len(free))]
        yield "an arrow reversed", arrows & sl.Required((head, tail)), {tail, head}
        tail, head = free[rng.integers(len(free))]
        yield "an edge denied", tiers & arrows & sl.NoEdge((tail, head)), {tail, head}
    order = list(nx.lexicographical_topological_sort(graph, key=str))
    pair = tuple(sorted(apart[rng.integers(len(apart))], key=order.index))
    yield "an edge invented", tiers & arrows & sl.Required(pair), set(pair)


def doubts(seeds: int) -> None:
    """How often the false piece is named, and how many doubts there are about true knowledge."""
    print("| data | piece | among the first three | named first | doubts in all, mean |\n|---|---|---|---|---|")
    for name, draw in DATA.items():
        found: dict[str, list[tuple[bool, bool, int]]] = {}
        for seed in range(seeds):
            rng = np.random.default_rng(FIRST_SEED + seed)
            graph, frame = draw(rng)
            for kind, known, about in false_pieces(graph, rng):
                try:
                    named = [set(doubt.variables) == about for doubt in sl.learn(frame, known).doubts]
                except sl.InputError:  # it contradicts the true pieces, and was refused
                    named = [True]
                found.setdefault(kind, []).append((any(named[:3]), any(named[:1]), len(named)))
        for kind, outcomes in found.items():
            three, first, count = np.mean(outcomes, axis=0)
            print(f"| {name} | {kind} | {three:.0%} | {first:.0%} | {count:.1f} |", flush=True)


def tests(seeds: int) -> None:
    """With the oracle and the true clique number, 1,000 variables in ten tiers."""
    print("| data | variant | without | ten tiers | share |\n|---|---|---|---|---|")
    for name, p in (("G(1000, n^-.72)", 1000**-0.72), ("G(1000), degree 3", 3 / 999)):
        for variant in ("paper", "robust"):
            counts = []
            for seed in range(seeds):
                graph = erdos_renyi(1000, p, np.random.default_rng(FIRST_SEED + seed))
                bound, tiers = sl.CliqueNumber(clique_number(graph)), tiers_of(graph, 10)
                counts.append(
                    [sl.learn(sl.DSeparation(graph), side, variant=variant).n_tests for side in (bound, bound & tiers)]
                )
            without, with_tiers = np.mean(counts, axis=0)
            print(
                f"| {name} | {variant} | {without:,.0f} | {with_tiers:,.0f} | {with_tiers / without:.2f} |", flush=True
            )


WHAT = {"gains": gains, "doubts": doubts, "tests": tests}


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in WHAT:
        raise SystemExit(__doc__)
    WHAT[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 10)


if __name__ == "__main__":
    main()
