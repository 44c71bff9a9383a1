"""The paper's lemmas themselves, on random graphs."""

from itertools import combinations

from hypothesis import given, settings

from sidelight.graphs import properties
from tests.graphs_for_tests import d_separated, dags, diamond_free, subsets


def pairs_depend(graph, x, boundary, left_out=()):
    kept = boundary - set(left_out)
    return all(not d_separated(graph, y, z, (kept | {x}) - {y, z}) for y, z in combinations(kept, 2))


def row_depends(graph, x, boundary, left_out):
    kept = boundary - set(left_out)
    return all(not d_separated(graph, x, y, kept - {y}) for y in kept)


@settings(max_examples=200)
@given(dags(max_size=7))
def test_lemma_1_its_condition_implies_removability_and_some_variable_meets_it(graph):
    m = properties.clique_number(graph)
    met = []
    for x, boundary in properties.markov_boundaries(graph).items():
        if all(
            pairs_depend(graph, x, boundary, s) and row_depends(graph, x, boundary, s)
            for s in subsets(boundary)
            if len(s) <= m - 2
        ):
            met.append(x)
            assert properties.is_removable(graph, x)
    assert met or not len(graph)


@settings(max_examples=200)
@given(dags(max_size=8))
def test_lemma_3_in_a_diamond_free_graph_its_condition_is_removability(graph):
    graph = diamond_free(graph)
    for x, boundary in properties.markov_boundaries(graph).items():
        assert pairs_depend(graph, x, boundary) == properties.is_removable(graph, x)


@settings(max_examples=200)
@given(dags(max_size=8))
def test_the_limb_lemma_and_that_members_then_know_each_other(graph):
    boundaries = properties.markov_boundaries(graph)
    for x, boundary in boundaries.items():
        closed = boundary | {x}
        has_limb = any(closed == set(graph.pred[w]) | {w} for w in {x, *graph.succ[x]})
        assert pairs_depend(graph, x, boundary) == has_limb
        if has_limb:
            assert all(z in boundaries[y] for y, z in combinations(boundary, 2))


@settings(max_examples=200)
@given(dags(max_size=8))
def test_a_pair_that_parts_makes_its_variable_a_sink(graph):
    """The shortcut of docs/decisions/0003: with all pairs dependent, a parting pair means that x has no child."""
    boundaries = properties.markov_boundaries(graph)
    for x, boundary in boundaries.items():
        if pairs_depend(graph, x, boundary) and any(
            z in boundaries[y] and d_separated(graph, y, z, boundaries[y] - {x, z})
            for y, z in combinations(boundary, 2)
        ):
            assert not graph.succ[x]


@settings(max_examples=200)
@given(dags(max_size=8))
def test_removable_variables_have_boundaries_within_the_largest_in_degree(graph):
    d = properties.max_in_degree(graph)
    for x, boundary in properties.markov_boundaries(graph).items():
        if properties.is_removable(graph, x):
            assert len(boundary) <= d
