"""A test that a user writes needs ``names`` and ``p_value``; what goes wrong in it is reported by question."""

import networkx as nx
import pytest

import sidelight as sl
from tests.graphs_for_tests import Recorded, edge_set

CHAIN = nx.DiGraph([("a", "b"), ("b", "c"), ("d", "c")])


class Broken(Recorded):
    def __init__(self, answer):
        super().__init__(CHAIN)
        self.answer = answer

    def p_value(self, x, y, given):
        if callable(self.answer):
            return self.answer()
        return self.answer


def test_a_test_with_two_attributes_is_enough():
    net = sl.learn(Recorded(CHAIN), sl.DiamondFree())
    assert edge_set(net.skeleton) == edge_set(CHAIN)


def test_every_question_of_a_user_test_is_counted_once():
    test = Recorded(CHAIN)
    test.is_exact = False  # so that separating sets are checked at the end, as they are for any test
    net = sl.learn(test, sl.DiamondFree(), boundaries="tc")
    assert net.check_tests > 0
    assert len(test.questions) == net.n_tests + net.boundary_tests + net.check_tests


def test_a_p_value_that_rounding_lifted_above_1_is_1():
    assert sl.learn(Broken(1.0000000000000002), sl.DiamondFree()).skeleton.number_of_edges() == 0


class Graded(Recorded):
    """Dependent pairs answer 0.04 instead of 0."""

    def p_value(self, x, y, given):
        return max(0.04, super().p_value(x, y, given))


def test_the_level_decides_what_counts_as_independent():
    assert sl.learn(Graded(CHAIN), sl.DiamondFree(), alpha=0.01).skeleton.number_of_edges() == 0
    assert sl.learn(Graded(CHAIN), sl.DiamondFree(), alpha=0.04).skeleton.number_of_edges() == 3
    assert sl.learn(Graded(CHAIN), sl.DiamondFree(), alpha=0.039).skeleton.number_of_edges() == 0


@pytest.mark.parametrize("answer", [float("nan"), -0.1, 1.5, "yes", None])
def test_an_answer_that_is_no_p_value_is_reported_with_its_question(answer):
    with pytest.raises(sl.AnswerError, match=r"«a and b given c, d».*between 0 and 1"):
        sl.learn(Broken(answer), sl.DiamondFree())


def test_what_a_test_raises_arrives_as_itself_with_the_question():
    with pytest.raises(ZeroDivisionError) as raised:
        sl.learn(Broken(lambda: 1 / 0), sl.DiamondFree())
    assert raised.value.__notes__ == ["The test was asked for «a and b given c, d»."]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "b", "d"], "'b' is used twice"),
        (["a", None, "c", "d"], "variable 1 has no name"),
        (["a", "", "c", "d"], "variable 1 has no name"),
        (["a", ["b"], "c", "d"], "variable 1 has the name"),
        (None, "names must be a collection"),
        ("abcd", "names must be a collection"),
    ],
)
def test_names_must_be_there_and_differ(names, message):
    test = Recorded(CHAIN)
    test.names = names
    with pytest.raises(sl.InputError, match=message):
        sl.learn(test, sl.DiamondFree())


def test_a_function_as_the_test_gets_the_columns_that_the_dialect_says(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(f"{row}|{row % 7};{row % 3}" for row in range(20)))
    net = sl.learn(path, test=lambda x, y, given, data: 0.5, delimiter="|", header=False)
    assert net.names == ("column 1", "column 2")
