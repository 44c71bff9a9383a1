import networkx as nx
import numpy as np

from sidelight.simulation.gaussian import linear_gaussian, random_linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi


def test_a_linear_gaussian_table_has_the_covariance_of_its_model():
    graph = nx.DiGraph([("a", "c"), ("b", "c"), ("c", "d")])
    model = random_linear_gaussian(graph, np.random.default_rng(3))
    rows = np.column_stack(list(model.sample(400_000, np.random.default_rng(4)).values()))
    weights = np.zeros((4, 4))
    for v, parents in enumerate(model.dag.parents):
        weights[v, sorted(parents)] = model.weights[v]
    total = np.linalg.inv(np.eye(4) - weights)
    expected = total @ np.diag(model.noises**2) @ total.T
    np.testing.assert_allclose(np.cov(rows.T), expected, rtol=0.03, atol=0.03)


def test_coefficients_and_noises_lie_where_the_paper_draws_them():
    model = random_linear_gaussian(erdos_renyi(60, 0.2, np.random.default_rng(0)), np.random.default_rng(1))
    weights = np.concatenate(model.weights)
    assert np.abs(weights).min() >= 1.0
    assert np.abs(weights).max() <= 1.5
    assert (weights < 0).any()
    assert (weights > 0).any()
    assert model.noises.min() >= np.sqrt(0.5)
    assert model.noises.max() <= np.sqrt(1.5)


def test_the_papers_function_and_its_model_are_one():
    names, rows = linear_gaussian(nx.DiGraph([("a", "b"), ("b", "c")]), 10, np.random.default_rng(0))
    assert names == ["a", "b", "c"]
    assert rows.shape == (10, 3)
