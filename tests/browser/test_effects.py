"""Two variables chosen in the report: the paths between them in two colours, and what is known of the effect."""

import numpy as np
import pandas as pd

import sidelight as sl


def learned():
    rng = np.random.default_rng(0)
    z, w = rng.standard_normal((2, 1500))
    x = z + w + rng.standard_normal(1500)
    m = x + rng.standard_normal(1500)
    return sl.learn(pd.DataFrame({"z": z, "w": w, "x": x, "m": m, "y": m + z + rng.standard_normal(1500)}))


def choose(page, field, name):
    page.locator(f"#{field}").fill(name)
    page.locator(f"#{field}").press("Enter")


def test_paths_have_two_colours_and_words_are_those_of_the_method(opened):
    net = learned()
    page = opened(net)
    choose(page, "effect-a", "x")
    choose(page, "effect-b", "y")
    words = page.locator("#effect-words").inner_text()
    found = net.effect("x", "y")
    assert found.because in words
    assert "adjusting for z" in words
    assert page.locator("#graph .edge.causal").count() == 2  # x → m → y
    assert page.locator("#graph .edge.confounding").count() == 2  # x ← z → y
    stroke = "all => [...new Set(all.map((e) => getComputedStyle(e.querySelector('.line')).stroke))]"
    colours = [page.locator(f"#graph .edge.{kind}").evaluate_all(stroke) for kind in ("causal", "confounding")]
    assert colours[0] != colours[1]
    page.locator("#node-0").click()
    assert page.locator("#graph .edge.causal").count() == 0


def test_no_effect_and_the_same_variable_are_said(opened):
    page = opened(learned())
    choose(page, "effect-a", "y")
    choose(page, "effect-b", "x")
    assert "the effect is 0" in page.locator("#effect-words").inner_text()
    choose(page, "effect-b", "y")
    assert "two different variables" in page.locator("#effect-words").inner_text()
