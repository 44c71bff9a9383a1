"""Without resamples, lines show effect sizes, and the table of edges has them with their signs."""

import numpy as np
import pandas as pd

import sidelight as sl


def learned():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 800))
    c = a - 0.3 * b + rng.standard_normal(800)
    return sl.learn(pd.DataFrame({"a": a, "b": b, "c": c}))


def test_lines_are_as_wide_as_the_effects_and_the_table_has_their_signs(opened):
    net = learned()
    page = opened(net)
    widths = page.locator("#graph .edge").evaluate_all(
        "all => all.map((e) => Number(e.style.getPropertyValue('--width')))"
    )
    sizes = [abs(net.edge_strengths[frozenset(edge)].size) for edge in (("a", "c"), ("b", "c"))]
    assert np.allclose(widths, [0.6 + 2.4 * size for size in sizes], atol=0.01)
    assert "line width: effect size" in page.locator("#legend").inner_text()
    rows = page.locator("#edges tbody tr").all_inner_texts()
    assert [row.split("\t")[3] for row in rows] == [
        f"{net.edge_strengths[frozenset(e)].size:.2f}".replace("-", "−") for e in ("ac", "bc")
    ]
    assert page.locator("#edges tbody tr").nth(1).locator("td").nth(3).get_attribute("title") == "partial correlation"
