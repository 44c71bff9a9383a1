"""When answers contradict each other no variable may look removable: one is removed as a fallback, with a warning."""

import networkx as nx
import numpy as np
import pytest

import sidelight as sl
from sidelight.interview import Phases
from sidelight.learners import rsl
from sidelight.learners.rsl import VARIANTS
from sidelight.learners.task import Task


class Coin(sl.CITest):
    """Answers at random, but the same question always the same."""

    def __init__(self, n, seed, dependent):
        self.names = list(range(n))
        self._seed, self._dependent = seed, dependent

    def p_value(self, x, y, given):
        code = [self._seed, min(x, y), max(x, y), *sorted(given)]
        return float(np.random.default_rng(code).random() > self._dependent)


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_answers_end_in_a_legal_network_that_warns_of_its_fallbacks(variant):
    warned = 0
    for seed in range(120):
        all_others = {x: [y for y in range(7) if y != x] for x in range(7)}
        net = sl.learn(Coin(7, seed, 0.8), sl.DiamondFree(), variant=variant, boundaries=all_others)
        assert nx.is_directed_acyclic_graph(net.to_dag())
        assert sorted(net.removal_order) == list(range(7))
        warned += any(warning.kind == "fallback removals" for warning in net.warnings)
    assert warned > 20


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_fallback_removal_is_recorded_and_keeps_its_neighbours(variant):
    kept = 0
    for seed in range(60):
        ask, all_others = Phases(Coin(6, seed, 0.85), 0.01), [set(range(6)) - {x} for x in range(6)]
        skeleton = rsl.learn(Task(all_others, ask, 0.01, side=sl.DiamondFree(), variant=variant))
        kept += sum(bool(skeleton.adjacency[x]) for x in skeleton.fallbacks)
    assert kept > 10


class Share(sl.CITest):
    """Given x, one pair of 0's members is independent, three of 1's."""

    names = tuple("abcdefgh")

    def p_value(self, x, y, given):
        independent = {0: {(2, 3)}, 1: {(5, 6), (5, 7), (6, 7)}}
        return float(any(v in given and (min(x, y), max(x, y)) in pairs for v, pairs in independent.items()))


def test_the_fallback_is_the_variable_nearest_to_removable_or_the_smallest_boundary():
    boundaries, ask = {0: {2, 3, 4, 5}, 1: {5, 6, 7}}, Phases(Share(), 0.01)
    chosen = {name: variant(boundaries, sl.DiamondFree(), ask) for name, variant in VARIANTS.items()}
    assert chosen["robust"].fallback() == 0  # 1 of 6 pairs is independent, against 3 of 3
    assert chosen["paper"].fallback() == chosen["published"].fallback() == 1


def test_contradictory_directions_are_warned_of():
    contradictory = 0
    for seed in range(40):
        all_others = {x: [y for y in range(8) if y != x] for x in range(8)}
        net = sl.learn(Coin(8, seed, 0.8), sl.DiamondFree(), variant="published", boundaries=all_others)
        warned = any(warning.kind == "overruled v-structures" for warning in net.warnings)
        shown = {(a, c, b) for c in range(8) for a, b in net.separating_sets.lacking(c)}
        assert warned == bool(shown - set(net.by_position.dag.v_structures()))
        contradictory += warned
    assert contradictory > 5


def test_with_few_rows_the_causes_of_one_effect_are_seldom_taken_for_effects_of_each_other():
    extra = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        a, b, c = rng.standard_normal((3, 300))
        y = 0.5 * a + 0.4 * b + 0.3 * c + 0.8 * rng.standard_normal(300)
        net = sl.learn(np.column_stack([a, b, c, y, y + rng.standard_normal(300)]), names=list("abcyz"))
        extra += sum(net.skeleton.has_edge(*pair) for pair in ("ab", "ac", "bc"))
    assert extra <= 10  # of 120; if every separation counts as clear it is 32
