"""Adjacency lists laid end to end."""

import numpy as np
import pytest

from sidelight.graphs.dag import AdjacencyArrays


@pytest.mark.parametrize("n", [1, 2, 3, 20])
def test_complete_lists_are_those_of_all_other_variables(n: int) -> None:
    complete, listed = AdjacencyArrays.complete(n), AdjacencyArrays.of([set(range(n)) - {v} for v in range(n)])
    assert np.array_equal(complete.start, listed.start)
    assert np.array_equal(complete.items, listed.items)
    assert complete.items.flags.c_contiguous  # kernels are compiled for that
