"""What is known, counted: as many as the constraints have, and as many names as the statements mention."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.knowledge import Known, NoEdge, Order, Required, Roots, constraints_of, known, summary_of
from sidelight.side_information import DiamondFree, MaxInDegree
from tests.knowledge.meaning import NAMES, all_statements


@given(st.lists(all_statements, max_size=4))
def test_the_counts_are_those_of_the_constraints(statements):
    what = known(statements)
    try:
        found = constraints_of(what, NAMES)
    except InputError as error:
        with pytest.raises(InputError, match=f"^{re.escape(str(error))}$"):
            summary_of(what, NAMES)
        return
    summary = summary_of(what, NAMES)
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    assert summary.n_required == len(found.required)
    assert summary.n_forbidden == sum(not found.allowed[pair] for pair in pairs)
    assert summary.n_blocks == len(found.blocks())
    assert summary.n_named <= summary.n_variables == 4
    assert (summary.n_statements == 0) == (summary.n_named == 0) == (not statements)


def test_patterns_count_all_that_they_stand_for_and_lists_each_of_their_arrows():
    names = ("age", "lab_1", "lab_2", "lab_3")
    summary = summary_of(known([NoEdge(("lab_*", "lab_*")), Required(("age", "lab_1"), ("age", "lab_2"))]), names)
    assert (summary.n_statements, summary.n_named, summary.n_required) == (3, 4, 2)
    assert summary.n_forbidden == 3 * 2 + 2  # between the three, and back to age from two of them


def test_it_says_so_in_words():
    assert str(summary_of(Known(), NAMES)) == "nothing is known"
    assert str(summary_of(known([DiamondFree(), MaxInDegree(2)]), NAMES)) == (
        "2 bounds (diamond-free, largest in-degree ≤ 2)"
    )
    assert str(summary_of(Roots("b") & Order("a", "c"), NAMES)) == (
        "2 statements about 3 of 4 variables, no contradiction\n"
        "together they require 0 arrows, forbid 4 of 12, and order the variables into 2 blocks"
    )
