"""How often true independences are rejected where rows do not count in full: gaps, ranks, survey weights.

    python benchmarks/effective_sizes.py em [TABLES]       missing="em", beside EM with all rows, and "pairwise"
    python benchmarks/effective_sizes.py ranks [TABLES]    normal scores, beside Pearson, Spearman and Kendall
    python benchmarks/effective_sizes.py weights [TABLES]  Kish's effective size, beside weights as frequencies

Every table has x and y, which are independent given the columns S, and each line says at which share of the tables
their independence was rejected at 0.05, 0.01 and 0.001. Each test is built as ``sl.learn`` builds it.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

import sidelight as sl
from sidelight.families.gaussian.correlation import moments
from sidelight.families.options import DataOptions
from sidelight.prepare import prepare

TABLES = 1000
LEVELS = (0.05, 0.01, 0.001)
Values = NDArray[np.float64]
PValues = Iterator[tuple[str, float]]


def linear(rng: np.random.Generator, rows: int, n_given: int, strength: float) -> Values:
    """Columns x, y, S: the members of S have a cause in common, and together explain strength² times the noise."""
    common = (rng.standard_normal((rows, n_given)) + 0.7 * rng.standard_normal((rows, 1))) / 1.22
    effects = rng.choice([-1, 1], (n_given, 2)) * rng.uniform(0.5, 1, (n_given, 2)) * strength / max(1, n_given) ** 0.5
    return np.column_stack([common @ effects + rng.standard_normal((rows, 2)), common])


def p_value(values: object, **options: object) -> float:
    """Of x and y given all other columns."""
    test = prepare(values, DataOptions(**options)).test  # type: ignore[arg-type]
    return test.p_value(0, 1, range(2, len(test.names)))


def on(correlations: Values, rows: int) -> float:
    """The same of a matrix, made positive definite where it is not."""
    values, vectors = np.linalg.eigh(correlations)
    raised = (vectors * np.maximum(values, 1e-8)) @ vectors.T
    scale = 1 / np.sqrt(np.diagonal(raised))
    matrix = raised * scale * scale[:, None]
    test = sl.FisherZ(sl.Correlation.computed(matrix, rows, tuple(range(len(matrix)))))
    return test.p_value(0, 1, range(2, len(matrix)))


def with_gaps(rng: np.random.Generator, rows: int, n_given: int, rate: float) -> PValues:
    """Values missing completely at random."""
    values = linear(rng, rows, n_given, 1.5)
    values[rng.random(values.shape) < rate] = np.nan
    test = prepare(values, DataOptions(missing="em")).test
    yield "em", test.p_value(0, 1, range(2, n_given + 2))
    yield "all rows", sl.FisherZ(test.correlation).p_value(0, 1, range(2, n_given + 2))  # type: ignore[attr-defined]
    complete = int(np.isfinite(values).all(axis=1).sum())
    yield "pairwise", p_value(values, missing="pairwise") if complete > n_given + 5 else 1.0


def by_ranks(rng: np.random.Generator, rows: int, n_given: int, strength: float) -> PValues:
    """Gaussian columns; any others of the same ranks give the same but for Pearson."""
    values = linear(rng, rows, n_given, strength)
    yield "pearson", p_value(values)
    yield "normal-scores", p_value(values, correlation="normal-scores")
    ranks = np.column_stack([stats.rankdata(column) for column in values.T])
    yield "spearman", on(2 * np.sin(np.pi / 6 * np.corrcoef(ranks.T)), rows)
    if rows <= 50:
        tau = [[stats.kendalltau(a, b).statistic for a in values.T] for b in values.T]
        yield "kendall", on(np.sin(np.pi / 2 * np.array(tau)), rows)


def weighted(rng: np.random.Generator, rows: int, n_given: int, spread: float) -> PValues:
    """Lognormal weights that have nothing to do with the columns, scaled to sum to the number of rows."""
    values = linear(rng, rows, n_given, 1.0)
    weights = rng.lognormal(0, spread, rows)
    weights /= weights.mean()
    yield "fisher-z", p_value(values, weights=weights)
    yield "fisher-z, as frequencies", on(moments(values, weights=weights).correlations, rows)
    given = values[:, 2:] > 0
    numbers = np.column_stack([(given - 0.5).sum(axis=1, keepdims=True) + rng.standard_normal((rows, 2)), given])
    coded = pd.DataFrame(np.where(numbers > 0.3, "high", "low"))
    yield "chi2-moments", p_value(coded, weights=weights)
    yield "mixed", p_value(coded.assign(**{"0": numbers[:, 0]})[["0", *range(1, n_given + 2)]], weights=weights)


STUDIES: dict[str, tuple[Callable[..., PValues], list[tuple[int, int, float]]]] = {
    "em": (
        with_gaps,
        [(200, 0, 0.5), (200, 1, 0.3), (200, 1, 0.5), (200, 3, 0.3), (200, 3, 0.5), (1000, 1, 0.5)],
    ),
    "ranks": (
        by_ranks,
        [(20, 1, 0.5), (20, 10, 0.5), (50, 5, 1.5), (200, 5, 1.5), (1000, 5, 1.5), (200, 5, 4.0), (1000, 5, 4.0)],
    ),
    "weights": (weighted, [(500, 0, 0.5), (500, 1, 0.5), (500, 0, 1.0), (500, 1, 1.0), (500, 3, 1.0), (500, 6, 1.0)]),
}
LAST = {"em": "missing", "ranks": "strength", "weights": "spread of log weights"}


def main() -> None:
    """Print one table of the study that is named."""
    name = sys.argv[1]
    tables = int(sys.argv[2]) if len(sys.argv) > 2 else TABLES
    sample, settings = STUDIES[name]
    print(f"| rows | given | {LAST[name]} | test | " + " | ".join(map(str, LEVELS)) + " |")
    print("|---|---|---|---|" + "---|" * len(LEVELS))
    for setting in settings:
        rng, found = np.random.default_rng(1), defaultdict(list)
        for _ in range(tables):
            for test, p in sample(rng, *setting):
                found[test].append(p)
        for test, p_values in found.items():
            shares = " | ".join(f"{(np.array(p_values) <= level).mean():.3f}" for level in LEVELS)
            print("| " + " | ".join(map(str, setting)) + f" | {test} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
