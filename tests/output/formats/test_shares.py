"""Shares among resamples and edges at several levels come back from JSON; other files have the shares of the edges."""

import copy
import json
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.output import formats
from sidelight.output.formats.network_json import parse
from sidelight.result.certainty import Levels, PairCounts, Shares
from tests.output.formats.test_evidence_json import JUNK, places
from tests.output.formats.test_round_trips import networks
from tests.shares_for_tests import levels_of, shares_of, with_counts

DAG = nx.DiGraph([("a", "c"), ("b", "c"), ("d", "e")])
DAG.add_node("alone")
BARE = sl.learn(sl.DSeparation(DAG))
COUNTS = {("a", "c"): (150, 20, 13), ("c", "b"): (1, 2, 0), ("d", "e"): (30, 0, 100), ("a", "e"): (1, 1, 1)}
LEVELS = Levels.of(BARE.names, dict.fromkeys((0.01, 0.05), BARE.by_position.marks))
NET = replace(with_counts(BARE, COUNTS, seed=7), levels=LEVELS)
CONTENT = json.loads(formats.to_json(NET))


@settings(max_examples=40)
@given(networks(), st.data())
def test_shares_and_levels_come_back_as_they_were(net, data):
    net = replace(net, shares=data.draw(shares_of(net.names)), levels=data.draw(levels_of(net.names)))
    again = parse(formats.to_json(net), "net.json")
    assert again == net
    assert (again.shares, again.levels) == (net.shares, net.levels)
    assert formats.to_json(again) == formats.to_json(net)


@given(st.data())
def test_networks_with_other_shares_or_levels_are_not_equal(data):
    assert replace(NET, shares=None) != NET != replace(NET, levels=None)
    for field, drawn in (("shares", shares_of(NET.names)), ("levels", levels_of(NET.names))):
        other = replace(NET, **{field: data.draw(drawn)})
        assert (other == NET) == (getattr(other, field) == getattr(NET, field))


def test_a_file_without_shares_and_levels_has_none():
    assert not {"shares", "levels"} & json.loads(formats.to_json(BARE)).keys()
    again = parse(formats.to_json(BARE), "net.json")
    assert again.shares is again.levels is None


def test_how_resamples_were_drawn_comes_back():
    for drawing in (None, {}, {"resamples": 20, "method": "subsample", "seed": 2**70, "max_false_edges": 0.5}):
        net = replace(NET, settings=replace(NET.settings, table="data.csv", resampling=drawing))
        again = parse(formats.to_json(net), "net.json").settings
        assert again.resampling == drawing
        assert again.python_call() == net.settings.python_call()
        assert again.command() == net.settings.command()


def test_counts_of_numpy_are_written():
    counts = {(0, 1): PairCounts(*np.array([1, 2, 3]))}
    net = replace(BARE, shares=Shares(BARE.names, "subsample", np.int64(3), np.int64(6), counts, np.float64(2)))
    assert parse(formats.to_json(net), "net.json") == net


def test_a_pair_in_either_order_is_the_same_pair():
    content = copy.deepcopy(CONTENT)
    for entry in content["shares"]["pairs"]:
        entry.update(a=entry["b"], b=entry["a"], forward=entry["backward"], backward=entry["forward"])
    turned = {"→": "←", "←": "→", "—": "—"}
    for level in content["levels"]:
        for entry in level["edges"]:
            entry.update(a=entry["b"], b=entry["a"], way=turned[entry["way"]])
    assert parse(json.dumps(content), "net.json") == NET


def pair(content, i=0):
    return content["shares"]["pairs"][i]


def edge(content, i=0):
    return content["levels"][0]["edges"][i]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: pair(c).update(forward=-1), "'shares.pairs[0].forward': expected a whole number >= 0"),
        (lambda c: pair(c).update(undirected=0.5), "'shares.pairs[0].undirected': expected a whole number, got a num"),
        (lambda c: pair(c).update(backward=31), "'shares': 'a' and 'c' are adjacent in 194 of 193 resamples"),
        (lambda c: pair(c).update(a="z"), "'shares.pairs[0].a': 'z' is no variable"),
        (lambda c: pair(c).update(b="a"), "'shares': two different variables are expected, not 'a' twice"),
        (lambda c: pair(c, 1).update(a="c", b="a"), "'shares': 'c' and 'a' stand there twice"),
        (lambda c: pair(c).update(forward=0, backward=0, undirected=0), "'shares': 'a' and 'c' are never adjacent"),
        (lambda c: pair(c).pop("forward"), "'shares.pairs[0]': object missing required field 'forward'"),
        (lambda c: c["shares"].update(method="jackknife"), "'shares': method must be one of 'bootstrap', "),
        (lambda c: c["shares"].update(seed=-1), "'shares.seed': expected a whole number >= 0"),
        (lambda c: c["shares"].update(n_resamples=-1), "'shares.n_resamples': expected a whole number >= 0"),
        (lambda c: c["shares"].update(max_false_edges=-1), "'shares.max_false_edges': expected a number >= 0"),
        (lambda c: c.update(shares=[]), "'shares': expected an object or null, got a list"),
        (lambda c: edge(c).update(way="⇄"), "'levels[0].edges[0]': way must be one of '→', '←', '—', '↔', "),
        (lambda c: edge(c).update(way=""), "'○—'; got ''"),
        (lambda c: edge(c).update(b="z"), "'levels[0].edges[0].b': 'z' is no variable"),
        (lambda c: edge(c).update(b="a"), "'levels': two different variables are expected, not 'a' twice"),
        (lambda c: edge(c, 1).update(a="c", b="a"), "'levels': 'c' and 'a' stand there twice"),
        (lambda c: c["levels"][0].update(alpha=0), "'levels[0].alpha': expected a number > 0"),
        (lambda c: c["levels"][1].update(alpha=1), "'levels[1].alpha': expected a number < 1"),
        (lambda c: c["levels"][1].update(alpha=0.01), "alphas are expected to increase, but 0.01 follows 0.01"),
        (lambda c: c["levels"].reverse(), "'levels': alphas are expected to increase, but 0.01 follows 0.05"),
    ],
)  # fmt: skip
def test_damaged_shares_and_levels_are_named(change, message):
    content = copy.deepcopy(CONTENT)
    content["shares"]["n_resamples"] = 193
    change(content)
    with pytest.raises(sl.InputError) as error:
        parse(json.dumps(content), "net.json")
    assert str(error.value).startswith("'net.json', ")
    assert message in str(error.value)


@given(st.sampled_from(list(places({key: CONTENT[key] for key in ("shares", "levels")}))), JUNK)
def test_shares_with_something_wrong_in_them_are_refused_or_explained(path, junk):
    content = copy.deepcopy(CONTENT)
    inside = content
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = junk
    with suppress(sl.InputError):
        net = parse(json.dumps(content), "net.json")
        assert all(str(net.explain(a, b)) for a, b in combinations(net.names, 2))
        assert net.shares is None or net.shares.threshold > 0
        assert net.levels is None or net.levels.changes() is not None


@settings(max_examples=40)
@given(
    net=networks(), data=st.data(), extension=st.sampled_from(sorted(formats.WRITERS.keys() & formats.READERS.keys()))
)
def test_a_graph_that_was_written_with_shares_is_read_without_them(tmp_path_factory, net, data, extension):
    path = tmp_path_factory.mktemp("graph") / f"net{extension}"
    try:
        net.write(path)
    except sl.InputError:  # GraphML cannot hold some names, with shares or without
        return
    replace(net, shares=data.draw(shares_of(net.names))).write(path, overwrite=True)
    assert nx.utils.graphs_equal(sl.read_graph(path), net.to_networkx())


def test_an_edge_list_has_the_shares_of_its_edges_in_the_direction_that_is_written():
    lines = formats.GRAPH_WRITERS[".csv"](NET).splitlines()
    assert lines == [
        "source,target,directed,share,share_forward,share_backward",
        "a,c,yes,0.915,0.75,0.1",
        "b,c,yes,0.015,0.01,0.005",
        "d,e,no,0.65,0.15,0.0",
        "alone,,,,,",
    ]
    assert formats.GRAPH_WRITERS[".csv"](BARE).startswith("source,target,directed\na,c,yes\n")


def test_shares_are_rounded_to_four_digits():
    assert "a,c,yes,0.3333,0.3333,0.0" in formats.GRAPH_WRITERS[".csv"](with_counts(BARE, {("a", "c"): (1, 0, 0)}, 3))


@pytest.mark.parametrize(("extension", "reader"), [("graphml", nx.read_graphml), ("gml", nx.read_gml)])
def test_networkx_reads_the_shares(tmp_path, extension, reader):
    NET.write(tmp_path / f"g.{extension}")
    graph = reader(tmp_path / f"g.{extension}")
    found = {name: nx.get_edge_attributes(graph, name) for name in ("share", "share_forward", "share_backward")}
    assert found == {
        "share": {("a", "c"): 0.915, ("b", "c"): 0.015, ("d", "e"): 0.65},
        "share_forward": {("a", "c"): 0.75, ("b", "c"): 0.01, ("d", "e"): 0.15},
        "share_backward": {("a", "c"): 0.1, ("b", "c"): 0.005, ("d", "e"): 0.0},
    }


def test_dot_has_the_shares_as_attributes():
    text = formats.GRAPH_WRITERS[".dot"](NET)
    assert '"a" -> "c" [share=0.915, share_forward=0.75, share_backward=0.1];' in text
    assert '"d" -> "e" [dir=none, share=0.65, share_forward=0.15, share_backward=0.0];' in text
    assert '"a" -> "c";' in formats.GRAPH_WRITERS[".dot"](BARE)
