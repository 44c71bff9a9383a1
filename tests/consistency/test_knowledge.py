"""What is learned without background knowledge contradicts it: named, ranked, explained, audited, kept in files."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.graphs.dag import Dag
from sidelight.knowledge import Known, constraints_of
from sidelight.orientation.known import agrees
from sidelight.simulation.gaussian import linear_gaussian
from tests.graphs_for_tests import dags, dags_over_the_skeleton, v_structures

GRAPH = nx.DiGraph([("a", "c"), ("b", "c"), ("c", "d"), ("b", "e"), ("d", "f"), ("e", "f")])


@pytest.fixture(scope="module")
def frame():
    names, values = linear_gaussian(GRAPH, 2000, np.random.default_rng(1))
    return pd.DataFrame(values, columns=names)


@pytest.mark.parametrize("learner", ["hybrid", "rsl"])
@pytest.mark.parametrize(
    ("false", "about"),
    [
        (sl.Required(("c", "a")), {"a", "c"}),
        (sl.NoEdge(("e", "f")), {"e", "f"}),
        (sl.Forbidden(("d", "f")), {"d", "f"}),
        (sl.Edge(("a", "f")), {"a", "f"}),
        (sl.Tiers(["c"], ["a", "b"]), {"a", "c"}),
        (sl.NotAncestor(("a", "d")), {"a", "d"}),
        (sl.Ancestor(("f", "a")), {"f", "a"}),
    ],
)
def test_a_false_piece_is_the_first_doubt_or_the_second(frame, learner, false, about):
    net = sl.learn(frame, false & sl.Edge(("b", "e")), learner=learner)
    assert any(set(doubt.variables) == about for doubt in net.doubts[:2])
    assert any(warning.kind == "knowledge against data" for warning in net.warnings)
    assert "the structure contradicts some of it" in net.certificate.sentence or learner != "hybrid"
    assert "What is learned without what you said contradicts it" in str(net.explain(*sorted(about)))


@pytest.mark.parametrize("learner", ["hybrid", "rsl"])
def test_true_knowledge_is_not_doubted(frame, learner):
    true = sl.Tiers(["a", "b"], ["c", "e"], ["d", "f"]) & sl.Required(("c", "d")) & sl.NoEdge(("a", "e"))
    net = sl.learn(frame, true, learner=learner)
    assert net.doubts == ()
    assert set(net.directed_edges) == set(GRAPH.edges)


@settings(max_examples=150, deadline=None)
@given(dags(min_size=2, max_size=5), st.data())
def test_an_oracle_reports_exactly_the_statements_that_no_dag_of_the_true_class_keeps(graph, data):
    """One false statement or several; also those that are false only together, and beside a bound that is wrong."""
    pairs = st.permutations(sorted(graph)).map(lambda names: tuple(names[:2]))
    kinds = st.sampled_from([sl.Required, sl.Forbidden, sl.Edge, sl.NoEdge, sl.Ancestor, sl.NotAncestor])
    drawn = data.draw(st.lists(st.tuples(kinds, pairs), min_size=1, max_size=3))
    said = Known((), tuple(kind(pair) for kind, pair in drawn))
    side = data.draw(st.sampled_from([None, sl.DiamondFree(), sl.CliqueNumber(2)]))
    try:
        known = constraints_of(said, tuple(graph))
        net = sl.learn(sl.DSeparation(graph), said if side is None else said & side)
    except sl.InputError:
        return  # they contradict each other, or the bound
    equivalent = (dag for dag in dags_over_the_skeleton(graph) if v_structures(dag) == v_structures(graph))
    is_true = any(agrees(Dag.from_networkx(dag), known) for dag in equivalent)
    assert (net.doubts == ()) is is_true
    assert any(warning.kind == "knowledge against data" for warning in net.warnings) is not is_true
    assert is_true or net.certificate.status != "consistent"


def test_what_an_oracle_contradicts_is_said_without_numbers():
    net = sl.learn(sl.DSeparation(GRAPH), sl.Required(("c", "a")) & sl.NoEdge(("b", "c")))
    assert "the answers contradict some of what you said" in net.certificate.sentence
    assert "the edge is directed a → c" in str(net.warnings[0])
    assert "nats" not in str(net.warnings[0])


def test_a_certificate_with_statements_does_not_say_that_nothing_was_assumed():
    knowledge = sl.Tiers(["a", "b"], ["c", "e"], ["d", "f"])
    assert str(sl.learn(sl.DSeparation(GRAPH), knowledge).certificate).startswith("consistent with what you said: ")
    assert str(sl.learn(sl.DSeparation(GRAPH)).certificate).startswith("no assumption was made: ")


def test_doubts_and_statements_survive_a_file(frame, tmp_path):
    net = sl.learn(frame, sl.DiamondFree() & sl.Required(("c", "a"), ("c", "d")) & sl.NoEdge(("e", "f")))
    net.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json")
    assert again == net
    assert again.doubts == net.doubts
    assert str(again.explain("e", "f")) == str(net.explain("e", "f"))


def test_explanations_say_what_was_said(frame):
    net = sl.learn(frame, sl.Required(("c", "d")) & sl.NoEdge(("a", "f")) & sl.Tiers(["b"], ["e"]))
    assert "Not tested while learning: you said that they are adjacent (required: c → d)." in str(net.explain("c", "d"))
    assert "You said that they are not adjacent (not adjacent: a – f)." in str(net.explain("a", "f"))
    assert "You said so (tiers: b | e)." in str(net.explain("b", "e"))
    assert net.explain("b", "e").as_dict()["derivation"][0]["rule"] == "knowledge"
    assert net.explain("a", "f").as_dict()["knowledge"]


def test_an_audit_names_what_was_said(frame):
    net = sl.learn(frame, sl.NoEdge(("e", "f")) & sl.Edge(("a", "f")), learner="rsl")
    said = {frozenset(failure.pair): failure.said for failure in net.audit(frame).failures}
    assert said[frozenset("ef")] == "not adjacent: e – f"
    assert said[frozenset("af")] == "adjacent: a – f"
    assert "You said so (not adjacent: e – f)." in str(net.audit(frame))


# Knowledge that comes afterwards.


def test_knowledge_afterwards_directs_what_learning_with_it_directs():
    oracle = sl.DSeparation(nx.path_graph(["a", "b", "c", "d"], create_using=nx.DiGraph))
    tiers = sl.Tiers(["a"], ["b", "c", "d"])
    after = sl.learn(oracle).with_knowledge(tiers)
    assert after.directed_edges == sl.learn(oracle, tiers).directed_edges == [("a", "b"), ("b", "c"), ("c", "d")]
    assert "You said so" in str(after.explain("a", "b"))


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        (sl.Required(("a", "f")), "'a' and 'f' are not adjacent in it"),
        (sl.NoEdge(("a", "c")), "'a' and 'c' are adjacent in it"),
        (sl.Required(("c", "a")), "'a' → 'c' is directed in it"),
        (sl.NotAncestor(("a", "d")), "no DAG of the learned class agrees"),
        (sl.DiamondFree() & sl.Roots("a"), "a bound .diamond-free. says nothing about directions"),
        (sl.Roots("z"), "'z'"),
    ],
)
def test_knowledge_afterwards_that_would_change_more_is_refused(knowledge, message):
    with pytest.raises(sl.InputError, match=message):
        sl.learn(sl.DSeparation(GRAPH)).with_knowledge(knowledge)


def test_paths_that_no_structure_keeps_are_named():
    graph = nx.DiGraph([("a", "b"), ("d", "b"), ("b", "c")])
    net = sl.learn(sl.DSeparation(graph), sl.NotAncestor(("a", "c"), ("c", "a")))
    (warning,) = [warning for warning in net.warnings if warning.kind == "knowledge not kept"]
    assert "a path leads from a to c" in str(warning)
    assert net.certificate.status == "cannot be checked"


def test_an_ancestor_that_no_structure_has_directs_nothing_else():
    graph = nx.path_graph(["a", "b", "c", "d"], create_using=nx.DiGraph)
    graph.add_node("e")
    net = sl.learn(sl.DSeparation(graph), sl.Ancestor(("a", "e")))
    assert net.directed_edges == []
    assert any("no path leads from a to e" in str(warning) for warning in net.warnings)


def test_what_is_contradicted_only_together_is_noticed(frame):
    """Neither statement alone contradicts the chain b → c → d, in which c can be a cause of both or of one."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=1000)
    second = first + rng.normal(size=1000)
    chain = pd.DataFrame({"a": first, "b": second, "c": second + rng.normal(size=1000)})
    net = sl.learn(chain, sl.Required(("a", "b")) & sl.Required(("c", "b")))
    assert net.doubts[0].nats > 3
    assert "no single statement is contradicted" in str(net.doubts[0])


def test_a_search_that_prefers_another_direction_is_no_evidence_against_an_order_in_time(frame):
    said = sl.Tiers(["f"], ["d", "e"], ["b", "c"], ["a"])
    net = sl.learn(frame, said)
    (warning,) = [warning for warning in net.warnings if warning.kind == "knowledge against data"]
    assert str(warning).count(str(said)) == 1
    assert "no data contradict an order in time" in warning.remedy
    assert all("the search directs" in doubt.reason for doubt in net.doubts if doubt.variables)


@pytest.mark.parametrize(
    ("said", "pair"),
    [
        (sl.Roots("b", "e"), ("b", "e")),
        (sl.Roots("b", "e") & sl.Required(("c", "a")), ("b", "e")),
        (sl.Roots("c") & sl.Roots("d"), ("c", "d")),
    ],
    ids=str,
)
def test_two_roots_that_are_adjacent_are_doubted_whatever_else_is_said(frame, said, pair):
    """Roots have no arrow between them, though each alone may be one of the two."""
    (doubt,) = [doubt for doubt in sl.learn(frame, said).doubts if set(doubt.variables) == set(pair)]
    assert "are adjacent" in doubt.reason
    assert doubt.nats > 100


def test_true_knowledge_of_paths_costs_no_edge():
    rng = np.random.default_rng(20)
    columns = {}
    for i in range(3):
        columns[f"b{i}"] = b = rng.normal(size=2000)
        columns[f"a{i}"], columns[f"c{i}"] = b + rng.normal(size=2000), b + rng.normal(size=2000)
    net = sl.learn(pd.DataFrame(columns), sl.NotAncestor(*((f"a{i}", f"c{i}") for i in range(3))))
    assert net.doubts == ()
    assert {frozenset(edge) for edge in net.skeleton.edges} == {
        frozenset((f"b{i}", f"{x}{i}")) for i in range(3) for x in "ac"
    }


@pytest.fixture(scope="module")
def collider():
    rng = np.random.default_rng(1)
    a, x = rng.normal(size=(2, 1000))
    b = a + x + 0.5 * rng.normal(size=1000)
    return pd.DataFrame({"a": a, "x": x, "b": b, "c": b + 0.5 * rng.normal(size=1000)})


def test_known_edges_that_make_a_path_that_must_not_be_are_kept_with_a_warning(collider):
    net = sl.learn(collider, sl.Edge(("a", "b"), ("b", "c")) & sl.NotAncestor(("a", "c")))
    assert net.skeleton.has_edge("a", "b")
    assert net.skeleton.has_edge("b", "c")


def test_known_edges_that_break_a_bound_are_said_to_break_it(collider):
    net = sl.learn(collider, sl.MaxInDegree(1) & sl.Edge(("a", "b"), ("x", "b")))
    if len(list(net.to_dag().predecessors("b"))) > 1:
        assert net.certificate.status == "violated"


@pytest.mark.parametrize("names", [[0, 1, 2, 3], ["a", 1, "c", 2], [(0, 1), "x", 2.5, "y"]], ids=str)
def test_names_that_are_no_texts_are_kept(collider, names, tmp_path):
    frame = collider.set_axis(pd.Index(names, dtype=object if isinstance(names[0], (str, tuple)) else np.int64), axis=1)
    first, *_, last = frame.columns
    net = sl.learn(frame, sl.Required((first, last)) & sl.Tiers([frame.columns[1]], [frame.columns[2]]), learner="rsl")
    net.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json")
    assert len(again.settings.known.statements) == 2
    assert again.directed_edges == [tuple(map(_as_json, edge)) for edge in net.directed_edges]


def _as_json(name):
    return name if isinstance(name, str) else int(name) if isinstance(name, (int, np.integer)) else str(name)


@pytest.mark.parametrize("side", [None, sl.MaxInDegree(3), sl.Roots("x")], ids=str)
def test_statements_may_be_given_as_knowledge(collider, side):
    said = sl.Required(("a", "b"))
    as_knowledge, as_side = sl.learn(collider, side, knowledge=said), sl.learn(collider, side & said if side else said)
    assert as_knowledge.edges == as_side.edges
    assert as_knowledge.settings == as_side.settings


def test_knowledge_that_is_neither_statements_nor_a_path_is_refused(collider):
    with pytest.raises(sl.InputError, match="knowledge must be a path to a file, or statements; got 3"):
        sl.learn(collider, knowledge=3)
