"""Does each test keep its significance level? How often it rejects true independences, at levels from .05 to 1e-6.

    python benchmarks/calibration.py [--quick] [PART OF A NAME …]     draws docs/pictures/calibration.svg

Every table has columns x0, x1, … and y0, y1, …; each x is independent of each y given the other columns, and all these
pairs are tested. A cell of the table printed is the share rejected divided by the level, which should be 1 (its standard
error, over tables, follows); – where fewer than five rejections are to be expected. ``exact`` rows are sums over all
tables with the given margins, or integrals. ! marks what is above twice its level by two standard errors; ? marks the
same for a test that the library warns of.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import gammaln

import sidelight as sl
from sidelight.independence.choose import prepare
from sidelight.independence.options import DataOptions

LEVELS = (0.05, 0.01, 1e-3, 1e-4, 1e-5, 1e-6)
Rng = np.random.Generator
Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Setting:
    """A kind of table in which x and y are independent given the rest, how it is tested, and on how many tables."""

    test: str
    name: str
    rows: int
    sample: Callable[[Rng, int], Columns]
    n_tables: int
    options: dict[str, object] = field(default_factory=dict)


# What the tables are made of: effects x0 … and y0 … of the columns z.


def numbers(size: int, draw: Callable[[Rng, tuple[int, ...]], np.ndarray], width: int = 6) -> Callable:
    """Linear effects of ``size`` numbers, all with noise drawn so."""

    def sample(rng: Rng, rows: int) -> Columns:
        z = draw(rng, (rows, size))
        common = z.sum(axis=1) / max(1, size) ** 0.5
        return {
            **{f"{side}{i}": common + draw(rng, (rows,)) for side in "xy" for i in range(width)},
            **{f"z{i}": z[:, i] for i in range(size)},
        }

    return sample


def normal(rng: Rng, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_normal(shape)


def exponential(rng: Rng, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_exponential(shape) - 1


def heavy(rng: Rng, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_t(3, shape) / 3**0.5


def with_gaps(sample: Callable[[Rng, int], Columns], share: float) -> Callable:
    """Values missing at random."""

    def incomplete(rng: Rng, rows: int) -> Columns:
        return {k: np.where(rng.random(rows) < share, np.nan, v) for k, v in sample(rng, rows).items()}

    return incomplete


def categories(shares: Sequence[float], size: int, width: int = 6) -> Callable:
    """Categories with these shares; x and y copy each z with probability .3."""

    def sample(rng: Rng, rows: int) -> Columns:
        names = np.array(list("abcdefgh"))
        z = rng.choice(len(shares), (rows, size), p=shares)
        columns: Columns = {f"z{i}": names[z[:, i]] for i in range(size)}
        for side, i in product("xy", range(width)):
            value = rng.choice(len(shares), rows, p=shares)
            for j in range(size):
                value = np.where(rng.random(rows) < 0.3, z[:, j], value)
            columns[f"{side}{i}"] = names[value]
        return columns

    return sample


def softmax(score: np.ndarray, effects: np.ndarray, shares: Sequence[float], rng: Rng) -> np.ndarray:
    """Categories whose log-odds are linear in the score."""
    logits = np.outer(score, effects) + np.log(shares)
    return np.array(list("abcdefgh"))[(logits + rng.gumbel(size=logits.shape)).argmax(axis=1)]


def logistic(
    slope: float,
    shares: Sequence[float] = (0.5, 0.5),
    n_numbers: int = 1,
    n_categories: int = 0,
    draw: Callable[[Rng, tuple[int, ...]], np.ndarray] = normal,
    y_number: Callable[[Rng, tuple[int, ...]], np.ndarray] | None = None,
    width: int = 6,
) -> Callable:
    """Categories x and y, or a number y, that are effects of numbers and categories."""

    def sample(rng: Rng, rows: int) -> Columns:
        z, g = draw(rng, (rows, n_numbers)), rng.integers(0, 3, (rows, n_categories))
        score = (z.sum(axis=1) + (g - 1).sum(axis=1)) / max(1, n_numbers + n_categories) ** 0.5
        effects = slope * np.linspace(0, 1, len(shares))
        columns: Columns = {f"x{i}": softmax(score, effects, shares, rng) for i in range(width)}
        for i in range(width):
            columns[f"y{i}"] = (
                score + y_number(rng, (rows,)) if y_number is not None else softmax(score, effects, shares, rng)
            )
        columns |= {f"z{i}": z[:, i] for i in range(n_numbers)}
        return columns | {f"g{i}": np.array(list("abc"))[g[:, i]] for i in range(n_categories)}

    return sample


def thresholds(rng: Rng, rows: int) -> Columns:
    """Categories that say whether one number is above a threshold."""
    z = rng.standard_normal(rows)
    cuts = iter(np.linspace(-1, 1, 8))
    return {"z": z, **{f"{side}{i}": np.where(z > next(cuts), "a", "b") for i in range(4) for side in "xy"}}


def selected(rng: Rng, rows: int) -> Columns:
    """Numbers y with a discrete effect each among the given columns, and categories x of their common cause z."""
    z = rng.standard_normal(rows)
    y = z + rng.standard_normal(rows)
    columns: Columns = {f"x{i}": softmax(z, np.array([0.0, 2.0]), (0.5, 0.5), rng) for i in range(6)}
    return columns | {"y0": y, "z": z, "w": softmax(y, np.array([0.0, 2.0]), (0.5, 0.5), rng)}


# How a setting is measured.


def rejected(setting: Setting, seed: int) -> tuple[np.ndarray, int]:
    """For each table the share rejected at each level, and the number of tests of a table."""
    rng = np.random.default_rng(seed)
    shares = np.empty((setting.n_tables, len(LEVELS)))
    for t in range(setting.n_tables):
        p = p_values(setting, rng)
        shares[t] = [(p <= level).mean() for level in LEVELS]
    return shares, len(p)


def p_values(setting: Setting, rng: Rng) -> np.ndarray:
    frame = pd.DataFrame(setting.sample(rng, setting.rows))
    frame = frame.loc[:, frame.nunique() > 1]
    test = prepare(frame, DataOptions(test=setting.test, **setting.options)).test
    position = {name: i for i, name in enumerate(test.names)}
    xs, ys = ([position[name] for name in position if str(name).startswith(side)] for side in "xy")
    given = [i for name, i in position.items() if str(name)[0] not in "xy"]
    return np.array([test.p_value(x, y, given) for x in xs for y in ys])
