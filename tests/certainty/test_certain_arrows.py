"""An arrow is certain where most graphs of resamples have it; all outputs show which ones are not."""

import json
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import sidelight as sl
from sidelight.output import formats, terminal
from sidelight.output.pictures.svg import to_svg


@pytest.fixture(scope="module")
def table():
    """A collider that all resamples show, and weak effects that they do not agree on."""
    rng = np.random.default_rng(3)
    a, b, d, e = rng.normal(size=(4, 150))
    c = a + b + 0.5 * rng.normal(size=150)
    f = 0.35 * d + 0.3 * e + rng.normal(size=150)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e, "f": f})


@pytest.fixture(scope="module")
def network(table):
    return sl.learn(table, resamples=40, n_jobs=1)


def test_certain_and_uncertain_arrows_are_the_directed_edges(network):
    certain, uncertain = set(network.certain_arrows), set(network.uncertain_arrows)
    assert certain | uncertain == set(network.directed_edges)
    assert not certain & uncertain
    assert all(network.shares.arrow[arrow] >= 0.8 for arrow in certain)
    assert all(network.shares.arrow[arrow] < 0.8 for arrow in uncertain)
    assert {("a", "c"), ("b", "c")} <= certain
    assert uncertain


def test_without_resamples_nothing_is_said_of_certainty(network):
    alone = sl.learn(sl.DSeparation(sl.networks.load("asia")))
    assert alone.certain_arrows == alone.uncertain_arrows == []


def test_uncertain_arrows_have_a_mark_of_their_own_everywhere(network, tmp_path):
    tail, head = network.uncertain_arrows[0]
    assert to_svg(network).count("stroke-dasharray") == len(network.uncertain_arrows)
    assert "Its direction is uncertain" in str(network.explain(tail, head))
    assert "Its direction is uncertain" not in str(network.explain("a", "c"))
    stream = StringIO()
    terminal.show(network, Console(file=stream, width=120), "")
    assert "╌╌▷" in stream.getvalue()
    assert "no hidden common causes" in stream.getvalue()
    content = json.loads(formats.to_json(network))
    assert [tuple(arrow) for arrow in content["uncertain_arrows"]] == network.uncertain_arrows


def test_a_file_without_them_is_read_as_before(network, tmp_path):
    content = json.loads(formats.to_json(network))
    del content["uncertain_arrows"]
    (tmp_path / "old.json").write_text(json.dumps(content))
    assert sl.read(tmp_path / "old.json").uncertain_arrows == network.uncertain_arrows


def test_arrows_that_knowledge_directs_are_not_uncertain():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    table = pd.DataFrame({"x": x, "y": x + rng.normal(size=200)})
    assert sl.learn(table, sl.Roots("x"), resamples=10, n_jobs=1).uncertain_arrows == []


def test_a_score_that_looks_at_all_columns_looks_at_all_of_them_again(table):
    shares = sl.stability(table, resamples=2, method="directions", n_jobs=1).shares
    drawn = np.random.default_rng([0, 0]).permutation(len(table))[: int(0.63 * len(table))]
    alone = sl.learn(table.iloc[np.sort(drawn)])
    assert {ways[0] for ways in shares.ways.values()} - {"."}
    found = next(iter(shares.graphs()))
    assert found == alone.by_position.marks


@pytest.mark.parametrize("options", [{"learner": "rsl"}, {"hidden": True}], ids=str)
def test_directions_are_learned_again_only_where_a_score_decided_them(table, options):
    with pytest.raises(sl.InputError, match=r"directions.* goes with score-based search"):
        sl.stability(table, resamples=10, method="directions", **options)
