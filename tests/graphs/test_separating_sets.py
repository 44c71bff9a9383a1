"""The mapping of separating sets equals what equals it as a dictionary."""

import networkx as nx
import pytest
from hypothesis import given, settings

import sidelight as sl
from sidelight.graphs.separating_sets import SeparatingSets
from tests.graphs_for_tests import dags


@settings(max_examples=50)
@given(dags(max_size=6), dags(max_size=6))
def test_separating_sets_are_equal_exactly_when_they_are_equal_as_dictionaries(one, other):
    nets = [sl.learn(sl.DSeparation(graph), learner=learner) for graph in (one, other) for learner in ("rsl", "pc")]
    for a in nets:
        for b in nets:
            assert (a.separating_sets == b.separating_sets) == (dict(a.separating_sets) == dict(b.separating_sets))
            assert a.separating_sets == dict(a.separating_sets)


def test_the_same_parts_are_not_looked_at_pair_by_pair(monkeypatch):
    graph = nx.DiGraph(nx.utils.pairwise(range(30)))
    one, other = (sl.learn(sl.DSeparation(graph)) for _ in range(2))
    monkeypatch.setattr(SeparatingSets, "between", lambda *arguments: pytest.fail("a pair was looked at"))
    assert one == other
