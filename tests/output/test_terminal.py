import io
import re

import networkx as nx
import numpy as np
import pytest
from rich.console import Console

import sidelight as sl
from sidelight.output.terminal import show, show_comparison, show_diagnosis

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
