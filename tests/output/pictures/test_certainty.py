"""With resamples, a picture shows how often edges and their directions were found."""

import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import networkx as nx
import pytest

import sidelight as sl
from sidelight.output.pictures.layout import lay_out
from sidelight.output.pictures.svg import to_svg
from tests.output.pictures.test_pictures import HOSTILE, SVG, chain_of
from tests.shares_for_tests import with_counts

mpl.use("Agg")
BARE = sl.learn(sl.DSeparation(nx.DiGraph([("a", "c"), ("b", "c"), ("d", "e")])))
NET = with_counts(BARE, {("a", "c"): (200, 0, 0), ("b", "c"): (50, 30, 20), ("d", "e"): (30, 0, 130)})
WIDTH = "line width: share of 200 resamples with the edge"
HEAD = "arrowhead: the paler, the fewer of these point this way"
DASHED = "dashed: direction uncertain, fewer than 80% of the resamples have this arrow"
NO_HIDDEN_CAUSES = "assumes no hidden common causes"


def drawn(net):
    """For each edge, by its title: how its line and its arrowhead are drawn."""
    found = {}
    for group in ET.fromstring(to_svg(net)).iter(f"{SVG}g"):
        if (paths := group.findall(f"{SVG}path")) != []:
            styles = [float(path.get("style").rpartition(":")[2]) for path in paths]
            found[group.find(f"{SVG}title").text.partition(".")[0]] = styles
    return found


def test_a_line_is_as_wide_as_its_share_and_a_head_as_full_as_its_direction_is_certain():
    found = drawn(NET)
    edges = {f"{a} → {b}" for a, b in NET.directed_edges} | {f"{a} — {b}" for a, b in NET.undirected_edges}
    assert {re.sub("e — d", "d — e", title) for title in found} == edges
    (certain, full), (doubtful, half) = found["a → c"], found["b → c"]
    assert (full, half) == (1, 0.5)
    (line,) = next(styles for title, styles in found.items() if "—" in title)
    assert certain > line > doubtful > 0


def test_an_edge_that_no_resample_has_is_drawn_too():
    found = drawn(with_counts(BARE, {}))
    assert found["a → c"][0] > 0
    assert found["a → c"][1] == 0


def test_a_pointer_over_an_edge_shows_its_counts():
    titles = [title.text for title in ET.fromstring(to_svg(NET)).iter(f"{SVG}title")]
    assert "b → c. Adjacent in 100 of 200 resamples, from b to c in 50, from c to b in 30, undirected in 20." in titles


def test_an_arrowhead_ends_at_its_node_and_its_line_at_the_head():
    routes = [
        route for edge, route in lay_out(NET).routes.items() if edge in set(NET.by_position.graph.directed_edges())
    ]
    tips = re.findall(
        r'class="head"[^>]* d="M([\d.-]+),([\d.-]+) ([\d.-]+),([\d.-]+) ([\d.-]+),([\d.-]+)z"', to_svg(NET)
    )
    ends = re.findall(r'stroke-width:[\d.]+" d="[^"]* ([\d.-]+),([\d.-]+)"/><path class="head"', to_svg(NET))
    assert [tuple(map(float, tip[:2])) for tip in tips] == [tuple(round(z, 1) for z in route[-1]) for route in routes]
    for (_, _, x, y, u, v), end in zip((map(float, tip) for tip in tips), ends, strict=True):
        assert tuple(map(float, end)) == pytest.approx(((x + u) / 2, (y + v) / 2), abs=0.11)


def test_a_legend_says_what_widths_and_heads_stand_for_and_fits_into_the_picture():
    root = ET.fromstring(to_svg(NET))
    legend = [text for text in root.iter(f"{SVG}text") if text.get("class") == "legend"]
    assert [text.text for text in legend] == [WIDTH, HEAD, DASHED, NO_HIDDEN_CAUSES]
    _, top, width, height = map(float, root.get("viewBox").split())
    assert lay_out(NET).size[1] < float(legend[0].get("y")) < float(legend[1].get("y")) < top + height
    assert width > 5 * len(HEAD)
    assert HEAD not in to_svg(with_counts(chain_of("ab"), {}))
    assert "legend" not in to_svg(BARE)


def test_pictures_of_one_graph_with_and_without_shares_share_no_id():
    others = [BARE, NET, with_counts(BARE, {})]
    assert len({ET.fromstring(to_svg(net)).get("id") for net in others}) == 3
    assert to_svg(NET) == to_svg(NET)


def test_a_picture_with_shares_is_xml_with_nothing_else_from_names():
    net = with_counts(chain_of(HOSTILE), dict.fromkeys(nx.utils.pairwise(HOSTILE), (90, 5, 5)))
    root = ET.fromstring(to_svg(net))
    assert not re.search("[\x00\u202a-\u202e]", to_svg(net))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg", "style", "defs", "marker", "path", "g", "title", "rect", "text"
    }  # fmt: skip
    assert "Adjacent in 100 of 200 resamples" in net._repr_html_()


def test_a_plot_with_shares_has_a_line_for_each_edge_a_head_for_each_arrow_and_the_legend():
    from matplotlib import pyplot
    from matplotlib.patches import PathPatch, Polygon

    _, ax = pyplot.subplots()
    assert NET.plot(ax) is ax
    assert [text.get_text() for text in ax.texts][-4:] == [WIDTH, HEAD, DASHED, NO_HIDDEN_CAUSES]
    lines = [patch for patch in ax.patches if isinstance(patch, PathPatch)]
    heads = [patch for patch in ax.patches if isinstance(patch, Polygon)]
    assert len(lines) == 3
    assert sorted(head.get_facecolor()[3] for head in heads) == [0.5, 1]
    assert len({line.get_linewidth() for line in lines}) == 3
    pyplot.close("all")


@pytest.mark.parametrize(("extension", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_picture_with_shares_is_written(tmp_path, extension, start):
    NET.write(tmp_path / f"graph.{extension}")
    assert (tmp_path / f"graph.{extension}").read_bytes().startswith(start)
