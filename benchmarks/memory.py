"""How much memory does learning take beyond the table? Counted in n × n float64 matrices.

python benchmarks/memory.py [N]
"""

from __future__ import annotations

import resource
import sys

import numpy as np

import sidelight as sl
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = np.random.default_rng(0)
    sl.learn(rng.standard_normal((500, 20)), sl.DiamondFree(), "rsl")  # load everything first
    _, values = linear_gaussian(random_graphs.erdos_renyi(n, n**-0.82, rng), 12 * n, rng)
    before = peak()
    sl.learn(values, sl.DiamondFree(), "rsl")
    matrix = 8 * n * n
    above, table = (peak() - before) / matrix, values.nbytes / matrix
    print(f"n = {n}: {above:.2f} matrices of n × n float64 above a table of {table:.0f} such matrices")


if __name__ == "__main__":
    main()
