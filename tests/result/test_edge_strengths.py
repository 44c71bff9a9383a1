import csv
import xml.etree.ElementTree as ET

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.examples import example
from sidelight.output.pictures.svg import to_svg
from tests.shares_for_tests import with_counts

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 800))
    c = a - 0.3 * b + rng.standard_normal(800)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": np.where(c + rng.standard_normal(800) > 0, "no", "yes")})


@pytest.fixture(scope="module")
def net(frame):
    found = sl.learn(frame)
    assert set(found.skeleton.edges) == {("a", "c"), ("b", "c"), ("c", "d")}
    return found


def test_an_edge_has_the_effect_size_given_the_other_parents_of_its_head(net):
    assert net.edge_strengths[frozenset("ac")].given == ("b",)
    assert net.edge_strengths[frozenset("ac")].size > 0.5
    assert net.edge_strengths[frozenset("bc")].size < -0.2
    found = net.edge_strengths[frozenset("cd")]
    assert (found.name, found.given) == ("partial correlation with d=yes", ())
    assert str(found).startswith("correlation with d=yes −0.")
    assert len(net.edge_strengths) == 3


def test_effects_have_the_signs_of_the_fitted_coefficients():
    net = sl.learn(example("newborns"))
    coefficients = net.fit(example("newborns")).coefficients
    for tail, head in net.to_dag().edges:
        assert np.sign(coefficients[head][tail]) == np.sign(net.edge_strengths[frozenset((tail, head))].size)


def test_an_oracle_measures_nothing():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])))
    assert len(net.edge_strengths) == 0
    assert "effect" not in to_svg(net)


def test_explain_names_the_effect(net):
    words = str(net.explain("c", "d"))
    assert "correlation with d=yes −0." in words
    assert net.explain("a", "c").as_dict()["effect"]["given"] == ["b"]


@pytest.mark.parametrize("extension", [".json", ".csv", ".dot", ".graphml", ".gml"])
def test_files_have_the_effects(net, tmp_path, extension):
    path = tmp_path / f"net{extension}"
    net.write(path)
    if extension == ".json":
        again = sl.read(path)
        assert dict(again.edge_strengths) == dict(net.edge_strengths)
        assert again == net
    if extension == ".csv":
        rows = {frozenset((row["source"], row["target"])): row for row in csv.DictReader(path.open())}
        assert float(rows[frozenset("bc")]["effect"]) == pytest.approx(
            net.edge_strengths[frozenset("bc")].size, abs=1e-4
        )
        assert rows[frozenset("cd")]["effect_name"] == "correlation with d=yes"
    assert "correlation with d=yes" in path.read_text()
    if extension != ".dot":
        assert set(sl.read_graph(path).edges) == set(net.to_networkx().edges)


def test_a_file_with_the_effect_of_a_missing_edge_is_refused(net, tmp_path):
    net.write(tmp_path / "net.json")
    text = (tmp_path / "net.json").read_text()
    start = text.index('"effects"')
    (tmp_path / "net.json").write_text(text[:start] + text[start:].replace('"b",\n    "c"', '"b",\n    "a"', 1))
    with pytest.raises(sl.InputError, match=r"effects.* 'a' and 'b' are not adjacent"):
        sl.read(tmp_path / "net.json")


def widths(net):
    """The width of each line, by the edge that its title begins with."""
    groups = [group for group in ET.fromstring(to_svg(net)).iter(f"{SVG}g") if group.find(f"{SVG}path") is not None]
    return {
        group.find(f"{SVG}title").text.partition(".")[0]: float(
            group.find(f"{SVG}path").get("style").rpartition(":")[2]
        )
        for group in groups
    }


def test_a_line_is_the_wider_the_larger_the_effect_and_with_resamples_the_shares_win(net):
    plain = widths(net)
    assert plain["a → c"] > plain["b → c"]
    assert "line width and number: partial correlation" in to_svg(net)
    resampled = widths(with_counts(net, {("a", "c"): (10, 0, 0), ("b", "c"): (200, 0, 0)}))
    assert resampled["a → c"] < resampled["b → c"]


def test_knowledge_that_directs_an_edge_keeps_the_effects(net):
    further = net.with_knowledge(sl.Required(("c", "d")))
    assert further.edge_strengths[frozenset("ac")] == net.edge_strengths[frozenset("ac")]
    assert len(further.edge_strengths) == 3
