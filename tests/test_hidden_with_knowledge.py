"""Knowledge where causes may be hidden: what it adds to the marks, what is said of it, and what contradicts it."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from tests.orientation.test_pag import dags_with_hidden

CHAIN = nx.DiGraph([("a", "b"), ("b", "c")])


def learned(graph=CHAIN, side=None, hidden=()):
    return sl.learn(sl.DSeparation(graph, hidden=hidden), side, hidden=True)


@pytest.mark.parametrize(
    ("side", "edges"),
    [
        (None, ["a ○—○ b", "b ○—○ c"]),
        (sl.Tiers(["a"], ["b", "c"]), ["b → c", "a ○→ b"]),  # an arrow at the later one, and no tail at the earlier
        (sl.Forbidden(("b", "a")), ["b → c", "a ○→ b"]),
        (sl.Roots("a"), ["b → c", "a ○→ b"]),
        (sl.Leaves("c"), ["b ○→ c", "a ○—○ b"]),
        (sl.Required(("a", "b")), ["a → b", "b → c"]),
        (sl.Ancestor(("a", "c")), ["a → b", "b → c"]),
        (sl.NotAncestor(("c", "a")), ["b ○→ c", "a ○—○ b"]),  # b would be a cause of a if c were one of b
        (sl.NoHiddenCause(("a", "b")), ["a ○—○ b", "b ○—○ c"]),
        (sl.NoHiddenCause(("a", "b")) & sl.Roots("a"), ["a → b", "b → c"]),
    ],
)
def test_each_statement_adds_the_marks_that_follow_and_no_others(side, edges):
    net = learned(side=side)
    assert [" ".join(edge) for edge in net.edges] == edges
    assert net.doubts == ()
    assert "Not tested" not in str(net.explain("a", "b"))
    if side is not None:
        assert net.certificate.heading == "consistent with what you said"
        assert learned().with_knowledge(side).edges == net.edges


def test_marks_from_knowledge_say_so_and_are_kept_in_files(tmp_path):
    side = sl.Tiers(["a"], ["b", "c"])
    net = learned(side=side)
    net.write(tmp_path / "net.json")
    for one in (net, sl.read(tmp_path / "net.json")):
        assert "The arrow at b: given as background knowledge (tiers: a | b, c)." in str(one.explain("a", "b"))
        assert one.explain("a", "b").as_dict()["rules"] == [None, {"rule": "knowledge", "others": []}]
        assert "(R1)" in str(one.explain("b", "c"))
        assert str(one.causes("c", "a")) == "no: background knowledge says so, or implies it"
    net.report(tmp_path / "net.html")


@pytest.mark.parametrize(
    ("side", "doubt"),
    [
        (sl.Required(("a", "c")), "required: a → c. Without background knowledge, a and c are not adjacent"),
        (sl.NoEdge(("a", "b")), "not adjacent: a – b. Without background knowledge, a and b are adjacent"),
        (sl.Required(("c", "b"), ("a", "b")), "required: c → b; required: a → b"),
    ],
)
def test_what_contradicts_the_data_is_named_and_not_applied(side, doubt):
    net = learned(side=side)
    assert any(doubt.split("; ")[0] in str(found) for found in net.doubts)
    assert "contradict what you said" in str(net.warnings[-1])
    assert net.mark("a", "c") is None
    assert net.certificate.heading == "no assumption was made"
    if len(net.doubts) == 1 and not net.doubts[0].variables:
        assert net.edges == learned().edges
    with pytest.raises(sl.InputError, match="what was learned contradicts it"):
        learned().with_knowledge(side)


@given(dags_with_hidden(max_size=7, selection=False), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_true_statements_are_never_doubted_and_no_mark_is_wrong(case, random):
    graph, hidden, _ = case
    seen = [v for v in graph if v not in hidden]
    if len(seen) < 2:
        return
    causes = nx.transitive_closure_dag(graph)
    pairs = [(a, b) for a in seen for b in seen if a != b]
    statements = [sl.Ancestor(p) if causes.has_edge(*p) else sl.NotAncestor(p) for p in random.sample(pairs, 2)]
    above = {v: nx.ancestors(graph, v) for v in seen}
    a, b = random.choice(pairs)
    if not above[a] & above[b] & set(hidden):
        statements.append(sl.NoHiddenCause((a, b)))
    side = statements[0]
    for statement in statements[1:]:
        side &= statement
    net = learned(graph, side, hidden)
    assert net.doubts == ()
    for a, _, b in net.edges:
        for x, y in ((a, b), (b, a)):
            assert net.mark(y, x) != "tail" or causes.has_edge(x, y)
            assert net.mark(y, x) != "arrow" or not causes.has_edge(x, y)


def test_an_arrow_without_a_hidden_cause_says_so():
    side = sl.Roots("a") & sl.NoHiddenCause(("a", "b"))
    for net, words in (
        (learned(side=side), "nothing hidden"),
        (learned(side=sl.Required(("a", "b"))), "may cause both"),
    ):
        assert words in str(net.explain("a", "b"))
        assert net.explain("a", "b").as_dict()["visible"] == (words == "nothing hidden")


def test_knowledge_that_contradicts_itself_is_refused(tmp_path):
    with pytest.raises(sl.InputError, match="a → b → a is a cycle"):
        learned(side=sl.Required(("a", "b")) & sl.Required(("b", "a")))
    with pytest.raises(sl.InputError, match="a and b are adjacent, but neither"):
        learned(side=sl.Edge(("a", "b")) & sl.NoEdge(("b", "a")))
    both = sl.Edge(("a", "b")) & sl.Forbidden(("a", "b"), ("b", "a"))
    assert [edge for edge in learned(side=both).edges if "a" in edge] == [("a", "↔", "b")]
    with pytest.raises(sl.InputError, match="a and b are adjacent, but neither"):
        learned(side=both & sl.NoHiddenCause(("a", "b")))
    with pytest.raises(sl.InputError, match="that rows were selected on"):
        sl.learn(sl.DSeparation(CHAIN, selected=["b"]), sl.Roots("a"), hidden=True)


def test_the_command_and_resamples_take_knowledge(tmp_path):
    table, file = tmp_path / "t.csv", tmp_path / "known.toml"
    random = np.random.default_rng(0)
    a = random.normal(size=300)
    b = a + random.normal(size=300)
    c = b + random.normal(size=300)
    np.savetxt(table, np.column_stack([a, b, c]), delimiter=",", header="a,b,c", comments="")
    command = ["learn", str(table), "--hidden", "--knowledge", str(file), "--resamples", "4", "--json"]
    file.write_text('tiers = [["a"], ["b", "c"]]\nno_hidden_cause = [["a", "b"]]\n')
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    net = sl.learn(table, hidden=True, knowledge=file, resamples=4)
    assert net.edges == [("a", "→", "b"), ("b", "→", "c")]
    assert net.shares.mark("a", "b")["arrow"] == net.shares.mark("b", "a")["tail"] == 1
    file.write_text('required = [["a", "b"], ["b", "a"]]\n')
    done = CliRunner().invoke(app, command)
    assert (done.exit_code, "is a cycle" in done.output) == (2, True)
