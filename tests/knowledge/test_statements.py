"""Statements: their shapes, texts and combinations."""

import pickle

import networkx as nx
import numpy as np
import pytest

from sidelight.errors import InputError
from sidelight.knowledge import (
    Ancestor,
    Edge,
    Forbidden,
    Known,
    Leaves,
    NoEdge,
    NotAncestor,
    Order,
    Part,
    Required,
    Roots,
    Tiers,
    known,
)
from sidelight.side_information import (
    AllBounds,
    CliqueNumber,
    DiamondFree,
    MaxInDegree,
    SideInformation,
    parse_side,
    side_in_words,
)

ONE_OF_EACH = [
    (Required(("smoking", "cancer"), ("a", "b")), "required: smoking → cancer, a → b"),
    (Forbidden(("a", "b")), "forbidden: a → b"),
    (Edge(("a", "b")), "adjacent: a – b"),
    (NoEdge(("lab_*", "lab_*")), "not adjacent: lab_* – lab_*"),
    (Ancestor(("a", "b")), "ancestor: a ⇝ b"),
    (NotAncestor(("a", "b")), "no ancestor: a ⇝ b"),
    (Roots("age", "sex"), "roots: age, sex"),
    (Leaves("death"), "leaves: death"),
    (Tiers(["age", "sex"], "smoking", {"cancer"}), "tiers: age, sex | smoking | cancer"),
    (Tiers("a", "b", isolated=True, next_only=True), "tiers: a | b (isolated, next only)"),
    (Order("a", ["b", "c"], "d"), "order: a < (b, c) < d"),
    (Part([("a", "b")], ["c"]), "part: a → b, c"),
]
STATEMENTS = [statement for statement, _ in ONE_OF_EACH]


@pytest.mark.parametrize(("statement", "text"), ONE_OF_EACH, ids=str)
def test_a_statement_reads_as_text(statement, text):
    assert str(statement) == text


@pytest.mark.parametrize("statement", STATEMENTS, ids=str)
def test_a_statement_is_a_value(statement):
    again = eval(repr(statement))
    assert again == statement
    assert hash(again) == hash(statement)
    assert pickle.loads(pickle.dumps(statement)) == statement
    assert sum(statement == other for other in STATEMENTS) == 1


def test_a_long_statement_has_a_short_text():
    assert str(Roots(*range(100))) == "roots: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … 88 more"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Required("ab"), "Required: 'ab' is not a pair of two names"),
        (lambda: Required(("a",)), "is not a pair of two names"),
        (lambda: Required(("a", "b", "c")), "is not a pair of two names"),
        (lambda: Required("a", "b"), "Required: 'a' is not a pair of two names"),
        (lambda: Required(("a", "a")), r"the pair \('a', 'a'\) has one name twice"),
        (lambda: Required(), "at least one pair of names is needed"),
        (lambda: Edge((["a"], "b")), r"Edge: \['a'\] is not the name of a variable"),
        (lambda: NoEdge((None, "b")), "None is not the name of a variable"),
        (lambda: Ancestor(("", "b")), "'' is not the name of a variable"),
        (lambda: Roots(), "at least one name is needed"),
        (lambda: Leaves(["a", "b"]), "is not the name of a variable"),
        (lambda: Tiers(), "at least one name is needed"),
        (lambda: Tiers([], []), "at least one name is needed"),
        (lambda: Tiers(["a", "b"], ["b"]), "'b' stands in two places"),
        (lambda: Order("a", "b", "a"), "'a' stands in two places"),
        (lambda: Part("ab"), "'ab' is not a list of pairs"),
        (lambda: Part([("a", "b"), ("b", "a")]), "the arrows make a directed cycle, a → b → a"),
        (lambda: Part([("a", "b")], "c"), "'c' is not a list of names"),
        (lambda: Part([]), "an arrow or a variable is needed"),
    ],
)
def test_a_wrong_shape_is_refused_at_once_with_an_example(make, reason):
    with pytest.raises(InputError, match=rf"{reason}; give for example \w+\("):
        make()


def test_options_of_tiers_are_true_or_false():
    with pytest.raises(InputError, match="isolated of Tiers must be True or False; got 'yes'"):
        Tiers("a", "b", isolated="yes")


def test_a_part_is_made_of_a_graph():
    graph = nx.DiGraph([("a", "b")])
    graph.add_node("c")
    assert Part.of(graph) == Part([("a", "b")], ["c"])
    with pytest.raises(InputError, match=r"needs a networkx\.DiGraph; got a Graph"):
        Part.of(nx.Graph())


def test_a_set_of_names_has_the_same_order_on_every_run():
    assert Tiers({"c", "a", "b"}).tiers == (("a", "b", "c"),)
    assert Tiers(np.array(["b", "a"])).tiers == (("b", "a"),)


ARROW, ROOT, FREE, FEW = Required(("a", "b")), Roots("a"), DiamondFree(), MaxInDegree(3)


@pytest.mark.parametrize(
    ("combined", "bounds", "statements"),
    [
        (ARROW & ROOT, (), (ARROW, ROOT)),
        (FREE & ARROW, (FREE,), (ARROW,)),
        (ARROW & FREE, (FREE,), (ARROW,)),
        (FREE & FEW, (FREE, FEW), ()),
        (FREE & (ARROW & ROOT), (FREE,), (ARROW, ROOT)),
        ((FREE & ARROW) & (FEW & ROOT), (FREE, FEW), (ARROW, ROOT)),
        (ARROW & ROOT & ARROW & FREE & FREE, (FREE,), (ARROW, ROOT)),
        (AllBounds((FREE, FEW)) & ARROW, (FREE, FEW), (ARROW,)),
    ],
)
def test_and_combines_bounds_and_statements(combined, bounds, statements):
    assert isinstance(combined, Known)
    assert combined.bounds == bounds
    assert combined.statements == statements


@pytest.mark.parametrize("other", [None, "diamond-free", 3])
@pytest.mark.parametrize("value", [ARROW, FREE, ARROW & ROOT], ids=str)
def test_and_refuses_anything_else(value, other):
    with pytest.raises(TypeError):
        value & other
    with pytest.raises(TypeError):
        other & value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, Known()),
        ("none", Known()),
        ("diamond-free", Known((FREE,))),
        ("diamond-free; in-degree:3", Known((FREE, FEW))),
        (["diamond-free", "in-degree:3"], Known((FREE, FEW))),
        ([FREE, ARROW, ROOT & FEW], Known((FREE, FEW), (ARROW, ROOT))),
        (FREE, Known((FREE,))),
        (ARROW, Known((), (ARROW,))),
        (ARROW & FREE, Known((FREE,), (ARROW,))),
    ],
)
def test_known_reads_every_form(value, expected):
    assert known(value) == expected


def test_known_refuses_other_things():
    with pytest.raises(InputError, match=r"side must be DiamondFree\(\) or another bound, a statement .*; got 3"):
        known(3)
    with pytest.raises(InputError, match="side must be DiamondFree"):
        known({"required": [["a", "b"]]})
    with pytest.raises(InputError, match="side must be one of none, diamond-free"):
        known("triangle-free")
    with pytest.raises(InputError, match=r"side must be one of none.*; got ''"):
        known("")


def test_known_is_equal_to_what_says_the_same():
    assert known(Required(("c", "d"), ("a", "b"))) == Required(("a", "b")) & Required(("c", "d"))
    assert hash(ARROW & ROOT) == hash(ROOT & ARROW)
    assert ARROW & Roots("b") != ARROW & ROOT
    assert not Known()
    assert ARROW & ROOT
    assert str(FREE & ARROW) == "diamond-free; required: a → b"


def test_the_side_is_the_bound_or_all_of_them():
    assert known(ARROW).side is None
    assert (FREE & ARROW).side == FREE
    assert (FREE & FEW).side == AllBounds((FREE, FEW))


def test_all_bounds_take_both_integers_from_one_bound():
    class Odd(SideInformation):
        def left_out(self, boundary_size):
            return 5, 1

        def __str__(self):
            return "odd"

    assert AllBounds((FREE, CliqueNumber(4))).left_out(9) == FREE.left_out(9) == (0, 1)
    assert AllBounds((CliqueNumber(4), MaxInDegree(2))).left_out(9) == (1, 2)
    assert AllBounds((Odd(), CliqueNumber(3))).left_out(9) == (5, 1)
    assert str(AllBounds((FREE, FEW))) == "diamond-free and largest in-degree ≤ 3"
    with pytest.raises(InputError, match="at least one bound"):
        AllBounds(())


def test_several_bounds_are_written_and_read_with_commas():
    assert parse_side("diamond-free;in-degree:3") == AllBounds((FREE, FEW))
    assert parse_side("clique:3;none;clique:3") == CliqueNumber(3)
    assert side_in_words(AllBounds((FREE, FEW))) == "diamond-free,in-degree:3"
    with pytest.raises(InputError, match="or several of them with commas between; got 'diamond-free;x'"):
        parse_side("diamond-free;x")
