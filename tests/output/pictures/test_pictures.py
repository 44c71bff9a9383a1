import re
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib as mpl
import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import sidelight as sl
from sidelight.output.pictures.labels import LONGEST_LABEL, Labels, columns, in_lines, label
from sidelight.output.pictures.svg import to_svg
from sidelight.text.visible import visible

mpl.use("Agg")
HOSTILE = ["<script>alert(1)</script>", "\"&'", "$x_1$", "\u202egnp.exe", "emoji 👩‍🔬", "long " * 60, "a\nb", "\x00"]
SVG = "{http://www.w3.org/2000/svg}"


def chain_of(names):
    return sl.learn(sl.DSeparation(nx.DiGraph(nx.utils.pairwise(names))))


@given(st.text(min_size=1))
def test_a_label_is_short_and_holds_nothing_invisible(name):
    text = label(name)
    assert columns(text) <= LONGEST_LABEL
    assert not re.search("[\x00-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)


def test_a_name_that_fits_is_its_own_label():
    assert label("PKA") == visible("PKA") == "PKA"
    assert label("x" * 300) == "x" * 15 + "…" + "x" * 8
    assert len({label(f"how_often_do_you_feel_tired_{i}") for i in range(30)}) == 30


@given(st.text(min_size=1))
def test_two_lines_of_a_label_are_the_label_and_narrower_than_it(name):
    lines = in_lines(label(name))
    assert " ".join(lines).replace(" ", "") == label(name).replace(" ", "")
    assert len(lines) == 1 or max(map(columns, lines)) < columns(label(name))


def test_only_where_there_are_many_variables_do_labels_take_two_lines():
    names = [f"systolic_pressure_{i}" for i in range(20)]
    few, many = Labels.of(names[:8]), Labels.of(names)
    assert few.lines[0] == ["systolic_pressure_0"]
    assert many.lines[0] == ["systolic_", "pressure_0"]
    assert many.widths[0] < few.widths[0]
    assert many.height > few.height


def test_an_svg_picture_is_xml_with_a_box_for_each_variable_and_nothing_else_from_names():
    net = chain_of(HOSTILE)
    root = ET.fromstring(to_svg(net))
    assert len(root.findall(f"{SVG}g/{SVG}rect")) == len(HOSTILE)
    assert [title.text for title in root.iter(f"{SVG}title")] == [visible(name) for name in net.names]
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg", "style", "defs", "marker", "path", "g", "title", "rect", "text"
    }  # fmt: skip


def test_only_directed_edges_of_a_picture_have_arrows():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "c"), ("b", "c"), ("d", "e")])))
    paths = [path for path in ET.fromstring(to_svg(net)) if path.tag == f"{SVG}path"]
    assert sum("marker-end" in path.attrib for path in paths) == len(net.directed_edges) == 2
    assert sum(path.get("class") == "undirected" for path in paths) == len(net.undirected_edges) == 1


def test_two_pictures_in_one_page_share_no_id_and_no_style_and_one_written_again_is_the_same():
    net, other = (sl.learn(sl.DSeparation(nx.DiGraph([("a", "c"), ("b", effect)]))) for effect in "cd")
    ids = [{element.get("id") for element in ET.fromstring(to_svg(each)).iter()} - {None} for each in (net, other)]
    assert ids[0].isdisjoint(ids[1])
    for each, own in zip((net, other), ids, strict=True):
        svg = to_svg(each)
        assert svg == to_svg(each)
        assert set(re.findall(r"url\(#([\w-]+)\)", svg)) <= own
        (style,) = re.findall("<style>(.*)</style>", svg, re.DOTALL)
        rules = re.findall(r"([^{}]+)\{[^{}]*\}", style.replace("@media(prefers-color-scheme:dark){", ""))
        assert {rule.split()[0].removeprefix("#") for rule in rules} <= own


def test_a_picture_counts_in_words():
    assert 'aria-label="2 variables, 1 edge"' in to_svg(chain_of("ab"))


def test_a_plot_is_drawn_on_the_axes_that_are_given():
    from matplotlib import pyplot

    _, ax = pyplot.subplots()
    net = chain_of(["$x_1$", "100$", "b"])
    assert net.plot(ax) is ax
    assert [text.get_text() for text in ax.texts] == ["$x_1$", "100$", "b"]
    assert len(ax.patches) == 2 + 3
    pyplot.close("all")


@pytest.mark.parametrize(("extension", "start"), [("svg", b"<svg "), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_picture_is_written_by_its_extension(tmp_path, extension, start):
    path = tmp_path / f"graph.{extension}"
    chain_of("abc").write(path)
    assert path.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [path]


def test_a_picture_for_print_has_300_dots_per_inch(tmp_path):
    chain_of("abc").write(tmp_path / "graph.png")
    with Image.open(tmp_path / "graph.png") as picture:
        assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)


def test_a_picture_of_a_graph_that_was_not_learned_is_refused(tmp_path):
    with pytest.raises(sl.InputError, match="a picture is drawn of a learned Network, not of a DiGraph"):
        sl.output.formats.write(nx.DiGraph([("a", "b")]), Path(tmp_path / "graph.svg"))
