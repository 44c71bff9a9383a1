import json
import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.learners import LEARNERS
from sidelight.output import formats
from tests.graphs_for_tests import dags

HOSTILE = ['"', "'", "a,b", "a;b", "<script>alert(1)</script>", "a\nb", "a\r\nb", "\\", "\\n", "a\\", "#", "//", "/*",
           "&", "&amp;", "->", "--", "[]", "()", "{}", " a ", "\t", "node", "graph", "yes", "0", "1e5", "NA", "emoji 🌧",
           "\u2028", "source", "a\rb", "&#38;", "_networkx_list_start", "INF", "'()'", "\ufeff", "a" * 300]  # fmt: skip
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
texts = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=6), st.text('ab\\"\n\r,&#;<> ', min_size=1))


@st.composite
def networks(draw):
    """What the oracle of a random DAG with hostile names gives."""
    dag = draw(dags(max_size=7))
    names = draw(st.lists(texts, min_size=len(dag), max_size=len(dag), unique=True))
    return sl.learn(sl.DSeparation(nx.relabel_nodes(dag, dict(zip(range(len(dag)), names, strict=True)))))


@settings(max_examples=60, deadline=None)
@given(networks())
def test_a_network_read_from_its_json_is_equal_to_it(tmp_path_factory, net):
    path = tmp_path_factory.mktemp("json") / "net.json"
    net.write(path)
    again = sl.read(path)
    assert again == net
    assert formats.to_json(again) == formats.to_json(net)
    assert nx.utils.graphs_equal(again.to_networkx(), net.to_networkx())
    assert nx.utils.graphs_equal(again.to_dag(), net.to_dag())


@pytest.mark.parametrize("extension", sorted(formats.WRITERS.keys() & formats.READERS.keys()))
@settings(max_examples=60, deadline=None)
@given(net=networks())
def test_a_graph_read_from_any_format_is_the_graph_that_was_written(tmp_path_factory, extension, net):
    path = tmp_path_factory.mktemp("graph") / f"net{extension}"
    unwritable = [name for name in net.names if extension == ".graphml" and CONTROL.search(name)]
    if unwritable:
        with pytest.raises(sl.InputError, match="^" + re.escape(f"variable {unwritable[0]!r}: ")):
            net.write(path)
        assert not path.exists()
        return
    net.write(path)
    again = sl.read_graph(path)
    assert nx.utils.graphs_equal(again, net.to_networkx())
    assert extension == ".csv" or tuple(again) == net.names  # an edge list has no order of the variables


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("names", [None, list("uvwxyz")])
def test_networks_learned_from_data_survive_json(tmp_path, learner, names):
    rng = np.random.default_rng(1)
    values = rng.standard_normal((400, 6))
    for child, parent in ((1, 0), (2, 0), (3, 1), (3, 2), (4, 3), (5, 4)):
        values[:, child] += values[:, parent]
    net = sl.learn(values, names=names, learner=learner)
    net.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json")
    assert again == net
    assert again.names == net.names
    assert str(again) == str(net)
    assert again.separating_sets.parts() == net.separating_sets.parts()


def test_networks_that_differ_in_one_direction_are_not_equal():
    chain = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("b", "c")])))
    collider = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("c", "b")])))
    assert chain == sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("b", "c")])))
    assert chain != collider


@pytest.mark.parametrize("extension", sorted(formats.WRITERS.keys() & formats.READERS.keys()))
def test_a_dag_of_networkx_can_be_written_and_read(tmp_path, extension):
    dag = sl.networks.load("asia")
    dag.add_node("alone")
    formats.write(dag, tmp_path / f"dag{extension}")
    again = sl.read_graph(tmp_path / f"dag{extension}")
    assert set(again) == set(dag)
    assert set(again.edges) == set(dag.edges)
    assert all(directed for _, _, directed in again.edges(data="directed"))


def test_files_of_an_older_sidelight_without_the_newer_fields_are_read(tmp_path):
    net = sl.learn(sl.DSeparation(sl.networks.load("asia")))
    content = json.loads(formats.to_json(net))
    required = {"schema", "names", "directed_edges", "undirected_edges", "removals", "left_out", "explicit_sets"}
    (tmp_path / "old.json").write_text(json.dumps({key: content[key] for key in required}))
    again = sl.read(tmp_path / "old.json")
    assert again.separating_sets == net.separating_sets
    assert again.directed_edges == net.directed_edges
    assert again.undirected_edges == net.undirected_edges


def test_dot_cannot_hold_the_nul_character(tmp_path):
    with pytest.raises(sl.InputError, match=r"^variable 'a\\x00': DOT cannot hold"):
        formats.write(nx.DiGraph([("a\0", "b")]), tmp_path / "net.dot")


@pytest.mark.parametrize("extension", formats.GRAPH_WRITERS)
def test_half_a_character_cannot_be_written(tmp_path, extension):
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a\ud800", "b")])))
    with pytest.raises(sl.InputError, match="half of a character"):
        net.write(tmp_path / f"net{extension}")


@pytest.mark.parametrize("name", ["asia", "alarm", "hailfinder"])
def test_the_structure_of_a_bif_file_is_read(name):
    from importlib.resources import files

    graph = sl.read_graph(files("sidelight.simulation") / "bif" / f"{name}.bif.gz")
    assert set(graph.edges) == set(sl.networks.load(name).edges)


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_name_is_a_formula_in_an_edge_list_for_spreadsheets(tmp_path, name):
    graph = nx.DiGraph([(name, "plain")])
    formats.write(graph, tmp_path / "edges.csv", for_spreadsheets=True)
    assert set(sl.read_graph(tmp_path / "edges.csv")) == {f"'{name}", "plain"}
    with pytest.raises(sl.InputError, match="for_spreadsheets"):
        formats.write(graph, tmp_path / "edges.gml", for_spreadsheets=True)
