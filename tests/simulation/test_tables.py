import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import sidelight as sl
from sidelight.simulation import tables
from sidelight.simulation.tables import write_simulation

CHAIN = nx.DiGraph([("a", "b"), ("b", "c")])


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "mixed"])
def test_a_seed_gives_the_same_table_however_it_is_asked_for(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "CHUNK_CELLS", 300)
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


def test_a_bundled_network_is_simulated_by_its_name():
    numbers, categories = (sl.simulate("asia", 20, kind=kind).table for kind in ("auto", "discrete"))
    assert numbers == sl.simulate(sl.networks.load("asia"), 20).table
    assert categories == sl.simulate(sl.networks.load_discrete("asia"), 20).table
    with pytest.raises(sl.InputError, match=r"the name of a bundled network must be one of .*got 'assia'"):
        sl.simulate("assia")


def test_a_mixed_table_has_about_the_share_of_discrete_columns():
    graph = nx.empty_graph(200, create_using=nx.DiGraph)
    table = sl.simulate(graph, 10, "mixed", share=0.3).table
    assert 30 <= sum(pa.types.is_string(column.type) for column in table.columns) <= 90


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_rows": 0}, "n_rows must be a whole number, 1 or more; got 0"),
        ({"kind": "cubic"}, "kind must be one of 'auto', 'gaussian', 'discrete', 'mixed'; got 'cubic'"),
        ({"kind": "mixed", "share": 2}, "share must be between 0 and 1; got 2"),
        ({"seed": -1}, "seed must be a whole number, 0 or more; got -1"),
    ],
)
def test_what_cannot_be_simulated_is_refused_by_name(arguments, message):
    with pytest.raises(sl.InputError, match=message):
        sl.simulate(CHAIN, **arguments)


def test_too_many_parents_for_a_table_are_refused_by_name():
    star = nx.DiGraph((i, "sink") for i in range(25))
    with pytest.raises(sl.InputError, match=r"'sink' has 25 parents.*kind=.mixed. has no such limit"):
        sl.simulate(star, 10, "discrete")


def test_names_that_are_no_texts_are_simulated_too():
    assert sl.simulate(nx.DiGraph([(0, 1)]), 10, kind="discrete").table.column_names == ["0", "1"]


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "mixed"])
def test_a_cycle_is_refused_by_name(kind):
    with pytest.raises(sl.InputError, match="directed cycle"):
        sl.simulate(nx.DiGraph([("a", "b"), ("b", "a")]), 10, kind)
