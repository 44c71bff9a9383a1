"""The report of a PAG: marks at both ends of each edge, what they say, and why they are there."""

from itertools import combinations

import networkx as nx
import numpy as np

import sidelight as sl

CONFOUNDED = nx.DiGraph([("a", "x"), ("u", "x"), ("u", "y"), ("b", "y"), ("y", "z")])


def choose_pair(page, a, b):
    for field, name in (("#pair-a", a), ("#pair-b", b)):
        page.fill(field, name)
        page.press(field, "Enter")


def test_edges_have_their_marks_and_the_page_says_of_each_pair_what_explain_says(opened):
    net = sl.learn(sl.DSeparation(CONFOUNDED, hidden=["u"]), hidden=True)
    page = opened(net)
    drawn = {"start-circle": 2, "end-arrow": 4, "start-arrow": 1, "mutual": 1, "visible": 1, "directed": 0}
    assert {kind: page.locator(f"#graph .edge.{kind}").count() for kind in drawn} == drawn
    stroke = "e => getComputedStyle(e).markerStart"
    assert "arrow-mutual" in page.locator(".edge.mutual .line").evaluate(stroke)
    assert "circle-plain" in page.locator(".edge.start-circle .line").first.evaluate(stroke)
    legend = page.inner_text("#legend")
    for words in ("something hidden causes both", "a causes b, or something hidden", "bold: nothing hidden"):
        assert words in legend
    assert "directed" not in legend
    for a, b in combinations(net.names, 2):
        choose_pair(page, a, b)
        said = page.locator("#chosen > p:not(.eyebrow)").all_inner_texts()
        assert said in (list(net.explain(a, b).sentences), list(net.explain(b, a).sentences))
    assert {e.strip() for e in page.locator("#edges tbody .sign").all_inner_texts()} == {"→", "↔", "○→"}
    page.select_option("#kind", "↔")
    assert page.locator("#edges tbody tr").count() == 1
    page.locator("#node-2").click()
    assert "Causes, or with a hidden common cause (1)" in page.inner_text("#chosen")
    assert page.locator("#replay").is_visible() == bool(net.steps)


def test_resamples_have_a_table_of_marks(opened):
    random = np.random.default_rng(1)
    a, u = random.normal(size=(2, 200))
    x = a + u + random.normal(size=200)
    net = sl.learn(np.column_stack([a, x, u + random.normal(size=200)]), names=list("axy"), hidden=True, resamples=4)
    page = opened(net)
    assert not page.locator("#views").is_visible()
    heads = page.locator("#pairs th").all_inner_texts()
    assert heads[3:6] == ["Adjacent", "Mark at the first", "Mark at the second"]
    cells = [row.locator("td").all_inner_texts() for row in page.locator("#pairs tbody tr").all()]
    shown = {tuple(text.strip() for text in row[:3:2]): row[5] for row in cells}
    assert f"arrow {net.shares.mark('a', 'x')['arrow']:.0%}"[:-1] in shown["a", "x"]
    choose_pair(page, "a", "x")
    assert page.inner_text(".resampled") == net.shares.in_words(0, 1)
    assert "line width: share of 4 resamples" in page.inner_text("#legend")
