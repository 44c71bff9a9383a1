"""The file of remembered answers belongs to one test on one table."""

from concurrent.futures import ThreadPoolExecutor

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import sidelight as sl
from sidelight.families.user import fingerprint_of

RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(50, 3))
OTHER = VALUES + np.eye(50, 3)
CODES = RNG.integers(0, 2, (50, 3))


def by_first(x, y, given, data):
    return 0.25


def by_second(x, y, given, data):
    return 0.75


class OfUser(sl.CITest):
    names = ("a", "b", "c")

    def __init__(self, data):
        self.data, self.asked = data, []

    def p_value(self, x, y, given):
        self.asked.append((x, y))
        return 0.5


def correlation(values):
    return sl.Correlation(np.corrcoef(values.T), len(values), list("abc"))


PAIRS = {
    "data of a function": [lambda v=v: sl.FunctionTest(by_first, v, list("abc")) for v in (VALUES, OTHER)],
    "the function": [lambda f=f: sl.FunctionTest(f, VALUES, list("abc")) for f in (by_first, by_second)],
    "pandas": [lambda v=v: OfUser(pd.DataFrame(v, columns=list("abc"))) for v in (VALUES, OTHER)],
    "polars": [lambda v=v: OfUser(pl.DataFrame(v, schema=list("abc"))) for v in (VALUES, OTHER)],
    "texts": [lambda c=c: OfUser(pd.DataFrame({"a": ["x", c]})) for c in ("y", "z")],
    "arrays by name": [lambda v=v: OfUser({"a": v}) for v in (VALUES, OTHER)],
    "Fisher Z": [lambda v=v: sl.FisherZ(correlation(v)) for v in (VALUES, OTHER)],
    "the kind of test": [lambda k=k: k(CODES, [2] * 3, list("abc")) for k in (sl.GSquare, sl.ChiSquare)],
    "codes": [lambda c=c: sl.GSquare(c, [2] * 3, list("abc")) for c in (CODES, 1 - CODES)],
    "an option": [lambda a=a: sl.GSquare(CODES, [2] * 3, list("abc"), adjusted=a) for a in (True, False)],
    "a graph": [lambda e=e: sl.DSeparation(nx.DiGraph([("a", "b"), e])) for e in (("b", "c"), ("c", "b"))],
}


@pytest.mark.parametrize("make", PAIRS.values(), ids=PAIRS)
def test_a_file_of_answers_serves_its_own_test_again_and_no_other(make, tmp_path):
    first, other = make
    remembered = sl.Remembered(first(), tmp_path / "answers.db")
    answer = remembered.p_value(0, 1, [2])
    assert sl.Remembered(first(), tmp_path / "answers.db").p_value(0, 1, [2]) == answer
    with pytest.raises(sl.InputError, match="are those of another test or of other data; choose another file"):
        sl.Remembered(other(), tmp_path / "answers.db")


def test_a_test_that_was_used_has_the_fingerprint_of_a_new_one():
    for make in (PAIRS["pandas"][0], PAIRS["Fisher Z"][0], PAIRS["codes"][0], PAIRS["a graph"][0]):
        used = make()
        sl.learn(used)
        assert fingerprint_of(used) == fingerprint_of(make())


def test_a_fingerprint_can_be_given(tmp_path):
    sl.Remembered(OfUser([[1, 2]]), tmp_path / "answers.db", fingerprint="first")
    sl.Remembered(OfUser(VALUES), tmp_path / "answers.db", fingerprint="first")
    with pytest.raises(sl.InputError, match="another test"):
        sl.Remembered(OfUser([[1, 2]]), tmp_path / "answers.db", fingerprint="second")


def test_answers_can_be_remembered_in_another_thread(tmp_path):
    test = OfUser(VALUES)
    remembered = sl.Remembered(test, tmp_path / "answers.db")
    with ThreadPoolExecutor(4) as threads:
        answers = [threads.submit(remembered.p_value, x, y, []) for x in range(3) for y in range(3) if x != y]
        assert {answer.result() for answer in answers} == {0.5}
    n_asked = len(test.asked)
    assert remembered.p_value(0, 1, []) == 0.5
    assert len(test.asked) == n_asked
