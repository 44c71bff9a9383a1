"""The graph of a report as a file: all of it as it is shown, without a request."""

import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

import sidelight as sl

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<b>&\"'", "weight_of_the_child", "c"]


@pytest.fixture(scope="module")
def net():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 300))
    return sl.learn(np.column_stack([a, a + b, b - a + rng.normal(size=300)]), names=HOSTILE)


def saved(page, kind):
    with page.expect_download() as download:
        page.click(f"#save-{kind}")
    assert download.value.suggested_filename == f"Learned-network.{kind}"
    return download.value.path().read_bytes()


def test_the_graph_is_saved_as_it_is_shown(opened, net):
    page = opened(net)
    before = page.locator("#graph > g").get_attribute("transform")
    root = ET.fromstring(saved(page, "svg"))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert set(HOSTILE) <= set(texts)
    assert any(text.startswith("line width and number: partial correlation") for text in texts)
    assert sum(text in texts for text in page.locator(".number text").all_text_contents()) == len(net.edges)
    colours = {path.get("stroke") for path in root.iter(f"{SVG}path")}
    assert "rgb(0, 114, 178)" in colours
    assert not any("class" in element.attrib or "style" in element.attrib for element in root.iter())
    assert page.locator("#graph > g").get_attribute("transform") == before


def test_a_dark_page_saves_a_dark_graph(opened, net):
    page = opened(net, color_scheme="dark")
    rect = ET.fromstring(saved(page, "svg")).find(f"{SVG}rect")
    assert rect.get("fill") == page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--card')")


def test_the_picture_has_300_dots_per_inch_and_the_form_of_the_drawing(opened, net):
    page = opened(net)
    width, height = map(float, re.findall(r' (?:width|height)="([\d.]+)"', saved(page, "svg").decode()[:400])[-2:])
    with Image.open(io.BytesIO(saved(page, "png"))) as picture:
        assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        assert picture.size == pytest.approx((width * 300 / 96, height * 300 / 96), abs=2)
        assert len(picture.convert("L").getcolors()) > 20
