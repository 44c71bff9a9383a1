"""Adjustment identification distances by gadjid, against the library's own criterion for sets, pair by pair."""

import sys

import networkx as nx
import numpy as np
import pytest

import sidelight as sl
from sidelight.effects.adjustment import is_valid, optimal_set
from sidelight.effects.paths import possible_ancestors, possible_descendants, undecided_path
from sidelight.orientation.essential import essential_graph
from tests.effects.classes import members, random_dag


def is_mistake(learned, true, dag, x, y, how):
    """Does what the learned graph says of the effect of x on y lead to a wrong effect in the true one?"""
    if undecided_path(learned, [x], y) is not None:
        return undecided_path(true, [x], y) is None
    reached = possible_descendants(learned, [x])
    if y in learned.parents[x] or (how != "parents" and y not in reached):
        return y in possible_descendants(true, [x])
    given = {
        "parents": learned.parents[x],
        "optimal": optimal_set(learned, [x], y),
        "ancestors": possible_ancestors(learned, [x]) - reached,
    }[how]
    return not is_valid(true, dag, [x], y, set(given) - {x, y})


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("how", ["parents", "optimal"])
def test_gadjid_and_the_criterion_agree_on_which_effects_are_wrong(seed, how):
    pytest.importorskip("gadjid")
    rng = np.random.default_rng(seed)
    one, other = (random_dag(rng, 7, 0.35) for _ in range(2))
    for as_class in (False, True):
        graphs = [essential_graph(dag) for dag in (one, other)]
        learned, true = graphs if as_class else [_directed(dag) for dag in (one, other)]
        dag = next(members(true))
        wrong = sum(is_mistake(learned, true, dag, x, y, how) for x in range(7) for y in range(7) if x != y)
        shown = [graph.to_networkx(range(7)) for graph in (learned, true)]
        assert sl.compare(*shown).adjustment_distances[how] == pytest.approx(wrong / 42)


def _directed(dag):
    graph = essential_graph(dag)
    for a, b in graph.undirected_edges():
        graph.orient(*((a, b) if a in dag.parents[b] else (b, a)))
    return graph


def test_a_graph_has_no_distance_to_itself_and_all_figures_are_in_the_data():
    pytest.importorskip("gadjid")
    graph = sl.networks.load("asia")
    found = sl.compare(graph, graph)
    assert set(found.adjustment_distances.values()) == {0.0}
    assert found.as_dict()["aid_optimal"] == 0.0
    assert "AID" in str(found)


def test_without_gadjid_there_are_no_such_distances(monkeypatch):
    monkeypatch.setitem(sys.modules, "gadjid", None)
    found = sl.compare(nx.DiGraph([("a", "b")]), nx.DiGraph([("a", "b")]))
    assert found.adjustment_distances is None
    assert found.as_dict()["aid_parents"] is None
