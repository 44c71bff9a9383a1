"""The worked example of Appendix B: RSL-D on the diamond A → B, C; A, B, C → D."""

import pytest

import sidelight as sl
from sidelight.graphs.properties import is_removable
from tests.graphs_for_tests import DIAMOND, edge_set, graph_in_order


def learned(first, variant):
    order = [first, *(v for v in "ABCD" if v != first)]
    return sl.learn(sl.DSeparation(graph_in_order(order, DIAMOND.edges)), sl.DiamondFree(), variant=variant)


@pytest.mark.parametrize("variant", ["paper", "published", "robust"])
def test_removing_a_first_gives_the_extra_edge_b_c(variant):
    net = learned("A", variant)
    assert net.removal_order[0] == "A"
    assert edge_set(net.skeleton) == edge_set(DIAMOND) | {frozenset("BC")}
    assert net.directed_edges == []


@pytest.mark.parametrize(
    ("first", "variant"),
    [*((first, variant) for first in "BCD" for variant in ("paper", "published")), ("D", "robust")],
)  # with "robust", B and C wait: they have a co-parent
def test_removing_another_first_gives_the_true_essential_graph(first, variant):
    net = learned(first, variant)
    assert net.removal_order[0] == first
    assert edge_set(net.skeleton) == edge_set(DIAMOND)
    assert set(net.directed_edges) == {("A", "D"), ("B", "D"), ("C", "D")}
    assert set(map(frozenset, net.undirected_edges)) == {frozenset("AB"), frozenset("AC")}


def test_only_a_is_not_removable():
    assert [v for v in "ABCD" if is_removable(DIAMOND, v)] == ["B", "C", "D"]


def test_the_certificate_names_a_diamond_in_the_learned_graph():
    net = learned("D", "paper")
    assert net.certificate.status == "cannot be checked"
    assert "1 diamond, for example A, B, C → D" in net.certificate.sentence


def test_a_clique_bound_has_no_such_trouble():
    for first in "ABCD":
        order = [first, *(v for v in "ABCD" if v != first)]
        net = sl.learn(sl.DSeparation(graph_in_order(order, DIAMOND.edges)), sl.CliqueNumber(3))
        assert edge_set(net.skeleton) == edge_set(DIAMOND)
