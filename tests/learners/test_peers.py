"""PC-stable finds the skeletons that causal-learn's and pgmpy's stable PC find on the same data."""

import warnings

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian

CASES = [(6, 0), (10, 1), (15, 2), (18, 3)]


def data(n_variables, seed):
    rng = np.random.default_rng(seed)
    graph = random_graphs.erdos_renyi(n_variables, 2.5 / n_variables, rng)
    return linear_gaussian(graph, 50 * n_variables, rng)[1]


def our_edges(values):
    return {frozenset(edge) for edge in sl.learn(values, learner="pc-stable").skeleton.edges}


@pytest.mark.parametrize(("n_variables", "seed"), CASES)
def test_the_same_skeleton_as_causal_learn(n_variables, seed):
    pc = pytest.importorskip("causallearn.search.ConstraintBased.PC").pc
    values = data(n_variables, seed)
    found = pc(values, 0.01, "fisherz", stable=True, show_progress=False).G.graph
    assert our_edges(values) == {frozenset(map(int, pair)) for pair in np.argwhere(found)}


@pytest.mark.parametrize(("n_variables", "seed"), CASES)
@pytest.mark.filterwarnings("ignore")
def test_the_same_skeleton_as_pgmpy(n_variables, seed):
    """Its variant "parallel" freezes the graph within a level; "stable", as of version 1.1, does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = pytest.importorskip("pgmpy.estimators").PC
    values = data(n_variables, seed)
    frame = pd.DataFrame(values, columns=[f"v{i}" for i in range(n_variables)])
    options = {"variant": "parallel", "significance_level": 0.01, "max_cond_vars": n_variables, "show_progress": False}
    skeleton, _ = estimator(frame).build_skeleton(ci_test="pearsonr", n_jobs=1, **options)
    assert our_edges(values) == {frozenset(int(name[1:]) for name in edge) for edge in skeleton.edges}
