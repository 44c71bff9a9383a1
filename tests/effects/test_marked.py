"""Adjustment where causes may be hidden, against linear models of all MAGs over four variables."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest

from sidelight.effects.marked import identify, structures
from sidelight.graphs.ancestral import dag_of
from sidelight.graphs.marks import ARROW, TAIL
from sidelight.knowledge import Known, constraints_of
from sidelight.orientation.ancestry import is_visible
from tests.graphs_for_tests import subsets
from tests.orientation.test_pag import classes, pag_by_definition

NOTHING = constraints_of(Known(), range(4), hidden=True)
CLASSES = list(classes(4, False).values())


def models(mag):
    """Covariances and total effects in DAGs of the MAG: as few hidden causes as can be, and one more for an edge."""
    arrows = [(a, b) for a, b in permutations(range(4), 2) if mag.mark(a, b) == ARROW and mag.mark(b, a) == TAIL]
    for confounded in [None, *(edge for edge in arrows if not is_visible(mag, *edge))]:
        edges = [*dag_of(mag).edges(), *((4 + 6, v) for v in confounded or ())]
        rng = np.random.default_rng(len(edges))
        weights = np.zeros((11, 11))
        for a, b in edges:
            weights[a, b] = rng.uniform(0.4, 1.2) * rng.choice([-1, 1])
        total = np.linalg.inv(np.eye(11) - weights)
        yield (total.T @ total)[:4, :4], total[:4, :4]


@cache
def of_class(number):
    return [(mag, list(models(mag))) for mag in CLASSES[number]]


def is_right(model, x, y, given):
    """Is the coefficient of x, with these beside it, the effect? Without given: is there none?"""
    covariance, total = model
    if given is None:
        return abs(total[x, y]) < 1e-9
    chosen = [x, *given]
    return abs(np.linalg.solve(covariance[np.ix_(chosen, chosen)], covariance[chosen, y])[0] - total[x, y]) < 1e-9


def all_right(members, x, y, given):
    return all(is_right(model, x, y, given) for _, found in members for model in found)


@pytest.mark.parametrize("number", range(0, len(CLASSES), 16))
def test_an_effect_is_identified_exactly_if_a_set_is_right_in_all_models(number):
    members, pag = of_class(number), pag_by_definition(CLASSES[number])
    for x, y in permutations(range(4), 2):
        found = identify(pag, [x], y, NOTHING)
        assert found.is_zero == all_right(members, x, y, None)
        if found.is_zero:
            continue
        rest = [v for v in range(4) if v not in (x, y)]
        right = [set(given) for given in subsets(rest) if all_right(members, x, y, given)]
        assert (found.given is not None) == bool(right)
        if right:
            assert found.given in right
            smallest = identify(pag, [x], y, NOTHING, minimal=True).given
            assert smallest in right
            assert not any(given < smallest for given in right)


@pytest.mark.parametrize("number", range(5, len(CLASSES), 16))
def test_each_structure_at_a_cause_is_one_of_the_class_and_says_what_its_models_do(number):
    members, pag = of_class(number), pag_by_definition(CLASSES[number])
    for x, y in permutations(range(4), 2):
        seen = []
        for structure in structures(pag, NOTHING, x, y):
            agreeing = [
                (mag, found)
                for mag, found in members
                if all((mag.mark(v, x) == TAIL) == causes for v, causes in structure.causes.items())
            ]
            assert agreeing
            seen += [mag for mag, _ in agreeing]
            if structure.found.is_zero:
                assert all_right(agreeing, x, y, None)
            elif structure.found.given is not None:
                assert all_right(agreeing, x, y, structure.found.given)
        assert sorted(map(CLASSES[number].index, seen)) == list(range(len(CLASSES[number])))
