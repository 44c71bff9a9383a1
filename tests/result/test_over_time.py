"""What a network over time says of its columns: lags of edges, feedback, and the edges repeated over waves."""

import pytest

import sidelight as sl
from sidelight.knowledge.time import Lagged, TimeOrder
from sidelight.result.over_time import OverTime

ORDER = TimeOrder(tuple(Lagged(f"{name} (t-{lag})", name, lag) for lag in (2, 1) for name in "abc"))
EDGES = [
    ("a (t-2)", "→", "b"),
    ("a (t-1)", "→", "a"),
    ("a (t-1)", "→", "b"),
    ("b (t-1)", "→", "a"),
    ("b", "—", "c"),
]
FOUND = OverTime.of(ORDER, [*(each.name for each in ORDER.lagged), "a", "b", "c"], EDGES)


def test_edges_between_the_same_columns_stand_once_with_all_their_lags():
    assert [tuple(edge) for edge in FOUND.edges] == [
        ("a", "a", (1,), True),
        ("a", "b", (1, 2), True),
        ("b", "a", (1,), True),
        ("b", "c", (0,), False),
    ]
    assert FOUND.feedback == [["a", "b"]]
    assert FOUND.summary_graph.edges["a", "b"] == {"lags": (1, 2), "directed": True}
    assert FOUND.summary_graph.edges["c", "b"] == {"lags": (0,), "directed": False}


def test_the_full_graph_has_every_edge_at_every_wave_at_which_its_cause_is_there():
    full = FOUND.full_graph(3)
    arrows = {(*tail, *head) for tail, head, directed in full.edges(data="directed") if directed}
    assert arrows == {
        *(("a", wave, "a", wave + 1) for wave in (0, 1)),
        *(("a", wave, "b", wave + 1) for wave in (0, 1)),
        *(("b", wave, "a", wave + 1) for wave in (0, 1)),
        ("a", 0, "b", 2),
    }
    assert [full.has_edge(("c", wave), ("b", wave)) for wave in range(3)] == [True] * 3
    assert FOUND.full_graph().number_of_nodes() == 9
    with pytest.raises(sl.InputError, match="waves must be a number of waves"):
        FOUND.full_graph(0)
