"""The arrows that knowledge gives are in every format and in other packages' graphs, and JSON keeps what was known.

A file whose arrows and knowledge contradict each other is refused.
"""

import json
import re
from itertools import pairwise
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest

import sidelight as sl
from sidelight.knowledge import known
from sidelight.output import formats
from sidelight.output.formats.network_json import parse
from tests.graphs_for_tests import graph_in_order

CHAIN = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "d")])
KITE = graph_in_order("1234", [("1", "2"), ("1", "3"), ("1", "4"), ("3", "2"), ("4", "3")])
SVG = "{http://www.w3.org/2000/svg}"
VALUES = np.random.default_rng(0).standard_normal((300, 4)).cumsum(axis=1)  # each column from the one before


def chain_of(*names):
    return nx.DiGraph(list(pairwise(names)))


# The source, what is known, and the arrows that follow; without knowledge all edges are undirected.
CASES = {
    "all edges directed": (sl.DSeparation(CHAIN), sl.Required(("a", "b")), [("a", "b"), ("b", "c"), ("c", "d")]),
    "some edges directed": (sl.DSeparation(KITE), sl.Required(("4", "3")), [("1", "2"), ("3", "2"), ("4", "3")]),
    "one by a path": (sl.DSeparation(CHAIN), sl.NotAncestor(("d", "a")), [("c", "d")]),
    "whole numbers as names": (sl.DSeparation(chain_of(2, 0, 1)), sl.Roots(0), [(0, 1), (0, 2)]),
    "names with marks": (
        sl.DSeparation(chain_of("a,b", 'x"y', "<c> & é", "→")),
        sl.Tiers(["a,b"], ['x"y', "<c> & é", "→"]),
        [("a,b", 'x"y'), ('x"y', "<c> & é"), ("<c> & é", "→")],
    ),
    "a table": (VALUES, sl.Forbidden((1, 0)), [(0, 1), (1, 2), (2, 3)]),
}
# One statement of each kind, and bounds, all of which hold for the chain a → b → c → d.
EVERYTHING = known(
    [
        sl.DiamondFree(),
        sl.MaxInDegree(2),
        sl.Required(("a", "b"), ("b", "c")),
        sl.Forbidden(("d", "[ab]")),
        sl.Edge(("d", "c")),
        sl.NoEdge(("a", "d")),
        sl.Ancestor(("a", "d")),
        sl.NotAncestor(("c", "a")),
        sl.Roots("a"),
        sl.Leaves("d"),
        sl.Order("a", ["b", "c"]),
        sl.Tiers("a", ["b"], "c", "d", isolated=True, next_only=True),
        sl.Tiers(["a", "b"], ["c", "d"]),
        sl.Part([("a", "b")], ["d"]),
    ]
)


@pytest.fixture(scope="module", params=CASES.values(), ids=list(CASES))
def net(request):
    """A network with arrows that are there by knowledge alone."""
    source, what, arrows = request.param
    assert sl.learn(source, learner="rsl").directed_edges == []
    net = sl.learn(source, side=what, learner="rsl")
    assert sorted(net.directed_edges) == sorted(arrows)
    assert net.settings.known == known(what)
    return net


def as_texts(net):
    """The directed edges and, as sets, the undirected ones, over texts."""
    directed = {(str(a), str(b)) for a, b in net.directed_edges}
    return directed, {frozenset(map(str, edge)) for edge in net.undirected_edges}


def edges_of(graph):
    """The same of a graph with the attribute ``directed``."""
    edges = [(str(a), str(b), directed) for a, b, directed in graph.edges(data="directed")]
    undirected = {frozenset((a, b)) for a, b, directed in edges if not directed}
    assert sum(not directed for *_, directed in edges) == 2 * len(undirected)  # they stand in both directions
    return {(a, b) for a, b, directed in edges if directed}, undirected


# Other packages.


def test_networkx_has_the_arrows(net):
    assert edges_of(net.to_networkx()) == as_texts(net)
    assert set(net.to_dag().edges) >= set(net.directed_edges)


def test_pgmpy_has_the_arrows(net):
    base = pytest.importorskip("pgmpy.base")
    graph = net.to_pgmpy()
    assert isinstance(graph, base.PDAG if net.undirected_edges else base.DAG)
    assert set(graph.nodes) == set(net.names)
    if not net.undirected_edges:
        assert set(graph.edges) == set(net.directed_edges)
        return
    assert set(graph.directed_edges) == set(net.directed_edges)
    assert set(map(frozenset, graph.undirected_edges)) == set(map(frozenset, net.undirected_edges))


def test_causallearn_has_the_arrows(net):
    pytest.importorskip("causallearn")
    graph = net.to_causallearn()
    directed, undirected = as_texts(net)
    for name in map(str, net.names):
        node = graph.get_node(name)
        assert {parent.get_name() for parent in graph.get_parents(node)} == {a for a, b in directed if b == name}
        assert {child.get_name() for child in graph.get_children(node)} == {b for a, b in directed if a == name}
    found = [
        edge for edge in graph.get_graph_edges() if graph.is_undirected_from_to(edge.get_node1(), edge.get_node2())
    ]
    assert {frozenset((edge.get_node1().get_name(), edge.get_node2().get_name())) for edge in found} == undirected
    for tail, head in directed:  # paths are known to it, too
        assert graph.is_ancestor_of(graph.get_node(tail), graph.get_node(head))


def test_igraph_has_the_arrows(net):
    pytest.importorskip("igraph")
    graph = net.to_igraph()
    found = nx.DiGraph()
    for edge in graph.es:
        found.add_edge(graph.vs[edge.source]["name"], graph.vs[edge.target]["name"], directed=edge["directed"])
    assert edges_of(found) == as_texts(net)


# Files.


@pytest.mark.parametrize("extension", sorted(formats.WRITERS.keys() & formats.READERS.keys()))
def test_formats_that_can_be_read_have_the_arrows(net, extension, tmp_path):
    net.write(tmp_path / f"net{extension}")
    assert edges_of(sl.read_graph(tmp_path / f"net{extension}")) == as_texts(net)


def test_dot_has_the_arrows(net, tmp_path):
    net.write(tmp_path / "net.dot")
    name = r'"((?:[^"\\]|\\.)*)"'
    found = re.findall(
        rf"^  {name} -> {name}(?: \[(dir=none)?.*\])?;$", (tmp_path / "net.dot").read_text(), re.MULTILINE
    )
    edges = [(a.replace('\\"', '"'), b.replace('\\"', '"'), plain) for a, b, plain in found]
    assert {(a, b) for a, b, plain in edges if not plain} == as_texts(net)[0]
    assert {frozenset((a, b)) for a, b, plain in edges if plain} == as_texts(net)[1]


def test_a_picture_has_the_arrows(net, tmp_path):
    net.write(tmp_path / "net.svg")
    root = ElementTree.parse(tmp_path / "net.svg").getroot()
    nodes = [group for group in root.findall(f"{SVG}g") if group.find(f"{SVG}rect") is not None]
    boxes = {group.find(f"{SVG}title").text: box_of(group.find(f"{SVG}rect")) for group in nodes}
    # An edge is a path, or, where effect sizes are known, a group of its line and its arrowhead.
    alone = [(path, "marker-end" in path.attrib) for path in root.findall(f"{SVG}path")]
    groups = [paths for group in root.findall(f"{SVG}g") if (paths := group.findall(f"{SVG}path"))]
    drawn = [*alone, *((paths[0], paths[-1].get("class") == "head") for paths in groups)]
    curves = [(ends_of(path, boxes), path, arrow) for path, arrow in drawn]
    assert {ends for ends, _, arrow in curves if arrow} == as_texts(net)[0]
    assert {frozenset(ends) for ends, path, _ in curves if path.get("class") == "undirected"} == as_texts(net)[1]
    assert len(curves) == net.skeleton.number_of_edges()


def box_of(rectangle):
    """Left, right, top and bottom."""
    x, y, width, height = (float(rectangle.get(key)) for key in ("x", "y", "width", "height"))
    return x, x + width, y, y + height


def ends_of(path, boxes):
    """The names of the boxes where a curve begins and ends."""
    numbers = [float(number) for number in re.findall(r"-?[0-9.]+", path.get("d"))]
    return tuple(nearest(x, y, boxes) for x, y in (numbers[:2], numbers[-2:]))


def nearest(x, y, boxes):
    def distance(name):
        left, right, top, bottom = boxes[name]
        return max(left - x, x - right, 0) + max(top - y, y - bottom, 0)

    return min(boxes, key=distance)


# JSON, with all that was known.


def test_json_keeps_what_was_known(net, tmp_path):
    net.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json")
    assert again == net
    assert again.settings.known == net.settings.known
    assert as_texts(again) == as_texts(net)
    assert formats.to_json(again) == formats.to_json(net)
    for a, b in net.directed_edges:
        assert str(again.explain(a, b)) == str(net.explain(a, b))


def test_json_keeps_a_statement_of_every_kind_and_bounds_beside(tmp_path):
    net = sl.learn(sl.DSeparation(CHAIN), side=EVERYTHING)
    net.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json")
    assert again == net
    assert again.settings.known.statements == EVERYTHING.statements
    assert again.settings.known & again.settings.side == EVERYTHING


def test_json_without_its_knowledge_is_refused_since_the_arrows_have_no_reason(net):
    content = json.loads(formats.to_json(net))
    del content["settings"]["known"]
    with pytest.raises(sl.InputError, match=r"^'net.json': its edges are not those of the essential graph of its DAG$"):
        parse(json.dumps(content), "net.json")


def test_json_without_the_arrows_that_its_knowledge_gives_is_refused(net):
    content = json.loads(formats.to_json(net))
    content["undirected_edges"] += content["directed_edges"]
    content["directed_edges"] = []
    with pytest.raises(sl.InputError, match="not those of the essential graph of its DAG and of what was known"):
        parse(json.dumps(content), "net.json")


# The chain a → b → c → d, directed by a → b, with other knowledge in its place.
LEARNED = json.loads(formats.to_json(sl.learn(sl.DSeparation(CHAIN), side=sl.Required(("a", "b")))))


@pytest.mark.parametrize(
    "what",
    [
        sl.NoEdge(("a", "b")),
        sl.Edge(("a", "d")),
        sl.Tiers(["c", "d"], ["a", "b"]),
        sl.Ancestor(("d", "a")),
        sl.NotAncestor(("a", "d")),
        sl.Required(("b", "a")),
        sl.Forbidden(("a", "b")),
        sl.Required(("a", "b"), ("a", "d")),
        sl.Roots("d") & sl.Required(("a", "b")),
        sl.Required(("a", "b")) & sl.NoEdge(("c", "d")),
    ],
    ids=str,
)
@pytest.mark.parametrize("with_dag", [True, False])
def test_json_whose_arrows_contradict_its_knowledge_is_refused(what, with_dag):
    content = {**LEARNED, "settings": {**LEARNED["settings"], "known": known(what).as_dict()}}
    if not with_dag:
        del content["dag"]
    with pytest.raises(sl.InputError, match=r"^'net.json'.*known"):
        parse(json.dumps(content), "net.json")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"requires": [["a", "b"]]}, "unknown key 'requires' (did you mean 'required'?)"),
        ({"required": ["a", "b"]}, "'a' is not a pair of two names"),
        ({"side": ["diamonds"]}, "diamonds"),
        ({"required": [["a", "bb"]]}, "names variables that are not there: 'bb'"),
        ({"required": [["a", "b"], ["b", "a"]]}, "a → b → a is a cycle"),
    ],
)
def test_json_with_knowledge_that_says_nothing_sensible_is_refused(entry, message):
    content = {**LEARNED, "settings": {**LEARNED["settings"], "known": entry}}
    with pytest.raises(sl.InputError, match=rf"^'net.json'.*{re.escape(message)}"):
        parse(json.dumps(content), "net.json")
