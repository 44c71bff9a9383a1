"""Shares of resamples: those of resampling by hand, for every kind of table, and for any number of workers."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from importlib.metadata import version

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.certainty.draws import Resampler
from sidelight.certainty.resamples import affordable
from sidelight.graphs.dag import Dag
from sidelight.options import Options
from sidelight.orientation import essential_graph
from sidelight.prepare import prepare
from sidelight.result.certainty import PairCounts, Shares, consensus_graph
from sidelight.runs.records import Records
from sidelight.simulation import networks
from sidelight.simulation.discrete import random_mixed
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi

RESAMPLES = 4
rng = np.random.default_rng(0)


def numbers(n_rows=150, n=8, seed=1):
    graph = erdos_renyi(n, 2.4 / n, np.random.default_rng(seed))
    names, values = linear_gaussian(graph, n_rows, np.random.default_rng(seed))
    return pd.DataFrame(values, columns=[f"x{name}" for name in names])


def discrete(n_rows=300):
    return pd.DataFrame(networks.load_discrete("survey").sample(n_rows, np.random.default_rng(2)))


def mixed(n_rows=200):
    graph = erdos_renyi(6, 0.4, np.random.default_rng(3))
    return pd.DataFrame(random_mixed(graph, 0.5, np.random.default_rng(3)).sample(n_rows, np.random.default_rng(3)))


def with_gaps(table):
    return table.mask(np.random.default_rng(4).random(table.shape) < 0.05)


FREQUENCIES = np.random.default_rng(5).integers(1, 4, 150)
SURVEY = np.random.default_rng(6).uniform(0.5, 2.0, 150)
KINDS = {
    "numbers": (numbers(), {}),
    "normal scores": (numbers(), {"correlation": "normal-scores"}),
    "rsl with a bound": (numbers(), {"learner": "rsl", "side": sl.CliqueNumber(3)}),
    "pc-stable": (numbers(), {"learner": "pc-stable"}),
    "known": (numbers(), {"side": sl.Tiers(["x0", "x1", "x2", "x3"], ["x4", "x5", "x6", "x7"])}),
    "discrete": (discrete(), {}),
    "mixed": (mixed(), {}),
    "frequencies": (numbers(), {"weights": FREQUENCIES}),
    "survey weights": (numbers(), {"weights": SURVEY}),
    "pairwise": (with_gaps(numbers()), {"missing": "pairwise"}),
    "pairwise, mixed": (with_gaps(mixed()), {"missing": "pairwise"}),
    "pairwise, discrete": (with_gaps(discrete()), {"missing": "pairwise"}),
    "pairwise, frequencies": (with_gaps(numbers()), {"missing": "pairwise", "weights": FREQUENCIES}),
    "em": (with_gaps(numbers()), {"missing": "em"}),
    "dropped rows": (with_gaps(numbers()), {"missing": "drop"}),
}


def by_hand(table, options, method, seed, number):
    """The graph of rows that are repeated, and learned from as any others."""
    options = dict(options)
    resampler = Resampler.of(prepare(table, Options(**options), keep_rows=True).rows, method, seed)
    counts = resampler.counts(number)
    weights = options.pop("weights", None)
    if options.get("missing") == "drop":
        table = table.dropna()
    repeated = table.iloc[np.repeat(np.arange(len(table)), counts)].reset_index(drop=True)
    if weights is SURVEY:
        options["weights"] = np.repeat(weights, counts)
    return sl.learn(repeated, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_shares_are_those_of_repeated_rows(kind):
    table, options = KINDS[kind]
    found = sl.stability(table, **options, resamples=RESAMPLES, method="bootstrap", seed=7, n_jobs=1)
    adjacent, arrows = Counter(), Counter()
    for number in range(RESAMPLES):
        net = by_hand(table, options, "bootstrap", 7, number)
        adjacent.update(frozenset(edge) for edge in (*net.directed_edges, *net.undirected_edges))
        arrows.update(net.directed_edges)
    assert {pair: round(share * RESAMPLES) for pair, share in found.adjacency.items() if share} == adjacent
    assert {arrow: round(share * RESAMPLES) for arrow, share in found.arrow.items() if share} == arrows
    alone = sl.learn(table, **options)
    assert found.network.to_networkx().edges == alone.to_networkx().edges
    assert found.network.score == alone.score


@pytest.mark.parametrize("weights", [None, FREQUENCIES])
def test_draws_have_the_rows_that_their_method_says(weights):
    table = numbers()
    rows = prepare(table, Options(weights=weights), keep_rows=True).rows
    available = np.ones(150, dtype=int) if weights is None else weights
    total = available.sum()
    assert Resampler.of(rows, "bootstrap", 0).counts(3).sum() == total
    half = Resampler.of(rows, "subsample", 0).counts(3)
    assert half.sum() == total // 2
    assert (half <= available).all()
    pairs = Resampler.of(rows, "complementary-pairs", 0)
    first, second = pairs.counts(4), pairs.counts(5)
    assert first.sum() == second.sum() == total // 2
    assert (first + second <= available).all()
    assert not np.array_equal(first, pairs.counts(6))


def test_draws_are_what_chance_would_draw():
    rows = prepare(numbers(), Options(), keep_rows=True).rows
    resampler = Resampler.of(rows, "bootstrap", 0)
    drawn = np.mean([resampler.counts(number) for number in range(400)], axis=0)
    assert abs(drawn - 1).max() < 5 * np.sqrt(1 / 400)


def test_any_number_of_workers_finds_the_same():
    table = numbers()
    one, two = (sl.stability(table, resamples=12, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one.shares == two.shares


def test_records_go_on_where_they_were_left(tmp_path, monkeypatch):
    table, path = numbers(), tmp_path / "records"
    whole = sl.stability(table, resamples=20, n_jobs=1)
    learned = []
    draw = Resampler.draw

    def counting(self, number):
        learned.append(number)
        if len(learned) == 13:
            raise KeyboardInterrupt
        return draw(self, number)

    monkeypatch.setattr(Resampler, "draw", counting)
    first = sl.stability(table, resamples=20, n_jobs=1, records=path)
    assert first.shares.n_resamples == 10
    assert "10 of 20 resamples" in first.network.warnings[-1].text
    again = sl.stability(table, resamples=20, n_jobs=1, records=path)
    assert again.shares == whole.shares
    assert sorted(learned[13:]) == list(range(10, 20))
    other = sl.stability(table, resamples=20, n_jobs=1, records=path, alpha=0.05)  # is not taken for the same work
    assert len(learned) == 13 + 10 + 20
    assert other.shares.n_resamples == 20


def test_a_damaged_file_of_records_is_refused(tmp_path):
    path = tmp_path / "records"
    path.write_text("something else")
    with pytest.raises(sl.InputError, match="holds something else"):
        sl.stability(numbers(), resamples=4, records=path)


def test_a_column_that_is_constant_in_a_resample_is_named_and_isolated_there():
    table = numbers(60)
    table["rare"] = 0.0
    table.loc[0, "rare"] = 1.0
    found = sl.stability(table, resamples=12, method="bootstrap", n_jobs=1)
    warning = next(w for w in found.network.warnings if w.kind == "constant in resamples")
    assert warning.culprits == ("rare",)
    assert "does not vary" in warning.text
    lacking = sum(Resampler.of(prepare(table, Options(), keep_rows=True).rows, "bootstrap", 0).counts(i)[0] == 0
                  for i in range(12))  # fmt: skip
    assert f"in {lacking} of 12 resamples" in warning.text


def test_a_category_that_is_missing_in_a_resample_is_named():
    table = discrete(80)
    table.loc[0, "A"] = "perhaps"
    found = sl.stability(table, resamples=10, n_jobs=1)
    warning = next(w for w in found.network.warnings if w.kind == "categories missing in resamples")
    assert "A" in warning.culprits


@pytest.mark.parametrize("kind", ["numbers", "discrete", "mixed", "em"])
def test_tables_of_few_rows_and_many_columns_are_learned_from(kind):
    table, options = KINDS[kind]
    found = sl.stability(table.head(20), **options, resamples=5, n_jobs=1)
    assert found.shares.n_resamples + sum("could not be learned" in w.text for w in found.network.warnings) >= 1


def test_wide_tables_say_that_tests_given_all_columns_are_not_possible():
    found = sl.stability(np.random.default_rng(0).normal(size=(30, 40)), resamples=4, n_jobs=1)
    assert any(warning.kind == "singular resamples" for warning in found.network.warnings)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resamples": 1}, "resamples must be a number of resamples, 2 or more"),
        ({"resamples": 2.5}, "resamples must be"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"method": "jackknife"}, "method must be one of 'auto', 'bootstrap', 'subsample', 'complementary-pairs'"),
        ({"method": "complementary-pairs", "resamples": 5}, "resamples must be even"),
        ({"max_false_edges": 1}, 'max_false_edges= needs method="complementary-pairs"'),
        ({"max_false_edges": -1, "method": "complementary-pairs"}, "max_false_edges must be a number above 0"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"alphas": [0.1]}, "alphas must be two significance levels or more"),
        ({"alphas": [0.1, 2]}, "alphas must be a number between 0 and 1"),
        ({"alphas": "0.1,0.2"}, "alphas must be several significance levels"),
        ({"learner": "magic"}, "learner must be one of"),
    ],
)
def test_options_that_cannot_be_used_are_named(options, words):
    with pytest.raises(sl.InputError) as error:
        sl.stability(numbers(), **options)
    assert words in str(error.value)


@pytest.mark.parametrize(
    "source", [sl.DSeparation(nx.DiGraph([("a", "b")])), sl.Correlation(np.eye(3), 100), "function"]
)
def test_sources_without_rows_are_refused(source):
    options = {"test": lambda x, y, z, data: 0.5} if source == "function" else {}
    with pytest.raises(sl.InputError, match="stability draws rows of a table"):
        sl.stability(numbers() if source == "function" else source, resamples=4, **options)


def test_half_of_a_few_rows_is_too_few():
    with pytest.raises(sl.InputError, match='half of them are too few to learn from; use method="bootstrap"'):
        sl.stability(numbers(9), resamples=4, method="subsample")


@pytest.fixture(scope="module")
def found():
    return sl.stability(numbers(), resamples=20, method="complementary-pairs", n_jobs=1)


def test_a_consensus_is_a_network_with_evidence_of_its_own(found, tmp_path):
    for threshold in (0.3, None, 1.0):
        net = found.consensus(threshold)
        least = found.threshold if threshold is None else threshold
        pairs = {pair for pair, share in found.adjacency.items() if share >= least}
        assert {frozenset(edge) for edge in net.skeleton.edges} == pairs
        assert essential_graph(Dag.from_networkx(net.to_dag())).to_networkx(net.names).edges == net.to_networkx().edges
        assert all(net.separating_sets[pair] is not None for pair in net.separating_sets)
        assert "of 20 resamples have" in net.certificate.sentence
    a, b = found.names[:2]
    assert "of 20 resamples" in str(net.explain(a, b))
    net.write(tmp_path / "consensus.json")
    assert sl.read(tmp_path / "consensus.json") == net
    net.report(tmp_path / "consensus.html")
    with pytest.raises(sl.InputError, match="threshold must be a share"):
        found.consensus(1.5)


def test_the_number_of_false_edges_chooses_the_threshold():
    few, many = (
        sl.stability(numbers(150, 20, 2), resamples=40, method="complementary-pairs", max_false_edges=most, n_jobs=1)
        for most in (2.0, 5.0)
    )
    assert many.threshold <= few.threshold
    for found, most in ((few, 2.0), (many, 5.0)):
        assert found.false_edges() <= most
        assert found.false_edges(found.threshold - 0.05) > most or found.threshold <= 0.55
    with pytest.raises(sl.InputError, match="needs method"):
        sl.stability(numbers(), resamples=4, n_jobs=1).false_edges()


def test_the_table_has_all_pairs_that_are_ever_adjacent_the_least_certain_first(found):
    frame = found.frame()
    assert set(map(frozenset, zip(frame.a, frame.b, strict=True))) == {p for p, s in found.adjacency.items() if s}
    assert np.allclose(frame.adjacent, frame.forward + frame.backward + frame.undirected)
    doubts = [
        found.shares.doubt(found.names.index(a), found.names.index(b)) for a, b in zip(frame.a, frame.b, strict=True)
    ]
    assert doubts == sorted(doubts, reverse=True)
    arrows = {(r.a, r.b) if r.network == "→" else (r.b, r.a) for r in frame.itertuples() if r.network in ("→", "←")}
    assert arrows == {edge for edge in found.network.directed_edges if found.adjacency[frozenset(edge)]}


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_counts_have_a_legal_consensus(data):
    n = data.draw(st.integers(2, 7))
    pairs = [(x, y) for x in range(n) for y in range(x + 1, n)]
    counts = {
        pair: PairCounts(*data.draw(st.tuples(*[st.integers(0, 30)] * 3))) for pair in pairs if data.draw(st.booleans())
    }
    shares = Shares(tuple(range(n)), "bootstrap", 0, 90, counts)
    for threshold in (None, 0.2, 0.5):
        found = consensus_graph(shares, threshold)
        assert essential_graph(found.dag) == found.graph
        least = shares.threshold if threshold is None else threshold
        assert {frozenset(edge) for edge in found.dag.edges()} == {
            frozenset(pair) for pair, count in counts.items() if count.adjacent / 90 >= least - 1e-12
        }


def test_a_consensus_of_equal_graphs_is_that_graph():
    for seed in range(20):
        dag = Dag.from_networkx(erdos_renyi(8, 0.3, np.random.default_rng(seed)))
        graph = essential_graph(dag)
        counts = {}
        for x, y in graph.undirected_edges():
            counts[min(x, y), max(x, y)] = PairCounts(0, 0, 50)
        for tail, head in graph.directed_edges():
            counts[min(tail, head), max(tail, head)] = PairCounts(50, 0, 0) if tail < head else PairCounts(0, 50, 0)
        assert consensus_graph(Shares(dag.names, "bootstrap", 0, 50, counts), 0.5).graph == graph


def test_a_killed_run_leaves_no_worker_and_its_records_are_whole(tmp_path):
    numbers(4000, 30).to_csv(tmp_path / "table.csv", index=False)
    script = (
        "import sidelight as sl, sys\n"
        "if __name__ == '__main__':\n"
        "    print('started', flush=True)\n"
        f"    sl.stability(r'{tmp_path / 'table.csv'}', resamples=4000, n_jobs=2, records=r'{tmp_path / 'records'}')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not _has_results(tmp_path / "records"):
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    deadline = time.monotonic() + 2
    while _group_lives(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _group_lives(process.pid)
    records = Records(tmp_path / "records", version("sidelight"))
    assert records._results
    assert records.n_damaged == 0
    records.close()


def _has_results(path):
    return path.exists() and path.stat().st_size > 12_000


def _group_lives(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return any(_state(pid) not in ("Z", "") for pid in os.listdir("/proc") if pid.isdigit() and _group(pid) == group)


def _group(pid):
    try:
        return os.getpgid(int(pid))
    except ProcessLookupError:
        return None


def _state(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def test_ctrl_c_keeps_what_is_done(tmp_path):
    numbers(4000, 30).to_csv(tmp_path / "table.csv", index=False)
    command = [sys.executable, "-m", "sidelight", "learn", str(tmp_path / "table.csv"), "--resamples", "4000"]
    command += ["--out", str(tmp_path / "net.json"), "--n-jobs", "2", "--quiet"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not _has_results(tmp_path / "net.json.resamples"):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "of 4000 resamples were learned" in errors
    assert 0 < sl.read(tmp_path / "net.json").shares.n_resamples < 4000


# Resamples of learn.


def test_learn_with_resamples_has_the_shares_of_stability():
    table = numbers(80)
    assert sl.learn(table).shares is None
    learned = sl.learn(table, resamples=12, n_jobs=1)
    assert learned == sl.stability(table, resamples=12, n_jobs=1).network
    assert learned.settings.python_call() == "sl.stability(data, resamples=12).network"


def test_the_number_of_resamples_that_are_drawn_by_default_follows_from_the_size_of_the_table():
    table = numbers(80)
    seconds, same = (prepare(each, Options()).test.seconds_per_graph() for each in (table, table + 1))
    assert affordable(seconds) == affordable(same) == 100
    assert sl.learn(table, resamples="auto", n_jobs=1).shares.n_resamples == 100
    assert affordable(prepare(table.sample(3_000_000, replace=True), Options()).test.seconds_per_graph()) == 0


def test_where_rows_cannot_be_drawn_there_are_no_resamples_by_default():
    correlation = sl.Correlation(numbers(80).corr().to_numpy(), 80, names=list("abcdefgh")[: len(numbers(80).columns)])
    assert sl.learn(correlation, resamples="auto").shares is None
    with pytest.raises(sl.InputError, match="stability draws rows of a table"):
        sl.learn(correlation, resamples=10)


@pytest.mark.parametrize("number", [1, -1, 2.5, True, "many"])
def test_a_number_of_resamples_that_is_none_is_refused(number):
    with pytest.raises(sl.InputError, match="resamples must be"):
        sl.learn(numbers(80), resamples=number)


def test_tables_with_categories_are_resampled_in_halves_unless_the_user_says_otherwise():
    assert sl.stability(discrete(80), resamples=2, n_jobs=1).shares.method == "subsample"
    assert sl.stability(numbers(80), resamples=2, n_jobs=1).shares.method == "bootstrap"
