"""Learning over time: each edge that repeats is learned once, where it leads to the last wave."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.certainty.draws import Resampler
from sidelight.families.gaussian.test import FisherZ
from sidelight.knowledge.time import Lagged, TimeOrder
from sidelight.learning import learn_graph
from sidelight.options import Options
from sidelight.prepare import Prepared, prepare

LAGGED = {("a (t-1)", "a"), ("b (t-1)", "b"), ("c (t-1)", "c"), ("a (t-1)", "b")}
EDGES = {*LAGGED, ("b", "c")}


def panel(people=200, waves=5, seed=0, spread=0.0):
    """a affects b a wave later, b affects c in the same wave, and each is like itself a wave before."""
    rng = np.random.default_rng(seed)
    own = spread * rng.standard_normal((3, people))
    a, b, c = rng.standard_normal((3, people))
    rows = []
    for wave in range(-20, waves):
        e = rng.standard_normal((3, people)) + own
        a, b = 0.5 * a + e[0], 0.5 * b + 0.5 * a + e[1]
        c = 0.5 * c + 0.6 * b + e[2]
        if wave >= 0:
            rows.append(pd.DataFrame({"who": np.arange(people), "year": 2000 + wave, "a": a, "b": b, "c": c}))
    return pd.concat(rows, ignore_index=True)


TABLE = panel()


@pytest.fixture(scope="module")
def net():
    return sl.learn(TABLE, time="year", groups="who")


def test_edges_between_waves_and_within_are_learned_with_their_directions(net):
    assert set(net.directed_edges) == EDGES
    assert not net.undirected_edges


def test_one_long_series_needs_no_groups():
    series = panel(1, 1500, seed=2).drop(columns="who")
    assert set(sl.learn(series, time="year").directed_edges) == EDGES


def test_the_order_of_rows_and_columns_does_not_matter(net):
    other = TABLE.sample(frac=1, random_state=1)[["c", "year", "b", "who", "a"]]
    assert set(sl.learn(other, time="year", groups="who").directed_edges) == set(net.directed_edges)


def test_without_contemporaneous_edges_what_a_wave_shares_is_sought_a_wave_before():
    edges = sl.learn(TABLE, time="year", groups="who", contemporaneous=False).directed_edges
    assert all(tail.endswith("(t-1)") and not head.endswith("(t-1)") for tail, head in edges)
    assert ("b (t-1)", "c") in edges


@pytest.mark.parametrize("columns", ["a", "abc"])
def test_categories_are_learned_over_time_too(columns):
    table = panel(600)
    cut = {name: np.where(table[name] > table[name].median(), "high", "low") for name in columns}
    found = {frozenset((a, b)) for a, _, b in sl.learn(table.assign(**cut), time="year", groups="who").edges}
    assert {frozenset(edge) for edge in EDGES} <= found
    assert not any(all("(t-" in name for name in edge) for edge in found)


def test_differences_between_persons_that_last_are_diagnosed_and_taken_out_if_asked_for():
    table = panel(300, 10, spread=1.0)
    found = sl.learn(table, time="year", groups="who", variation="all")
    assert any(warning.kind == "earlier waves left" for warning in found.warnings)
    within = sl.learn(table, time="year", groups="who")  # there are ten waves
    assert set(within.directed_edges) >= LAGGED
    assert any(warning.kind == "within groups" for warning in within.warnings)


def test_what_was_learned_is_kept_in_files_explained_and_audited(net, tmp_path):
    TABLE.to_csv(tmp_path / "panel.csv", index=False)
    again = sl.learn(tmp_path / "panel.csv", time="year", groups="who")
    again.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json") == again
    assert again.edges == net.edges
    assert "--time year" in again.settings.command()
    assert "a (t-1) is earlier than b" in str(net.explain("a (t-1)", "b"))
    assert "is not asked" in str(net.explain("a (t-1)", "b (t-1)"))
    assert "remain dependent" in str(net.explain("b", "c"))
    assert net.audit(panel(seed=1)).holds
    assert not any({"a (t-1)", "b (t-1)"} == set(pair) for pair in net.separating_sets)


def test_columns_are_summed_up_in_words_files_and_reports(net, tmp_path):
    assert "3 columns, edges: 3 from a column to itself later, 1 to another one later, 1 within a wave" in repr(net)
    assert net.summary_graph.edges["a", "b"]["lags"] == (1,)
    assert "no arrow points back in time" in net.methods()
    net.write(tmp_path / "net.json")
    assert '["a", "b", [1], true]' in " ".join((tmp_path / "net.json").read_text().split()).replace("[ ", "[").replace(
        " ]", "]"
    )
    net.report(tmp_path / "net.html")
    assert "is not asked" in (tmp_path / "net.html").read_text()
    with pytest.raises(sl.InputError, match="was not learned over time"):
        _ = sl.learn(TABLE[["a", "b", "c"]]).over_time


def test_background_knowledge_goes_with_the_order_of_time(net):
    known = sl.learn(TABLE, time="year", groups="who", side=sl.NoEdge(("a (t-1)", "b")))
    assert ("a (t-1)", "b") not in known.directed_edges
    assert known.doubts
    with pytest.raises(sl.InputError, match="order of time"):
        sl.learn(TABLE, time="year", groups="who", side=sl.Required(("b", "a (t-1)")))


def test_more_knowledge_and_a_consensus_keep_the_order_of_time(net):
    later = net.with_knowledge(sl.NoEdge(("a", "c")))
    assert later.edges == net.edges
    agreed = sl.stability(TABLE, time="year", groups="who", resamples=6, seed=1).consensus(0.5)
    assert set(agreed.directed_edges) == EDGES
    assert "is not asked" in str(agreed.explain("a (t-1)", "b (t-1)"))


def test_what_is_not_estimated_over_time_says_so(net):
    for ask in (lambda: net.effect("b", "c", TABLE), lambda: net.fit(TABLE)):
        with pytest.raises(sl.InputError, match="over time are not estimated"):
            ask()


def test_resamples_draw_whole_persons_or_blocks_of_a_series():
    rows = prepare(TABLE, Options(time="year", groups="who")).rows
    counts = Resampler.of(rows, "bootstrap", 0).counts(0).reshape(200, 4)
    assert (counts == counts[:, :1]).all()
    rows = prepare(panel(1, 1001).drop(columns="who"), Options(time="year")).rows
    counts = Resampler.of(rows, "bootstrap", 0).counts(0).reshape(100, 10)
    assert (counts == counts[:, :1]).all()


def population(coefficients, within):
    """The covariance of all columns a wave before, and then, of a stationary process."""
    from scipy.linalg import solve_discrete_lyapunov

    n = len(within)
    noise = np.linalg.inv(np.eye(n) - within)
    step = noise @ coefficients
    now = solve_discrete_lyapunov(step, noise @ noise.T)
    return np.block([[now, now @ step.T], [step @ now, now]])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_with_the_correlations_of_the_process_the_class_is_exact(seed):
    """The DAG over both waves, with arrows between earlier values that stand for whatever correlates them."""
    rng, n = np.random.default_rng(seed), 4
    strength = lambda: rng.choice([-1, 1], (n, n)) * rng.uniform(0.2, 0.35, (n, n)) * (rng.random((n, n)) < 0.35)  # noqa: E731
    lagged, within = strength() + 0.3 * np.eye(n), 1.5 * np.tril(strength(), -1)
    place = rng.permutation(n)
    lagged, within = lagged[np.ix_(place, place)], within[np.ix_(place, place)]
    covariance = population(lagged, within)
    if not np.isfinite(covariance).all() or np.linalg.eigvalsh(covariance).min() < 1e-3:
        return
    names = [*(f"{v} (t-1)" for v in range(n)), *map(str, range(n))]
    scale = np.sqrt(np.diag(covariance))
    test = FisherZ(sl.Correlation(covariance / np.outer(scale, scale), 10**7, names))
    test.time_order = TimeOrder(tuple(Lagged(f"{v} (t-1)", str(v), 1) for v in range(n)))
    found = learn_graph(Prepared(test), Options(learner="hybrid"), None)
    assert (set(found.directed_edges()), set(found.undirected_edges())) == class_of(lagged, within)


def class_of(lagged, within):
    """By brute force: the arrows that all orders of the columns agree on which have the same family independences."""
    from itertools import product

    n = len(within)
    before = [(u, n + v) for v in range(n) for u in range(n) if lagged[v, u]]
    now = [(n + u, n + v) for v in range(n) for u in range(n) if within[v, u]]
    structure = v_structures(before, now)
    same = []
    for turned in product((False, True), repeat=len(now)):
        arrows = [edge[::-1] if turn else edge for edge, turn in zip(now, turned, strict=True)]
        if acyclic(arrows) and v_structures(before, arrows) == structure:
            same.append(set(arrows))
    certain = set.intersection(*same) if same else set()
    open_edges = {tuple(sorted(edge)) for edge in now if edge not in certain}
    return {*before, *certain}, open_edges


def v_structures(before, now):
    arrows = [*before, *now]
    adjacent = {frozenset(arrow) for arrow in arrows}
    earlier = {u for u, _ in before}
    return {
        (head, frozenset((u, w)))
        for u, head in arrows
        for w, other in arrows
        if head == other and u != w and frozenset((u, w)) not in adjacent and not {u, w} <= earlier
    }


def acyclic(arrows):
    import networkx as nx

    return nx.is_directed_acyclic_graph(nx.DiGraph(arrows))
