"""Marks with knowledge, against all MAGs over four variables: none is wrong, and for which statements all are found."""

from itertools import chain, combinations

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.graphs.marks import ARROW, TAIL
from sidelight.knowledge import (
    Ancestor,
    Edge,
    Forbidden,
    Known,
    Leaves,
    NoEdge,
    NoHiddenCause,
    NotAncestor,
    Order,
    Part,
    Required,
    Roots,
    Tiers,
    constraints_of,
)
from sidelight.orientation.marked_knowledge import refined
from tests.knowledge.meaning import all_statements, some_pairs
from tests.orientation.test_pag import classes, pag_by_definition

NAMES = ("a", "b", "c", "d")


def arrow(mag, a, b):
    return mag.mark(a, b) == ARROW and mag.mark(b, a) == TAIL


def causes(mag, a, b):
    directed = nx.DiGraph([(i, j) for i in range(4) for j in range(4) if i != j and arrow(mag, i, j)])
    directed.add_nodes_from(range(4))
    return nx.has_path(directed, a, b)


def none_backwards(mag, groups):
    return not any(causes(mag, x, y) for early, late in combinations(groups, 2) for y in early for x in late)


def tiers_hold(mag, said):
    groups = [list(map(NAMES.index, tier)) for tier in said.tiers]
    within = chain.from_iterable(combinations(tier, 2) for tier in groups)
    jumps = [(a, b) for i, early in enumerate(groups) for late in groups[i + 2 :] for a in early for b in late]
    return (
        none_backwards(mag, groups)
        and not (said.isolated and any(mag.adjacent(*pair) for pair in within))
        and not (said.next_only and any(arrow(mag, *pair) for pair in jumps))
    )


def part_holds(mag, said):
    mentioned = {*chain.from_iterable(said.arrows), *said.variables}
    pairs = [(a, b) for a in mentioned for b in mentioned if a != b]
    return {(a, b) for a, b in pairs if arrow(mag, NAMES.index(a), NAMES.index(b))} == set(said.arrows)


def on_pairs(claim):
    return lambda mag, said: all(claim(mag, NAMES.index(a), NAMES.index(b)) for a, b in said.pairs)


def on_names(claim):
    def holds(mag, said):
        chosen = list(map(NAMES.index, said.variables))
        return all(claim(mag, a, b) for a in chosen for b in range(4) if b != a)

    return holds


MEANING = {  # of each statement, for a MAG
    Required: on_pairs(arrow),
    Forbidden: on_pairs(lambda mag, a, b: not arrow(mag, a, b)),
    Edge: on_pairs(lambda mag, a, b: mag.adjacent(a, b)),
    NoEdge: on_pairs(lambda mag, a, b: not mag.adjacent(a, b)),
    Ancestor: on_pairs(causes),
    NotAncestor: on_pairs(lambda mag, a, b: not causes(mag, a, b)),
    NoHiddenCause: on_pairs(lambda mag, a, b: not mag.mark(a, b) == mag.mark(b, a) == ARROW),
    Roots: on_names(lambda mag, a, b: not arrow(mag, b, a)),
    Leaves: on_names(lambda mag, a, b: not arrow(mag, a, b)),
    Order: lambda mag, said: none_backwards(mag, [list(map(NAMES.index, group)) for group in said.groups]),
    Tiers: tiers_hold,
    Part: part_holds,
}


CLASSES = list(classes(4, False).values())


def agreeing(members, statements):
    return [mag for mag in members if all(MEANING[type(said)](mag, said) for said in statements)]


def found_for(members, statements):
    known = constraints_of(Known((), tuple(statements)), NAMES, hidden=True)
    return refined(pag_by_definition(members), known)


no_hidden_causes = some_pairs.map(lambda pairs: NoHiddenCause(*pairs))


@given(st.sampled_from(CLASSES), st.lists(all_statements | no_hidden_causes, min_size=1, max_size=3))
@settings(max_examples=100)
def test_all_marks_that_the_agreeing_mags_share_are_found_and_contradictions_are_noticed(members, statements):
    left = agreeing(members, statements)
    try:
        found = found_for(members, statements)
    except InputError:  # they contradict each other
        assert not left
        return
    assert bool(left) == (not found.refuted and not found.together)
    if left:
        assert found.graph == pag_by_definition(left)
