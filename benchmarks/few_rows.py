"""Few rows and weak effects: three causes of one effect, and an effect of that. How often is the class exact?

python benchmarks/few_rows.py
"""

from __future__ import annotations

import networkx as nx
import numpy as np

import sidelight as sl

TRUTH = nx.DiGraph([("a", "y"), ("b", "y"), ("c", "y"), ("y", "z")])
WAYS = {
    "rsl": {},
    "rsl, published": {"variant": "published"},
    "marvel": {"learner": "marvel"},
    "pc": {"learner": "pc"},
    "gs": {"learner": "gs"},
}
SEEDS = 150


def table(n_rows: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a, b, c = rng.standard_normal((3, n_rows))
    y = 0.5 * a + 0.4 * b + 0.3 * c + 0.8 * rng.standard_normal(n_rows)
    return np.column_stack([a, b, c, y, y + rng.standard_normal(n_rows)])


def main() -> None:
    print(f"| rows | {' | '.join(WAYS)} |\n|---|{'---|' * len(WAYS)}")
    for n_rows in (150, 300, 1000):
        cells = []
        for options in WAYS.values():
            found = [
                sl.compare(sl.learn(table(n_rows, seed), names=list("abcyz"), **options), TRUTH)
                for seed in range(SEEDS)
            ]
            exact, distance = np.mean([f.same for f in found]), np.mean([f.class_distance for f in found])
            cells.append(f"{exact:.2f} ({distance:.2f})")
        print(f"| {n_rows} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
