import networkx as nx
import pytest

import sidelight as sl
from sidelight.graphs.properties import markov_boundaries

GRAPH = nx.DiGraph([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slip")])
ORACLE = sl.DSeparation(GRAPH)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": GRAPH}, r"wrap it: sl\.learn\(sl\.DSeparation"),
        ({"source": [1, 2]}, r"two axes, rows by columns; got one of shape \(2,\)"),
        ({"source": 3.5}, "a table must be a path .*; got a float"),
        ({"source": ORACLE, "columns": ["rain"]}, "columns= goes with a table and its tests, not with a DSeparation"),
        ({"boundaries": "magic"}, "boundaries must be one of 'auto', 'tc', 'iamb'"),
        ({"boundaries": ["a"]}, r"boundaries must be one of .*; got \['a'\]"),
        ({"variant": ["paper"]}, r"variant must be one of .*; got \['paper'\]"),
        ({"boundary_alpha": 2.0}, "boundary_alpha must be a number between 0 and 1.*; got 2.0"),
        ({"correlation": "normal-scores"}, "correlation= goes with a table"),
        ({"correlation": "distance"}, "correlation must be one of 'auto', 'pearson'.*; got 'distance'"),
        ({"test": "t"}, "test must be one of 'auto', 'fisher-z'"),
        ({"missing": "ignore"}, "missing must be one of 'error', 'drop', 'pairwise'"),
        ({"progress": True}, "progress must be a function"),
        ({"n_jobs": 0}, "n_jobs must be a number of workers"),
        ({"weights": [1.0]}, "weights= goes with a table and its tests, not with a DSeparation"),
        ({"side": 3}, r"side must be DiamondFree\(\)"),
        ({"side": sl.DiamondFree}, "side must be"),
        ({"learner": "magic"}, "learner must be one of 'auto', 'rsl', 'hybrid', 'marvel'"),
        ({"variant": "quick"}, "variant must be one of 'robust', 'paper', 'published'; got 'quick'"),
        ({"alpha": 0.0}, "alpha must be .*; got 0.0"),
        ({"alpha": 1.0}, "alpha must be .*; got 1.0"),
        ({"alpha": float("nan")}, "alpha must be .*; got nan"),
        ({"alpha": "small"}, "alpha must be .*; got 'small'"),
    ],
)
def test_an_argument_that_cannot_be_used_is_named(arguments, message):
    with pytest.raises(sl.InputError, match=message):
        sl.learn(**{"source": ORACLE, **arguments})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sl.CliqueNumber(0), r"CliqueNumber\(0\): clique number must be a whole number of at least 1"),
        (lambda: sl.CliqueNumber(2.5), r"CliqueNumber\(2.5\)"),
        (lambda: sl.CliqueNumber(True), r"CliqueNumber\(True\)"),
        (lambda: sl.Treewidth(-1), r"Treewidth\(-1\): treewidth must be a whole number of at least 0"),
        (lambda: sl.VertexCover("2"), r"VertexCover\('2'\)"),
        (lambda: sl.MaxInDegree(-3), r"MaxInDegree\(-3\)"),
    ],
)
def test_a_promise_that_makes_no_sense_is_refused(make, message):
    with pytest.raises(sl.InputError, match=message):
        make()


def test_promises_are_values():
    assert sl.CliqueNumber(3) == sl.CliqueNumber(3)
    assert len({sl.DiamondFree(), sl.DiamondFree(), sl.Treewidth(2)}) == 2
    assert [str(s) for s in (sl.DiamondFree(), sl.CliqueNumber(3), sl.Treewidth(2), sl.MaxInDegree(1))] == [
        "diamond-free",
        "clique number ≤ 3",
        "treewidth ≤ 2",
        "largest in-degree ≤ 1",
    ]
    assert (sl.Treewidth(2).clique_bound, sl.VertexCover(4).clique_bound, sl.MaxInDegree(0).clique_bound) == (3, 5, 1)


def test_numbers_of_numpy_are_numbers():
    import numpy as np

    assert sl.CliqueNumber(np.int64(3)) == sl.CliqueNumber(3)
    assert sl.learn(ORACLE, sl.MaxInDegree(np.int32(2)), alpha=np.float32(0.01)).certificate.status == "consistent"


def test_a_certificate_says_what_it_rests_on():
    given = sl.learn(ORACLE, boundaries=markov_boundaries(GRAPH)).certificate.sentence
    assert "the given boundaries are right, and every test answered correctly" in given
    square = nx.DiGraph([(0, 1), (0, 2), (1, 3), (2, 3)])
    treewidth = sl.learn(sl.DSeparation(square), sl.Treewidth(1)).certificate
    assert treewidth.status == "violated"
    assert "follows from the assumed treewidth ≤ 1, but it breaks the assumption itself" in treewidth.sentence
    assert "this is the equivalence class of the true structure" in treewidth.sentence


def test_a_network_shows_everything_that_was_learned():
    net = sl.learn(ORACLE, sl.DiamondFree())
    assert net.names == ("rain", "wet", "sprinkler", "slip")
    assert set(net.directed_edges) == {("rain", "wet"), ("sprinkler", "wet"), ("wet", "slip")}
    assert net.undirected_edges == []
    assert net.separating_sets[frozenset(("rain", "sprinkler"))] == frozenset()
    assert net.separating_sets[frozenset(("rain", "slip"))] == {"wet"}
    assert len(net.separating_sets) == len(list(net.separating_sets)) == 3
    assert net.boundaries == markov_boundaries(GRAPH)
    assert sorted(net.removal_order) == sorted(GRAPH)
    assert net.n_tests == sum(net.tests_by_size.values()) == sum(net.tests_by_phase.values())
    assert net.boundary_tests == 6
    assert set(net.to_dag().edges) == set(GRAPH.edges)
    assert all(directed for _, _, directed in net.to_networkx().edges(data="directed"))


def test_looking_up_what_is_not_there_is_a_key_error():
    sets = sl.learn(ORACLE).separating_sets
    for key in (frozenset(("rain", "wet")), frozenset(("rain", "moon")), frozenset(("rain",)), ("rain", "slip"), 3):
        assert key not in sets
        with pytest.raises(KeyError):
            sets[key]


def test_an_undirected_edge_stands_both_ways_in_networkx():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])))
    assert set(net.to_networkx().edges(data="directed")) == {("a", "b", False), ("b", "a", False)}
    assert net.undirected_edges == [("a", "b")]


def test_the_repr_can_be_read():
    text = repr(sl.learn(ORACLE, sl.CliqueNumber(2)))
    assert text.splitlines()[:2] == [
        "<Network: 4 variables, 3 directed and 0 undirected edges>",
        "  rain → wet",
    ]
    assert (
        "consistent with the assumption: the learned graph has clique number 2, within the assumed clique number ≤ 2"
        in text
    )


def test_the_repr_of_a_large_network_is_cut():
    net = sl.learn(sl.DSeparation(nx.path_graph(60, create_using=nx.DiGraph)), sl.DiamondFree())
    assert "… and 29 more edges" in repr(net)


def test_a_violated_assumption_is_named():
    complete = nx.DiGraph([(a, b) for a in range(4) for b in range(a)])
    net = sl.learn(sl.DSeparation(complete), sl.CliqueNumber(2))
    assert net.certificate.status == "violated"
    assert "clique of 4 variables, beyond the assumed clique number ≤ 2" in net.certificate.sentence
