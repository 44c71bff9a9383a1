"""Shares among resamples: what they count, from which share on an edge is significant, and how many may be false."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import comb, inf, isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.result.certainty import PairCounts, Shares, bound_on_false_edges
from tests.shares_for_tests import shares_of

NAMES = ("Sick", "Grunting", "Age", 4)
COUNTS = {(0, 1): PairCounts(171, 0, 12), (0, 2): PairCounts(30, 40, 50), (1, 3): PairCounts(0, 0, 200)}
SHARES = Shares(NAMES, "bootstrap", 0, 200, COUNTS)


@given(shares_of("abcd"))
def test_every_pair_and_every_arrow_has_a_share(shares):
    assert set(shares.adjacency) == set(map(frozenset, combinations("abcd", 2)))
    assert set(shares.arrow) == set(permutations("abcd", 2))
    assert (len(shares.adjacency), len(shares.arrow)) == (6, 12)
    for a, b in permutations("abcd", 2):
        counts = shares.of("abcd".index(a), "abcd".index(b))
        total = shares.n_resamples or 1
        assert shares.adjacency[frozenset((a, b))] == counts.adjacent / total
        assert shares.arrow[a, b] == counts.forward / total
        assert shares.arrow[b, a] == counts.backward / total


@pytest.mark.parametrize("pair", [frozenset(("Sick", "nobody")), frozenset(("Sick",)), ("Sick", "Age"), "Sick"])
def test_only_a_pair_of_variables_has_a_share_of_adjacency(pair):
    with pytest.raises(KeyError):
        SHARES.adjacency[pair]
    assert pair not in SHARES.adjacency


@pytest.mark.parametrize("arrow", [("Sick", "nobody"), ("Sick", "Sick"), frozenset(("Sick", "Age")), ("Sick",)])
def test_only_two_variables_in_order_have_a_share_of_arrows(arrow):
    with pytest.raises(KeyError):
        SHARES.arrow[arrow]
    assert arrow not in SHARES.arrow


def test_a_pair_in_words_is_the_same_pair_from_either_side():
    assert SHARES.in_words(0, 1) == "Adjacent in 183 of 200 resamples, from Sick to Grunting in 171, undirected in 12."
    assert SHARES.in_words(1, 0) == SHARES.in_words(0, 1)
    assert SHARES.in_words(2, 3) == "Adjacent in none of 200 resamples."
    assert SHARES.in_words(0, 2, "abcd").endswith("from c to a in 40, from a to c in 30, undirected in 50.")


def test_doubt_is_about_the_edge_or_about_its_direction():
    assert SHARES.doubt(0, 1) == pytest.approx(1 - 0.915)
    assert SHARES.doubt(0, 2) == SHARES.doubt(2, 0) == pytest.approx(0.4)  # 120 of 200 have the edge
    assert SHARES.doubt(1, 3) == SHARES.doubt(2, 3) == 0
    disputed = replace(SHARES, counts={(0, 1): PairCounts(80, 70, 50)})
    assert disputed.doubt(0, 1) == pytest.approx(0.6)  # all have the edge, and 120 of them not from the first


@given(shares_of("abcd"))
def test_doubt_is_as_defined_and_falls_along_the_pairs_in_doubt(shares):
    pairs = shares.by_doubt()
    assert sorted(pairs) == sorted(shares.counts)
    assert pairs == sorted(pairs, key=lambda pair: (-shares.doubt(*pair), pair))
    for x, y in pairs:
        counts = shares.of(x, y)
        adjacent, most = counts.adjacent / shares.n_resamples, max(counts) / counts.adjacent
        assert shares.doubt(x, y) == pytest.approx(max(min(adjacent, 1 - adjacent), (1 - most) * adjacent))
        assert 0 <= shares.doubt(x, y) <= 2 / 3


def significant(shares):
    """By Scutari and Nagarajan (2013), in fractions: which pairs are significant for each of the nearest two steps."""
    every = {pair: Fraction(0) for pair in combinations(range(len(shares.names)), 2)}
    every |= {pair: Fraction(counts.adjacent, shares.n_resamples) for pair, counts in shares.counts.items()}
    points = sorted({Fraction(0), Fraction(1), *every.values()})

    def distribution(at):
        return Fraction(sum(share <= at for share in every.values()), len(every))

    def distance(step):
        return sum((end - start) * abs(distribution(start) - step) for start, end in pairwise(points))

    steps = {Fraction(i, 60) for i in range(61)} | {distribution(point) for point in points} | {Fraction(0)}
    least = min(map(distance, steps))
    for step in steps:
        if distance(step) == least:
            quantile = min(point for point in points if distribution(point) >= step)
            yield {pair for pair, share in every.items() if share > quantile}


@settings(max_examples=60)
@given(st.integers(2, 5).flatmap(lambda n: shares_of(range(n))))
def test_the_threshold_is_that_of_the_nearest_two_step_distribution(shares):
    shares = replace(shares, max_false_edges=None)
    chosen = set(shares.chosen())
    assert any(chosen == found for found in significant(shares))
    if chosen:
        assert shares.threshold == min(shares.share(shares.counts[pair].adjacent) for pair in chosen)
    else:
        assert shares.threshold == 1


@pytest.mark.parametrize("n", [0, 1])
def test_without_pairs_there_is_a_threshold_too(n):
    shares = Shares(NAMES[:n], "bootstrap", 0, 10, {})
    assert shares.threshold == 1
    assert shares.chosen() == []
    assert replace(shares, method="complementary-pairs", max_false_edges=1.0).chosen() == []


def test_edges_are_chosen_by_their_share():
    assert SHARES.chosen(0.6) == [(1, 3), (0, 1), (0, 2)]
    assert SHARES.chosen(0.61) == [(1, 3), (0, 1)]


@given(shares_of("abcde"), st.floats(0, 10))
def test_the_threshold_for_false_edges_is_the_smallest_that_keeps_to_their_number(shares, most):
    shares = replace(shares, method="complementary-pairs", max_false_edges=most)
    total = shares.n_resamples
    good = [i / total for i in range(total // 2 + 1, total + 1) if shares.false_edges(i / total) <= most]
    assert shares.threshold == (min(good) if good else inf)


thetas = st.floats(1e-6, 1)
halves = st.integers(1, 200)
POSSIBLE_PAIRS = comb(20, 2)


@given(thetas, halves, st.lists(st.floats(0.5, 1, exclude_min=True), min_size=2, max_size=6))
def test_the_bound_on_false_edges_falls_with_the_threshold_and_is_never_above_the_worst_case(theta, b, thresholds):
    mean = theta * POSSIBLE_PAIRS
    bounds = [bound_on_false_edges(level, b, mean, POSSIBLE_PAIRS) for level in sorted(thresholds)]
    assert bounds == sorted(bounds, reverse=True)
    for level, bound in zip(sorted(thresholds), bounds, strict=True):
        assert 0 <= bound <= theta * mean / (2 * level - 1) * (1 + 1e-12)
        assert isfinite(bound)


@given(thetas, halves, st.floats(0, 0.5))
def test_there_is_no_bound_on_false_edges_up_to_one_half(theta, b, threshold):
    assert bound_on_false_edges(threshold, b, theta * POSSIBLE_PAIRS, POSSIBLE_PAIRS) == inf


def test_where_there_is_never_an_edge_none_is_false():
    assert bound_on_false_edges(0.5, 50, 0.0, POSSIBLE_PAIRS) == bound_on_false_edges(0.9, 50, 0.0, 0) == 0


def test_the_bound_on_false_edges_is_that_of_the_paper():
    mean, theta = 19.0, 0.1  # of 190 pairs
    assert bound_on_false_edges(0.9, 50, mean, 190) == pytest.approx(4 * (0.1 + 0.01) / 1.02 * theta * mean)
    assert bound_on_false_edges(0.7, 50, mean, 190) == pytest.approx(1 / (2 * (0.4 - 0.01)) * theta * mean)
    assert bound_on_false_edges(0.9, 1, mean, 190) == pytest.approx(1 / 0.8 * theta * mean)  # the worst case
