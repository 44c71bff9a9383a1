"""What a certificate says, status by status."""

import networkx as nx
import pytest

import sidelight as sl
from sidelight.result.trust import (
    GIVEN_BOUNDARIES,
    certify,
    certify_unfinished,
    certify_without_assumption,
)
from sidelight.side_information.base import CONTRADICTION

TRIANGLE = nx.DiGraph([("a", "b"), ("a", "c"), ("b", "c")])
DIAMOND = nx.DiGraph([("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")])


@pytest.mark.parametrize(
    ("side", "status"),
    [
        (sl.CliqueNumber(3), "consistent"),
        (sl.CliqueNumber(2), "violated"),
        (sl.Treewidth(2), "consistent"),
        (sl.Treewidth(1), "violated"),
        (sl.MaxInDegree(1), "violated"),
        (sl.VertexCover(2), "consistent"),
        (sl.DiamondFree(), "cannot be checked"),
    ],
)
def test_a_bound_is_violated_exactly_when_the_learned_graph_exceeds_it(side, status):
    assert certify(side, True, [], "", TRIANGLE).status == status


def test_contradictions_take_precedence_over_a_bound_that_fits():
    certificate = certify(sl.CliqueNumber(3), True, [], CONTRADICTION, TRIANGLE)
    assert certificate.status == "cannot be checked"
    assert "contradict each other" in certificate.sentence


def test_a_diamond_is_named_with_its_variables():
    sentence = certify(sl.DiamondFree(), True, [], "", DIAMOND).sentence
    assert "1 diamond" in sentence
    assert "a, b, c → d" in sentence


def test_a_bound_that_follows_from_another_assumption_is_said_to():
    assert "follows from the assumed treewidth ≤ 2" in certify(sl.Treewidth(2), True, [], "", TRIANGLE).sentence


def test_boundaries_that_were_given_are_part_of_the_condition():
    assert (
        "the given boundaries are right" in certify(sl.CliqueNumber(3), True, [GIVEN_BOUNDARIES], "", TRIANGLE).sentence
    )
    assert "the given boundaries are right" in certify_unfinished([GIVEN_BOUNDARIES]).sentence


def test_a_learner_without_assumption_is_consistent_unless_its_answers_contradict_each_other():
    assert certify_without_assumption("pc", True, [], "").status == "consistent"
    assert certify_without_assumption("pc", True, [], CONTRADICTION).status == "cannot be checked"


def test_a_learner_that_is_not_sound_is_never_called_consistent():
    assert certify_without_assumption("toy", False, [], "").status == "cannot be checked"


def test_a_limit_leaves_the_certificate_open():
    net = sl.learn(sl.DSeparation(TRIANGLE), max_tests=0)
    assert net.certificate.status == "cannot be checked"
    assert "a limit ended the learning" in net.certificate.sentence


def test_a_bound_that_was_not_assumed_is_never_called_violated():
    """The search without side information keeps its bound; a re-test of edges may exceed it afterwards."""
    certificate = certify(sl.CliqueNumber(2), False, [], "", TRIANGLE)
    assert certificate.status == "cannot be checked"
    assert "larger bound" not in certificate.sentence


def test_the_condition_names_hidden_causes_and_faithfulness():
    sentence = certify(sl.CliqueNumber(3), True, [], "", TRIANGLE).sentence
    assert "no common cause is hidden, the distribution is faithful, and every test answered correctly" in sentence
