"""The log of a recursion tells who was removed, and every question once."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.examples import example
from tests.graphs_for_tests import dags


@settings(max_examples=100)
@given(dags(min_size=1), st.sampled_from(["robust", "paper", "published"]))
def test_with_an_oracle_the_steps_find_the_true_neighbours_among_those_who_remain(graph, variant):
    net = sl.learn(sl.DSeparation(graph), variant=variant)
    remaining = set(graph)
    for step in net.steps:
        neighbours = set(graph.predecessors(step.removed)) | set(graph.successors(step.removed))
        assert set(step.neighbours) == neighbours & remaining
        assert set(step.neighbours) <= set(step.boundary) <= remaining - {step.removed}
        assert not step.fallback
        assert not step.undecided
        remaining.discard(step.removed)
    assert tuple(step.removed for step in net.steps) == net.removal_order
    assert not remaining


@pytest.mark.parametrize("options", [{"learner": "marvel"}, {"side": sl.DiamondFree()}, {"side": sl.CliqueNumber(3)}])
@settings(max_examples=50)
@given(graph=dags(min_size=1, max_size=7))
def test_the_tests_of_the_steps_are_all_tests(options, graph):
    net = sl.learn(sl.DSeparation(graph), **options)
    total = Counter()
    for step in net.steps:
        total.update(step.tests)
    assert total == Counter({phase: n for phase, n in net.tests_by_phase.items() if n})


def test_a_limit_leaves_the_last_steps_undecided():
    net = sl.learn(example("newborns"), sl.DiamondFree(), "rsl", max_tests=20)
    decided = [step.undecided for step in net.steps].index(True)
    assert decided > 0
    assert all(step.undecided and not step.tests for step in net.steps[decided:])
    assert len(net.steps) == len(net.names)


def test_steps_where_nobody_looked_removable_are_those_of_the_warning():
    net = sl.learn(example("newborns"), sl.DiamondFree(), "rsl")
    forced = [str(step.removed) for step in net.steps if step.fallback]
    warning = next(w.text for w in net.warnings if w.kind == "fallback removals")
    assert forced
    assert f"({', '.join(forced)})" in warning


def test_learners_that_do_not_remove_have_no_steps():
    values = np.random.default_rng(0).standard_normal((100, 4))
    assert sl.learn(values, learner="pc-stable").steps == ()
