"""Adjustment identification distances (Henckel, Würtzen & Weichwald 2024), by the package ``gadjid`` (an extra).

For which share of the ordered pairs of variables does the learned graph lead to a wrong adjustment set? Sets are taken
from the learned graph as parents, as ancestors, or as optimal sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from sidelight.graphs.dag import PartialDag

STRATEGIES = {"parents": "parent_aid", "ancestors": "ancestor_aid", "optimal": "oset_aid"}
DIRECTED, UNDIRECTED = 1, 2  # as gadjid writes edges


def adjustment_distances(learned: PartialDag, truth: PartialDag) -> Mapping[str, float] | None:
    """The three distances of DAGs or essential graphs over the same columns, 0 to 1; None without ``gadjid``."""
    try:
        gadjid = import_module("gadjid")
    except ImportError:
        return None
    if len(truth) < 2:
        return dict.fromkeys(STRATEGIES, 0.0)
    matrices = _matrix(truth), _matrix(learned)
    direction = "from row to column"
    return {
        name: float(getattr(gadjid, function)(*matrices, edge_direction=direction)[0])
        for name, function in STRATEGIES.items()
    }


def _matrix(graph: PartialDag) -> NDArray[np.int8]:
    matrix = np.zeros((len(graph), len(graph)), dtype=np.int8)
    for tail, head in graph.directed_edges():
        matrix[tail, head] = DIRECTED
    for a, b in graph.undirected_edges():
        matrix[a, b] = UNDIRECTED
    return matrix
