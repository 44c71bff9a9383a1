"""Held-out log-likelihood of structures learned from the columns of numbers of real tables, beside peers.

Columns become normal scores of the training rows; each variable is regressed on its parents in a DAG of what was
learned. This needs no known truth, but it rewards dense graphs where rows are many: "all edges" shows how much.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata
from table_sources import FEWEST_COLUMNS, FEWEST_ROWS, RULE, columns_to_drop, limited, unusable_columns

import sidelight as sl
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.kinds.types import discrete_columns
from sidelight.orientation.essential import extend_to_dag
from sidelight.sources.rows import read_table

SPLITS, TRAINING, TIE = 3, 0.7, 0.001
LEAST_NOISE = 0.01  # of a column's standard deviation: nearly deterministic columns do not decide the comparison
Parents = Sequence[frozenset[int]]


def _ours(values: np.ndarray, learner: str) -> Parents:
    return Dag.from_networkx(sl.learn(values, learner=learner).to_dag()).parents


def _pc(values: np.ndarray) -> Parents:
    from causallearn.search.ConstraintBased.PC import pc

    return _extended(pc(values, 0.01, "fisherz", show_progress=False).G.graph)


def _ges(values: np.ndarray) -> Parents:
    from causallearn.search.ScoreBased.GES import ges

    return _extended(ges(values)["G"].graph)


def _boss(values: np.ndarray) -> Parents:
    from causallearn.search.PermutationBased.BOSS import boss

    random.seed(0)  # it shuffles the variables
    return _extended(boss(values, verbose=False).graph)


def _extended(marks: np.ndarray) -> Parents:
    """A DAG of causal-learn's graph: marks[j, i] = 1 and marks[i, j] = -1 mean i → j, others have no direction."""
    graph = PartialDag.from_skeleton(len(marks), {(int(min(e)), int(max(e))) for e in np.argwhere(marks)})
    for j, i in np.argwhere((marks == 1) & (marks.T == -1)):
        graph.orient(int(i), int(j))
    return extend_to_dag(graph)


LEARNERS: dict[str, Callable[[np.ndarray], Parents]] = {
    "sidelight": lambda values: _ours(values, "auto"),
    "rsl": lambda values: _ours(values, "rsl"),
    "pc-stable": lambda values: _ours(values, "pc-stable"),
    "causal-learn PC": _pc,
    "causal-learn GES": _ges,
    "causal-learn BOSS": _boss,
    "no edges": lambda values: [frozenset()] * values.shape[1],
    "all edges": lambda values: [frozenset(range(v)) for v in range(values.shape[1])],
}


def numbers(source: object) -> np.ndarray | None:
    """The columns of numbers of a table, without rows with gaps; None if there are too few."""
    drop = unusable_columns(source)
    if drop is None:
        return None
    table = read_table(source, drop=drop)
    chosen = [name for name in table.names if name not in discrete_columns(table, None)]
    values = np.asarray(table.part(chosen).values, dtype=np.float64)
    values = values[np.isfinite(values).all(axis=1)]
    return values if len(chosen) >= FEWEST_COLUMNS and len(values) >= FEWEST_ROWS else None


def split(values: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and held-out rows as normal scores, without columns that the doctor calls errors in the former."""
    order = np.random.default_rng(seed).permutation(len(values))
    cut = int(TRAINING * len(values))
    training, held_out = (_scores(values[order[:cut]], values[rows]) for rows in (order[:cut], order[cut:]))
    kept = list(range(values.shape[1]))
    while wrong := {
        name for finding in sl.diagnose(training[:, kept], names=kept).errors for name in columns_to_drop(finding)
    }:
        kept = [name for name in kept if name not in wrong]
    return training[:, kept], held_out[:, kept]


def _scores(fitted_on: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Normal scores by mean ranks among the rows fitted on, interpolated between their values."""
    scores = np.empty_like(values)
    for i, column in enumerate(fitted_on.T):
        ranks = ndtri(rankdata(column) / (len(column) + 1))
        order = np.argsort(column)
        scores[:, i] = np.interp(values[:, i], column[order], ranks[order])
    return scores


def log_likelihood(parents: Parents, training: np.ndarray, held_out: np.ndarray) -> float:
    """Of linear regressions on the parents, per held-out row and variable."""
    total = 0.0
    for v, chosen in enumerate(map(sorted, parents)):
        design, new = (np.column_stack([np.ones(len(rows)), rows[:, chosen]]) for rows in (training, held_out))
        slopes = np.linalg.lstsq(design, training[:, v], rcond=None)[0]
        noise = max(float((training[:, v] - design @ slopes).std()), LEAST_NOISE)
        surprise = np.square((held_out[:, v] - new @ slopes) / noise)
        total += float(np.mean(-0.5 * surprise - np.log(noise) - 0.5 * np.log(2 * np.pi)))
    return total / len(parents)


def likelihood(sources: Iterable[tuple[str, object]], limit: float) -> None:
    """Print the mean of each table for each learner; – where a learner exceeds the time limit or fails."""
    for run in LEARNERS.values():
        run(np.random.default_rng(0).normal(size=(100, 4)).cumsum(axis=1))  # loads what the processes need
    print(f"{RULE} Discrete columns are left out.\n\n| table | columns | {' | '.join(LEARNERS)} |")
    print(f"|---|---|{'---|' * len(LEARNERS)}")
    means: list[dict[str, float]] = []
    stopped: Counter[str] = Counter()
    for name, source in sources:
        with suppress(TimeoutError, RuntimeError):
            values = limited(numbers, limit, source)
            if values is not None:
                means.append(_means([split(values, seed) for seed in range(SPLITS)], limit, stopped))
                cells = ("–" if np.isnan(mean) else f"{mean:.3f}" for mean in means[-1].values())
                print(f"| {name} | {values.shape[1]} | {' | '.join(cells)} |", flush=True)
    print_comparison(means)
    for why, count in stopped.most_common():
        print(f"not learned, {count} tables: {why}")


def _means(splits: list[tuple[np.ndarray, np.ndarray]], limit: float, stopped: Counter[str]) -> dict[str, float]:
    """The mean over the splits for each learner; NaN for one that fails on any of them, which is then counted."""
    means = dict.fromkeys(LEARNERS, np.nan)
    for learner, run in LEARNERS.items():
        try:
            means[learner] = float(np.mean([log_likelihood(limited(run, limit, t), t, held) for t, held in splits]))
        except (TimeoutError, RuntimeError) as error:
            stopped[f"{learner}: {str(error) or f'more than {limit:g} s'}"] += 1
    return means


def print_comparison(means: list[dict[str, float]]) -> None:
    """On how many tables ours is better or worse than each of the others."""
    print("\n| sidelight beside | better | within a thousandth | worse | not compared | mean difference |")
    print(f"|{'---|' * 6}")
    for learner in list(LEARNERS)[1:]:
        differences = np.array([mean["sidelight"] - mean[learner] for mean in means])
        known = differences[~np.isnan(differences)]
        better, worse = int((known > TIE).sum()), int((known < -TIE).sum())
        counts = f"{better} | {len(known) - better - worse} | {worse} | {len(means) - len(known)}"
        print(f"| {learner} | {counts} | {known.mean() if len(known) else np.nan:+.4f} |")
