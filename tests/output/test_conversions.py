"""Other packages' graphs agree with ours, each with the real package."""

import sys

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import sidelight as sl
from tests.graphs_for_tests import dags


@settings(max_examples=40, deadline=None)
@given(dags(max_size=7))
def test_all_packages_agree_on_parents_and_neighbours(dag):
    net = sl.learn(sl.DSeparation(nx.relabel_nodes(dag, lambda i: f"v{i}")))
    ours = net.to_networkx()
    pgmpy, causal, graph = net.to_pgmpy(), net.to_causallearn(), net.to_igraph()
    assert nx.utils.edges_equal(list(pgmpy.edges), list(ours.edges), directed=True)
    assert set(pgmpy.nodes) == set(net.names) == set(causal.get_node_names()) == set(graph.vs["name"])
    for name in net.names:
        parents = {a for a, _, directed in ours.in_edges(name, data="directed") if directed}
        node = causal.get_node(name)
        assert {parent.get_name() for parent in causal.get_parents(node)} == parents
        neighbours = set(nx.all_neighbors(ours, name))
        assert {other.get_name() for other in causal.get_adjacent_nodes(node)} == neighbours
        assert {graph.vs[i]["name"] for i in graph.neighbors(name)} == neighbours
    assert {(graph.vs[e.source]["name"], graph.vs[e.target]["name"], e["directed"]) for e in graph.es} == set(
        ours.edges(data="directed")
    )


def test_pgmpy_gets_a_dag_where_all_edges_are_directed_and_a_pdag_elsewhere():
    from pgmpy.base import DAG, PDAG

    collider = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("c", "b")]))).to_pgmpy()
    assert isinstance(collider, DAG)
    assert collider.is_dconnected("a", "c", observed="b")
    chain = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("b", "c")]))).to_pgmpy()
    assert isinstance(chain, PDAG)
    assert chain.undirected_edges == {("a", "b"), ("b", "c")}
    assert len(chain.to_dag().edges) == 2


@pytest.mark.parametrize("name", ["asia", "child", "alarm"])
def test_the_essential_graph_is_the_one_that_causallearn_finds_for_the_dag(name):
    from causallearn.utils.DAG2CPDAG import dag2cpdag

    net = sl.learn(sl.DSeparation(sl.networks.load(name)))
    dag = net.to_causallearn()
    dag.graph[:] = 0
    node = {n.get_name(): n for n in dag.get_nodes()}
    for a, b in sl.networks.load(name).edges:
        dag.add_directed_edge(node[a], node[b])
    assert dag2cpdag(dag) == net.to_causallearn()


def test_causallearn_and_sidelight_learn_the_same_graph_from_clear_data():
    from causallearn.graph.GraphClass import CausalGraph
    from causallearn.search.ConstraintBased.PC import pc

    rng = np.random.default_rng(0)
    values = rng.standard_normal((3000, 4))
    values[:, 2] += values[:, 0] + values[:, 1]
    values[:, 3] += values[:, 2]
    net = sl.learn(values, names=list("abcd"), alpha=0.001)
    theirs = pc(values, alpha=0.001, node_names=list("abcd"), show_progress=False)
    assert isinstance(theirs, CausalGraph)
    assert net.to_causallearn() == theirs.G


def test_igraph_lays_the_graph_out():
    graph = sl.learn(sl.DSeparation(sl.networks.load("asia"))).to_igraph()
    assert isinstance(graph, igraph.Graph)
    assert len(graph.layout_sugiyama()) >= 8


@pytest.mark.parametrize(
    ("method", "module", "extra"),
    [
        ("to_pgmpy", "pgmpy.base", "peers"),
        ("to_causallearn", "causallearn.graph.GraphNode", "peers"),
        ("to_igraph", "igraph", "igraph"),
    ],
)
def test_a_package_that_is_not_installed_is_named(monkeypatch, method, module, extra):
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])))
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(sl.InputError, match=rf"pip install 'sidelight\[{extra}\]'"):
        getattr(net, method)()
