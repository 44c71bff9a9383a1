"""The sign and the size of effects, on the edges of a picture."""

import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest

import sidelight as sl
from sidelight.output.pictures.layout import lay_out
from sidelight.output.pictures.sizes import sizes
from sidelight.output.pictures.strokes import strokes
from sidelight.output.pictures.svg import to_svg
from sidelight.result.evidence import EdgeStrength
from tests.output.pictures.test_layout import boxes, overlap
from tests.output.pictures.test_pictures import SVG


@pytest.fixture(scope="module")
def net():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(400, 12))
    for v in range(1, 12):
        values[:, v] += (-1) ** v * 0.8 * values[:, v // 2] + 0.4 * values[:, v // 3]
    return sl.learn(values)


def box_of(size):
    (x, y), (width, height) = size.at, size.extent
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def test_every_edge_has_its_effect_as_a_number_or_its_sign(net):
    layout = lay_out(net)
    drawn = strokes(net, layout)
    found = sizes(drawn, layout)
    assert set(found) == set(layout.routes)
    for edge, size in found.items():
        strength = net.edge_strengths[frozenset(net.names[v] for v in edge)]
        assert size.text in (strength.number, "+" if strength.size > 0 else "−")


def test_numbers_cover_no_box_and_no_other_number(net):
    layout = lay_out(net)
    numbers = list(map(box_of, sizes(strokes(net, layout), layout).values()))
    assert not any(overlap(one, other) for one, other in combinations(numbers, 2))
    assert not any(overlap(number, box) for number in numbers for box in boxes(layout))


def test_the_colour_of_an_edge_is_the_sign_of_its_effect_and_the_legend_says_so(net):
    root = ET.fromstring(to_svg(net))
    signs = [edge.get("class") for edge in root.iter(f"{SVG}g") if edge.find(f"{SVG}path") is not None]
    sizes = [strength.size for strength in net.edge_strengths.values()]
    assert signs.count("positive") == sum(size > 0 for size in sizes) > 0
    assert signs.count("negative") == sum(size < 0 for size in sizes) > 0
    legend = next(text.text for text in root.iter(f"{SVG}text") if text.get("class") == "legend")
    assert legend == "line width and number: partial correlation, + (blue) positive, − (orange) negative"


def test_a_plot_has_the_numbers_of_the_picture(net):
    from matplotlib import pyplot

    texts = [text.get_text() for text in net.plot(pyplot.figure().gca()).texts]
    layout = lay_out(net)
    assert all(size.text in texts for size in sizes(strokes(net, layout), layout).values())
    pyplot.close("all")


@pytest.mark.parametrize(
    ("size", "name", "number", "sign"),
    [
        (0.432, "partial correlation", "+.43", 1),
        (-0.2, "partial correlation with sex=male", "−.20", -1),
        (0.31, "phi coefficient of a=1 with b=2", "+.31", 1),
        (0.31, "Cramér's V", ".31", 0),
        (0.5, "partial multiple correlation", ".50", 0),
        (-1.0, "partial correlation", "−1.00", -1),
    ],
)
def test_only_measures_with_a_sign_show_one(size, name, number, sign):
    strength = EdgeStrength(size, name)
    assert (strength.number, strength.sign) == (number, sign)
