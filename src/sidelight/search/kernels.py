# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels for exact search over orders of few variables (Silander and Myllymäki 2006).

A set of variables is the number whose bits are its members. In the row of a variable v, sets are those of the other
variables: the bit of v is left out of the number (``place_in_row``).
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels.compiling import njit
from sidelight.kernels.subsets import place_in_row


@njit(cache=True, nogil=True, error_model="numpy")
def best_within(values, must):
    """Turn the score of one variable with each set of parents into the best with parents among each set, in place.

    Members whose bit is set in ``must`` are parents wherever they are in the set.
    """
    n_sets, step = len(values), 1
    while step < n_sets:
        if not must & step:
            for first in range(0, n_sets, 2 * step):
                for i in range(first, first + step):
                    values[i + step] = max(values[i + step], values[i])
        step *= 2


@njit(cache=True, nogil=True, error_model="numpy")
def best_orders(values, totals, first, last):
    """Write the best score of a DAG over each set into ``totals``, for sets first to last − 1; one member is a sink."""
    for members in range(first, last):
        best = -np.inf if members else 0.0
        for v in range(len(values)):
            if (members >> v) & 1:
                best = max(best, totals[members ^ (1 << v)] + values[v, place_in_row(members, v)])
        totals[members] = best
