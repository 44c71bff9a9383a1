"""The fit of variables that ↔ connects: exact where the answer is known."""

import numpy as np
import pytest

from sidelight.families.gaussian.kernels.districts import district_misfit

MEMBERS = {  # of a, b, then the district: parents of each of its members by column, spouses by member
    "two causes": ([{0}, {1}], [(0, 1)]),
    "a chain of spouses": ([{0}, {1}, set()], [(0, 1), (1, 2)]),
    "a cause joined with its indirect effect": ([{0}, {2}, {3}], [(0, 2)]),
    "nothing in common": ([{0}, {0, 1}], []),
}


def model(parents, spouses, random):
    """The covariances of a linear model over a, b and the district, and those of the district's errors."""
    k = len(parents)
    weights, errors = np.zeros((k + 2, k + 2)), np.diag(random.uniform(1, 2, k + 2))
    for v, causes in enumerate(parents):
        for p in causes:
            weights[v + 2, p] = random.uniform(0.4, 0.9)
    for v, w in spouses:
        errors[v + 2, w + 2] = errors[w + 2, v + 2] = random.uniform(0.2, 0.5)
    effects = np.linalg.inv(np.eye(k + 2) - weights)
    return effects @ errors @ effects.T, errors[2:, 2:]


def misfit(covariance, parents, spouses):
    k = len(parents)
    columns = np.array([*range(2, k + 2), 0, 1])
    causes, joined = np.zeros((k, k + 2), bool), np.zeros((k, k), bool)
    for v, row in enumerate(parents):
        causes[v, [p - 2 for p in row]] = True  # a and b come last
    for v, w in spouses:
        joined[v, w] = joined[w, v] = True
    return district_misfit(covariance, columns, causes, joined, 1e-13, 10_000)


@pytest.mark.parametrize("case", MEMBERS)
def test_the_true_model_leaves_no_more_than_its_own_errors(case):
    parents, spouses = MEMBERS[case]
    covariance, errors = model(parents, spouses, np.random.default_rng(0))
    assert misfit(covariance, parents, spouses) == pytest.approx(np.linalg.slogdet(errors)[1], abs=1e-9)


def test_unrelated_equations_are_fitted_as_by_iterated_generalised_least_squares():
    random = np.random.default_rng(1)
    values = random.standard_normal((200, 4)) @ random.standard_normal((4, 4))
    covariance = np.cov(values.T)
    weights = np.eye(2)
    for _ in range(500):  # x on a and y on b, with what the two errors have in common (Zellner 1962)
        left = weights * covariance[:2, :2]
        right = (weights * covariance[:2, 2:]).sum(axis=1)
        effects = np.linalg.solve(left, right)
        equations = np.hstack([-np.diag(effects), np.eye(2)])
        errors = equations @ covariance @ equations.T
        weights = np.linalg.inv(errors)
    assert misfit(covariance, *MEMBERS["two causes"]) == pytest.approx(np.linalg.slogdet(errors)[1], abs=1e-9)
