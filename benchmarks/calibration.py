"""Does each test keep its significance level? How often it rejects true independences, at levels from .05 to 1e-6.

    python benchmarks/calibration.py [--quick] [PART OF A NAME …]     draws docs/pictures/calibration.svg

Every table has columns x0, x1, … and y0, y1, …; each x is independent of each y given the other columns, and all these
pairs are tested. A cell of the table printed is the share rejected divided by the level, which should be 1, with its
standard error over tables; – where fewer than five rejections are to be expected. ``exact`` rows are sums over all
tables with the given margins, or integrals. ! marks what is above twice its level by two standard errors; ? marks the
same where learning from most of these tables would warn of something.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import gammaln

import sidelight as sl
from sidelight.families.gaussian.test import critical_correlation
from sidelight.families.options import DataOptions
from sidelight.prepare import prepare

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


def numbers(size: int, draw: Callable[[Rng, tuple[int, ...]], np.ndarray], width: int = 12) -> Callable:
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


def lognormal(rng: Rng, shape: tuple[int, ...]) -> np.ndarray:
    return np.exp(rng.standard_normal(shape))


def with_gaps(sample: Callable[[Rng, int], Columns], share: float) -> Callable:
    """Values missing at random."""

    def incomplete(rng: Rng, rows: int) -> Columns:
        return {k: pd.Series(v).mask(rng.random(rows) < share) for k, v in sample(rng, rows).items()}

    return incomplete


def categories(shares: Sequence[float], size: int, width: int = 12, binaries: int = 0) -> Callable:
    """Categories with these shares; x and y copy each z with probability .3; binaries have no effect."""

    def sample(rng: Rng, rows: int) -> Columns:
        names = np.array(list("abcdefgh"))
        z = rng.choice(len(shares), (rows, size), p=shares)
        columns: Columns = {f"z{i}": names[z[:, i]] for i in range(size)}
        columns |= {f"b{i}": names[rng.integers(0, 2, rows)] for i in range(binaries)}
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


def ordered(
    given: str,
    y: str = "ordinal",
    shares: Sequence[float] = (0.2, 0.3, 0.3, 0.2),
    draw: Callable = normal,
    width: int = 6,
) -> Callable:
    """Ordered categories x, and y of any kind, that are effects of what is given, by a latent number with thresholds.

    Categories, ordered or not, have effects of any shape.
    """

    def cut(latent: np.ndarray) -> pd.Categorical:
        cuts = stats.norm.ppf(np.cumsum(shares)[:-1]) * 2**0.5
        return pd.Categorical.from_codes(np.digitize(latent, cuts), list("abcdefgh")[: len(shares)], ordered=True)

    def sample(rng: Rng, rows: int) -> Columns:
        z, g, o = draw(rng, (rows,)), rng.integers(0, 3, rows), rng.integers(0, 4, rows)
        effects = {"z": z, "g": np.array([-1.2, 1.2, 0.0])[g], "o": np.array([-1.1, -1.0, 0.9, 1.2])[o]}
        score = sum((effects[part] for part in given), np.zeros(rows)) / max(1, len(given)) ** 0.5
        levels = pd.Categorical.from_codes(o, list("pqrs"), ordered=True)
        columns: Columns = {f"x{i}": cut(score + rng.standard_normal(rows)) for i in range(width)}
        for i in range(width):
            noise = draw(rng, (rows,))
            columns[f"y{i}"] = {
                "ordinal": lambda: cut(score + rng.standard_normal(rows)),
                "number": lambda noise=noise: score + noise,
                "category": lambda: softmax(score, np.array([0.0, 1.5, 0.7]), (0.4, 0.3, 0.3), rng),
            }[y]()
        if y == "number" and given == "o":  # two numbers given an ordered category, too
            columns |= {f"x{i}": score + rng.standard_normal(rows) for i in range(width // 2)}
        return columns | {part: {"z": z, "g": np.array(list("abc"))[g], "o": levels}[part] for part in given}

    return sample


# How a setting is measured.


def rejected(setting: Setting, seed: int) -> tuple[np.ndarray, int, bool]:
    """For each table the share rejected at each level; the tests of a table; and whether most tables are warned of."""
    rng = np.random.default_rng(seed)
    shares, n_warned = np.empty((setting.n_tables, len(LEVELS))), 0
    for t in range(setting.n_tables):
        p, warned = p_values(setting, rng)
        n_warned += warned
        shares[t] = [(p <= level).mean() for level in LEVELS]
    return shares, len(p), 2 * n_warned > setting.n_tables


def p_values(setting: Setting, rng: Rng) -> tuple[np.ndarray, bool]:
    frame = pd.DataFrame(setting.sample(rng, setting.rows))
    frame = frame.loc[:, frame.nunique() > 1]
    prepared = prepare(frame, DataOptions(test=setting.test, **setting.options))
    test = prepared.test
    position = {name: i for i, name in enumerate(test.names)}
    xs, ys = ([position[name] for name in position if str(name).startswith(side)] for side in "xy")
    given = [i for name, i in position.items() if str(name)[0] not in "xy"]
    return np.array([test.p_value(x, y, given) for x in xs for y in ys]), len(prepared.findings) > 0


def exact_margins(row_sums: Sequence[int], column_sums: Sequence[int]) -> np.ndarray:
    """χ² with exact moments over all 3×3 tables with these margins: the share rejected at each level."""
    cells = np.array(list(product(range(3), range(3))), dtype=np.int8)
    p, probability = [], []
    for table in _tables(row_sums, column_sums):
        sums = (*row_sums, *column_sums)
        log = sum(gammaln(k + 1) for k in sums) - gammaln(sum(row_sums) + 1) - gammaln(table + 1).sum()
        if log > -28:
            test = sl.MomentChiSquare(cells, (3, 3), ("x", "y"), table.ravel())
            p.append(test.p_value(0, 1, []))
            probability.append(np.exp(log))
    return np.array([np.array(probability)[np.array(p) <= level].sum() for level in LEVELS])


def _tables(row_sums: Sequence[int], column_sums: Sequence[int]) -> Iterator[np.ndarray]:
    (r1, r2, r3), (c1, c2, _) = row_sums, column_sums
    for a, b in product(range(min(r1, c1) + 1), range(min(r1, c2) + 1)):
        for c, d in product(range(min(r2, c1 - a) + 1), range(min(r2, c2 - b) + 1)):
            last = [c1 - a - c, c2 - b - d]
            table = np.array([[a, b, r1 - a - b], [c, d, r2 - c - d], [*last, r3 - sum(last)]], dtype=float)
            if (table >= 0).all():
                yield table


def exact_fisher_z(rows: int, size: int) -> np.ndarray:
    """Fisher's Z on Gaussian numbers, from the exact distribution of a partial correlation."""
    critical = np.array([critical_correlation(rows - size - 3, level) for level in LEVELS])
    freedom = rows - size - 2
    return 2 * stats.t.sf(critical * np.sqrt(freedom / (1 - critical**2)), freedom)


EXACT: dict[tuple[str, str, str], Callable[[], np.ndarray]] = {
    ("fisher-z", "Gaussian, exact", "20, 1 given"): lambda: exact_fisher_z(20, 1),
    ("fisher-z", "Gaussian, exact", "12, 6 given"): lambda: exact_fisher_z(12, 6),
    ("fisher-z", "Gaussian, exact", "100, 6 given"): lambda: exact_fisher_z(100, 6),
    ("fisher-z", "Gaussian, exact", "1000, 6 given"): lambda: exact_fisher_z(1000, 6),
    ("chi2-moments", "margins 12, 8, 380 and 10, 5, 385, exact", "400"): lambda: exact_margins(
        (12, 8, 380), (10, 5, 385)
    ),
    ("chi2-moments", "margins 6, 70, 74 and 4, 76, 70, exact", "150"): lambda: exact_margins((6, 70, 74), (4, 76, 70)),
    ("chi2-moments", "margins 30, 9, 61 and 3, 2, 95, exact", "100"): lambda: exact_margins((30, 9, 61), (3, 2, 95)),
}
RARE, SKEWED, THIRDS = (0.97, 0.02, 0.01), (0.9, 0.07, 0.03), (1 / 3, 1 / 3, 1 / 3)


def settings() -> list[Setting]:
    """One line for each: to add a test or an option, add a line."""
    fisher = [
        Setting("fisher-z", "Gaussian, 1 given", 200, numbers(1, normal), 500),
        Setting("fisher-z", "exponential, 1 given", 200, numbers(1, exponential), 500),
        Setting("fisher-z", "heavy tails, 6 given", 200, numbers(6, heavy), 500),
        Setting(
            "fisher-z", "normal scores, heavy tails", 200, numbers(1, heavy), 200, {"correlation": "normal-scores"}
        ),
        Setting(
            "fisher-z",
            "pairwise, 20 % missing",
            200,
            with_gaps(numbers(1, normal, 6), 0.2),
            60,
            {"missing": "pairwise"},
        ),
        *(
            Setting(
                "fisher-z",
                f"em, {share:.0%} missing, {size} given".replace("%", " %"),
                rows,
                with_gaps(numbers(size, normal, 2), share),
                n_tables,
                {"missing": "em"},
            )
            for rows, share, size, n_tables in (
                (200, 0.2, 1, 240),
                (100, 0.3, 1, 1200),
                (100, 0.3, 3, 1200),
                (100, 0.5, 0, 1200),
                (100, 0.5, 1, 1200),
            )
        ),
        Setting("fisher-z", "lognormal, 1 given", 20, numbers(1, lognormal), 500),
        Setting("fisher-z", "lognormal, 1 given", 50, numbers(1, lognormal), 500),
    ]
    discrete = [
        Setting(test, f"{what}, {size} given", rows, categories(shares, size), 200 if test == "chi2-moments" else 40)
        for test in ("g2", "chi2", "chi2-moments")
        for what, shares in (("balanced", THIRDS), ("skewed", SKEWED), ("rare", RARE))
        for size, rows in ((0, 200), (1, 1000), (4, 1000))
    ]
    eight = (0.125,) * 8
    discrete += [
        Setting("chi2-moments", "8 categories, 0 given", 50, categories(eight, 0, 6), 200),
        Setting("chi2-moments", "8 categories, 0 given", 200, categories(eight, 0, 6), 200),
        Setting("chi2-moments", "8 categories, 5 binaries given", 3000, categories(eight, 0, 4, binaries=5), 60),
    ]
    mixed = [
        Setting(
            "mixed",
            what,
            rows,
            sample,
            1400 if rows == 200 and what in FAR_OUT else {200: 100, 1000: 60, 5000: 20}[rows],
        )
        for what, sample in MIXED.items()
        for rows in (200, 1000, 5000)
    ]
    ordinal = [
        Setting("mixed", f"ordinal, {what}", rows, sample, {200: 100, 1000: 60, 5000: 12}[rows])
        for what, sample in ORDINAL.items()
        for rows in (200, 1000, 5000)
    ]
    incomplete = [
        Setting("mixed", f"{what}, 20 % missing", 300, with_gaps(MIXED[what], 0.2), 40, {"missing": "pairwise"})
        for what in ("slope 2", "number and category", "2 numbers and 1 category given")
    ]
    kernel = [Setting("kernel", "Gaussian, 1 given", 100, numbers(1, normal, 2), 40)]
    return [*fisher, *discrete, *mixed, *ordinal, *incomplete, *kernel]


FAR_OUT = ("rare categories", "four categories, two rare", "skewed number and rare category")  # with more tables
MIXED = {
    "thresholds of one number": thresholds,
    "slope 0.5": logistic(0.5),
    "slope 2": logistic(2),
    "slope 4": logistic(4),
    "rare categories": logistic(1, (0.96, 0.04)),
    "four categories, two rare": logistic(1.5, (0.6, 0.3, 0.06, 0.04)),
    "2 numbers and 1 category given": logistic(1.5, (0.5, 0.3, 0.2), 2, 1),
    "3 numbers and 3 categories given": logistic(1.5, (0.5, 0.3, 0.2), 3, 3),
    "skewed number given": logistic(1.5, (0.6, 0.4), 1, 0, exponential),
    "rare categories, nothing given": logistic(0, (0.97, 0.03), 0, 0),
    "rare categories, a category given": logistic(1, (0.96, 0.04), 0, 1),
    "number and category": logistic(1.5, (0.5, 0.3, 0.2), 1, 0, normal, normal),
    "skewed number and category": logistic(1.5, (0.5, 0.3, 0.2), 1, 0, exponential, exponential),
    "skewed number and rare category": logistic(1, (0.96, 0.04), 1, 0, normal, exponential),
    "number with a discrete effect given": selected,
    "lognormal number and category of 5 %": logistic(0, (0.95, 0.05), 0, 0, normal, lognormal),
}
TOP_HEAVY = (0.82, 0.1, 0.05, 0.03)
ORDINAL = {
    "nothing given": ordered(""),
    "number given": ordered("z"),
    "skewed number given": ordered("z", draw=exponential),
    "category given": ordered("g"),
    "ordinal given": ordered("o"),
    "number, category and ordinal given": ordered("zgo"),
    "five levels, number given": ordered("z", shares=(0.1, 0.2, 0.4, 0.2, 0.1)),
    "rare levels, number given": ordered("z", shares=TOP_HEAVY),
    "rare levels, nothing given": ordered("", shares=TOP_HEAVY),
    "with a number, number given": ordered("z", "number"),
    "with a skewed number, skewed number given": ordered("z", "number", draw=exponential),
    "and numbers with a number, ordinal given": ordered("o", "number"),
    "with a category, number given": ordered("z", "category"),
    "with a category, category and ordinal given": ordered("go", "category"),
    "rare levels with a category, nothing given": ordered("", "category", shares=TOP_HEAVY),
}


# What is printed and drawn.


@dataclass(frozen=True)
class Measured:
    """Shares rejected over levels, with standard errors, for the levels that the number of tests suffices for."""

    test: str
    name: str
    rows: str
    n_tests: int  # 0: exact
    ratios: np.ndarray
    errors: np.ndarray
    warned: bool = False

    @property
    def shown(self) -> np.ndarray:
        return np.array([self.n_tests == 0 or self.n_tests * level >= 5 for level in LEVELS])

    @property
    def is_above(self) -> np.ndarray:
        return self.shown & (self.ratios - 2 * self.errors > 2)

    def line(self) -> str:
        mark = "?" if self.warned else "!"
        cells = [
            f"{ratio:.2f}{f' ± {error:.2f}' if self.n_tests else ''}{f' {mark}' if above else ''}" if shown else "–"
            for ratio, error, shown, above in zip(self.ratios, self.errors, self.shown, self.is_above, strict=True)
        ]
        return f"| {self.test} | {self.name} | {self.rows} | {self.n_tests or 'exact'} | {' | '.join(cells)} |"


def measured(setting: Setting, quick: bool) -> Measured:
    fewer = Setting(
        *(getattr(setting, f) for f in ("test", "name", "rows", "sample")),
        max(5, setting.n_tables // 8),
        setting.options,
    )
    used = fewer if quick else setting
    shares, per_table, warned = rejected(used, seed=10_000 + setting.rows)
    ratios, errors = shares.mean(axis=0) / LEVELS, shares.std(axis=0) / used.n_tables**0.5 / LEVELS
    return Measured(setting.test, setting.name, str(setting.rows), per_table * used.n_tables, ratios, errors, warned)


def draw(results: list[Measured]) -> None:
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    tests = list(dict.fromkeys(result.test for result in results))
    figure, panels = plt.subplots(1, len(tests), figsize=(2.1 * len(tests), 3.2), sharey=True, squeeze=False)
    for panel, test in zip(panels[0], tests, strict=True):
        for result in (r for r in results if r.test == test):
            shown = result.shown
            style = "-" if result.n_tests else "--"
            panel.plot(
                np.array(LEVELS)[shown],
                np.maximum(result.ratios[shown], 0.03),
                style,
                marker="o",
                markersize=2,
                linewidth=0.7,
            )
        panel.axhspan(0.03, 2, color="0.92")
        panel.axhline(1, color="grey", linewidth=0.6)
        panel.set(
            title=test, xscale="log", yscale="log", xlim=(0.1, 5e-7), ylim=(0.03, 1000), xlabel="significance level"
        )
    panels[0][0].set_ylabel("share rejected / level")
    figure.tight_layout()
    figure.savefig(Path(__file__).parent.parent / "docs" / "pictures" / "calibration.svg", metadata={"Date": None})


def main() -> None:
    quick, parts = "--quick" in sys.argv, [part for part in sys.argv[1:] if part != "--quick"]
    levels = " | ".join(f"{level:g}" for level in LEVELS)
    print(f"| test | table | rows | tests | {levels} |\n|---|---|---|---|{'---|' * len(LEVELS)}")
    results = []
    for (test, name, rows), exact in EXACT.items():
        if not parts or any(part in f"{test} {name}" for part in parts):
            results.append(Measured(test, name, rows, 0, exact() / LEVELS, np.zeros(len(LEVELS))))
            print(results[-1].line(), flush=True)
    for setting in settings():
        if parts and not any(part in f"{setting.test} {setting.name}" for part in parts):
            continue
        try:
            results.append(measured(setting, quick))
        except sl.InputError as error:  # an extra that is not installed
            print(f"{setting.test}, {setting.name}: {error}", file=sys.stderr)
            continue
        print(results[-1].line(), flush=True)
    if not parts:
        draw(results)


if __name__ == "__main__":
    main()
