"""How weak an effect does each test see? Shares of rejections at level 0.01, by strength of the effect and rows.

    python benchmarks/power.py [PART OF A NAME …]    prints a table; without a name draws docs/pictures/power.svg

y depends on x with the strength given, both depend on a third variable z, and the question is x and y given z. Numbers
are linear-Gaussian, a discrete x is cut at its thirds, and ordered x and y are cut at their quarters. Of discrete
columns with three levels, x copies z in half of the rows, and y copies x in a share of them, the strength, and z in
half of the rest.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from sidelight.families.options import DataOptions
from sidelight.prepare import prepare

STRENGTHS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)
ROWS = (300, 1000, 3000)
RUNS = 300
TESTS = {
    "fisher-z, numbers": ("numbers", "fisher-z"),
    "mixed, x discrete": ("x discrete", "mixed"),
    "chi2-moments, all discrete": ("discrete", "chi2-moments"),
    "g2, all discrete": ("discrete", "g2"),
    "mixed, x and y ordered": ("ordered", "mixed"),
    "the same as categories": ("cut", "mixed"),
}


def sample(kind: str, strength: float, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    if kind == "discrete":
        return sample_discrete(strength, rows, rng)
    z = rng.standard_normal(rows)
    x = z + rng.standard_normal(rows)
    y = z + strength * (x - z) + rng.standard_normal(rows)
    frame = pd.DataFrame({"x": x, "y": y, "z": z})
    if kind in ("ordered", "cut"):
        for name in "xy":
            frame[name] = pd.qcut(frame[name], 4, labels=list("abcd"))
            frame[name] = frame[name].astype(str) if kind == "cut" else frame[name]
    if kind == "x discrete":
        frame["x"] = pd.qcut(frame["x"], 3, labels=list("abc")).astype(str)
    return frame


def sample_discrete(strength: float, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    x, y, z = rng.choice(list("abc"), (3, rows))
    x = np.where(rng.random(rows) < 0.5, z, x)
    y = np.where(rng.random(rows) < 0.5, z, y)
    return pd.DataFrame({"x": x, "y": np.where(rng.random(rows) < strength, x, y), "z": z})


def power(kind: str, test: str, strength: float, rows: int) -> float:
    rng = np.random.default_rng(rows)
    rejected = 0
    for _ in range(RUNS):
        asked = prepare(sample(kind, strength, rows, rng), DataOptions(test=test)).test
        order = [list(asked.names).index(name) for name in "xyz"]
        rejected += asked.p_value(order[0], order[1], [order[2]]) < 0.01
    return rejected / RUNS


def draw(curves: dict[tuple[str, int], list[float]]) -> None:
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(ROWS), figsize=(10, 3.2), sharey=True)
    for panel, rows in zip(panels, ROWS, strict=True):
        for (name, at), values in curves.items():
            if at == rows:
                panel.plot(STRENGTHS, values, marker="o", markersize=3, label=name)
        panel.set_title(f"{rows} rows")
        panel.set_xlabel("strength of the effect")
        panel.axhline(0.01, color="grey", linewidth=0.6)
    panels[0].set_ylabel("share rejected at 0.01")
    panels[0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(Path(__file__).parent.parent / "docs" / "pictures" / "power.svg", metadata={"Date": None})


def main() -> None:
    curves: dict[tuple[str, int], list[float]] = {}
    print(f"| test | rows | {' | '.join(map(str, STRENGTHS))} |\n|---|---|{'---|' * len(STRENGTHS)}")
    for name, (kind, test) in TESTS.items():
        if sys.argv[1:] and not any(part in name for part in sys.argv[1:]):
            continue
        for rows in ROWS:
            curves[name, rows] = [power(kind, test, strength, rows) for strength in STRENGTHS]
            print(f"| {name} | {rows} | {' | '.join(f'{value:.2f}' for value in curves[name, rows])} |", flush=True)
    if not sys.argv[1:]:
        draw(curves)


if __name__ == "__main__":
    main()
