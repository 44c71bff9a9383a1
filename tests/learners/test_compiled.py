"""The recursion in a kernel makes the same tests in the same order as the one in Python, and comes to the same end."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.boundaries import iamb, one_block, total_conditioning
from sidelight.families.gaussian.correlation import moments
from sidelight.families.gaussian.test import FisherZ
from sidelight.interview import Interview, Limits
from sidelight.learners.rsl import compiled, learn
from sidelight.learners.rsl.compiled import remove_compiled
from sidelight.learners.rsl.variants import VARIANTS
from sidelight.learners.skeleton import Phases, Skeleton, Task
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi

DIAMOND_FREE = sl.DiamondFree()
SIDES = [None, sl.DiamondFree(), sl.CliqueNumber(2), sl.CliqueNumber(4), sl.Treewidth(8)]


class InPython(FisherZ):
    """The same test, of which no kernel knows."""

    def in_kernels(self, alphas, largest):
        return None


def random_boundaries(correlation, share):
    """Symmetric boundaries that nothing speaks for, so that hardly any variable is removable."""
    n = len(correlation)
    together = np.triu(np.random.default_rng(n).random((n, n)) < share, 1)
    return [set(np.flatnonzero(row).tolist()) for row in together | together.T]


def table(seed, n, rows, degree, collinear):
    rng = np.random.default_rng(seed)
    values = linear_gaussian(erdos_renyi(n, min(1.0, degree / max(1, n - 1)), rng), rows, rng)[1]
    if collinear and n > 3:
        values[:, 0] = values[:, 1] + values[:, 2] + collinear * rng.normal(size=rows)
    return moments(values).correlation


def learned(test, boundaries, side, alpha, max_tests):
    """The skeleton, and all that was counted."""
    ask = Phases(test, alpha, Limits(max_tests))
    skeleton = learn(Task(boundaries, ask, alpha, side=side, n_runs=10**6))
    sizes = {phase: dict(+ask[phase].tests_by_size) for phase, count in ask.counts().items() if count}
    return skeleton, sizes, (ask.limits.reached, ask.limits.tests_left, test.n_undecided)


def without_zeros(step):
    return step._replace(counted={phase: count for phase, count in step.counted.items() if count})


@settings(max_examples=250, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 25),
    rows=st.sampled_from([8, 40, 300]),
    degree=st.sampled_from([1, 3, 6]),
    collinear=st.sampled_from([None, None, 0.0, 1e-5, 3e-5, 1e-4, 1e-3]),
    share=st.sampled_from([None, None, 0.1, 0.4]),
    side=st.sampled_from(SIDES),
    alpha=st.sampled_from([0.001, 0.01, 0.3]),
    max_tests=st.sampled_from([0, 30, 500, 20_000]),
    at_once=st.sampled_from([1, 3, 200]),
)
def test_the_kernel_does_what_python_does(seed, n, rows, degree, collinear, share, side, alpha, max_tests, at_once):
    correlation = table(seed, n, rows, degree, collinear)
    if share is not None:
        boundaries = random_boundaries(correlation, share)
    else:
        find = total_conditioning if rows > n + 5 and not correlation.is_singular else iamb
        boundaries = find(one_block(n), Interview(FisherZ(correlation), 0.001), 1)
    with patch.object(compiled, "AT_ONCE", at_once):
        kernel, python = (learned(cls(correlation), boundaries, side, alpha, max_tests) for cls in (FisherZ, InPython))
    assert kernel[1:] == python[1:]
    ours, theirs = kernel[0], python[0]
    assert list(map(without_zeros, ours.log)) == list(map(without_zeros, theirs.log))
    for part in ("adjacency", "removal_order", "boundary_at_removal", "left_out", "fallbacks", "examinations"):
        assert getattr(ours, part) == getattr(theirs, part), part


class OfMyOwn(sl.DiamondFree):
    """Leaves out as many whatever there are."""

    def left_out(self, boundary_size):
        return 1, 2


def remaining(correlation, boundaries, variant="robust", limits=None, side=DIAMOND_FREE):
    """The variables that the kernel leaves to Python; the others are noted as removed."""
    n = len(correlation)
    task = Task(boundaries, Phases(FisherZ(correlation), 0.01, limits), 0.01)
    run = VARIANTS[variant](dict(enumerate(map(set, boundaries))), side, task.ask)
    skeleton = Skeleton.without_edges(n)
    waiting = remove_compiled(run, skeleton, task)
    assert set(waiting) <= set(run.boundaries)
    assert sorted([*skeleton.removal_order, *run.boundaries]) == list(range(n))
    return sorted(run.boundaries)


def boundaries_of(correlation):
    return total_conditioning(one_block(len(correlation)), Interview(FisherZ(correlation), 0.001))


def test_the_kernel_removes_all_variables_where_it_can():
    correlation = table(0, 12, 300, 3, None)
    assert remaining(correlation, boundaries_of(correlation)) == []


@pytest.mark.parametrize(
    "options", [{"variant": "paper"}, {"variant": "published"}, {"limits": Limits(None, 3)}, {"side": OfMyOwn()}]
)
def test_the_kernel_leaves_to_python_what_is_not_compiled(options):
    correlation = table(0, 12, 300, 3, None)
    assert remaining(correlation, boundaries_of(correlation), **options) == list(range(12))


def test_a_nearly_collinear_boundary_is_left_to_python():
    correlation = table(1, 12, 300, 3, 1e-5)
    assert 0 < len(remaining(correlation, boundaries_of(correlation))) < 12


def test_an_examination_that_may_take_long_is_left_to_python():
    n = 18
    correlation = sl.Correlation(np.full((n, n), 0.5) + np.eye(n) / 2, 10**6)
    everyone = [set(range(3, n)) - {x} if x > 2 else set() for x in range(n)]
    assert remaining(correlation, everyone, side=sl.CliqueNumber(4)) == []
    assert remaining(correlation, everyone, side=sl.CliqueNumber(12)) == list(range(3, n))


def test_examinations_that_may_reach_the_limit_on_tests_are_left_to_python():
    correlation = table(0, 12, 300, 3, None)
    assert 0 < len(remaining(correlation, boundaries_of(correlation), limits=Limits(100))) < 12
