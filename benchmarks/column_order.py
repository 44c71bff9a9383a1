"""Is the same structure learned from the same table, however its columns stand and are written down?

    python benchmarks/column_order.py [TABLES]       how many of each size; 10 by default

Prints in how many of the tables the essential graph stays the same when the columns change places, when variables and
categories have other names (which gives categories another order), when numbers are multiplied and change their sign,
and when rows are drawn with replacement, as repeated rows and as weights; by the default learner and by RSL alone. The
first figure is for permuted columns where variables are learned in the order of the columns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import product
from unittest.mock import patch

import networkx as nx
import numpy as np
import pandas as pd
from mixed import conditional_gaussian, logistic, thresholds

import sidelight as sl
from sidelight.evaluate.comparison import class_distance
from sidelight.learning import Run
from sidelight.simulation import networks, random_graphs
from sidelight.simulation.gaussian import random_linear_gaussian

ROWS, LEARNERS, COLUMNS, DEGREE = (60, 200, 2000), ("hybrid", "rsl"), 12, 3
FIRST_SEED = 500
Learn = Callable[..., sl.Network]
Frames = Callable[[int, np.random.Generator], pd.DataFrame]


def sampled(name: str, n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    frame = pd.DataFrame(networks.load_discrete(name).sample(n_rows, rng))
    return frame.loc[:, frame.nunique() > 1]


def simulated(model: Frames, n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    frame = model(random_graphs.erdos_renyi(COLUMNS, DEGREE / (COLUMNS - 1), rng), n_rows, rng)
    frame.columns = [f"v{name}" for name in frame]
    return frame.loc[:, frame.nunique() > 1]


def numbers(n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    graph = random_graphs.erdos_renyi(COLUMNS, DEGREE / (COLUMNS - 1), rng)
    return pd.DataFrame(random_linear_gaussian(graph, rng).sample(n_rows, rng)).rename(columns="v{}".format)


TABLES: dict[str, Frames] = {
    **{name: partial(sampled, name) for name in ("asia", "sachs", "child")},
    **{
        model.__name__.replace("_", " "): partial(simulated, model)
        for model in (logistic, thresholds, conditional_gaussian)
    },
    "numbers": numbers,
}


def same_graph(learn: Learn, frame: pd.DataFrame, other: pd.DataFrame, names: dict, **options: object) -> bool:
    """Is what is learned from the other table the same, with the names that the variables have there?"""
    first = nx.relabel_nodes(learn(frame).to_networkx(), names)
    return class_distance(first, learn(other, **options).to_networkx()) == 0


def changes(learn: Learn, frame: pd.DataFrame, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    permuted = frame[rng.permutation(frame.columns)]
    same, categories = {name: name for name in frame}, frame.select_dtypes(exclude="float").columns
    with patch.object(Run, "order_by_data", lambda run: None):
        yield "permuted, as before", same_graph(learn, frame, permuted, same)
    yield "permuted", same_graph(learn, frame, permuted, same)
    names = dict(zip(frame, (f"n{v}" for v in rng.permutation(frame.shape[1])), strict=True))
    renamed = frame.copy()
    for name in categories:
        values = frame[name].unique()
        renamed[name] = frame[name].map(
            dict(zip(values, (f"c{code}" for code in rng.permutation(len(values))), strict=True))
        )
    yield "names and categories", same_graph(learn, frame, renamed.rename(columns=names), names)
    others = [name for name in frame if name not in categories]
    if others:
        scaled = frame.assign(**{name: frame[name] * rng.choice([-1, 1]) * rng.uniform(0.1, 10) + 3 for name in others})
        yield "scale and sign", same_graph(learn, frame, scaled, same)
    drawn, counts = np.unique(rng.integers(len(frame), size=len(frame)), return_counts=True)
    weighted = frame.iloc[drawn].assign(weight=counts)
    yield "weights", same_graph(learn, frame.iloc[np.repeat(drawn, counts)], weighted, same, weights="weight")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    kinds = ("permuted, as before", "permuted", "names and categories", "scale and sign", "weights")
    print(f"| table | rows | learner | {' | '.join(kinds)} |\n|---|---|---|{'---|' * len(kinds)}")
    totals: dict[tuple[str, str], list[bool]] = {}
    for (name, frames), n_rows, learner in product(TABLES.items(), ROWS, LEARNERS):
        found: dict[str, list[bool]] = {}
        for seed in range(FIRST_SEED, FIRST_SEED + count):
            rng = np.random.default_rng(seed)
            test = "auto" if name == "numbers" else "chi2-moments" if name in networks.available() else "mixed"
            learn = partial(sl.learn, learner=learner, test=test)
            with suppress(sl.InputError):  # columns that are copies of each other
                for kind, same in changes(learn, frames(n_rows, rng), rng):
                    found.setdefault(kind, []).append(same)
                    totals.setdefault((learner, kind), []).append(same)
        cells = (f"{np.mean(found[kind]):.2f}" if kind in found else "" for kind in kinds)
        print(f"| {name} | {n_rows} | {learner} | {' | '.join(cells)} |", flush=True)
    for learner in LEARNERS:
        cells = (f"{sum(totals[learner, kind])} of {len(totals[learner, kind])}" for kind in kinds)
        print(f"| all | | {learner} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
