"""What the report shows of resamples and of other significance levels."""

import re
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import sidelight as sl
from sidelight.examples import example
from sidelight.knowledge import constraints_of
from sidelight.result.certainty import Levels, PairCounts, Shares, consensus_graph
from sidelight.text.visible import visible

from .conftest import Watched

HOSTILE = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\"'`&amp;", "\u202egnp.exe",
           "x" * 300, "{{data}}", "__proto__"]  # fmt: skip
SENTENCE = "#chosen .resampled .sentence"


def with_shares(net, n_more, method="bootstrap", **further):
    """The network with random counts for its edges and for some other pairs, of 200 resamples."""
    rng = np.random.default_rng(len(net.names))
    graph, counts = net.by_position.graph, {}
    more = [sorted(rng.choice(len(net.names), 2, replace=False).tolist()) for _ in range(n_more)]
    for a, b in [*more, *graph.directed_edges(), *graph.undirected_edges()]:
        adjacent = rng.integers(100, 201) if graph.adjacent(a, b) else rng.integers(1, 150)
        found = PairCounts(*rng.multinomial(adjacent, rng.dirichlet([1, 0.5, 0.3])).tolist())
        counts[min(a, b), max(a, b)] = found if a < b else found.turned()
    return replace(net, shares=Shares(net.names, method, 0, 200, counts, **further))


@pytest.fixture(scope="module")
def child():
    return with_shares(sl.learn(sl.DSeparation(sl.networks.load("child")), learner="rsl"), 40)


@pytest.fixture(scope="module")
def watched(chromium, child, tmp_path_factory):
    path = tmp_path_factory.mktemp("stability") / "report.html"
    child.report(path)
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    found = Watched(context.new_page())
    found.page.set_default_timeout(10_000)
    found.page.goto(path.as_uri())
    yield found
    context.close()


@pytest.fixture
def page(watched):
    """The report on ``child``, as if just opened; nothing may be complained about or asked for."""
    watched.page.reload()
    yield watched.page
    assert watched.complaints == []
    assert [url for url in watched.requests if not url.startswith(("file:", "data:"))] == []


@pytest.fixture(scope="module")
def hostile():
    return with_shares(sl.learn(sl.DSeparation(nx.DiGraph(nx.utils.pairwise(HOSTILE)))), 12)


# The edges as they are drawn: the boxes that each line begins and ends at, or points to, and whether it points.
DRAWN = """() => {
    const { widths, height } = JSON.parse(document.getElementById("data").textContent);
    const centres = widths.map((_, i) => document.getElementById(`node-${i}`).getAttribute("transform")
        .match(/-?[\\d.]+/g).map(Number));
    const nearest = ([x, y]) => {
        const away = centres.map(([u, v], i) =>
            Math.hypot(Math.max(0, Math.abs(x - u) - widths[i] / 2), Math.max(0, Math.abs(y - v) - height / 2)));
        const least = Math.min(...away);
        return least < 2 ? away.indexOf(least) : null;
    };
    const shown = [...document.querySelectorAll(".edge")].filter((e) => getComputedStyle(e).display !== "none");
    return shown.map((edge) => {
        const line = edge.querySelector(".line");
        const head = edge.querySelector(".arrowhead").getAttribute("d");
        const [start, end] = [0, line.getTotalLength()].map((at) => line.getPointAtLength(at));
        const tip = head ? head.match(/-?[\\d.]+/g).slice(0, 2).map(Number) : [end.x, end.y];
        return [nearest([start.x, start.y]), nearest(tip), head !== null];
    });
}"""

# A point of an edge that no box hides, and which of those on view it is.
ON_AN_ADDED_EDGE = """() => {
    const shown = [...document.querySelectorAll(".edge:not(.absent)")];
    for (const edge of document.querySelectorAll(".edge.added:not(.absent)")) {
        const line = edge.querySelector(".line");
        for (let part = 0.2; part < 0.8; part += 0.05) {
            const { x, y } = line.getPointAtLength(part * line.getTotalLength()).matrixTransform(line.getScreenCTM());
            if (document.elementFromPoint(x, y)?.closest(".edge") === edge) return [x, y, shown.indexOf(edge)];
        }
    }
}"""


def drawn(page):
    """The edges on view: arrows as pairs, others as sets."""
    found = [((a, b) if directed else frozenset((a, b))) for a, b, directed in page.evaluate(DRAWN)]
    assert len(found) == len(set(found))
    return set(found)


def edges_of(graph):
    return {*graph.directed_edges(), *map(frozenset, graph.undirected_edges())}


def show_consensus(page, percent=None):
    page.check("#show-consensus", force=True)
    if percent is not None:
        page.fill("#threshold", str(percent))


def words_of(page, selector):
    """The text, with its no-break spaces as spaces."""
    return page.text_content(selector).replace("\u00a0", " ")


def choose_pair(page, a, b):
    for field, name in (("#pair-a", a), ("#pair-b", b)):
        page.fill(field, visible(str(name)))
        page.press(field, "Enter")


def texts(page, selector):
    return page.locator(selector).all_text_contents()


def test_the_graph_is_the_learned_one_until_the_reader_asks_for_the_consensus(page, child):
    assert page.is_checked("#show-learned")
    assert page.is_disabled("#threshold")
    assert drawn(page) == edges_of(child.by_position.graph)
    directed = len(child.directed_edges)
    total = directed + len(child.undirected_edges)
    assert words_of(page, "#views-words") == f"The learned graph: {total} edges, {directed} directed."


def test_the_slider_shows_exactly_the_consensus_at_each_threshold(page, child):
    for percent in (5, 30, 55, 75, 100, 40, 5):
        show_consensus(page, percent)
        graph = consensus_graph(child.shares, percent / 100).graph
        assert drawn(page) == edges_of(graph)
        directed, total = len(graph.directed_edges()), len(edges_of(graph))
        words = words_of(page, "#views-words")
        assert f"{total} edges, {directed} directed." in words.replace("1 edge,", "1 edges,")
    page.check("#show-learned", force=True)
    assert drawn(page) == edges_of(child.by_position.graph)


def test_the_consensus_keeps_what_was_known(opened):
    said = sl.Tiers(["BirthAsphyxia"], ["Disease"], ["Age", "Sick"])
    net = with_shares(sl.learn(example("newborns"), said), 30)
    page = opened(net)
    show_consensus(page, 20)
    known = constraints_of(net.settings.known, net.names)
    assert drawn(page) == edges_of(consensus_graph(net.shares, 0.2, known).graph)


def test_the_slider_starts_at_the_threshold_that_the_data_choose(opened):
    net = sl.learn(sl.DSeparation(nx.DiGraph(nx.utils.pairwise("abcd"))))
    shares = Shares(
        net.names, "bootstrap", 0, 200, {(0, 1): PairCounts(112), (2, 3): PairCounts(199), (0, 2): PairCounts(9)}
    )
    assert shares.threshold == pytest.approx(0.56)
    page = opened(replace(net, shares=shares))
    show_consensus(page)
    assert page.input_value("#threshold") == "55"
    assert words_of(page, "#views-words") == "Threshold 55 % (chosen from the data: 56 %): 2 edges, 0 directed."


def test_complementary_pairs_say_how_many_false_edges_are_expected_at_most(opened, child):
    net = with_shares(child, 40, "complementary-pairs", max_false_edges=5)
    page = opened(net)
    show_consensus(page)
    assert "(chosen for at most 5 expected false edges: " in words_of(page, "#views-words")
    for percent in (50, 60, 75, 95):
        show_consensus(page, percent)
        said = re.search(r"At most (\S+) false edges are expected\.", words_of(page, "#views-words"))
        bound = net.shares.false_edges(percent / 100)
        assert (said is None) == (bound == np.inf)
        assert said is None or bound <= float(said[1]) < bound + 0.1


def test_where_no_threshold_is_high_enough_the_page_says_so(opened, child):
    page = opened(with_shares(child, 40, "complementary-pairs", max_false_edges=0.0001))
    show_consensus(page)
    words = "Threshold 100 % (no threshold keeps the expected number of false edges at 0.0001): "
    assert words_of(page, "#views-words").startswith(words)


def test_lines_widen_with_the_share_of_edges_and_arrowheads_fill_with_that_of_arrows(page, child):
    show_consensus(page, 25)
    styles = """() => [...document.querySelectorAll(".edge:not(.absent)")].map((edge) => [
        parseFloat(getComputedStyle(edge.querySelector(".line")).strokeWidth),
        parseFloat(getComputedStyle(edge.querySelector(".arrowhead")).fillOpacity)])"""
    rows = []
    for (tail, head, directed), (width, opacity) in zip(page.evaluate(DRAWN), page.evaluate(styles), strict=True):
        counts = child.shares.of(tail, head)
        rows.append((counts.adjacent / 200, width, counts.forward / counts.adjacent if directed else None, opacity))
    shares, widths, agreeing, opacities = zip(*rows, strict=True)
    assert np.corrcoef(shares, widths)[0, 1] > 0.999
    arrows = [(share, opacity) for share, opacity in zip(agreeing, opacities, strict=True) if share is not None]
    assert len(arrows) > 5
    assert np.corrcoef(*zip(*arrows, strict=True))[0, 1] > 0.999
    assert "line width: share of 200 resamples with the edge" in page.inner_text("#legend")
    assert "arrowhead: the fainter, the fewer of these point this way" in page.inner_text("#legend")
    assert "not in the learned graph" in page.inner_text("#legend")


def test_the_table_has_the_pairs_that_the_resamples_disagree_most_about_first(page, child):
    names, shares = child.names, child.shares
    rows = [tuple(texts(page.locator("#pairs tbody tr").nth(i), "td")) for i in range(5)]
    for (x, y), row in zip(shares.by_doubt(), rows, strict=False):
        counts = shares.of(x, y)
        assert (row[0], row[2]) == (names[x], names[y])
        percentages = [int(cell.strip("<> %")) for cell in (*row[3:7], row[8])]
        exact = [100 * shares.share(count) for count in (counts.adjacent, *counts)] + [100 * shares.doubt(x, y)]
        assert percentages == pytest.approx(exact, abs=1)
        assert float(row[7]) == pytest.approx(100 * shares.error(counts.adjacent), abs=0.051)
        tail_first = (names[x], names[y]) in child.directed_edges
        assert (row[1] == "→") == tail_first
        assert (row[1] == "not adjacent") == (not child.skeleton.has_edge(names[x], names[y]))
    first, second = (texts(page, f"#pairs tbody td:nth-child({column})") for column in (1, 3))
    assert list(zip(first, second, strict=True)) == [(names[x], names[y]) for x, y in shares.by_doubt()]


def test_the_table_of_pairs_is_filtered_and_sorted_and_shows_a_pair(page, child):
    shares = child.shares
    page.fill("#pairs-filter", "sick")
    sick = child.names.index("Sick")
    assert page.locator("#pairs tbody tr").count() == sum(sick in pair for pair in shares.counts)
    page.fill("#pairs-filter", "")
    page.select_option("#pairs-kind", "missing")
    learned = {frozenset(map(child.names.index, edge)) for edge in child.skeleton.edges}
    n_missing = sum(frozenset(pair) not in learned for pair in shares.counts)
    assert page.locator("#pairs tbody tr").count() == n_missing
    assert (
        page.text_content("#doubtful-heading") == f"{n_missing} of {len(shares.counts)} pairs adjacent in some resample"
    )
    page.select_option("#pairs-kind", "")
    page.click("#pairs th:nth-child(4) button")
    most = max(shares.counts, key=lambda pair: shares.counts[pair].adjacent)
    page.locator("#pairs tbody tr").first.locator("td").nth(2).click()
    assert page.text_content(SENTENCE) == shares.in_words(*most)


def test_the_page_says_of_a_pair_what_python_says_in_either_order(page, child):
    n = len(child.names)
    learned = replace(child, shares=None)
    never = next(pair for pair in combinations(range(n), 2) if pair not in child.shares.counts)
    for x, y in [never, *child.shares.by_doubt()[::15]]:
        for a, b in ((x, y), (y, x)):
            choose_pair(page, child.names[a], child.names[b])
            sentence = page.text_content(SENTENCE)
            assert sentence == child.shares.in_words(a, b)
            assert sentence in child.explain(child.names[a], child.names[b]).sentences
            shown = page.text_content("#chosen")
            ways = ((child.names[a], child.names[b]), (child.names[b], child.names[a]))
            assert any(all(told in shown for told in learned.explain(*way).sentences) for way in ways)
    assert "Adjacent in none of 200 resamples." in child.shares.in_words(*never)


def test_a_pair_in_the_consensus_says_how_it_stands_there(page, child):
    graph = consensus_graph(child.shares, 0.6).graph
    tail, head = graph.directed_edges()[0]
    show_consensus(page, 60)
    choose_pair(page, child.names[head], child.names[tail])
    in_words = f"In the consensus at 60 %: {child.names[tail]} → {child.names[head]}."
    assert page.text_content("#chosen .in-consensus") == in_words
    assert page.text_content("#chosen .eyebrow").endswith("dge of the learned graph")
    page.fill("#threshold", "100")
    assert page.text_content("#chosen .in-consensus") == "In the consensus at 100 %: not adjacent."


def test_a_variable_has_the_neighbours_and_the_boundary_of_the_graph_on_view(page, child):
    orientation = consensus_graph(child.shares, 0.4)
    show_consensus(page, 40)
    x = max(range(len(child.names)), key=lambda v: len(orientation.graph.adjacency(v)))
    page.fill("#search", child.names[x])
    page.press("#search", "Enter")
    marked = {int(node.get_attribute("data-node")) for node in page.locator(".node.adjacent, .node.member").all()}
    dag = nx.DiGraph([(a, b) for b, parents in enumerate(orientation.dag.parents) for a in parents])
    children = set(dag.successors(x))
    assert marked == (children | set(dag.predecessors(x)) | {p for c in children for p in dag.predecessors(c)}) - {x}
    assert page.text_content("#chosen .eyebrow") == "Variable in the consensus"


def test_the_switch_and_the_slider_work_with_the_keyboard(page, child):
    page.focus("#show-learned")
    page.keyboard.press("ArrowRight")
    assert page.is_checked("#show-consensus")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "threshold"
    page.keyboard.press("Home")
    assert page.input_value("#threshold") == "5"
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#threshold", "aria-valuetext") == "10 %"
    assert drawn(page) == edges_of(consensus_graph(child.shares, 0.1).graph)
    page.keyboard.press("End")
    assert drawn(page) == edges_of(consensus_graph(child.shares, 1.0).graph)
    fields = page.locator("#views input, #doubtful input, #doubtful select")
    assert fields.evaluate_all("all => all.filter((field) => !field.labels.length).length") == 0


def test_a_step_of_the_replay_shows_the_learned_graph_again(page, child):
    show_consensus(page, 5)
    page.fill("#step", "3")
    assert page.is_checked("#show-learned")
    assert "Step 3 of 20" in page.text_content("#step-words")
    assert page.locator(".edge.added:not(.absent)").count() == 0
    show_consensus(page)
    assert page.input_value("#step") == "21"
    assert drawn(page) == edges_of(consensus_graph(child.shares, 0.05).graph)


def test_edges_follow_a_box_that_is_dragged_and_can_be_clicked(page, child):
    show_consensus(page, 10)
    before = drawn(page)
    box = page.locator("#node-3").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 90, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    at_node = {
        edge for edge in before if 3 in edge and frozenset(edge) not in map(frozenset, child.by_position.dag.edges())
    }
    assert at_node
    assert at_node <= drawn(page)
    x, y, number = page.evaluate(ON_AN_ADDED_EDGE)
    a, b, _ = page.evaluate(DRAWN)[number]
    page.mouse.click(x, y)
    assert set(texts(page, "#chosen h2 .name")) == {child.names[a], child.names[b]}
    assert page.text_content("#chosen .eyebrow") == "Missing edge of the learned graph"


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_arrowheads_have_the_colour_of_their_lines_in_light_and_dark(page, scheme):
    page.emulate_media(color_scheme=scheme)
    show_consensus(page)
    colours = """() => { const edge = document.querySelector(".edge.directed:not(.absent)");
        const of = (part) => getComputedStyle(edge.querySelector(part));
        return [of(".line").stroke, of(".arrowhead").fill]; }"""
    line, head = page.evaluate(colours)
    assert line == head == {"light": "rgb(116, 132, 154)", "dark": "rgb(127, 144, 166)"}[scheme]


def test_hostile_names_do_nothing_in_sentences_and_tables(opened, hostile):
    page = opened(replace(hostile, levels=Levels(HOSTILE, (0.01, 0.05), ({(0, 1): "→"}, {(1, 3): "—"}))), width=360)
    show_consensus(page, 5)
    spoken = hostile.by_position.edge_tests.short_names
    for x, y in hostile.shares.by_doubt()[:4]:
        choose_pair(page, HOSTILE[x], HOSTILE[y])
        assert page.text_content(SENTENCE) == hostile.shares.in_words(x, y, spoken)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert "\u202e" not in page.text_content("body")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert drawn(page) == edges_of(consensus_graph(hostile.shares, 0.05).graph)


def test_223_variables_have_a_slider_and_a_table(opened):
    net = with_shares(sl.learn(sl.DSeparation(sl.networks.load("andes"))), 300)
    page = opened(net)
    show_consensus(page, 30)
    assert drawn(page) == edges_of(consensus_graph(net.shares, 0.3).graph)
    assert page.locator("#pairs tbody tr").count() == 200
    page.click(f"text=Show all {len(net.shares.counts)}")
    assert page.locator("#pairs tbody tr").count() == len(net.shares.counts)


def test_levels_show_how_many_edges_there_are_and_which_pairs_change(opened, child):
    edges = ({(0, 1): "→", (1, 2): "—"}, {(0, 1): "→", (1, 2): "←", (0, 3): "—"})
    levels = Levels(child.names, (0.001, 0.05), edges)
    page = opened(replace(child, shares=None, levels=levels))
    assert not page.is_visible("#views")
    assert texts(page, "#level-counts td") == ["0.001", "2", "1", "0.05", "3", "2"]
    a, b, c, d = child.names[:4]
    assert sorted(zip(*[iter(texts(page, "#changing td"))] * 4, strict=True)) == sorted(
        [(a, d, "·", "—"), (b, c, "—", "←")]
    )
    page.locator("#changing tbody tr", has_text=d).click()
    assert set(texts(page, "#chosen h2 .name")) == {a, d}
    same = opened(replace(child, shares=None, levels=Levels(child.names, (0.01, 0.05), edges[:1] * 2)))
    assert same.text_content("#changes-words") == "The graph is the same at all of them."


def test_without_resamples_nothing_of_this_is_shown(opened, child):
    for shares in (None, Shares(child.names, "bootstrap", 0, 0, {})):
        page = opened(replace(child, shares=shares))
        hidden = ["#views", "#doubtful", "#levels", ".of-shares", "#added-key"]
        assert not any(page.locator(part).first.is_visible() for part in hidden)
        assert page.locator(".arrowhead, .resampled, .weighted").count() == 0
        data = page.evaluate("Object.keys(JSON.parse(document.getElementById('data').textContent))")
        assert not {"shares", "levels"} & set(data)
        marker = "getComputedStyle(document.querySelector('.edge.directed .line')).markerEnd"
        assert page.evaluate(marker) == 'url("#arrow-plain")'
