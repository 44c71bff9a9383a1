"""Compile the kernels for tables of every kind, which are then kept on disk.

    python tools/kernels.py

``make test`` runs it beside the linters, so that the processes which run the tests do not each compile the same.
"""

from __future__ import annotations

import numpy as np

import sidelight as sl
from sidelight.simulation import networks, random_graphs

ROWS = 300


def main() -> None:
    """Learn from small tables of every kind, with and without gaps, and from an oracle, with every kind of search."""
    asia, gaps = networks.load("asia"), np.arange(ROWS)[:, None] % 40 == np.arange(8)
    tables = {kind: sl.simulate(asia, ROWS, kind=kind, seed=0).table.to_pandas() for kind in ("gaussian", "mixed")}
    tables["discrete"] = sl.simulate(networks.load_discrete("asia"), ROWS, seed=0).table.to_pandas()
    for table in tables.values():
        sl.learn(table)
        sl.learn(table.mask(gaps), missing="pairwise")
    sl.learn(tables["gaussian"].mask(gaps), missing="em")
    sl.learn(tables["gaussian"].assign(asia=np.arange(ROWS) % 5), types={"asia": "ordinal"})
    many = sl.simulate(random_graphs.erdos_renyi(60, 0.03, np.random.default_rng(0)), 50).table
    sl.learn(many)  # fewer rows than columns: boundaries by IAMB, and the local search with restarts
    sl.learn(tables["gaussian"], hidden=True)
    sl.learn(tables["mixed"].assign(group=np.arange(ROWS) % 30), groups="group")
    for source in (tables["gaussian"], tables["discrete"], sl.DSeparation(asia)):
        for learner in ("rsl", "pc-stable", "mmpc"):
            sl.compare(sl.learn(source, learner=learner), asia)


if __name__ == "__main__":
    main()
