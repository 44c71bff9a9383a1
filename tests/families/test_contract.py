"""What every test on data, and every score that goes with it, promises: the same list for all of them."""

from dataclasses import fields
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.families import TABLE_TESTS
from sidelight.families.options import DataOptions
from sidelight.graphs.dag import Dag
from sidelight.options import Options
from sidelight.prepare import prepare

ROWS = 250


def numbers(seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((ROWS, 4)), columns=list("abcd"))
    frame["b"] += frame["a"]
    frame["d"] += frame["b"] - frame["c"]
    return frame


def categories(seed=0):
    return numbers(seed).apply(lambda column: pd.cut(column, 3, labels=list("xyz")).astype(str))


def both(seed=0):
    return pd.concat([numbers(seed)[["a", "b"]], categories(seed)[["c", "d"]]], axis=1)


def ordered(seed=0):
    """A number, two ordered categories and one that is not."""
    frame, levels = numbers(seed), pd.CategoricalDtype(list("xyz"), ordered=True)
    return pd.concat([frame[["a"]], categories(seed)[["b", "c"]].astype(levels), categories(seed)[["d"]]], axis=1)


def in_groups(make):
    """The same columns, and one that says of which group a row is, which is no variable."""
    return lambda seed=0: make(seed).assign(who=np.arange(ROWS) % 25)


def with_columns(frame, names):
    """Some of the columns, and that of the groups."""
    return frame[[*names, *frame.columns.intersection(["who"])]]


def both_with_gaps(seed=0):
    return both(seed).mask(np.random.default_rng(seed + 1).random((ROWS, 4)) < 0.05)


CASES = {
    "fisher-z": (numbers, {}),
    "fisher-z on ranks": (numbers, {"correlation": "normal-scores"}),
    "fisher-z, pairwise": (numbers, {"missing": "pairwise"}),
    "fisher-z, em": (numbers, {"missing": "em"}),
    "chi2-moments": (categories, {}),
    "g2": (categories, {"test": "g2"}),
    "chi2": (categories, {"test": "chi2"}),
    "mixed": (both, {}),
    "ordered": (ordered, {}),
    "fisher-z, within groups": (in_groups(numbers), {"groups": "who"}),
    "mixed, within groups": (in_groups(both), {"groups": "who"}),
    "mixed, pairwise": (both_with_gaps, {"missing": "pairwise"}),
    "kernel": (numbers, {"test": "kernel"}),
}
QUESTIONS = [(0, 1, []), (0, 3, [1]), (2, 3, []), (0, 2, [3]), (1, 2, [0, 3])]


def made(case, frame=None):
    make, options = CASES[case]
    if case == "kernel":
        pytest.importorskip("causallearn")
    return prepare(make() if frame is None else frame, DataOptions(**options)).test


@pytest.fixture(params=CASES)
def case(request):
    return request.param


def named_in(option, command):
    """The help of an option, in Python or of the command."""
    meaning = next(field.metadata for field in fields(Options) if field.name == option)
    return meaning["command" if command else "meaning"]


def test_every_value_of_test_has_a_case_here_and_is_in_its_help():
    found = {options.get("test", case.partition(",")[0].partition(" ")[0]) for case, (_, options) in CASES.items()}
    assert set(TABLE_TESTS) <= found
    assert [test for test in TABLE_TESTS if f'"{test}"' not in named_in("test", command=False)] == []


def test_a_test_with_its_variables_in_another_order_answers_as_before(case):
    test = made(case)
    order = test.data_order()
    if order is None:
        return
    moved, place = test.in_order(order), {v: i for i, v in enumerate(order)}
    assert (moved.names, moved.data_order()) == (tuple(test.names[v] for v in order), sorted(order))
    for x, y, given in QUESTIONS:
        question = place[x], place[y], [place[z] for z in given]
        assert moved.p_value(*question) == pytest.approx(test.p_value(x, y, given))
        assert moved.effect_size(*question) == pytest.approx(test.effect_size(x, y, given))
    for option, make in test.scores().items():
        there = moved.scores()[option](1.0)
        assert there.local(place[1], {place[0], place[3]}) == pytest.approx(make(1.0).local(1, {0, 3}))


def test_a_score_is_in_the_help_and_the_same_for_all_dags_of_a_class_if_it_says_so(case):
    """Of complete DAGs, one for each order, and of the chains a — b — c in all directions without a collider at b."""
    for option, make in made(case).scores().items():
        score = make(1.0)
        assert (score.option, score.option in named_in("score", command=True)) == (option, True)
        assert f'"{option}"' in named_in("score", command=False)
        complete = [[set(order[: order.index(v)]) for v in range(4)] for order in permutations(range(4))]
        chains = [[set(), {0}, {1}, set()], [{1}, {2}, set(), set()], [{1}, set(), {1}, set()]]
        for parents in (complete, chains):
            dags = [Dag(tuple("abcd"), tuple(map(frozenset, each))) for each in parents]
            is_same = np.ptp([score.total(dag) for dag in dags]) < 1e-6
            assert is_same or not score.is_equivalent


def test_p_values_lie_between_0_and_1_and_ignore_the_order_of_arguments(case):
    test = made(case)
    for x, y, given in QUESTIONS:
        p = test.p_value(x, y, given)
        assert 0 <= p <= 1
        assert test.p_value(y, x, given[::-1]) == pytest.approx(p, rel=1e-6, abs=1e-12)


def test_relabelled_columns_give_the_same_answers(case):
    make, _ = CASES[case]
    order = ["c", "a", "d", "b"]
    test, other = made(case), made(case, with_columns(make(), order))
    position = {name: i for i, name in enumerate(other.names)}
    for x, y, given in QUESTIONS:
        question = [position["abcd"[v]] for v in (x, y, *given)]
        assert other.p_value(question[0], question[1], question[2:]) == pytest.approx(
            test.p_value(x, y, given), rel=1e-6
        )


def test_batch_answers_are_those_of_the_p_values(case):
    test = made(case)
    answers = test.answers([0, 1, 2, 3], 0.05)
    for x, y in ((0, 1), (0, 2), (1, 3), (2, 3)):
        given = [z for z in range(4) if z not in (x, y)]
        assert bool(answers[x, y]) == test.independent(x, y, given, 0.05) == (test.p_value(x, y, given) > 0.05)


def test_p_values_of_many_candidates_are_those_of_each(case):
    test = made(case)
    for given in ([], [1], [1, 2]):
        others = [y for y in (1, 2, 3) if y not in given]
        one_by_one = [test.p_value(0, y, given) for y in others]
        assert test.p_values(0, others, given) == pytest.approx(one_by_one, rel=1e-9)
        assert test.p_values(0, np.array(others), given) == pytest.approx(one_by_one, rel=1e-9)


def test_the_strongest_candidate_is_the_one_with_the_smallest_p_value(case):
    test = made(case)
    strengths = test.dependences(3, [0, 1, 2], [])
    p = [test.p_value(3, y, []) for y in (0, 1, 2)]
    assert int(np.argmax(strengths)) == int(np.argmin(p))


def test_two_variables_and_one_are_enough_to_learn(case):
    make, options = CASES[case]
    made(case)  # skips what is not installed
    two, apart = (with_columns(make(), names) for names in ("ab", "ac"))  # b is a plus noise; c is noise
    assert sl.learn(two, **options).skeleton.number_of_edges() == 1
    assert sl.learn(apart, **options).skeleton.number_of_edges() == 0
    assert sl.learn(with_columns(two, "a"), **options).skeleton.number_of_nodes() == 1


def test_a_variable_that_is_not_there_is_refused(case):
    with pytest.raises(sl.InputError, match="different variables by position"):
        made(case).p_value(0, 9, [])
