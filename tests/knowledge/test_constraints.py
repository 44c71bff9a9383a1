"""Constraints mean exactly what the statements mean; blocks come in the order of the arrows that are left."""

import networkx as nx
import numpy as np
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
from sidelight.knowledge.constraints import ordered_components, reachable
from tests.knowledge.meaning import NAMES, agrees, all_dags, all_statements, holds, plain_statements

DAGS = all_dags()


def of(*statements, names=NAMES):
    return constraints_of(known(list(statements)), names)


def forbidden(constraints):
    """The arrows that are not allowed, by name."""
    names = constraints.names
    return {f"{names[i]}{names[j]}" for i, j in np.argwhere(~constraints.allowed) if i != j}


@settings(max_examples=80, deadline=None)
@given(st.lists(all_statements, min_size=1, max_size=4))
def test_a_dag_agrees_with_the_constraints_exactly_when_every_statement_holds(statements):
    satisfied = [graph for graph in DAGS if all(holds(graph, each) for each in statements)]
    try:
        constraints = of(*statements)
    except InputError:
        assert satisfied == []
    else:
        assert [graph for graph in DAGS if agrees(graph, constraints)] == satisfied


@settings(max_examples=80, deadline=None)
@given(st.lists(plain_statements, min_size=1, max_size=5))
def test_statements_without_paths_are_refused_exactly_when_no_dag_satisfies_them(statements):
    possible = any(all(holds(graph, each) for each in statements) for graph in DAGS)
    try:
        of(*statements)
    except InputError:
        assert not possible
    else:
        assert possible


@settings(max_examples=60, deadline=None)
@given(st.lists(all_statements, min_size=1, max_size=3))
def test_arrows_of_a_dag_that_agrees_stay_within_a_block_or_lead_to_a_later_one(statements):
    try:
        constraints = of(*statements)
    except InputError:
        return
    block = {NAMES[i]: at for at, members in enumerate(constraints.blocks()) for i in members}
    agreeing = [graph for graph in DAGS if agrees(graph, constraints)]
    assert all(block[x] <= block[y] for graph in agreeing for x, y in graph.edges)


random_graphs = st.tuples(st.integers(0, 12), st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.1, 0.2, 0.5]))


def matrix_of(choice):
    n, seed, density = choice
    matrix = np.random.default_rng(seed).random((n, n)) < density
    np.fill_diagonal(matrix, False)
    return matrix


@given(random_graphs)
def test_components_are_those_of_networkx_with_causes_first(choice):
    matrix = matrix_of(choice)
    graph = nx.from_numpy_array(matrix.astype(int), create_using=nx.DiGraph)
    expected = sorted(sorted(members) for members in nx.strongly_connected_components(graph))
    found = ordered_components(matrix)
    assert sorted(found) == expected
    at = {vertex: place for place, members in enumerate(found) for vertex in members}
    assert all(at[x] <= at[y] for x, y in graph.edges)
    condensed = nx.DiGraph((min(found[at[x]]), min(found[at[y]])) for x, y in graph.edges if at[x] != at[y])
    condensed.add_nodes_from(members[0] for members in found)
    assert [members[0] for members in found] == list(nx.lexicographical_topological_sort(condensed))


@given(random_graphs)
def test_what_is_reachable_agrees_with_networkx(choice):
    matrix = matrix_of(choice)
    graph = nx.from_numpy_array(matrix.astype(int), create_using=nx.DiGraph)
    paths = nx.transitive_closure(graph, reflexive=False)
    expected = {(x, y) for x, y in paths.edges}
    assert {(int(i), int(j)) for i, j in np.argwhere(reachable(matrix))} == expected


def test_nothing_known_allows_every_arrow_in_one_block():
    constraints = constraints_of(Known(), NAMES)
    assert not forbidden(constraints)
    assert not constraints.adjacent | constraints.ancestors | constraints.not_ancestors
    assert constraints.blocks() == [[0, 1, 2, 3]]
    assert constraints_of(Known(), []).blocks() == []


def test_adjacency_alone_forbids_nothing_but_says_something():
    constraints = of(Edge(("a", "b")))
    assert not forbidden(constraints)
    assert constraints.adjacent == {(0, 1)}


def test_a_required_arrow_forbids_its_reverse():
    constraints = of(Required(("a", "b")))
    assert constraints.required == {(0, 1)} == constraints.adjacent == constraints.ancestors
    assert forbidden(constraints) == {"ba"}
    assert constraints.not_ancestors == {(1, 0)}
    assert not constraints.open_ancestors
    assert not constraints.open_not_ancestors


def test_an_edge_with_one_direction_forbidden_is_a_required_arrow():
    constraints = of(Edge(("b", "a")), Forbidden(("b", "a")))
    assert constraints.required == {(0, 1)}
    assert constraints.adjacent == {(0, 1)}


def test_a_forced_direction_forces_the_next_one():
    constraints = of(Required(("a", "b")), Edge(("b", "c"), ("a", "c")), Forbidden(("c", "b")))
    assert constraints.required == {(0, 1), (1, 2), (0, 2)}


def test_ancestors_chain_with_required_arrows_and_exclude_the_way_back():
    constraints = of(Ancestor(("a", "b")), Required(("b", "c")))
    assert constraints.ancestors == {(0, 1), (1, 2), (0, 2)}
    assert constraints.open_ancestors == {(0, 1), (0, 2)}
    assert forbidden(constraints) == {"ba", "cb", "ca"}
    assert constraints.open_not_ancestors == {(1, 0), (2, 0)}


def test_what_is_no_ancestor_has_no_certain_descendant_that_is_one():
    constraints = of(NotAncestor(("a", "d")), Required(("a", "b"), ("c", "d")), names="abcde")
    assert {(0, 3), (1, 3), (0, 2), (1, 2)} <= constraints.not_ancestors
    assert {"ad", "bd", "ac", "bc"} <= forbidden(constraints)


def test_paths_that_allowed_arrows_cannot_make_are_not_listed():
    assert of(NotAncestor(("a", "d")), Leaves("a")).not_ancestors == frozenset()


def test_tiers_over_all_variables_need_no_paths():
    constraints = of(Tiers(["a", "b"], "c", ["d"]))
    assert forbidden(constraints) == {"ca", "cb", "da", "db", "dc"}
    assert constraints.not_ancestors == frozenset()
    assert constraints.blocks() == [[0, 1], [2], [3]]


def test_tiers_over_some_variables_exclude_paths_through_the_others():
    constraints = of(Tiers("b", "a"))
    assert forbidden(constraints) == {"ab"}
    assert constraints.not_ancestors == {(0, 1)}


def test_isolated_tiers_have_no_edges_within():
    assert forbidden(of(Tiers(["a", "b"], ["c", "d"], isolated=True))) >= {"ab", "ba", "cd", "dc"}


def test_next_only_forbids_arrows_over_a_tier():
    constraints = of(Tiers("a", "b", ["c", "d"], next_only=True))
    assert {"ac", "ad"} <= forbidden(constraints)
    assert "ab" not in forbidden(constraints)


def test_an_order_is_tiers_of_one_variable_each():
    assert forbidden(of(Order("b", "a", "d", "c"))) == forbidden(of(Tiers("b", "a", "d", "c")))


def test_roots_have_no_causes_and_leaves_no_effects():
    assert forbidden(of(Roots("a"))) == {"ba", "ca", "da"}
    assert forbidden(of(Leaves("a", "b"))) == {"ab", "ac", "ad", "ba", "bc", "bd"}


def test_a_part_says_all_of_its_variables():
    constraints = of(Part([("a", "b")], ["c"]))
    assert constraints.required == {(0, 1)}
    assert forbidden(constraints) == {"ba", "ac", "ca", "bc", "cb"}


COLUMNS = ("lab_1", "lab_2", "age", "lab_*", 7)


def test_a_pattern_stands_for_all_columns_that_it_matches():
    constraints = of(NoEdge(("lab_?", "lab_?")), Required(("age", "lab_[12]")), names=COLUMNS)
    assert not constraints.allowed[:2, :2].any()
    assert constraints.required == {(2, 0), (2, 1)}
    assert of(Roots("*"), names=COLUMNS).allowed.sum() == 0


def test_a_column_of_that_very_name_wins_over_a_pattern():
    assert of(Required(("age", "lab_*")), names=COLUMNS).required == {(2, 3)}


def test_patterns_never_pair_a_variable_with_itself():
    assert of(Edge(("lab_?", "lab_?")), names=COLUMNS).adjacent == {(0, 1), (0, 3), (1, 3)}
    assert of(NotAncestor(("?", "?")), names=("x", "y", "zz")).not_ancestors == {(0, 1), (1, 0)}


def test_names_need_not_be_texts():
    assert of(Required((7, "age")), names=COLUMNS).required == {(4, 2)}


def test_all_unknown_names_come_in_one_error_with_suggestions():
    statements = [Required(("smokin", "cancer")), Roots("blood_*"), Order("cancer", 12345)]
    with pytest.raises(InputError) as caught:
        of(*statements, names=("smoking", "cancer"))
    assert str(caught.value) == (
        "what is known names variables that are not there: "
        "'smokin' (did you mean 'smoking'?), 'blood_*' (matches no column), 12345"
    )


def test_a_variable_that_patterns_put_in_two_tiers_is_refused():
    with pytest.raises(
        InputError, match=r"'lab_1' must stand in one place only, not in two of 'tiers: lab_1 \| lab_\?'"
    ):
        of(Tiers("lab_1", "lab_?"), names=("lab_1", "lab_2"))


def test_a_star_stands_for_all_that_no_other_tier_names():
    names = ("age", "sex", "lab_1", "lab_2", "death")
    short, long = Tiers(["age", "sex"], "*", "death"), Tiers(["age", "sex"], ["lab_1", "lab_2"], "death")
    assert (of(short, names=names).allowed == of(long, names=names).allowed).all()
    assert of(Tiers("a", "*"), names=("*", "a")).blocks() == of(Tiers("a", "*"), names=("z", "a")).blocks()


def test_two_thousand_variables_in_tiers_make_no_list_of_pairs():
    names = [f"x{i}" for i in range(2000)]
    constraints = of(Tiers(*(names[at : at + 100] for at in range(0, 2000, 100)), isolated=True), names=names)
    assert constraints.not_ancestors == constraints.ancestors == constraints.required == frozenset()
    assert len(constraints.blocks()) == 2000
    assert constraints.allowed.sum() == 100 * 100 * 190


def test_what_is_allowed_cannot_be_changed_by_accident():
    with pytest.raises(ValueError, match="read-only"):
        of(Roots("a")).allowed[0, 1] = False
