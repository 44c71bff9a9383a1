import base64
import hashlib
import json
import re

import networkx as nx
import numpy as np
import pytest

import sidelight as sl
from sidelight.examples import example
from sidelight.output.report.html import to_html
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian

HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{script}}",
    "\u2028",
    "\u202edexim",
]
BLOCK = re.compile(r"<script type=\"application/json\" id=\"data\">(.*?)</script>", re.DOTALL)


def data_of(html):
    return json.loads(BLOCK.search(html)[1])


def test_names_cannot_leave_the_block_of_data():
    html = to_html(sl.learn(sl.DSeparation(nx.DiGraph(nx.utils.pairwise(HOSTILE)))))
    assert html.count("<script") == 2
    assert html.count("</script>") == 2
    assert "<img" not in html
    assert data_of(html)["names"][:3] == HOSTILE[:3]
    assert data_of(html)["names"][3:] == ["⟨2028⟩", "⟨202E⟩dexim"]


def test_a_hostile_file_name_is_the_title_and_nothing_more(tmp_path):
    table = tmp_path / "<img src=x onerror=alert(1)>.csv"
    table.write_bytes(example("newborns").read_bytes())
    html = to_html(sl.learn(table))
    assert "<img" not in html
    assert data_of(html)["title"] == table.name


def test_the_policy_allows_the_one_script_and_the_one_style_only():
    html = to_html(sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")]))))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    assert policy.startswith("default-src 'none'; ")
    for tag in ("script", "style"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy


def test_the_page_refers_to_nothing_outside():
    html = to_html(sl.learn(example("newborns")))
    assert set(re.findall(r"https?://[^\s\"']*", html)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"(src=|@import|url\((?!#))", html)


@pytest.mark.parametrize("length", [1, 300])
def test_a_report_on_200_variables_takes_less_than_2_megabytes_however_long_their_names(length):
    dag = random_graphs.diamond_free(200, 3.0, np.random.default_rng(0))
    values = linear_gaussian(dag, 5000, np.random.default_rng(1))[1]
    names = [f"{'n' * (length // 2)}{i}{'n' * (length // 2)}" for i in range(200)]
    assert len(to_html(sl.learn(values, sl.DiamondFree(), names=names)).encode()) < 2_000_000


def test_every_edge_stands_in_the_report_once_with_its_direction():
    net = sl.learn(example("newborns"), sl.DiamondFree())
    data = data_of(to_html(net))
    named = [(data["names"][e["tail"]], data["names"][e["head"]], e["directed"]) for e in data["edges"]]
    assert {(a, b) for a, b, directed in named if directed} == set(net.directed_edges)
    undirected = [frozenset((a, b)) for a, b, directed in named if not directed]
    assert sorted(map(sorted, undirected)) == sorted(map(sorted, net.undirected_edges))


@pytest.mark.parametrize("learner", ["rsl", "marvel", "pc-stable"])
def test_the_steps_of_a_report_are_those_of_the_recursion(learner):
    net = sl.learn(example("newborns"), learner=learner)
    data = data_of(to_html(net))
    assert [data["names"][step["removed"]] for step in data["steps"]] == list(net.removal_order)


def test_a_network_read_from_its_json_has_the_same_report(tmp_path):
    net = sl.learn(example("newborns"), sl.DiamondFree())
    net.write(tmp_path / "net.json")
    again, before = data_of(to_html(sl.read(tmp_path / "net.json"))), data_of(to_html(net))
    assert {key for key in before if again[key] != before[key]} <= {"seconds", "effects"}
    # A file has no correlations, so the sizes of effects are not there; sets and paths follow from the graph.
    paths = [[(e["cause"], e["on"], e["causal"], e["open"]) for e in data["effects"]] for data in (again, before)]
    assert paths[0] == paths[1]


def test_a_report_is_not_written_over_a_file_unless_that_is_wanted(tmp_path):
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])))
    path = tmp_path / "report.html"
    path.write_text("precious")
    with pytest.raises(sl.InputError, match="exists already"):
        net.report(path)
    assert path.read_text() == "precious"
    net.report(path, overwrite=True)
    assert path.read_text().startswith("<!doctype html>")


def test_a_report_with_another_extension_is_refused(tmp_path):
    with pytest.raises(sl.InputError, match=r"a name that ends in \.html"):
        sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")]))).report(tmp_path / "report.pdf")


def test_the_settings_have_the_correlation_and_the_missing_values_in_words():
    settings = data_of(to_html(sl.learn(example("newborns"), correlation="normal-scores", missing="drop")))["settings"]
    assert ["Correlation", "normal-scores"] in settings
    assert ["Missing values", "drop"] in settings
