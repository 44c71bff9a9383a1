"""Resamples where causes may be hidden: how often each pair is adjacent, and each mark stands at each end."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.graphs.marks import Mark
from sidelight.orientation.pag import is_pag
from sidelight.result.marked_shares import LETTERS, NO_EDGE, OTHER_WAY, MarkCounts, at_ends


@given(st.text(LETTERS + NO_EDGE, max_size=30))
def test_turned_counts_are_those_of_the_turned_edges(letters):
    counts = MarkCounts.of(letters)
    assert counts.turned() == MarkCounts.of(letters.translate(OTHER_WAY))
    assert counts.turned().turned() == counts
    assert at_ends(counts.turned()) == at_ends(counts)[::-1]
    assert sum(at_ends(counts)[0].values()) == counts.adjacent == len(letters.replace(NO_EDGE, ""))


@pytest.fixture(scope="module")
def resampled():
    random = np.random.default_rng(1)
    a, b, u = random.normal(size=(3, 300))
    x, y = a + u + random.normal(size=300), b + u + random.normal(size=300)
    table = np.column_stack([a, x, y, b, y + random.normal(size=300)])
    return sl.stability(table, names=list("axybz"), hidden=True, resamples=8, n_jobs=1)


def test_shares_are_those_of_the_graphs_and_these_are_legal(resampled):
    shares, graphs = resampled.shares, list(resampled.shares.graphs())
    assert len(graphs) == 8
    assert all(map(is_pag, graphs))
    for a, b in permutations(shares.names, 2):
        x, y = shares.names.index(a), shares.names.index(b)
        found = shares.mark(a, b)
        assert found == {str(mark): sum(graph.mark(x, y) == mark for graph in graphs) / 8 for mark in Mark}
        assert sum(found.values()) == pytest.approx(shares.adjacency[frozenset((a, b))])


def test_they_are_the_same_when_written_and_read(resampled, tmp_path):
    resampled.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json")
    assert again == resampled.network
    assert next(again.shares.graphs()) == next(resampled.shares.graphs())
    text = str(again.explain("x", "y"))
    assert "of 8 resamples: x " in text
    assert "at x arrow in" in text
    ends = again.explain("x", "y").as_dict()["shares"]["marks_at_second"]
    assert ends == again.shares.mark("x", "y")
    whole = (tmp_path / "net.json").read_text()
    (tmp_path / "net.json").write_text(whole.replace('"of_pags": true', '"of_pags": false'))
    with pytest.raises(sl.InputError, match=r"never adjacent|do not agree with their counts"):
        sl.read(tmp_path / "net.json")


def test_all_that_shows_them_does(resampled, tmp_path):
    for kind in ("svg", "csv", "html"):
        (resampled.report if kind == "html" else resampled.write)(tmp_path / f"net.{kind}")
    assert "share" in (tmp_path / "net.csv").read_text().splitlines()[0]
    assert {"arrow_at_a", "circle_at_b", "network"} <= set(resampled.frame().columns)
    with pytest.raises(sl.InputError, match="no consensus of PAGs"):
        resampled.consensus()


def test_several_levels_have_marks_too(tmp_path):
    random = np.random.default_rng(2)
    table = random.normal(size=(200, 4)) @ np.triu(random.normal(size=(4, 4)))
    net = sl.at_levels(table, hidden=True, alphas=[0.001, 0.3])
    net.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json").levels == net.levels
    assert {way for edges in net.levels.edges for way in edges.values()} <= {"→", "←", "↔", "○→", "←○", "○—○"}
