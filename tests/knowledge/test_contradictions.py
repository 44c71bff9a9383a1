"""Contradictions: all in one error, each with the variables and every statement that is to blame."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    constraints_of,
    known,
)
from sidelight.knowledge.contradictions import _contradictions
from sidelight.knowledge.facts import Columns
from sidelight.side_information import CliqueNumber, DiamondFree, MaxInDegree, Treewidth, VertexCover

NAMES = ("a", "b", "c", "d")
START = "what is known contradicts itself:"


def complaint(*what, names=NAMES):
    with pytest.raises(InputError) as caught:
        constraints_of(known(list(what)), names)
    return str(caught.value)


@pytest.mark.parametrize(
    "against",
    [
        Forbidden(("a", "b")),
        Tiers("b", "a"),
        Tiers("b", "a", ["c", "d"]),
        Tiers(["a", "b"], isolated=True),
        Tiers("a", ["c", "d"], "b", next_only=True),
        Roots("b"),
        Leaves("a"),
        Order("b", "a"),
        NoEdge(("b", "a")),
        NotAncestor(("a", "b")),
        Part([("b", "a")]),
        Part([], ["a", "b"]),
    ],
    ids=str,
)
def test_a_required_arrow_that_another_statement_excludes(against):
    assert complaint(Required(("a", "b")), against).startswith(
        f"{START} a → b is required but cannot be there, by 'required: a → b' and '{against}'"
    )


def test_no_statement_is_named_without_which_the_contradiction_stays():
    text = complaint(Roots("b"), Required(("a", "b")), Forbidden(("c", "d"), ("a", "b")), Edge(("c", "d")))
    assert text.startswith(f"{START} a → b is required but cannot be there, by 'required: a → b' and ")
    assert ("roots: b" in text) != ("forbidden: a → b" in text)


def contradicts(statements):
    try:
        constraints_of(Known((), tuple(statements)), NAMES)
    except InputError:
        return True
    return False


pairs = st.permutations(NAMES).map(lambda names: tuple(names[:2]))
of_pairs = st.tuples(st.sampled_from([Required, Forbidden, Edge, NoEdge, Ancestor, NotAncestor]), pairs)
of_names = st.tuples(st.sampled_from([Roots, Leaves]), st.sampled_from(NAMES))
small_statements = st.one_of(of_pairs, of_names).map(lambda made: made[0](made[1]))


@settings(max_examples=60, deadline=None)
@given(st.lists(small_statements, min_size=3, max_size=8))
def test_the_statements_to_blame_contradict_each_other_and_no_fewer_of_them_do(statements):
    known = Known((), tuple(statements))
    for each in _contradictions(known, Columns(NAMES), False) if contradicts(statements) else ():
        assert contradicts(each.culprits)
        assert not any(contradicts([other for other in each.culprits if other is not one]) for one in each.culprits)


def test_a_cycle_is_shown():
    text = complaint(Required(("a", "b"), ("b", "c")), Ancestor(("c", "a")), Required(("c", "d")))
    assert text == f"{START} a → b → c ⇝ a is a cycle, by 'required: a → b', 'required: b → c' and 'ancestor: c ⇝ a'"


def test_two_required_arrows_of_one_pair_are_a_cycle():
    assert complaint(Required(("a", "b")), Required(("b", "a"))) == (
        f"{START} a → b → a is a cycle, by 'required: a → b' and 'required: b → a'"
    )


@pytest.mark.parametrize(
    "against",
    [
        (NoEdge(("a", "b")),),
        (Forbidden(("a", "b")), Forbidden(("b", "a"))),
        (Roots("a"), Leaves("a")),
        (Part([], ["a", "b"]),),
        (Tiers(["b", "a"], isolated=True),),
    ],
    ids=str,
)
def test_an_edge_without_a_direction_left(against):
    text = complaint(Edge(("a", "b")), *against)
    assert text.startswith(
        f"{START} a and b are adjacent, but neither a → b nor b → a can be there, by 'adjacent: a – b'"
    )
    assert all(f"'{each}'" in text for each in against)


@pytest.mark.parametrize("against", [NotAncestor(("a", "b")), Order("b", "a"), Tiers("b", ["a", "c"])], ids=str)
def test_an_ancestor_that_another_statement_excludes(against):
    assert complaint(Ancestor(("a", "b")), against) == (
        f"{START} a is an ancestor of b but cannot be one, by 'ancestor: a ⇝ b' and '{against}'"
    )


def test_an_ancestor_without_a_path_left():
    text = complaint(Ancestor(("a", "b")), Forbidden(("a", "b"), ("a", "c"), ("c", "d")), NoEdge(("a", "d")))
    assert text == (
        f"{START} a is an ancestor of b, but no directed path from a to b can be there, by "
        "'ancestor: a ⇝ b', 'forbidden: a → b', 'forbidden: a → c' and 'not adjacent: a – d'"
    )
    assert "no directed path from a to b" in complaint(Ancestor(("a", "b")), Tiers("b", "c", ["a", "d"]))


def test_a_contradiction_of_several_statements_names_no_other():
    text = complaint(
        Roots("d"),
        Edge(("a", "b")),
        Forbidden(("b", "a")),
        Required(("b", "c")),
        Ancestor(("c", "a")),
        NoEdge(("b", "d")),
    )
    assert text == (
        f"{START} a and b are adjacent, but neither a → b nor b → a can be there, by "
        "'adjacent: a – b', 'forbidden: b → a', 'required: b → c' and 'ancestor: c ⇝ a'"
    )


def test_a_certain_path_against_an_excluded_one():
    text = complaint(Required(("a", "b"), ("b", "c"), ("c", "d")), NotAncestor(("a", "c")))
    assert text == (
        f"{START} a is an ancestor of c but cannot be one, by "
        "'required: a → b', 'required: b → c' and 'no ancestor: a ⇝ c'"
    )


def test_all_contradictions_come_in_one_error():
    text = complaint(
        Required(("a", "b"), ("b", "c"), ("c", "b")), Roots("b"), Edge(("a", "d")), NoEdge(("a", "d")), Leaves("c")
    )
    lines = text.splitlines()
    assert lines[0] == START
    assert len(lines) == 5
    assert [line for line in lines if line.startswith("- a → b is required")]
    assert [line for line in lines if line.startswith("- c → b is required")]
    assert [line for line in lines if line.startswith("- a and d are adjacent")]
    assert [line for line in lines if line.startswith("- b → c → b is a cycle")]


def test_a_known_clique_larger_than_the_bound():
    clique = (Edge(("a", "b"), ("b", "c")), Required(("c", "a")))
    assert complaint(CliqueNumber(2), *clique) == (
        f"{START} a, b and c are all adjacent to each other, but at most 2 variables can be, by "
        "'clique number ≤ 2', 'adjacent: a – b', 'required: c → a' and 'adjacent: b – c'"
    )
    assert "'treewidth ≤ 1'" in complaint(Treewidth(1), *clique)
    assert constraints_of(known([CliqueNumber(3), *clique]), NAMES).adjacent == {(0, 1), (0, 2), (1, 2)}


def test_more_required_causes_than_the_bound():
    text = complaint(MaxInDegree(1), Required(("a", "c")), Edge(("b", "c")), Roots("b"))
    assert text == (
        f"{START} a and b are causes of c, but it can have at most 1, by "
        "'largest in-degree ≤ 1', 'required: a → c', 'adjacent: b – c' and 'roots: b'"
    )


DIAMOND = Required(("a", "d"), ("b", "d"), ("c", "d")), Edge(("a", "b"), ("a", "c"))


def test_a_known_diamond_under_diamond_free():
    text = complaint(DiamondFree(), *DIAMOND, NoEdge(("b", "c")))
    assert text.startswith(f"{START} a, b and c make a diamond over d, by 'diamond-free'")
    named = ("required: a → d", "required: b → d", "required: c → d", "adjacent: a – b", "adjacent: a – c")
    assert all(f"'{each}'" in text for each in (*named, "not adjacent: b – c"))


def test_what_may_still_be_no_diamond_is_no_contradiction():
    assert constraints_of(known([DiamondFree(), *DIAMOND]), NAMES).allowed[1, 2]


def test_bounds_are_checked_beside_other_contradictions():
    text = complaint(MaxInDegree(1), Required(("a", "c"), ("b", "c"), ("a", "d")), Leaves("d"), Roots("d"))
    assert text.count("\n- ") == 2
    assert "a and b are causes of c" in text
    assert "a → d is required" in text


@pytest.mark.parametrize("bound", [CliqueNumber(1), Treewidth(0), VertexCover(0), MaxInDegree(0)], ids=str)
def test_an_ancestor_contradicts_a_bound_that_allows_no_edge(bound):
    text = complaint(bound, Forbidden(("c", "b")), Ancestor(("a", "c")))
    assert text == (f"{START} a is an ancestor of c, but nothing can be adjacent, by '{bound}' and 'ancestor: a ⇝ c'")
