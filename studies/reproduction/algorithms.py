"""The seven algorithms of the paper's experiments, and what is measured of each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import networkx as nx
import numpy as np

from sidelight.errors import InputError
from sidelight.evaluate.comparison import class_distance, compare_skeletons, separating_set_accuracy
from sidelight.families import DSeparation
from sidelight.graphs.dag import Dag
from sidelight.learning import learn
from sidelight.network import Network
from sidelight.orientation import essential_graph_of
from sidelight.side_information import CliqueNumber, DiamondFree
from sidelight.simulation.gaussian import linear_gaussian

LABELS = {
    "rsl-d": "RSL-D",
    "rsl-w": "RSL-ω",
    "marvel": "MARVEL",
    "cs": "CS",
    "gs": "GS",
    "pc": "PC",
    "mmpc": "MMPC",
}
Measures = dict[str, Any]


def options_of(algorithm: str, m: int, variant: str) -> dict[str, Any]:
    """The arguments of ``learn`` for an algorithm; m is the clique number that RSL-ω is given."""
    if algorithm == "rsl-d":
        return {"learner": "rsl", "side": DiamondFree(), "variant": variant}
    if algorithm == "rsl-w":
        return {"learner": "rsl", "side": CliqueNumber(m), "variant": variant}
    return {"learner": algorithm}


def with_oracle(graph: nx.DiGraph, m: int, max_tests: int, algorithms: tuple[str, ...] = tuple(LABELS)) -> Measures:
    """All algorithms with the oracle: how many tests, of what size, and is the skeleton right?"""
    oracle = DSeparation(graph)
    _warm()
    measured = {}
    for algorithm in algorithms:
        net = learn(oracle, max_tests=max_tests, **options_of(algorithm, m, "paper"))
        found = compare_skeletons(net.skeleton, graph)
        measured[algorithm] = {**_counts(net), "exact": found.shd == 0}
    return measured


def with_samples(graph: nx.DiGraph, m: int, n_samples: int, seed: int, max_tests: int, alpha: float = 0.01) -> Measures:
    """All algorithms on the same simulated rows, from boundaries by total conditioning."""
    names, values = linear_gaussian(graph, n_samples, np.random.default_rng(seed))
    _warm()
    measured = {}
    for algorithm in LABELS:
        try:
            net = learn(
                values,
                names=names,
                alpha=alpha,
                boundaries="tc",
                max_tests=max_tests,
                refuted="report",
                **options_of(algorithm, m, "robust"),
            )
        except InputError as error:  # such as too few rows for total conditioning
            raise InputError(f"{n_samples} rows of {len(names)} variables: {error}") from error
        measured[algorithm] = {**_counts(net), **_accuracy(net, graph), "seconds": net.seconds["skeleton"]}
    return measured


def _counts(net: Network) -> Measures:
    cut = net.settings.max_tests is not None and net.n_tests >= net.settings.max_tests
    return {"tests": net.n_tests, "mean_set": net.mean_conditioning_size, "cut": cut}


def _accuracy(net: Network, graph: nx.DiGraph) -> Measures:
    found = compare_skeletons(net.skeleton, graph)
    return {
        "f1": found.f1,
        "precision": found.precision,
        "recall": found.recall,
        "shd": found.shd,
        "class_shd": class_distance(net.to_networkx(), essential_graph_of(graph)),
        "alss": separating_set_accuracy(net.separating_sets, Dag.from_networkx(graph)),
    }


@cache
def _warm() -> None:
    """Load the kernels once per process, so that no run time contains it."""
    chain = nx.DiGraph([(0, 1), (1, 2), (3, 2), (2, 4)])
    names, values = linear_gaussian(chain, 500, np.random.default_rng(0))
    for algorithm in LABELS:
        options: Mapping[str, Any] = options_of(algorithm, 3, "robust")
        learn(values, names=names, boundaries="tc", **options)
        learn(DSeparation(chain), **options)
