"""What would be left of the arrows of real tables if common causes were hidden, and what is learned if they may be.

    python benchmarks/surviving_arrows.py

Two tables come with the package, three with scikit-learn (extra "bench"): diabetes, wine and iris.
Rows with missing values are left out; settings are the defaults.
"""

from __future__ import annotations

import warnings
from collections import Counter

import sklearn.datasets

import sidelight as sl
from sidelight.examples import example

SHOWN = 3  # arrows of each table


def tables():
    yield "penguins", example("penguins")
    yield "newborns", example("newborns")
    for name in ("diabetes", "wine", "iris"):
        yield name, getattr(sklearn.datasets, f"load_{name}")(as_frame=True).frame


def main():
    print("| table | rows | arrows | that would survive | with `hidden=True` |\n|---|---|---|---|---|")
    for name, table in tables():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            net, pag = (sl.learn(table, missing="drop", hidden=hidden) for hidden in (False, True))
        surviving = [f"{a} → {b}" for a, b in net.surviving_arrows]
        more = [f"{len(surviving) - SHOWN} more"] * (len(surviving) > SHOWN)
        which = f" ({'; '.join(surviving[:SHOWN] + more)})" if surviving else ""
        kinds = ", ".join(f"{n} {symbol}" for symbol, n in Counter(symbol for _, symbol, _ in pag.edges).items())
        print(f"| {name} | {net.n_rows:,} | {len(net.directed_edges)} | {len(surviving)}{which} | {kinds} |")


if __name__ == "__main__":
    main()
