"""What other programs write is read, and what cannot be read is named."""

import json
import shutil
import subprocess

import networkx as nx
import pytest

import sidelight as sl
from sidelight.output import formats


def read(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    graph = sl.read_graph(tmp_path / name)
    lines = {frozenset((a, b)) for a, b, directed in graph.edges(data="directed") if not directed}
    return list(graph), {(a, b) for a, b, directed in graph.edges(data="directed") if directed}, lines


@pytest.mark.parametrize("header", ["parent,child", "from,to", "From,To", "source,target", "x,from,to,strength"])
def test_plain_edge_lists_are_dags(tmp_path, header):
    extra = header.startswith("x")
    text = header + "\n" + ("1,a,b,0.5\n2,b,c,0.5\n" if extra else "a,b\nb,c\n")
    assert read(tmp_path, "g.csv", text) == (["a", "b", "c"], {("a", "b"), ("b", "c")}, set())


def test_an_arc_that_stands_both_ways_has_no_direction_as_in_bnlearn(tmp_path):
    text = "from,to\na,b\nb,a\nb,c\n"
    assert read(tmp_path, "g.csv", text) == (["a", "b", "c"], {("b", "c")}, {frozenset("ab")})


def test_simple_dot_is_read(tmp_path):
    text = """
    // a comment
    strict digraph "my graph" {
      rankdir=LR; node [shape=box, style="filled"]; /* more
      comments */ a [label="A"]
      a -> b -> "c d" [color=red];
      a -> e [dir=none]
      f -> g [dir=back]; g -> h [dir=both, arrowtail=none, arrowhead=normal]
      "say \\"hi\\"" -- -1.5
      lonely
    }
    """
    names, arrows, lines = read(tmp_path, "g.dot", text)
    assert names == ["a", "b", "c d", "e", "f", "g", "h", 'say "hi"', "-1.5", "lonely"]
    assert arrows == {("a", "b"), ("b", "c d"), ("g", "f"), ("g", "h")}
    assert lines == {frozenset("ae"), frozenset(['say "hi"', "-1.5"])}


def test_edge_defaults_of_dot_hold_for_what_follows(tmp_path):
    text = "digraph { a -> b; edge [dir=none]; b -> c }"
    assert read(tmp_path, "g.dot", text)[1:] == ({("a", "b")}, {frozenset("bc")})


@pytest.mark.parametrize("name", ["asia", "child", "alarm"])
def test_what_networkx_writes_is_read(tmp_path, name):
    net = sl.learn(sl.DSeparation(sl.networks.load(name)))
    graph = net.to_networkx()
    nx.write_graphml(graph, tmp_path / "g.graphml")
    nx.write_gml(graph, tmp_path / "g.gml")
    for file in ("g.graphml", "g.gml"):
        assert nx.utils.graphs_equal(sl.read_graph(tmp_path / file), graph)


def test_undirected_graphml_and_gml_have_lines(tmp_path):
    graph = nx.Graph([("a", "b"), ("b", "c")])
    nx.write_graphml(graph, tmp_path / "g.graphml")
    nx.write_gml(graph, tmp_path / "g.gml")
    for file in ("g.graphml", "g.gml"):
        assert {d for *_, d in sl.read_graph(tmp_path / file).edges(data="directed")} == {False}


def test_what_is_written_is_read_by_networkx(tmp_path):
    net = sl.learn(sl.DSeparation(sl.networks.load("child")))
    for extension, reader in (("graphml", nx.read_graphml), ("gml", nx.read_gml)):
        net.write(tmp_path / f"g.{extension}")
        graph = reader(tmp_path / f"g.{extension}")
        assert {(a, b) for a, b, d in graph.edges(data="directed") if d} == set(net.directed_edges)
        assert {frozenset((a, b)) for a, b, d in graph.edges(data="directed") if not d} == {
            frozenset(edge) for edge in net.undirected_edges
        }


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_accepts_the_dot(tmp_path):
    dag = nx.DiGraph([('<b>"', "back\\"), ("new\nline", "node"), ("node", "a -> b")])
    formats.write(dag, tmp_path / "g.dot")
    assert b"<svg" in subprocess.run(["dot", "-Tsvg", tmp_path / "g.dot"], capture_output=True, check=True).stdout


NETWORK = json.loads(formats.to_json(sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("c", "b")])))))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.txt", "", "cannot tell the format of .*it may end in .json, .dot, .graphml, .gml, .csv, .bif"),
        ("g.csv", "", "is no edge list: its first line is '', not 'source,target', 'parent,child', 'from,to'"),
        ("g.csv", "a,b\n1,2\n", "its first line is 'a,b'"),
        ("g.csv", "from,to\na,b\nb\n", r"line 3: \['b'\] does not name a variable and what it points to"),
        ("g.csv", 'from,to\na,"b\n', "line 2: unexpected end of data"),
        ("g.csv", "source,target,directed\na,b,perhaps\n", "line 2: 'perhaps' does not say whether"),
        ("g.csv", "from,to\na,b\nb,c\nc,a\n", "the graph has a directed cycle: a → b → c → a"),
        ("g.csv", "from,to\na,a\n", "'a' is joined to itself"),
        ("g.csv", "source,target,directed\na,b,yes\nb,a,no\n", "'a', 'b' is given with a direction and without"),
        ("g.dot", "", "is no DOT file: it does not begin with 'graph' or 'digraph'"),
        ("g.dot", "digraph {\n a -> b;\n", "line 2: the graph ends before its closing brace"),
        ("g.dot", "digraph {\n subgraph x { a }\n}", "line 2: subgraphs are not read"),
        ("g.dot", "digraph {\n a -> ;\n}", "line 2: a variable's name is needed here, not ';'"),
        ("g.dot", "digraph {\n\n <b>x</b> -> b\n}", "line 3: cannot read '<b>x</b> -> b"),
        ("g.dot", 'digraph {\n "a -> b\n}', "line 2: cannot read"),
        ("g.dot", "digraph { a -> b [dir=both] }", "the edge 'a', 'b' has two arrowheads"),
        ("g.dot", "digraph { a -> b } x", "nothing is read after the graph"),
        ("g.graphml", "<graphml><graph", "is no GraphML that can be read"),
        ("g.graphml", "", "is no GraphML that can be read"),
        ("g.graphml", "<html></html>", "is no GraphML that can be read"),
        ("g.gml", "graph [ node [ id 0", "is no GML that can be read"),
        ("g.gml", "nothing", "is no GML that can be read"),
        ("g.gml", 'graph [ node [ id 0 label "a" ] node [ id 1 label "a" ] ]', "the name 'a' is used twice"),
        ("g.gml", 'graph [ directed 1 node [ id 0 label "a" ] edge [ source 0 target 7 ] ]', "no GML that can be read"),
        ("g.bif", "network x { }", "has no variable"),
        ("g.json", "{", "is not JSON, or not all of it"),
        ("g.json", "[]", "its schema is None, not 'sidelight/network/1' or 'sidelight/graph/1'"),
        ("g.json", json.dumps(NETWORK | {"schema": "sidelight/network/9"}), "its schema is 'sidelight/network/9'"),
        ("g.json", json.dumps(NETWORK | {"names": ["a", "a"]}), "the name 'a' is used twice"),
        ("g.json", json.dumps(NETWORK | {"names": None}), "'names' is not a list of texts"),
        ("g.json", json.dumps(NETWORK | {"directed_edges": [["a", "z"]]}), "'directed_edges': 'z' is no variable"),
        ("g.json", json.dumps(NETWORK | {"directed_edges": [["a"]]}), r"'directed_edges': a pair is expected"),
        ("g.json", json.dumps(NETWORK | {"directed_edges": 3}), "'directed_edges': a list is expected, not 3"),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_graph_is_named_with_what_is_wrong(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(sl.InputError, match=message):
        sl.read_graph(tmp_path / name)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"directed_edges": [["a", "b"], ["b", "c"]]}, "not those of the essential graph"),
        ({"undirected_edges": [["a", "b"]]}, "given with a direction and without one"),
        ({"dag": [["a", "b"]]}, "not those of the essential graph"),
        ({"removals": []}, "'removals': 'a' is missing"),
        ({"removals": [{"removed": "a"}]}, "'removals': 'boundary' is missing"),
        ({"explicit_sets": [{"pair": ["a", "q"], "set": []}]}, "'explicit_sets': 'q' is no variable"),
        ({"boundaries": {"q": []}}, "'boundaries': 'q' is no variable"),
        ({"tests_by_size": {"many": 1}}, "'tests_by_size': a whole number is expected, not 'many'"),
        ({"boundary_tests": True}, "'boundary_tests': a whole number is expected, not True"),
        ({"warnings": "careful"}, "'warnings': a list is expected, not 'careful'"),
        ({"settings": {"alpha": 0.1}}, "'settings': a text is expected, not 0.1"),
        ({"certificate": {"status": "sure", "sentence": ""}}, "'certificate': 'sure' is no status"),
    ],
)
def test_a_network_that_was_tampered_with_is_refused(tmp_path, changes, message):
    (tmp_path / "net.json").write_text(json.dumps(NETWORK | changes))
    with pytest.raises(sl.InputError, match=message):
        sl.read(tmp_path / "net.json")


def test_a_field_that_must_be_there_is_missed(tmp_path):
    (tmp_path / "net.json").write_text(json.dumps({k: v for k, v in NETWORK.items() if k != "removals"}))
    with pytest.raises(sl.InputError, match="'removals' is missing"):
        sl.read(tmp_path / "net.json")


def test_files_that_are_not_there_or_no_text_are_named(tmp_path):
    with pytest.raises(sl.InputError, match=r"there is no file 'nowhere.json'"):
        sl.read("nowhere.json")
    with pytest.raises(sl.InputError, match=r"is a .json file"):
        sl.read("graph.dot")
    (tmp_path / "folder.dot").mkdir()
    with pytest.raises(sl.InputError, match="is a folder"):
        sl.read_graph(tmp_path / "folder.dot")
    (tmp_path / "latin.csv").write_bytes(b"from,to\n\xe4,b\n")
    with pytest.raises(sl.InputError, match="is not UTF-8 text"):
        sl.read_graph(tmp_path / "latin.csv")
    (tmp_path / "cut.bif.gz").write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(sl.InputError, match="cannot read"):
        sl.read_graph(tmp_path / "cut.bif.gz")


def test_writing_refuses_what_it_cannot_write(tmp_path):
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])))
    with pytest.raises(sl.InputError, match=r"it may end in .json, .dot, .graphml, .gml, .csv, .svg, .png, .pdf$"):
        net.write(tmp_path / "g.txt")
    with pytest.raises(sl.InputError, match=r"net.fit\(data\).write\(path\)"):
        net.write(tmp_path / "g.bif")
    with pytest.raises(sl.InputError, match=r"a Network or a networkx.DiGraph can be written, not a Graph"):
        formats.write(nx.Graph([("a", "b")]), tmp_path / "g.dot")
    assert not list(tmp_path.iterdir())
