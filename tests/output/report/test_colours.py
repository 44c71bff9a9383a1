"""The colours of the report keep the contrasts that WCAG 2 asks for: 4.5 for text, 3 for shapes."""

import re
from importlib.resources import files

import pytest

SHEET = (files("sidelight.output.report.html") / "page" / "colours.css").read_text()
LIGHT, DARK = (dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in re.findall(r"\{(.*?)\}", SHEET, re.DOTALL))
TEXTS = [("ink", "paper"), ("ink", "card"), ("ink", "node"), ("ink", "field"), ("dim", "card"), ("dim", "paper"),
         ("dim", "field"), ("accent", "card"), ("accent-ink", "accent"), ("card", "warm"), ("card", "neutral"),
         ("card", "bad"), ("ink", "accent-soft"), ("ink", "warm-soft"),
         ("ink", "neutral-soft"), ("ink", "bad-soft")]  # fmt: skip
SHAPES = [("edge", "paper"), ("warm", "paper"), ("accent", "paper"), ("node-rule", "paper"), ("far", "paper")]


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_shapes_stand_out_from_their_ground(theme):
    assert [pair for pair in TEXTS if contrast(*map(theme.get, pair)) < 4.5] == []
    assert [pair for pair in SHAPES if contrast(*map(theme.get, pair)) < 3] == []
