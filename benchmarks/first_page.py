"""The table on the first page: three tables, and the packages that people come from.

    python benchmarks/first_page.py [TABLES] [LIMIT] [PACKAGE]

Numbers: 50 columns, four neighbours on average, weights of ±.2 to .8, 1,000 rows. Categories: alarm (37 columns), 5,000
rows. Mixed: 20 columns, half of them categories, 1,000 rows. Each cell has the F1 score of the edges, the number of
pairs of columns that differ from the true essential graph, and the seconds of the processor; means over TABLES tables
(5 if not said). LIMIT: seconds that one table may take (600 if not said). PACKAGE: its rows alone. Every package runs
with its defaults but the test or the score for the kind of data and alpha = .01; "–" where it has none for this kind.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from time import process_time

import networkx as nx
import numpy as np
import pandas as pd
from best_structure import by_boss, moderate
from discrete import causal_learn_pc
from mixed import DEGREE, MODEL_COLUMNS, conditional_gaussian, logistic, thresholds
from table_sources import limited

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons
from sidelight.simulation import networks
from sidelight.simulation.random_graphs import erdos_renyi

FIRST_SEED = 70_000  # not used to choose anything
LEVEL = 0.01
WARM_ROWS, WARM_COLUMNS = 200, 5
Learn = Callable[[pd.DataFrame], nx.DiGraph]


def numbers(seed: int) -> tuple[pd.DataFrame, nx.DiGraph]:
    graph, values = moderate(50, 4, 1000)(np.random.default_rng(seed))
    names = {v: f"x{v}" for v in graph}
    return pd.DataFrame(values, columns=list(names.values())), nx.relabel_nodes(graph, names)


def categories(seed: int) -> tuple[pd.DataFrame, nx.DiGraph]:
    network = networks.load_discrete("alarm")
    frame = pd.DataFrame(network.sample(5000, np.random.default_rng(seed)))
    frame = frame.loc[:, frame.nunique() > 1]
    return frame, nx.DiGraph(network.structure.subgraph(frame.columns))


def mixed(seed: int) -> tuple[pd.DataFrame, nx.DiGraph]:
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(MODEL_COLUMNS, DEGREE / (MODEL_COLUMNS - 1), rng)
    model = (logistic, thresholds, conditional_gaussian)[seed % 3]
    names = {v: f"x{v}" for v in graph}
    return model(graph, 1000, rng).rename(columns=names), nx.relabel_nodes(graph, names)


def ours(frame: pd.DataFrame) -> nx.DiGraph:
    return sl.learn(frame).to_networkx()


def causal_learn_numbers(frame: pd.DataFrame) -> nx.DiGraph:
    return causal_learn_pc(frame, "fisherz")


def boss(frame: pd.DataFrame) -> nx.DiGraph:
    return nx.relabel_nodes(by_boss(frame.to_numpy()), dict(enumerate(frame)))


def pgmpy_pc(ci_test: str, frame: pd.DataFrame) -> nx.DiGraph:
    from pgmpy.estimators import PC

    found = PC(frame).estimate(ci_test=ci_test, significance_level=LEVEL, n_jobs=1, show_progress=False)
    undirected = found.undirected_edges
    return nx.DiGraph([*found.directed_edges, *undirected, *((b, a) for a, b in undirected)])


def pgmpy_hill_climbing(score: str, frame: pd.DataFrame) -> nx.DiGraph:
    from pgmpy.estimators import HillClimbSearch

    dag = nx.DiGraph(HillClimbSearch(frame).estimate(scoring_method=score, show_progress=False).edges())
    dag.add_nodes_from(frame)
    return sl.essential_graph(dag)


TABLES = {
    "numbers": (numbers, "50 numbers, 1,000 rows"),
    "categories": (categories, "alarm, 37 categories, 5,000 rows"),
    "mixed": (mixed, "20 mixed columns, 1,000 rows"),
}
LEARNERS: dict[str, dict[str, Learn]] = {
    "**sidelight**": dict.fromkeys(TABLES, ours),
    "causal-learn, PC": {"numbers": causal_learn_numbers, "categories": causal_learn_pc},
    "causal-learn, BOSS": {"numbers": boss},
    "pgmpy, PC": {kind: partial(pgmpy_pc, test) for kind, test in
                  {"numbers": "pearsonr", "categories": "chi_square", "mixed": "pillai"}.items()},
    "pgmpy, hill climbing": {kind: partial(pgmpy_hill_climbing, score) for kind, score in
                             {"numbers": "bic-g", "categories": "bic-d", "mixed": "bic-cg"}.items()},
}  # fmt: skip


def timed(learn: Learn, frame: pd.DataFrame) -> tuple[nx.DiGraph, float]:
    """What is found, and the seconds of the processor; imports and compilation happen before."""
    warnings.simplefilter("ignore")
    learn(frame if learn is ours else frame.iloc[:WARM_ROWS, :WARM_COLUMNS])
    started = process_time()
    return learn(frame), process_time() - started


def measured(learn: Learn, frame: pd.DataFrame, truth: nx.DiGraph, limit: float) -> tuple[float, int, float]:
    found, seconds = limited(timed, limit, learn, frame)
    found.add_nodes_from(frame)
    return (
        compare_skeletons(nx.Graph(found.to_undirected()), truth).f1,
        class_distance(found, sl.essential_graph(truth)),
        seconds,
    )


def cell(learn: Learn | None, kind: str, tables: int, limit: float) -> str:
    """Means over the tables, or why there are none."""
    if learn is None:
        return "–"
    try:
        results = [measured(learn, *TABLES[kind][0](FIRST_SEED + table), limit) for table in range(tables)]
    except TimeoutError:
        return f"more than {limit:.0f} s"
    except RuntimeError as error:
        print(kind, error, file=sys.stderr)
        return "an error"
    f1, distance, seconds = np.mean(results, axis=0)
    return f"{f1:.2f} / {distance:.1f} / {seconds:.2g} s"


def main() -> None:
    given = dict(enumerate(sys.argv[1:]))
    tables, limit, package = int(given.get(0, 5)), float(given.get(1, 600)), given.get(2, "")
    print(f"| edges found (F1) / pairs wrong / time | {' | '.join(what for _, what in TABLES.values())} |")
    print(f"|{'---|' * (len(TABLES) + 1)}")
    for learner, by_kind in LEARNERS.items():
        if package not in learner:
            continue
        cells = " | ".join(cell(by_kind.get(kind), kind, tables, limit) for kind in TABLES)
        print(f"| {learner} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
