"""Searches for separating sets in a kernel: what goes wrong in its thread is told as it is."""

import networkx as nx
import pytest

import sidelight as sl
from sidelight.families.subset_search import NO_LIMIT, Searches
from sidelight.kernels import subsets


def test_an_exception_in_the_thread_of_a_long_search_is_raised_as_it_is(monkeypatch):
    def fail(*arguments):
        raise MemoryError("no room")

    monkeypatch.setattr(subsets, "search_subsets", fail)
    searches = Searches.one(0, 1, range(2, 42), (), 0, 40)
    assert searches.may_be_long()
    with pytest.raises(MemoryError, match="no room"):
        sl.DSeparation(nx.empty_graph(42, create_using=nx.DiGraph)).search(searches, 0.01, NO_LIMIT)
