"""What other programs write is read, and what cannot be read is named."""

import json
import re
import shutil
import subprocess
from contextlib import suppress

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


DRAWN = nx.DiGraph([('<b>"', "back\\"), ("new\nline", "node"), ("node", "a -> b")])


def test_dot_has_every_name_in_quotes_and_a_line_where_an_edge_has_no_direction(tmp_path):
    pydot = pytest.importorskip("pydot")
    graph = nx.DiGraph(DRAWN.edges, directed=True)
    graph.add_edge("graph", "alone, but for one", directed=False)
    formats.write(graph, tmp_path / "g.dot")
    (drawn,) = pydot.graph_from_dot_file(str(tmp_path / "g.dot"))

    def name(quoted):
        return re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), quoted[1:-1])

    assert {name(node.get_name()) for node in drawn.get_nodes()} == set(graph)
    edges = {(name(e.get_source()), name(e.get_destination())): e.get_attributes() for e in drawn.get_edges()}
    assert edges == {(a, b): {} if d else {"dir": "none"} for a, b, d in graph.edges(data="directed", default=True)}


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_accepts_the_dot(tmp_path):
    formats.write(DRAWN, tmp_path / "g.dot")
    assert b"<svg" in subprocess.run(["dot", "-Tsvg", tmp_path / "g.dot"], capture_output=True, check=True).stdout


NETWORK = json.loads(formats.to_json(sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("c", "b")])))))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.xyz", "", "cannot tell the format of .*it may end in .json, .graphml, .gml, .csv, .bif"),
        ("g.csv", "", "is no edge list: its first line is '', not 'source,target', 'parent,child', 'from,to'"),
        ("g.csv", "a,b\n1,2\n", "its first line is 'a,b'"),
        ("g.csv", "from,to\na,b\nb\n", r"line 3: \['b'\] does not name a variable and what it points to"),
        ("g.csv", 'from,to\na,"b\n', "line 2: unexpected end of data"),
        ("g.csv", "source,target,directed\na,b,perhaps\n", "line 2: 'perhaps' does not say whether"),
        ("g.csv", "from,to\na,b\nb,c\nc,a\n", "the graph has a directed cycle: a → b → c → a"),
        ("g.csv", "from,to\na,a\n", "'a' is adjacent to itself"),
        ("g.csv", "source,target,directed\na,b,yes\nb,a,no\n", "'a', 'b' is given with a direction and without"),
        ("g.dot", "digraph { a -> b }", "DOT files can be written but not read; what is read ends in .json, .graphml"),
        ("g.graphml", "<graphml><graph", "is no GraphML that can be read"),
        ("g.graphml", "", "is no GraphML that can be read"),
        ("g.graphml", "<html></html>", "is no GraphML that can be read"),
        ("g.gml", "graph [ node [ id 0", "is no GML that can be read"),
        ("g.gml", "nothing", "is no GML that can be read"),
        ("g.gml", "graph [ x " * 5000 + "]" * 5000, "is no GML that can be read"),
        ("g.gml", 'graph [\n label "a\n\n b" ]', "is no GML that can be read"),
        ("g.gml", "graph 3", "is no GML that can be read"),
        ("g.gml", 'graph [ node [ id 0 label "a" ] node [ id 1 label "a" ] ]', "the name 'a' is used twice"),
        ("g.gml", 'graph [ directed 1 node [ id 0 label "a" ] edge [ source 0 target 7 ] ]', "no GML that can be read"),
        ("g.bif", "network x { }", "has no variable"),
        ("g.json", "{", "is not JSON, or not all of it"),
        ("g.json", "[]", "expected an object, got a list"),
        ("g.json", "{}", "its schema is None, not 'sidelight/network/1' or 'sidelight/graph/1'"),
        ("g.json", json.dumps(NETWORK | {"schema": "sidelight/network/9"}), "its schema is 'sidelight/network/9'"),
        ("g.json", json.dumps(NETWORK | {"names": ["a", "a"]}), "the name 'a' is used twice"),
        ("g.json", json.dumps(NETWORK | {"names": None}), "'names': expected a list, got null"),
        ("g.json", json.dumps(NETWORK | {"names": [1.5]}), "expected a whole number or a text, got a number"),
        ("g.json", json.dumps({"schema": "sidelight/graph/1"}), "object missing required field 'names'"),
        ("g.json", json.dumps(NETWORK | {"directed_edges": [["a", "z"]]}), r"edges\[0\]\[1\]': 'z' is no variable"),
        ("g.json", json.dumps(NETWORK | {"directed_edges": [["a"]]}), r"edges\[0\]': expected a list of length 2"),
        ("g.json", json.dumps(NETWORK | {"directed_edges": 3}), "'directed_edges': expected a list, got a whole"),
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
        ({"removals": [{"removed": "a"}]}, r"'removals\[0\]': object missing required field 'boundary'"),
        ({"explicit_sets": [{"pair": ["a", "q"], "set": []}]}, r"'explicit_sets\[0\]\.pair\[1\]': 'q' is no variable"),
        ({"boundaries": {"q": []}}, "'boundaries': 'q' is no variable"),
        ({"tests_by_size": {"many": 1}}, "'tests_by_size': expected a whole number, got a text"),
        ({"boundary_tests": True}, "'boundary_tests': expected a whole number, got true or false"),
        ({"warnings": "careful"}, "'warnings': expected a list, got a text"),
        ({"settings": {"alpha": 0.1}}, "'settings': object missing required field 'learner'"),
        (
            {"certificate": {"status": "sure", "sentence": ""}},
            "'certificate': status must be one of 'consistent', .*; got 'sure'",
        ),
    ],
)
def test_a_network_that_was_tampered_with_is_refused(tmp_path, changes, message):
    (tmp_path / "net.json").write_text(json.dumps(NETWORK | changes))
    with pytest.raises(sl.InputError, match=message):
        sl.read(tmp_path / "net.json")


def test_a_field_that_must_be_there_is_missed(tmp_path):
    (tmp_path / "net.json").write_text(json.dumps({k: v for k, v in NETWORK.items() if k != "removals"}))
    with pytest.raises(sl.InputError, match=r"net.json': object missing required field 'removals'"):
        sl.read(tmp_path / "net.json")


def test_files_that_are_not_there_or_no_text_are_named(tmp_path):
    with pytest.raises(sl.InputError, match=r"there is no file 'nowhere.json'"):
        sl.read("nowhere.json")
    with pytest.raises(sl.InputError, match=r"is a .json file"):
        sl.read("graph.dot")
    (tmp_path / "folder.gml").mkdir()
    with pytest.raises(sl.InputError, match="is a folder"):
        sl.read_graph(tmp_path / "folder.gml")
    (tmp_path / "latin.csv").write_bytes(b"from,to\n\xe4,b\n")
    with pytest.raises(sl.InputError, match="is not UTF-8 text"):
        sl.read_graph(tmp_path / "latin.csv")
    (tmp_path / "cut.bif.gz").write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(sl.InputError, match="cannot read"):
        sl.read_graph(tmp_path / "cut.bif.gz")


def test_writing_refuses_what_it_cannot_write(tmp_path):
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])))
    with pytest.raises(
        sl.InputError, match=r"it may end in .json, .dot, .graphml, .gml, .csv, .txt, .svg, .png, .pdf$"
    ):
        net.write(tmp_path / "g.xyz")
    with pytest.raises(sl.InputError, match=r"net.fit\(data\).write\(path\)"):
        net.write(tmp_path / "g.bif")
    with pytest.raises(sl.InputError, match=r"a Network or a networkx.DiGraph can be written, not a Graph"):
        formats.write(nx.Graph([("a", "b")]), tmp_path / "g.dot")
    assert not list(tmp_path.iterdir())


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([".graphml", ".gml", ".csv", ".json"]), st.data())
def test_a_damaged_file_is_read_or_refused(extension, data):
    content = formats.GRAPH_WRITERS[extension](sl.networks.load("asia"))
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
    junk = data.draw(
        st.sampled_from(["", "[", "]", '"', "\n\n", "node [", "<x>", "&#99999999;", "0", "id id", ",", "}"])
    )
    with suppress(sl.InputError):
        formats.READERS[extension](content[:first] + junk + content[last:], "damaged")
