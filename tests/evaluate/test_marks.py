"""PAGs compared with each other, and with the PAG of a DAG some variables of which are hidden."""

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from tests.orientation.test_pag import dags_with_hidden

DAG = nx.DiGraph([("a", "x"), ("u", "x"), ("u", "y"), ("b", "y"), ("y", "z")])


@pytest.fixture(scope="module")
def pag():
    return sl.learn(sl.DSeparation(DAG, hidden=["u"]), hidden=True)


@given(dags_with_hidden(max_size=7, selection=False))
@settings(max_examples=25)
def test_what_an_oracle_gives_is_the_pag_of_the_dag(case):
    graph, hidden, _ = case
    if len(hidden) == len(graph):
        return
    net = sl.learn(sl.DSeparation(graph, hidden=hidden), hidden=True)
    found = sl.compare(net, graph, hidden=hidden)
    assert found.same
    assert (found.marks.distance, found.skeleton.f1, found.separating_sets) == (0, 1.0, 1.0)


def test_each_end_that_differs_counts(pag):
    """Without the hidden cause: a → x ← y ← b, y → z, so x ○→ y does not hold; all known by hand."""
    plain = sl.learn(sl.DSeparation(nx.DiGraph([("a", "x"), ("y", "x"), ("b", "y"), ("y", "z")])), hidden=True)
    assert plain.edges == [("a", "○→", "x"), ("y", "○→", "x"), ("y", "○—○", "b"), ("y", "○—○", "z")]
    found = sl.compare(plain, pag)
    # true: y → z, x ↔ y, a ○→ x, b ○→ y. Ends that differ: y of x–y, y of b–y, both of y–z.
    assert (found.marks.distance, found.marks.per_edge, found.class_distance) == (4, 1.0, 3)
    arrows, tails, both = found.marks.arrows, found.marks.tails, found.marks.bidirected
    assert [(m.found, m.missing, m.extra) for m in (arrows, tails, both)] == [(2, 3, 0), (0, 1, 0), (0, 1, 0)]
    assert found.skeleton.shd == 0
    assert not found.same
    assert "marks: 4 ends of edges differ (1.000 for each true edge)" in str(found)
    assert found.as_dict()["arrow_recall"] == pytest.approx(0.4)


@given(st.permutations(["a", "b", "x", "y", "z", "u"]))
@settings(max_examples=10)
def test_the_order_of_the_variables_does_not_matter(order):
    dag = nx.DiGraph()
    dag.add_nodes_from(order)
    dag.add_edges_from(DAG.edges)
    net = sl.learn(sl.DSeparation(DAG, hidden=["u"]), hidden=True)
    assert sl.compare(net, dag, hidden="u").same


def test_a_network_without_hidden_causes_is_judged_by_the_pag_of_its_dag(pag):
    plain = sl.learn(sl.DSeparation(DAG.subgraph("abxyz")))
    assert sl.compare(plain, pag).marks == sl.compare(plain, DAG, hidden=["u"]).marks


def test_names_that_do_not_fit_are_said(pag):
    with pytest.raises(sl.InputError, match=r"does not have 'u'.*hidden names variables"):
        sl.compare(pag, DAG)
    with pytest.raises(sl.InputError, match="the truth has no 'v'"):
        sl.compare(pag, DAG, hidden=["v"])
    with pytest.raises(sl.InputError, match="the truth is a PAG"):
        sl.compare(pag, pag, hidden=["u"])


def test_the_command_compares_pags(tmp_path, pag):
    learned, truth = str(tmp_path / "pag.json"), str(tmp_path / "dag.graphml")
    pag.write(learned)
    sl.learn(sl.DSeparation(DAG)).write(truth)
    same = CliRunner().invoke(app, ["compare", learned, truth, "--hidden", "u"])
    assert same.exit_code == 0, same.output
    assert "↔: 1 found, 0 missing, 0 wrong" in same.output
    refused = CliRunner().invoke(app, ["compare", learned, truth])
    assert (refused.exit_code, "--hidden names variables" in refused.output) == (2, True)
    assert CliRunner().invoke(app, ["compare", learned, learned, "--hidden", "u"]).exit_code == 2
