import io
import re
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from rich.console import Console

import sidelight as sl
from sidelight.output.terminal import show, show_comparison, show_diagnosis
from sidelight.result.certainty import Levels
from tests.shares_for_tests import with_counts

HOSTILE = ["\x1b[31mred", "\x9b2J", "\u202egnp.exe", "two\nlines", "[bold]markup[/bold]", "alone\x07"]
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def shown(show_it, *arguments):
    screen = io.StringIO()
    show_it(arguments[0], Console(file=screen, width=200), *arguments[1:])
    return screen.getvalue()


@pytest.fixture
def graph():
    dag = nx.DiGraph(nx.utils.pairwise(HOSTILE[:-1]))
    dag.add_node(HOSTILE[-1])
    return dag


def test_nothing_in_a_name_or_title_acts_on_a_terminal(graph):
    text = shown(show, sl.learn(sl.DSeparation(graph)), "\x1b]0;title\x07")
    assert not ACTS.search(text)
    assert all(name in text for name in ("⟨001B⟩[31mred", "⟨009B⟩2J", "two⟨000A⟩lines", "[bold]markup[/bold]"))
    assert re.search("isolated +alone⟨0007⟩", text)


def test_nothing_in_a_column_name_acts_on_a_terminal_when_data_are_diagnosed_or_graphs_compared(graph):
    constant = np.column_stack([np.ones(50), np.random.default_rng(0).standard_normal((50, 5))])
    text = shown(show_diagnosis, sl.diagnose(constant, names=HOSTILE), "data")
    assert "error" in text
    assert not ACTS.search(text)
    assert not ACTS.search(shown(show_comparison, sl.compare(graph, nx.create_empty_copy(graph)), *"ab"))


def test_a_result_that_is_consistent_with_the_assumption_is_not_called_right(graph):
    net = sl.learn(sl.DSeparation(graph), sl.CliqueNumber(2))
    assert net.certificate.status == "consistent"
    assert re.search(r"certificate +consistent with the assumption: ", shown(show, net, "graph"))


def test_of_resamples_the_threshold_and_the_least_certain_pairs_are_shown():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "c"), ("b", "c"), ("c", "d")])))
    counts = {("a", "c"): (171, 0, 12), ("b", "c"): (100, 60, 40), ("c", "d"): (0, 0, 200), ("a", "b"): (0, 20, 10)}
    text = shown(show, with_counts(net, counts), "graph")
    assert re.search(r"resamples +200 \(bootstrap, seed 0\); threshold 0.915: 3 edges", text)
    rows = re.findall(r"(\w),  (\w) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)", text)
    assert rows == [
        ("c", "b", "100.0", "30.0", "50.0", "0.0"),  # half of all point another way
        ("a", "b", "15.0", "0.0", "10.0", "2.5"),
        ("a", "c", "91.5", "85.5", "0.0", "2.0"),
    ]
    assert "least certain" not in shown(show, with_counts(net, {("a", "c"): (200, 0, 0)}), "graph")
    assert "resamples" not in shown(show, net, "graph")


def test_a_threshold_by_false_edges_is_shown_with_their_number():
    net = sl.learn(sl.DSeparation(nx.DiGraph([(0, 1), (2, 3)])))
    counts = {(0, 1): (100, 0, 0), (2, 3): (0, 60, 0), (0, 2): (1, 0, 0)}
    few, none = (with_counts(net, counts, 100, "complementary-pairs", 3, most) for most in (1, 0.0))
    assert re.search(
        r"100 \(complementary-pairs, seed 3\); threshold 0.\d+ \(at most 1 expected to be false\): 1 edge ",
        shown(show, few, "graph"),
    )
    assert "no threshold is high enough (at most 0 expected to be false): 0 edges" in shown(show, none, "graph")


def test_at_most_eight_pairs_are_called_least_certain():
    net = sl.learn(sl.DSeparation(nx.empty_graph(6, nx.DiGraph)))
    counts = {pair: (100, 0, i) for i, pair in enumerate(combinations(range(6), 2))}
    assert len(re.findall(r"\d,  \d ", shown(show, with_counts(net, counts), "graph"))) == 8


def levels_over(names, *graphs):
    alphas = (0.01, 0.05, 0.1)
    return Levels(tuple(names), alphas[: len(graphs)], graphs)


def test_of_levels_the_numbers_of_edges_and_the_pairs_that_change_are_shown():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("c", "b")])))
    levels = levels_over(net.names, {(0, 1): "—"}, {(0, 1): "→", (1, 2): "←"}, {(0, 1): "→", (1, 2): "←"})
    text = shown(show, replace(net, levels=levels), "graph")
    for row in (r"0.01 +1 +0 ", r"0.05 +2 +2 ", r"a,  b +— +→ +→ ", r"b,  c +· +← +← "):
        assert re.search(row, text)
    same = replace(net, levels=levels_over(net.names, {(0, 1): "→"}, {(0, 1): "→"}))
    assert "the edges are the same at all levels" in shown(show, same, "graph")


def test_at_most_twelve_pairs_that_change_are_shown():
    net = sl.learn(sl.DSeparation(nx.empty_graph(6, nx.DiGraph)))
    levels = levels_over(net.names, {}, dict.fromkeys(combinations(range(6), 2), "—"))
    text = shown(show, replace(net, levels=levels), "graph")
    assert len(re.findall(r"\d,  \d ", text)) == 12
    assert "and 3 more" in text


def test_resamples_and_levels_are_shown_on_a_terminal_that_has_only_ascii():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])), learner="pc-stable")
    net = replace(with_counts(net, {("a", "b"): (90, 5, 5)}), levels=levels_over(net.names, {(0, 1): "→"}, {}))
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    show(net, Console(file=screen, width=200), "graph")
    screen.seek(0)
    text = screen.read()
    assert re.search(r"adjacent % +-> % +<- % +\+/- points", text)
    assert re.search(r"a,  b +-> +\. ", text)


def test_nothing_in_a_name_acts_on_a_terminal_where_resamples_and_levels_are_shown(graph):
    net = sl.learn(sl.DSeparation(graph))
    counts = dict.fromkeys(combinations(net.names, 2), (50, 40, 10))
    levels = levels_over(net.names, {}, dict.fromkeys(combinations(range(len(net.names)), 2), "—"))
    text = shown(show, replace(with_counts(net, counts), levels=levels), "graph")
    assert not ACTS.search(text)
    assert text.count("⟨001B⟩[31mred,  ⟨009B⟩2J") == 2
    assert "[bold]markup[/bold]" in text
