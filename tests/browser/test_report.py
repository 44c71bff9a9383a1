"""The report as a reader meets it."""

import re
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from playwright.sync_api import expect

import sidelight as sl
from sidelight.examples import example
from sidelight.explain.phrases import PHRASES
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian

HOSTILE = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\"'`&amp;", "emoji 🌧", "x" * 300,
           "\u202egnp.exe", "{{data}}", "__proto__", "constructor"]  # fmt: skip


@pytest.fixture(scope="module")
def newborns():
    return sl.learn(example("newborns"), sl.DiamondFree(), "rsl")


@pytest.fixture(scope="module")
def hostile():
    edges = [(HOSTILE[0], HOSTILE[2]), (HOSTILE[1], HOSTILE[2]), *nx.utils.pairwise(HOSTILE[2:])]
    return sl.learn(sl.DSeparation(nx.DiGraph(edges)))


def choose_pair(page, a, b):
    for field, name in (("#pair-a", a), ("#pair-b", b)):
        page.fill(field, str(name))
        page.press(field, "Enter")


def texts(page, selector):
    return page.locator(selector).all_text_contents()


def test_the_page_shows_name_certificate_graph_and_command(opened, newborns):
    page = opened(newborns)
    assert page.text_content("h1") == "newborns.csv"
    assert newborns.certificate.sentence[1:] in page.text_content("#reliance")
    assert page.locator("#graph .node").count() == len(newborns.names)
    assert page.locator("#graph .edge.directed").count() == len(newborns.directed_edges)
    assert page.locator("#graph .edge.undirected").count() == len(newborns.undirected_edges)
    assert "sidelight learn newborns.csv --side diamond-free --learner rsl" in page.text_content("#calls")
    counts = [int(text.replace(",", "")) for text in texts(page, "#chart .count")]
    assert counts == [count for _, count in sorted(newborns.tests_by_size.items())]


@pytest.mark.parametrize(
    ("status", "heading"),
    [
        ("consistent", "Consistent with the assumption"),
        ("violated", "The assumption is violated"),
        ("cannot be checked", "The assumption cannot be checked"),
    ],
)
def test_no_status_of_the_certificate_looks_like_a_proof(opened, newborns, status, heading):
    page = opened(replace(newborns, certificate=sl.Certificate(status, "so it is.")))
    assert page.text_content("#reliance-heading") == heading
    assert page.get_attribute("#reliance", "class").split() == ["reliance", status.replace(" ", "-")]
    assert page.text_content("#status-mark") not in "✓✔☑"
    colour = page.evaluate("getComputedStyle(document.getElementById('status-mark')).backgroundColor")
    red, green, blue = map(int, re.findall(r"\d+", colour)[:3])
    assert green <= max(red, blue)


def test_search_finds_a_variable_with_the_keyboard_alone_and_shows_its_boundary(opened, newborns):
    page = opened(newborns)
    page.keyboard.press("/")
    page.keyboard.type("sic")
    page.keyboard.press("Enter")
    assert page.text_content("#chosen h2") == "Sick"
    shown = {page.locator(f"#{node.get_attribute('id')} title").text_content()
             for node in page.locator(".node.adjacent, .node.member").all()}  # fmt: skip
    assert shown == newborns.boundaries["Sick"] | set(newborns.skeleton["Sick"])


def test_arrows_choose_among_what_a_search_finds(opened, newborns):
    page = opened(newborns)
    page.keyboard.press("/")
    page.keyboard.type("a")
    options = texts(page, "#search-list [role=option]")
    page.keyboard.press("ArrowDown")
    assert page.get_attribute("#search", "aria-activedescendant") == "search-1"
    page.keyboard.press("Enter")
    assert page.text_content("#chosen h2") == options[1]


def test_a_click_on_an_edge_shows_its_evidence(opened, newborns):
    page = opened(newborns)
    a, b = newborns.directed_edges[0]
    i = [(e["tail"], e["head"]) for e in edges_of(page)].index((newborns.names.index(a), newborns.names.index(b)))
    page.mouse.move(*middle_of_edge(page, i))
    page.mouse.down()
    page.mouse.up()
    assert page.text_content("#chosen h2") == f"{a} → {b}"
    assert str(newborns.explain(a, b).sentences[0]) in page.text_content("#chosen")


def edges_of(page):
    return page.evaluate("JSON.parse(document.getElementById('data').textContent).edges")


def middle_of_edge(page, i):
    """Where on the screen the middle of an edge is."""
    return page.evaluate(
        """i => { const path = document.querySelector(`#edge-${i} .line`);
                  const p = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
                  return [p.x, p.y]; }""",
        i,
    )


@pytest.mark.parametrize("learner", ["rsl", "pc"])
def test_a_pair_that_is_not_adjacent_shows_what_separates_it(opened, learner):
    net = sl.learn(sl.DSeparation(sl.networks.load("asia")), learner=learner)
    page = opened(net)
    for a, b in combinations(net.names, 2):
        choose_pair(page, a, b)
        if net.skeleton.has_edge(a, b):
            assert page.text_content("#chosen .eyebrow") == "Edge"
        else:
            assert page.text_content("#chosen .eyebrow") == "Missing edge"
            assert set(texts(page, "#chosen .given .name")) == net.separating_sets[frozenset((a, b))]


def networks_with_every_kind_of_missing_edge():
    for graph in ("asia", "child"):
        dag = sl.networks.load(graph)
        yield from (sl.learn(sl.DSeparation(dag), learner=learner) for learner in ("rsl", "marvel", "pc"))
    rng = np.random.default_rng(3)
    few_rows = linear_gaussian(random_graphs.erdos_renyi(20, 0.25, rng), 80, rng)[1]
    yield from (sl.learn(few_rows, learner=learner) for learner in ("rsl", "marvel", "gs", "mmpc", "hpc", "pc-stable"))
    yield sl.learn(few_rows, learner="marvel", max_tests=50)
    yield sl.learn(few_rows, learner="hybrid")
    yield sl.learn(few_rows, learner="rsl", boundaries="tc", refuted="report")
    said = sl.NoEdge((0, 1), (2, 3), (4, 9)) & sl.Edge((5, 6)) & sl.Tiers([7], [8, 9, 10], isolated=True)
    yield from (sl.learn(few_rows, said, learner=learner) for learner in ("rsl", "hybrid"))
    yield sl.learn((few_rows > 0).astype(int), learner="rsl", test="g2")
    yield sl.learn(example("newborns"), sl.DiamondFree(), "rsl", alpha=0.3)
    yield sl.learn(few_rows, names=[f"{'long ' * 20}{i}{' name' * 20}" for i in range(20)])
    net = sl.learn(sl.DSeparation(nx.DiGraph((effect, "hub") for effect in range(16))))
    yield replace(net, missing_p_values={})
    contradicted = sl.learn(sl.DSeparation(nx.empty_graph(9, create_using=nx.DiGraph)))
    vars(contradicted.by_position)["overruled"] = [(0, c, 1) for c in range(3, 7)] + [(0, c, 2) for c in range(3, 8)]
    yield contradicted  # more than data have led to
    yield replace(contradicted, missing_p_values={frozenset((0, 1)): 0.0})
    yield sl.learn(sl.DSeparation(nx.DiGraph([*((c, e) for c in range(14) for e in "xy"), *((e, "z") for e in "xy")])))


CHOOSE_EVERY_PAIR = """pairs => {
    const { names } = JSON.parse(document.getElementById("data").textContent);
    const choose = (id, i) => {
        const field = document.getElementById(id);
        field.value = names[i];
        field.dispatchEvent(new Event("input"));
        field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    };
    return pairs.map(([a, b]) => {
        choose("pair-a", a);
        choose("pair-b", b);
        return [...document.querySelectorAll("#chosen .sentence")].map((sentence) => sentence.textContent);
    });
}"""


def test_the_page_says_of_every_missing_edge_what_explain_says(opened):
    said = set()
    for net in networks_with_every_kind_of_missing_edge():
        page = opened(net)
        graph = nx.complement(net.skeleton)
        pairs = [tuple(sorted((net.names.index(a), net.names.index(b)))) for a, b in graph.edges]
        shown = page.evaluate(CHOOSE_EVERY_PAIR, pairs)
        for (a, b), sentences in zip(pairs, shown, strict=True):
            assert sentences == list(net.explain(net.names[a], net.names[b]).sentences)
            said.update(sentences)
    of_graphs_with_a_report = {phrase: text for phrase, text in PHRASES.items() if phrase != "model"}  # of PAGs
    for phrase, text in of_graphs_with_a_report.items():
        pattern = ".+".join(map(re.escape, re.split(r"\{\w+\}", text)))
        assert any(re.search(pattern, sentence) for sentence in said), phrase


def test_the_slider_replays_the_recursion(opened, newborns):
    page = opened(newborns)
    n = len(newborns.names)
    assert page.input_value("#step") == str(n + 1)
    page.focus("#step")
    page.keyboard.press("Home")
    assert page.locator(".edge.unknown").count() == len(newborns.skeleton.edges)
    found = set()
    for number, step in enumerate(newborns.steps, start=1):
        page.keyboard.press("ArrowRight")
        words = page.text_content("#step-words")
        assert f"Step {number} of {n}: {step.removed} " in words
        found |= {frozenset((step.removed, y)) for y in step.neighbours}
        assert page.locator(".edge:not(.unknown)").count() == len(found)
        assert page.locator(".node.found").count() == len(step.neighbours)
        assert page.locator(".node.others").count() == len(step.boundary) - len(step.neighbours)


def test_play_runs_to_the_end_and_pause_stops(opened):
    page = opened(sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")]))))
    page.click("#play")
    assert page.get_attribute("#play", "aria-label") == "Pause"
    page.click("#play")
    assert page.get_attribute("#play", "aria-label") == "Play"
    page.click("#play")
    expect(page.locator("#step")).to_have_value("3")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")


def test_a_learner_that_removes_nothing_has_no_replay(opened):
    assert not opened(sl.learn(example("newborns"), learner="pc-stable")).is_visible("#replay")


@pytest.mark.parametrize(("system", "other"), [("light", "dark"), ("dark", "light")])
def test_colours_follow_the_system_until_the_reader_decides(opened, newborns, system, other):
    page = opened(newborns, color_scheme=system)
    theme = "document.documentElement.dataset.theme"
    background = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(background)
    assert page.evaluate(theme) == system
    page.click("#theme")
    assert page.evaluate(theme) == other
    assert page.evaluate(background) != before


def test_the_graph_works_with_the_keyboard(opened, newborns):
    page = opened(newborns)
    page.focus("#graph")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    first = page.text_content("#chosen h2")
    assert first in newborns.names
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+Enter")
    assert first in page.text_content("#chosen h2")
    assert page.text_content("#chosen .eyebrow") in ("Edge", "Missing edge")
    page.keyboard.press("Escape")
    assert page.locator(".node.selected").count() == 0


def test_tab_reaches_every_control_and_each_has_a_name(opened, newborns):
    page = opened(newborns)
    wanted = {
        "theme",
        "search",
        "zoom-in",
        "zoom-out",
        "fit",
        "graph",
        "play",
        "step",
        "pair-a",
        "pair-b",
        "filter",
        "kind",
    }
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id"))
    assert wanted <= seen
    nameless = """[...document.querySelectorAll('button, input, select')].filter(e => !e.textContent.trim()
        && !e.getAttribute('aria-label') && !e.labels?.length).length"""
    assert page.evaluate(nameless) == 0


def test_zooming_and_dragging_move_the_graph_and_a_node(opened, newborns):
    page = opened(newborns)
    node = page.locator("#node-0")
    before = node.bounding_box()
    page.click("#zoom-in")
    assert node.bounding_box()["width"] > before["width"]
    page.click("#fit")
    page.wait_for_timeout(50)
    box = node.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 30, steps=4)
    page.mouse.up()
    moved = node.bounding_box()
    assert (moved["x"] - box["x"], moved["y"] - box["y"]) == (pytest.approx(40, abs=2), pytest.approx(30, abs=2))
    page.mouse.wheel(0, -300)
    assert node.bounding_box()["width"] > moved["width"]


def test_two_fingers_zoom(opened, newborns):
    page = opened(newborns, has_touch=True)
    box = page.locator("#graph").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = page.locator("#node-0").bounding_box()["width"]
    touch = page.context.new_cdp_session(page)
    for kind, reach in (("touchStart", 40), ("touchMove", 80), ("touchMove", 120)):
        fingers = [{"x": x - reach, "y": y, "id": 0}, {"x": x + reach, "y": y, "id": 1}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert page.locator("#node-0").bounding_box()["width"] == pytest.approx(3 * before, rel=0.1)


def test_the_table_of_edges_is_filtered_and_sorted(opened, newborns):
    page = opened(newborns)
    page.fill("#filter", "sick")
    assert page.locator("#edges tbody tr").count() == newborns.skeleton.degree["Sick"]
    page.fill("#filter", "")
    page.click("#edges th:nth-child(3) button")
    heads = texts(page, "#edges tbody td:nth-child(3)")
    assert heads == sorted(heads, key=str.casefold)
    page.click("#edges th:nth-child(3) button")
    assert texts(page, "#edges tbody td:nth-child(3)") == sorted(heads, key=str.casefold, reverse=True)
    page.select_option("#kind", "undirected")
    assert page.locator("#edges tbody tr").count() == len(newborns.undirected_edges)


def test_the_command_is_copied(opened, newborns):
    page = opened(newborns)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#calls button >> nth=0")
    expect(page.locator("#calls button").first).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == newborns.settings.command()


def test_a_phone_needs_no_horizontal_scrolling(opened, newborns, hostile):
    for network in (newborns, hostile):
        page = opened(network, width=360, height=740)
        page.locator("#edges tbody tr").first.click()
        page.locator("#back").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_what_was_known_and_what_the_data_say_to_it_is_shown(opened, newborns):
    assert not opened(newborns).is_visible("#known")
    net = sl.learn(example("newborns"), sl.NoEdge(("Sick", "Grunting")) & sl.Roots("BirthAsphyxia"))
    page = opened(net)
    assert texts(page, "#statements li") == ["not adjacent: Sick – Grunting", "roots: BirthAsphyxia"]
    assert texts(page, "#doubts li") == [f"{doubt.said}: {doubt.reason}." for doubt in net.doubts]
    assert net.doubts[0].said == "not adjacent: Sick – Grunting"


def test_hostile_names_in_statements_do_nothing(opened):
    names = ["<img src=x onerror=alert(1)>", "b\x1b[31m", "c\u202e"]
    values = np.random.default_rng(0).normal(size=(200, 3))
    net = sl.learn(values, sl.Required((names[0], names[1])) & sl.NoEdge((names[1], names[2])), names=names)
    page = opened(net)
    assert page.locator("img").count() == 0
    assert "onerror" in page.text_content("#statements")
    assert not {"\x1b", "\u202e"} & set(str(net.explain(names[1], names[2])))


def test_hostile_names_are_shown_and_do_nothing(opened, hostile):
    page = opened(hostile)
    kinds = set(page.evaluate("[...document.querySelectorAll('*')].map(e => e.localName)"))
    assert kinds.isdisjoint({"img", "iframe", "object", "embed"})
    assert page.locator("script").count() == 2
    for i, (a, b) in enumerate(combinations(hostile.names, 2)):
        if i % 4 == 0:
            choose_pair(page, *(name.replace("\u202e", "⟨202E⟩") for name in (a, b)))
            adjacent = hostile.skeleton.has_edge(a, b)
            assert page.text_content("#chosen .eyebrow") == ("Edge" if adjacent else "Missing edge")
    page.click("#play")
    assert page.locator("img, script:not([type]) ~ script").count() == 0
    assert page.evaluate("document.querySelectorAll('.node').length") == len(HOSTILE)


def test_scripts_that_come_later_are_refused(chromium, newborns, tmp_path):
    newborns.report(tmp_path / "report.html")
    page = chromium.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    page.evaluate("""() => { const s = document.createElement('script');
        try { s.text = 'window.ran = true'; document.body.append(s); } catch { /* refused at once */ } }""")
    assert page.evaluate("window.ran") is None
    page.close()


def test_500_variables_answer_a_search(opened):
    dag = random_graphs.diamond_free(500, 3.0, np.random.default_rng(0))
    names, values = linear_gaussian(dag, 5000, np.random.default_rng(1))
    net = sl.learn(values, sl.DiamondFree(), "rsl", names=[f"variable {name}" for name in names])
    page = opened(net)
    page.keyboard.press("/")
    page.keyboard.type("variable 77")
    page.keyboard.press("Enter")
    assert page.text_content("#chosen h2") == "variable 77"
    assert page.locator(".node.selected").count() == 1
    page.focus("#step")
    page.keyboard.press("ArrowLeft")
    assert "Step 500 of 500" in page.text_content("#step-words")


def test_one_variable_or_none_make_a_report_too(opened):
    alone = nx.DiGraph()
    assert opened(sl.learn(sl.DSeparation(alone))).locator(".node").count() == 0
    alone.add_node("a")
    assert opened(sl.learn(sl.DSeparation(alone))).locator(".node").count() == 1
