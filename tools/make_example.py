"""Make the bundled example: a table simulated from the structure of the child network (20 signs of newborns).

    python tools/make_example.py

Linear-Gaussian, 3,000 rows, with milder effects than the paper's experiments, so that nothing is perfectly clear.
"""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np

from sidelight.simulation import networks

ROWS = 3000
TARGET = Path(__file__).parent.parent / "src" / "sidelight" / "examples" / "newborns.csv"


def main() -> None:
    graph = networks.load("child")
    rng = np.random.default_rng(1992)
    values = {name: rng.standard_normal(ROWS) for name in graph}
    for name in nx.topological_sort(graph):
        for parent in graph.predecessors(name):
            values[name] += rng.uniform(0.5, 1.0) * rng.choice([-1, 1]) * values[parent]
    rows = np.column_stack([values[name] for name in graph])
    np.savetxt(TARGET, rows, fmt="%.4f", delimiter=",", header=",".join(graph), comments="")
    print(f"{rows.shape[0]} rows, {rows.shape[1]} columns, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
