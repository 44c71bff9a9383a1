"""Several rows of each subject: do tests keep their level, what do they find, and how many edges are false?

    python benchmarks/groups.py levels [TABLES]    how often true independences are rejected, for docs/groups.md
    python benchmarks/groups.py power [TABLES]     how often an effect within subjects is found
    python benchmarks/groups.py edges [TABLES]     false edges among 20 independent columns
    python benchmarks/groups.py candidates [TABLES]   ways to test categories, for decision 35

Every table has columns x0, x1, … and y0, y1, …, which are effects of the given columns z and differ between subjects by
causes of each column's own, or by one that all of them share. ``ICC`` is the share of a column's variance that lies
between subjects, before z. Within subjects each x is independent of each y given z; with a shared cause they depend on
each other between subjects.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

import sidelight as sl
from sidelight.families.options import DataOptions
from sidelight.prepare import prepare

LEVELS = (0.05, 0.01, 0.001)
WIDTH = 4  # columns on either side
EFFECT = 0.4  # of all x together on each y, where power is measured
Rng = np.random.Generator
SIZES = ((20, 10), (20, 50), (100, 10), (500, 2), (1000, 5))


@dataclass(frozen=True)
class Setting:
    """A kind of table: what its columns are, how many subjects with how many rows, and what differs between these."""

    kind: str
    n_groups: int
    n_rows: int
    icc: float
    shared: bool = False
    n_given: int = 0
    effect: float = 0.0  # of each x on each y, within subjects
    ordered: bool = False  # are rows sorted by subject?

    @property
    def words(self) -> str:
        """Its columns in a table that is printed."""
        differ = "alike" if not self.icc else "a shared cause" if self.shared else "own causes"
        return f"{self.kind} | {self.n_groups} × {self.n_rows} | {self.icc:g} | {differ} | {self.n_given}"


def in_thirds(latent: np.ndarray) -> np.ndarray:
    """Categories by the thirds of a normal distribution."""
    return np.array(list("abc"))[np.digitize(latent / latent.std(), stats.norm.ppf([1 / 3, 2 / 3]))]


def drawn(setting: Setting, rng: Rng, width: int = WIDTH) -> pd.DataFrame:
    """One table."""
    who = np.repeat(np.arange(setting.n_groups), setting.n_rows)
    if not setting.ordered:
        who = rng.permutation(who)
    common, coded = rng.standard_normal(setting.n_groups), iter(range(1_000))

    def varying() -> np.ndarray:
        own = rng.standard_normal(setting.n_groups)
        between = (common if setting.shared else own)[who]
        return setting.icc**0.5 * between + (1 - setting.icc) ** 0.5 * rng.standard_normal(len(who))

    def as_kind(values: np.ndarray) -> np.ndarray:
        is_category = setting.kind == "categories" or (setting.kind == "mixed" and next(coded) % 2 == 0)
        return in_thirds(values) if is_category else values

    given = [
        rng.standard_normal(setting.n_groups)[who] * 0.5 + rng.standard_normal(len(who)) for _ in range(setting.n_given)
    ]
    z = [as_kind(values) for values in given]
    score = sum(
        (0.7 * (np.searchsorted(list("abc"), column) - 1.0 if column.dtype.kind == "U" else column) for column in z),
        np.zeros(len(who)),
    )
    xs = [score + varying() for _ in range(width)]
    ys = [score + setting.effect * sum(xs) / width**0.5 + varying() for _ in range(width)]
    columns = {f"x{i}": as_kind(column) for i, column in enumerate(xs)} | {f"z{i}": c for i, c in enumerate(z)}
    columns |= {f"y{i}": as_kind(column) for i, column in enumerate(ys)}
    return pd.DataFrame(columns).assign(who=[f"s{i}" for i in who])


TESTS: dict[str, dict[str, object]] = {
    "rows": {},
    "within": {"groups": "who"},
    "between": {"groups": "who", "variation": "between"},
}


def p_values(frame: pd.DataFrame, options: dict[str, object]) -> list[float]:
    """Of each x and each y given all z."""
    table = frame if options else frame.drop(columns="who")
    test = prepare(table, DataOptions(**options)).test  # type: ignore[arg-type]
    place = {str(name): i for i, name in enumerate(test.names)}
    side = {letter: [i for name, i in place.items() if name[0] == letter] for letter in "xyz"}
    return [test.p_value(x, y, side["z"]) for x in side["x"] for y in side["y"]]


def rejected(setting: Setting, n_tables: int, tests: tuple[str, ...]) -> Iterator[tuple[str, np.ndarray]]:
    """For each way of testing the share of the p-values at each level."""
    for name in tests:
        rng, found = np.random.default_rng(1), []
        for _ in range(n_tables):
            found += p_values(drawn(setting, rng), TESTS[name])
        yield name, np.array([(np.array(found) <= level).mean() for level in LEVELS])


def levels(n_tables: int) -> None:
    """Shares rejected where all are independent."""
    print("| columns | subjects × rows | ICC | subjects differ by | given | rows as independent | within subjects |")
    print("|---|---|---|---|---|---|---|")
    for setting in settings():
        shown = [
            " / ".join(f"{share:.3f}" for share in found)
            for _, found in rejected(setting, n_tables, ("rows", "within"))
        ]
        print(f"| {setting.words} | {' | '.join(shown)} |", flush=True)


def settings() -> Iterator[Setting]:
    """Each kind of columns with groups of all sizes, given nothing and given one or two columns."""
    for kind in ("numbers", "categories", "mixed"):
        yield Setting(kind, 100, 10, 0.0)
        yield Setting(kind, 100, 10, 0.1, n_given=1)
        yield Setting(kind, 50, 40, 0.3)
        for n_groups, n_rows in SIZES:
            yield Setting(kind, n_groups, n_rows, 0.6, n_given=1)
            yield Setting(kind, n_groups, n_rows, 0.6, shared=True, n_given=1)
        yield Setting(kind, 100, 10, 0.6, shared=True)
        yield Setting(kind, 100, 10, 0.3, shared=True, n_given=2, ordered=True)


def power(n_tables: int) -> None:
    """Shares of true dependences that are found."""
    print("| columns | subjects × rows | ICC | subjects differ by | given | within subjects | means of subjects |")
    print("|---|---|---|---|---|---|---|")
    for kind in ("numbers", "categories", "mixed"):
        for n_groups, n_rows in SIZES:
            setting = Setting(kind, n_groups, n_rows, 0.6, n_given=1, effect=EFFECT)
            found = dict(rejected(setting, n_tables, ("within",)))["within"]
            means = dict(
                rejected(Setting("numbers", n_groups, n_rows, 0.6, n_given=1, effect=EFFECT), n_tables, ("between",))
            )
            shown = [f"{share[1]:.2f}" for share in (found, means["between"])]
            print(f"| {setting.words} | {' | '.join(shown)} |", flush=True)


def edges(n_tables: int) -> None:
    """Edges that are learned among independent columns."""
    print("| columns | subjects × rows | ICC | rows as independent | within subjects | between subjects |")
    print("|---|---|---|---|---|---|")
    for kind, n_groups, n_rows, icc in (
        ("numbers", 100, 10, 0.6),
        ("numbers", 50, 40, 0.3),
        ("categories", 100, 10, 0.6),
        ("mixed", 100, 10, 0.6),
    ):
        shown = []
        for options in TESTS.values():
            rng, found = np.random.default_rng(2), []
            for _ in range(n_tables):
                frame = drawn(Setting(kind, n_groups, n_rows, icc), rng, 10)
                if kind != "numbers" and options.get("variation"):
                    break
                found.append(len(sl.learn(frame if options else frame.drop(columns="who"), **options).edges))
            shown.append(f"{np.mean(found):.1f}" if found else "–")
        print(f"| {kind} | {n_groups} × {n_rows} | {icc:g} | {' | '.join(shown)} |", flush=True)


def candidate_p_values(frame: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """Of each x and each y given all z, in all ways."""
    codes = frame.apply(lambda column: pd.factorize(column)[0]).to_numpy()
    place = {name: i for i, name in enumerate(frame.columns)}
    xs, ys, zs = ([i for name, i in place.items() if name[0] == side] for side in "xyz")
    sizes = (codes.max(axis=0) + 1).tolist()
    plain = sl.MomentChiSquare(codes, sizes, frame.columns)
    within = prepare(frame, DataOptions(groups="who")).test
    means = [pd.get_dummies(frame[name], dtype=float).groupby(frame["who"]).mean() for name in frame.columns[:-1]]
    m = len(frame) / sizes[-1]
    shares = [(mean.var() / (mean.mean() * (1 - mean.mean()))).mean() for mean in means]
    icc = [max(0.0, (m * share - 1) / (m - 1)) for share in shares]  # of each column, from the means of subjects
    for x in xs:
        for y in ys:
            weights = np.full(len(frame), 1 / (1 + (m - 1) * icc[x] * icc[y]))
            deflated = sl.MomentChiSquare(codes, sizes, frame.columns, weights)
            blocks, freedom = within._statistic(x, y, zs)  # type: ignore[attr-defined]
            yield "rows as independent", plain.p_value(x, y, zs)
            yield "counts deflated by 1 + (m − 1) ρₓρᵧ", deflated.p_value(x, y, zs)
            yield "χ² in strata of set and subject", plain.p_value(x, y, [*zs, place["who"]])
            yield "centred blocks alone", float(stats.chi2.sf(blocks, freedom))
            yield "blocks and residuals", within.p_value(x, y, zs)


def candidates(n_tables: int) -> None:
    """Shares rejected at .05 and .01 with a shared cause of the subjects, and with an effect instead."""
    nulls = [
        Setting("categories", n_groups, n_rows, icc, shared=True, n_given=n_given)
        for n_groups, n_rows, icc, n_given in ((20, 50, 0.6, 1), (100, 10, 0.3, 2), (500, 2, 0.6, 2))
    ]
    effects = [Setting("categories", 100, 10, 0.3, n_given=2, effect=EFFECT)]
    shown: dict[str, list[str]] = {}
    for setting in [*nulls, *effects]:
        rng, found = np.random.default_rng(3), dict[str, list[float]]()
        for _ in range(n_tables):
            for name, p in candidate_p_values(drawn(setting, rng)):
                found.setdefault(name, []).append(p)
        for name, p_of in found.items():
            shares = [f"{(np.array(p_of) <= level).mean():.2f}" for level in LEVELS[:2]]
            shown.setdefault(name, []).append(" / ".join(shares))
    heads = [
        f"{s.n_groups} × {s.n_rows}, {s.n_given} given, {'effect' if s.effect else 'null'}" for s in [*nulls, *effects]
    ]
    print(f"| | {' | '.join(heads)} |")
    print("|---|" + "---|" * len(heads))
    for name, cells in shown.items():
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    which = {"levels": (levels, 60), "power": (power, 20), "edges": (edges, 10), "candidates": (candidates, 20)}
    run, default = which[sys.argv[1]]
    run(int(sys.argv[2]) if len(sys.argv) > 2 else default)
