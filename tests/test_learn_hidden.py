"""Learning where causes may be hidden: exact with an oracle, legal in every case, and what users see of it."""

import csv
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from sidelight.graphs.ancestral import m_separated, mag_of
from sidelight.graphs.dag import Dag
from sidelight.orientation.pag import is_pag, pag_of
from tests.graphs_for_tests import d_separated, dags
from tests.orientation.test_pag import dags_with_hidden

CONFOUNDED = nx.DiGraph([("a", "x"), ("u", "x"), ("u", "y"), ("b", "y"), ("y", "z")])


def learned(graph, hidden=(), selected=(), **options):
    return sl.learn(sl.DSeparation(graph, hidden=hidden, selected=selected), hidden=True, **options)


def true_mag(graph, hidden=(), selected=()):
    dag = Dag.from_networkx(graph)
    return mag_of(dag, [dag.names.index(v) for v in hidden], [dag.names.index(v) for v in selected])


@given(dags_with_hidden(max_size=9))
@settings(max_examples=50)
def test_an_oracle_gives_the_true_pag_and_every_separating_set_separates(case):
    graph, hidden, selected = case
    if len(hidden) + len(selected) == len(graph):
        return
    net, mag = learned(graph, hidden, selected), true_mag(graph, hidden, selected)
    assert net.by_position.marks == pag_of(mag, bool(selected)).graph
    assert net.certificate.status == "consistent"
    assert net.warnings == ()
    for pair, found in net.separating_sets.items():
        assert d_separated(graph, *pair, [*found, *selected])


@given(dags(min_size=3, max_size=7))
@settings(max_examples=30)
def test_without_hidden_variables_it_is_the_pag_of_the_dag(graph):
    net = learned(graph)
    assert net.by_position.marks == pag_of(true_mag(graph)).graph


@given(dags_with_hidden(max_size=8, selection=False), st.integers(0, 2))
@settings(max_examples=60)
def test_a_limit_on_conditioning_leaves_no_edge_out_and_no_arrow_wrong(case, limit):
    graph, hidden, _ = case
    if len(hidden) == len(graph):
        return
    net, mag = learned(graph, hidden, max_conditioning=limit), true_mag(graph, hidden)
    shown = net.by_position.marks
    for edge in mag.edges():
        assert shown.adjacent(edge.a, edge.b)
    causes = nx.transitive_closure_dag(graph)
    for a, b in net.skeleton.edges:
        for tail, head in ((a, b), (b, a)):
            assert net.mark(tail, head) != "arrow" or not causes.has_edge(head, tail)


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_answers_that_contradict_each_other_give_a_legal_pag(seed):
    random = np.random.default_rng(seed)

    remembered = {}

    class Coin(sl.CITest):
        names = tuple("abcdef")

        def p_value(self, x, y, given):
            key = (min(x, y), max(x, y), frozenset(given))
            return remembered.setdefault(key, float(random.random() < 0.5))

    net = sl.learn(Coin(), hidden=True)
    assert is_pag(net.by_position.marks)
    for a, _, b in net.edges:
        assert net.explain(a, b).sentences


@pytest.mark.parametrize("seed", range(4))
def test_a_table_gives_a_legal_pag(seed):
    random = np.random.default_rng(seed)
    table = random.normal(size=(300, 8)) @ np.triu(random.normal(size=(8, 8)))
    assert is_pag(sl.learn(table[:, ::2], hidden=True).by_position.marks)


def confounded_table(n_rows=5000):
    random = np.random.default_rng(1)
    a, b, u = random.normal(size=(3, n_rows))
    x, y = a + u + random.normal(size=n_rows), b + u + random.normal(size=n_rows)
    return {"a": a, "x": x, "y": y, "b": b, "z": y + random.normal(size=n_rows)}


@pytest.fixture(scope="module")
def from_table():
    columns = confounded_table()
    return sl.learn(np.column_stack(list(columns.values())), names=list(columns), hidden=True)


def test_a_hidden_cause_in_a_table_is_found(from_table):
    oracle = learned(CONFOUNDED, ["u"])
    assert {frozenset((a, s, b)) for a, s, b in from_table.edges} == {frozenset((a, s, b)) for a, s, b in oracle.edges}
    assert from_table.settings.learner == "hybrid"


def test_marks_stand_at_the_end_that_is_asked_for():
    net = learned(CONFOUNDED, ["u"])
    assert (net.mark("x", "y"), net.mark("y", "x")) == ("arrow", "arrow")
    assert (net.mark("a", "x"), net.mark("x", "a")) == ("arrow", "circle")
    assert (net.mark("z", "y"), net.mark("a", "b")) == ("tail", None)
    assert net.edges == [("y", "→", "z"), ("x", "↔", "y"), ("a", "○→", "x"), ("b", "○→", "y")]
    assert "4 edges (hidden causes allowed: 1 →, 1 ↔, 2 ○→)" in repr(net)
    plain = sl.learn(sl.DSeparation(CONFOUNDED))
    assert (plain.mark("a", "x"), plain.mark("x", "a")) == ("arrow", "tail")
    with pytest.raises(sl.InputError, match="no variable 'w'"):
        net.mark("w", "x")


def test_causes_are_told_with_their_reason():
    net = learned(CONFOUNDED, ["u"])
    assert str(net.causes("y", "z")) == "yes: arrows lead from y to z: y → z"
    assert net.causes("a", "z").answer == "no"
    assert str(net.causes("b", "z")) == "possibly: this path may lead from b to z or not: b … y … z"
    plain = sl.learn(sl.DSeparation(CONFOUNDED))
    assert plain.causes("u", "z").because.endswith("if no common cause is hidden")
    with pytest.raises(sl.InputError, match="two different"):
        net.causes("y", "y")


def test_an_edge_is_explained_with_a_reason_for_each_mark():
    net = learned(CONFOUNDED, ["u"])
    text = str(net.explain("x", "y"))
    assert "x ↔ y: something hidden causes x and y, and neither causes the other." in text
    assert "The arrow at x: x is adjacent to y and a" in text
    facts = net.explain("y", "z").as_dict()
    assert facts["visible"]
    assert facts["marks"] == ["tail", "arrow"]
    assert facts["rules"] == [{"rule": "R1", "others": ["b"]}, {"rule": "R1", "others": ["b"]}] or facts["rules"][0]


def test_a_pag_is_the_same_when_it_was_written_and_read(tmp_path, from_table):
    for number, net in enumerate((learned(CONFOUNDED, ["u"]), from_table)):
        net.write(tmp_path / f"{number}.json")
        again = sl.read(tmp_path / f"{number}.json")
        assert again == net
        assert again.edges == net.edges
        assert again.explain("x", "y").sentences == net.explain("x", "y").sentences
        assert again.is_pag


def test_other_formats_have_the_marks(tmp_path):
    net = learned(CONFOUNDED, ["u"])
    for kind in ("dot", "graphml", "gml", "csv", "txt", "svg", "json"):
        net.write(tmp_path / f"pag.{kind}")
    assert "x <-> y" in (tmp_path / "pag.txt").read_text()
    assert "arrowtail=odot, arrowhead=normal" in (tmp_path / "pag.dot").read_text()
    rows = list(csv.DictReader((tmp_path / "pag.csv").open()))
    assert {(r["source"], r["source_mark"], r["target_mark"], r["target"]) for r in rows} == {
        (a, net.mark(b, a), net.mark(a, b), b) for a, _, b in net.edges
    }
    for kind in ("graphml", "gml", "csv", "json"):
        with pytest.raises(sl.InputError, match="holds a PAG"):
            sl.read_graph(tmp_path / f"pag.{kind}")


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "pag.json"
    learned(CONFOUNDED, ["u"]).write(path)
    whole = path.read_text()
    for old, new, message in (('"circle"', '"cross"', "marks must be one of"), ('"a", "x"', '"a", "a"', "twice")):
        path.write_text("".join(whole.split()).replace(old.replace(" ", ""), new.replace(" ", ""), 1))
        with pytest.raises(sl.InputError, match=message):
            sl.read(path)


def test_causal_learn_gets_the_marks():
    graph = learned(CONFOUNDED, ["u"]).to_causallearn()
    assert sorted(str(edge) for edge in graph.get_graph_edges()) == ["a o-> x", "b o-> y", "x <-> y", "y --> z"]


@pytest.mark.parametrize(
    "use",
    [
        lambda net: net.to_dag(),
        lambda net: net.to_networkx(),
        lambda net: net.to_pgmpy(),
        lambda net: net.to_igraph(),
    ],
)
def test_what_needs_a_dag_says_so(use):
    with pytest.raises(sl.InputError, match="learned with hidden=True: it is a PAG"):
        use(learned(CONFOUNDED, ["u"]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "pc"}, "goes with the learners hybrid and l-marvel, not with 'pc'"),
        ({"side": sl.CliqueNumber(3)}, "has no bound that goes with hidden=True"),
        ({"hidden": 3}, "hidden must be True or False"),
    ],
)
def test_options_that_do_not_go_with_hidden_causes_are_refused(options, message):
    with pytest.raises(sl.InputError, match=message):
        sl.learn(sl.DSeparation(CONFOUNDED), **{"hidden": True, **options})


def test_the_command_learns_a_pag_and_refuses_what_does_not_go_with_it(tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "pag.json"
    columns = confounded_table(1000)
    np.savetxt(table, np.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="")
    done = CliRunner().invoke(app, ["learn", str(table), "--hidden", "--out", str(out)], env={"COLUMNS": "160"})
    assert done.exit_code == 0, done.output
    assert "something hidden causes x and y" in " ".join(done.output.replace("│", " ").split())
    assert sl.read(out).mark("x", "y") == "arrow"
    assert sl.read(out).settings.command().endswith("--hidden --resamples 0")
    more = ["--resamples", "6", "--alphas", ".01,.3", "--force", "--report", str(tmp_path / "r.html")]
    done = CliRunner().invoke(app, ["learn", str(table), "--hidden", "--out", str(out), *more], env={"COLUMNS": "160"})
    assert done.exit_code == 0, done.output
    assert "100% (arrow 100%, arrow" in done.output
    assert sl.read(out).shares.n_resamples == 6
    assert sl.read(out).levels.alphas == (0.01, 0.3)


def test_a_result_without_hidden_causes_says_which_arrows_would_survive_them():
    """x → c ← y, c → d: only c → d says that one causes the other, whatever is hidden."""
    random = np.random.default_rng(3)
    x, y = random.normal(size=(2, 2000))
    c = x + y + random.normal(size=2000)
    net = sl.learn(np.column_stack([x, y, c, c + random.normal(size=2000)]), names=["x", "y", "c", "d"])
    assert net.surviving_arrows == [("c", "d")]
    assert "if common causes were hidden, 1 of 3 arrows would still say what causes what (c → d)" in repr(net)


def test_a_pag_separates_what_its_separating_sets_do():
    """Its MAGs and its separating sets say the same."""
    net = learned(CONFOUNDED, ["u"])
    mag = true_mag(CONFOUNDED, ["u"])
    index = mag.names.index
    for x, y in combinations(mag.names, 2):
        if net.mark(x, y) is None:
            assert m_separated(mag, index(x), index(y), set(map(index, net.separating_sets[frozenset((x, y))])))
