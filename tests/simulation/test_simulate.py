import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import sidelight as sl
from sidelight.simulation import simulate as simulation
from sidelight.simulation.gaussian import random_linear_gaussian
from sidelight.simulation.simulate import linear_gaussian, random_structure, write_simulation

CHAIN = nx.DiGraph([("a", "b"), ("b", "c")])


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
    model = random_linear_gaussian(simulation.erdos_renyi(60, 0.2, np.random.default_rng(0)), np.random.default_rng(1))
    weights = np.concatenate(model.weights)
    assert np.abs(weights).min() >= 1.0
    assert np.abs(weights).max() <= 1.5
    assert (weights < 0).any()
    assert (weights > 0).any()
    assert model.noises.min() >= np.sqrt(0.5)
    assert model.noises.max() <= np.sqrt(1.5)


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "mixed"])
def test_a_seed_gives_the_same_table_however_it_is_asked_for(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(simulation, "CHUNK_CELLS", 300)
    first = sl.simulate(CHAIN, 1000, kind, seed=5)
    assert first.table.equals(sl.simulate(CHAIN, 1000, kind, seed=5).table)
    assert not first.table.equals(sl.simulate(CHAIN, 1000, kind, seed=6).table)
    write_simulation(tmp_path / "t.parquet", CHAIN, 1000, kind, seed=5)
    assert pa.parquet.read_table(tmp_path / "t.parquet").equals(first.table)


@pytest.mark.parametrize("extension", ["csv", "feather", "arrow", "parquet"])
def test_what_is_written_can_be_learned_from(tmp_path, extension):
    path = tmp_path / f"table.{extension}"
    write_simulation(path, CHAIN, 2000, seed=1)
    assert sl.compare(sl.learn(path), CHAIN).same


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "mixed"])
def test_the_edges_of_a_simulated_table_are_learned_back(kind):
    asia = sl.networks.load("asia")
    found = sl.compare(sl.learn(sl.simulate(asia, 20_000, kind, seed=2).table), asia)
    assert found.skeleton.missing <= 1


def test_given_probabilities_are_sampled_from():
    asia = sl.networks.load_discrete("asia")
    table = sl.simulate(asia, 200_000, seed=0).table
    smokers = np.mean(np.array(table["smoke"]) == "yes")
    assert smokers == pytest.approx(asia.tables["smoke"][asia.categories["smoke"].index("yes")], abs=0.01)


def test_a_mixed_table_has_about_the_share_of_discrete_columns():
    graph = nx.empty_graph(200, create_using=nx.DiGraph)
    table = sl.simulate(graph, 10, "mixed", share=0.3).table
    assert 30 <= sum(pa.types.is_string(column.type) for column in table.columns) <= 90


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_rows": 0}, "n_rows=0"),
        ({"kind": "cubic"}, "kind='cubic'"),
        ({"kind": "mixed", "share": 2}, "share=2"),
    ],
)
def test_what_cannot_be_simulated_is_told_by_name(arguments, message):
    with pytest.raises(sl.InputError, match=message):
        sl.simulate(CHAIN, **arguments)


def test_too_many_parents_for_a_table_are_told_by_name():
    star = nx.DiGraph((i, "sink") for i in range(25))
    with pytest.raises(sl.InputError, match="'sink' has 25 parents"):
        sl.simulate(star, 10, "discrete")


@pytest.mark.parametrize("text", ["clique", "clique:x", "erdos-renyi:3", "tree"])
def test_words_for_random_structures_that_mean_nothing_are_refused(text):
    with pytest.raises(sl.InputError, match="is not one of"):
        random_structure(text, 10, np.random.default_rng(0))


def test_words_for_random_structures_keep_their_promise():
    rng = np.random.default_rng(0)
    from sidelight.graphs import properties

    assert properties.clique_number(random_structure("clique:3", 50, rng, degree=8)) <= 3
    assert properties.is_diamond_free(random_structure("diamond-free", 50, rng, degree=6))
    assert properties.max_in_degree(random_structure("treewidth:3", 50, rng, max_parents=2)) <= 2
    assert random_structure("erdos-renyi", 200, rng, exponent=0.5).number_of_edges() == pytest.approx(1407, rel=0.1)


def test_the_papers_function_and_its_model_are_one():
    names, rows = linear_gaussian(CHAIN, 10, np.random.default_rng(0))
    assert names == ["a", "b", "c"]
    assert rows.shape == (10, 3)


def test_names_that_are_no_texts_are_simulated_too():
    assert sl.simulate(nx.DiGraph([(0, 1)]), 10, kind="discrete").table.column_names == ["0", "1"]


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "mixed"])
def test_a_cycle_is_told_by_name(kind):
    with pytest.raises(sl.InputError, match="directed cycle"):
        sl.simulate(nx.DiGraph([("a", "b"), ("b", "a")]), 10, kind)


def test_large_random_graphs_have_the_density_of_small_ones(monkeypatch):
    monkeypatch.setattr(simulation, "DENSE", 100)
    graph = simulation.erdos_renyi(600, 0.05, np.random.default_rng(0))
    assert nx.is_directed_acyclic_graph(graph)
    assert graph.number_of_edges() == pytest.approx(600 * 599 / 2 * 0.05, rel=0.05)
