"""The search by score: exact in the limit, never below where it began, and it says what it knows."""

import json
from dataclasses import replace
from itertools import product

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons
from sidelight.families.discrete.score import BayesianDirichlet, DiscreteBic, DiscreteRows
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.score import Space
from sidelight.graphs import properties
from sidelight.graphs.dag import Dag
from sidelight.graphs.separating_sets import skeleton_of
from sidelight.learners import LEARNERS
from sidelight.orientation import essential_graph_of
from sidelight.orientation.essential import essential_graph, orient
from sidelight.search import FoundDag, SearchStep
from sidelight.search.backward import backward
from sidelight.search.found import turn_costs, within
from sidelight.search.maximise import candidates
from sidelight.side_information.base import AllBounds
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian, random_linear_gaussian
from tests.graphs_for_tests import dags

MANY = 10**9  # rows


def exact_correlation(graph, rng):
    """The correlation matrix of a random linear-Gaussian model, without sampling error."""
    model = random_linear_gaussian(graph, rng)
    n = len(model.dag)
    inverse = np.eye(n)
    for v, (parents, weights) in enumerate(zip(model.dag.parents, model.weights, strict=True)):
        for parent, weight in zip(sorted(parents), weights, strict=True):
            inverse[v, parent] -= weight
    mixing = np.linalg.inv(inverse) * np.asarray(model.noises)
    covariance = mixing @ mixing.T
    spread = np.sqrt(np.diagonal(covariance))
    matrix = covariance / np.outer(spread, spread)
    np.fill_diagonal(matrix, 1.0)
    return sl.Correlation((matrix + matrix.T) / 2, MANY, list(model.dag.names))


def is_exact(net, graph):
    return class_distance(net.to_networkx(), essential_graph_of(graph)) == 0


def score_of(correlation, graph):
    return GaussianBic.extended(correlation).total(Dag.from_networkx(graph))


@pytest.mark.parametrize("seed", range(100))
def test_sparse_structures_are_found_exactly(seed):
    graph = random_graphs.erdos_renyi(12, 2.5 / 11, np.random.default_rng(seed))
    net = sl.learn(exact_correlation(graph, np.random.default_rng(seed)), learner="hybrid", alpha=1e-6)
    assert is_exact(net, graph)


@settings(max_examples=60, deadline=None)
@given(dags(min_size=2, max_size=8), st.integers(0, 10**6))
def test_with_exact_correlations_the_essential_graph_is_the_true_one(graph, seed):
    correlation = exact_correlation(graph, np.random.default_rng(seed))
    net = sl.learn(correlation, learner="hybrid", alpha=1e-6)
    # In dense graphs effects may cancel so nearly that even so many rows are better explained without an edge.
    assert is_exact(net, graph) or net.score > score_of(correlation, graph) + 1
    assert net.certificate.status == "cannot be checked"  # a search promises nothing


@settings(max_examples=40, deadline=None)
@given(dags(min_size=3, max_size=7), st.integers(0, 10**6))
def test_true_bounds_cost_nothing(graph, seed):
    correlation = exact_correlation(graph, np.random.default_rng(seed))
    most = max(dict(graph.in_degree).values())
    for side in (sl.CliqueNumber(max(1, properties.clique_number(graph))), sl.MaxInDegree(most)):
        net = sl.learn(correlation, side, learner="hybrid", alpha=1e-6)
        assert is_exact(net, graph) or net.score > score_of(correlation, graph) + 1
        assert net.certificate.status == "consistent"


def test_a_bound_that_is_wrong_is_kept_and_called_violated_with_the_margin():
    graph = nx.DiGraph([("a", "c"), ("b", "c"), ("d", "c"), ("a", "b"), ("a", "d"), ("b", "d")])
    correlation = exact_correlation(graph, np.random.default_rng(0))
    net = sl.learn(correlation, sl.CliqueNumber(3), learner="hybrid", alpha=1e-6)
    assert max(map(len, nx.find_cliques(net.skeleton))) <= 3
    assert net.certificate.status == "violated"
    assert "nats" in net.certificate.sentence


@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey"])
def test_many_discrete_rows_give_the_true_essential_graph(name):
    graph = sl.networks.load(name)
    rows = sl.networks.load_discrete(name).sample(40_000, np.random.default_rng(1))
    rsl = sl.learn(pd.DataFrame(rows), learner="rsl")
    net = sl.learn(pd.DataFrame(rows), learner="hybrid")
    before, after = (class_distance(found.to_networkx(), essential_graph_of(graph)) for found in (rsl, net))
    assert after <= before
    assert after <= 1  # weak effects need more rows still


# Scores.


def test_a_gaussian_score_is_that_of_the_fitted_network_but_for_a_constant():
    graph = random_graphs.erdos_renyi(8, 0.3, np.random.default_rng(3))
    names, values = linear_gaussian(graph, 400, np.random.default_rng(3))
    table = pd.DataFrame(values, columns=names)
    nets = [sl.learn(table, learner=learner) for learner in ("hybrid", "pc-stable")]
    score = GaussianBic(sl.Correlation(np.corrcoef(values.T), 400, names), penalty=1.0)
    totals = [score.total(Dag.from_networkx(net.to_dag())) for net in nets]
    fitted = [net.fit(table).bic(table) for net in nets]
    assert totals[0] - totals[1] == pytest.approx(fitted[0] - fitted[1], abs=1e-6)
    own = GaussianBic.extended(sl.Correlation(np.corrcoef(values.T), 400, names))
    assert nets[0].score == pytest.approx(own.total(Dag.from_networkx(nets[0].to_dag())))


def equivalent_pair():
    """Two DAGs of one class: a → b → c, and c → b → a."""
    return Dag((0, 1, 2), (frozenset(), frozenset({0}), frozenset({1}))), Dag(
        (0, 1, 2), (frozenset({1}), frozenset({2}), frozenset())
    )


@pytest.mark.parametrize("kind", [BayesianDirichlet, DiscreteBic])
def test_equivalent_dags_score_the_same(kind):
    codes = np.random.default_rng(0).integers(0, 3, size=(500, 3), dtype=np.int8)
    codes[:, 1] = (codes[:, 0] + codes[:, 1]) % 3
    score = kind(DiscreteRows(codes, [3, 3, 3], (0, 1, 2)))
    one, other = equivalent_pair()
    assert score.total(one) == pytest.approx(score.total(other))


def test_weights_count_as_repeated_rows():
    rng = np.random.default_rng(0)
    codes, weights = rng.integers(0, 2, size=(60, 3), dtype=np.int8), rng.integers(1, 4, size=60).astype(float)
    for kind in (BayesianDirichlet, DiscreteBic):
        weighted = kind(DiscreteRows(codes, [2, 2, 2], (0, 1, 2), weights))
        repeated = kind(DiscreteRows(np.repeat(codes, weights.astype(int), axis=0), [2, 2, 2], (0, 1, 2)))
        assert weighted.local(2, (0, 1)) == pytest.approx(repeated.local(2, (0, 1)))


def test_the_marginal_likelihood_is_that_of_the_textbook():
    """Heckerman et al. 1995: one binary column, 3 and 1 rows, prior of one row: B(½+3, ½+1) / B(½, ½)."""
    from scipy.special import betaln

    codes = np.array([[0], [0], [0], [1]], dtype=np.int8)
    score = BayesianDirichlet(DiscreteRows(codes, [2], ("a",)), equivalent_sample_size=1.0)
    assert score.local(0, ()) == pytest.approx(betaln(3.5, 1.5) - betaln(0.5, 0.5))


# The search.


def gaussian(seed, n=12, rows=300):
    graph = random_graphs.erdos_renyi(n, 3 / n, np.random.default_rng(seed))
    names, values = linear_gaussian(graph, rows, np.random.default_rng(seed))
    return graph, names, values


@pytest.mark.parametrize("seed", range(5))
def test_the_search_ends_no_lower_than_any_order_of_its_start(seed):
    _, names, values = gaussian(seed)
    rsl = sl.learn(values, names=names)
    score = GaussianBic.extended(sl.Correlation(np.corrcoef(values.T), len(values), names))
    net = sl.learn(values, names=names, learner="hybrid")
    assert net.score >= score.total(rsl.by_position.dag) - 1e-6
    assert net.score == pytest.approx(score.total(Dag.from_networkx(net.to_dag())))


@pytest.mark.parametrize("seed", range(5))
def test_no_single_edge_out_raises_the_score(seed):
    _, names, values = gaussian(seed)
    net = sl.learn(values, names=names, learner="hybrid")
    assert all(loss > 0 for loss in net.edge_losses.values())
    assert len(net.edge_losses) == net.skeleton.number_of_edges()


@settings(max_examples=50, deadline=None)
@given(dags(min_size=2, max_size=8))
def test_a_dag_as_a_skeleton_has_its_own_essential_graph(graph):
    dag = Dag.from_networkx(graph)
    skeleton = skeleton_of(dag)
    sets = skeleton.separating_sets(dag.names)
    assert orient(dag.names, skeleton.adjacency, sets.lacking).graph == essential_graph(dag)
    for pair, members in sets.items():
        assert nx.is_d_separator(graph, *({name} for name in pair), set(members))


def test_an_edge_that_the_score_would_rather_not_have_is_taken_out_anywhere_in_the_class():
    values = np.random.default_rng(0).normal(size=(500, 4))
    score = GaussianBic(sl.Correlation(np.corrcoef(values.T), 500))
    complete = Dag((0, 1, 2, 3), tuple(frozenset(range(v)) for v in range(4)))
    assert backward(score, complete).edges() == []


def test_parents_that_tests_lose_where_rows_are_few_become_candidates():
    graph = random_graphs.erdos_renyi(410, 410**-0.72, np.random.default_rng(5))
    names, values = linear_gaussian(graph, 2050, np.random.default_rng(5))
    score = GaussianBic.extended(sl.Correlation(np.corrcoef(values.T), 2050, names))
    assert score.reach == "two edges"
    net = sl.learn(values)
    assert compare_skeletons(net.to_networkx(), graph).f1 > 0.98


class ReachesTwoEdges(BayesianDirichlet):
    reach = "two edges"


def test_candidates_are_symmetric_and_reach_two_edges():
    chain = Dag.from_networkx(nx.path_graph(5, create_using=nx.DiGraph))
    score = ReachesTwoEdges(DiscreteRows(np.zeros((9, 5), dtype=np.int8), [2] * 5, tuple(range(5))))
    near = candidates(score, [set() for _ in range(5)], chain)
    assert near == [{1, 2}, {0, 2, 3}, {0, 1, 3, 4}, {1, 2, 4}, {2, 3}]


def test_diamonds_are_broken_at_the_weakest_edge():
    graph = nx.DiGraph([("a", "d"), ("b", "d"), ("c", "d"), ("a", "b"), ("a", "c")])
    score = GaussianBic(exact_correlation(graph, np.random.default_rng(1)))
    dag = Dag.from_networkx(graph)
    left = within(score, dag, sl.DiamondFree())
    assert not list(properties.diamonds(left.to_networkx()))
    assert len(left.edges()) == 4


BOUNDS = [
    sl.DiamondFree(),
    sl.CliqueNumber(3),
    sl.MaxInDegree(2),
    AllBounds((sl.MaxInDegree(3), sl.DiamondFree(), sl.CliqueNumber(3))),
]


@pytest.mark.parametrize("side", BOUNDS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_edges_that_break_a_bound_go_as_if_all_breaches_were_looked_for_after_each(side, seed):
    rng = np.random.default_rng(seed)
    graph = random_graphs.erdos_renyi(14, 0.6, rng)
    score, left = GaussianBic(exact_correlation(graph, rng)), graph.copy()
    while breach := next((found for bound in side.each() for found in bound.breaches(Dag.from_networkx(left))), None):
        dag = Dag.from_networkx(left)
        losses = {(t, h): score.local(h, dag.parents[h]) - score.local(h, dag.parents[h] - {t}) for t, h in breach}
        tail, head = min(breach, key=lambda edge: (losses[edge], edge))
        left.remove_edge(dag.names[tail], dag.names[head])
    assert set(within(score, Dag.from_networkx(graph), side).to_networkx().edges) == set(left.edges)
    assert side.keeps(left)


def test_hardly_anything_depends_on_the_order_of_the_columns():
    differ = {"rsl": 0, "hybrid": 0}
    for seed in range(6):
        _, names, values = gaussian(seed, n=20, rows=400)
        order = np.random.default_rng(seed).permutation(20)
        for learner in differ:
            one = sl.learn(values, names=names, learner=learner)
            other = sl.learn(values[:, order], names=[names[i] for i in order], learner=learner)
            differ[learner] += class_distance(one.to_networkx(), other.to_networkx())
    assert differ["hybrid"] <= differ["rsl"]
    assert differ["hybrid"] <= 6


# What is said.


def test_a_source_without_a_score_is_refused_before_the_work():
    with pytest.raises(sl.InputError, match="needs a score"):
        sl.learn(sl.DSeparation(sl.networks.load("asia")), learner="hybrid")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": "bdeu"}, "score must be one of"),
        ({"penalty": 0}, "penalty must be a number above 0"),
        ({"penalty": float("inf")}, "penalty must be a number above 0"),
        ({"learner": "rsl", "score": "bic"}, "goes with"),
    ],
)
def test_options_that_do_not_fit_are_named(options, words):
    with pytest.raises(sl.InputError, match=words):
        sl.learn(np.random.default_rng(0).normal(size=(50, 3)), **{"learner": "hybrid", **options})


def test_explain_says_what_an_edge_is_worth_and_files_keep_it(tmp_path):
    _, names, values = gaussian(0)
    net = sl.learn(values, names=names, learner="hybrid")
    a, b = (*net.directed_edges, *net.undirected_edges)[0]
    assert "Taking the edge out costs" in str(net.explain(a, b))
    net.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json") == net
    net.report(tmp_path / "net.html")


@settings(max_examples=60, deadline=None)
@given(dags(min_size=3, max_size=7), st.integers(0, 10**6))
def test_turning_an_arrow_costs_what_a_dag_with_it_turned_scores_less(graph, seed):
    dag = Dag.from_networkx(graph)
    score = GaussianBic.extended(exact_correlation(graph, np.random.default_rng(seed)))
    costs = turn_costs(score, dag)
    directed = set(essential_graph(dag).directed_edges())
    assert set(costs) <= directed
    for tail, head in costs:
        # No DAG scores less than the cheapest one found, among those that differ only in the parents of the two.
        turned = [set(parents) for parents in dag.parents]
        turned[head].discard(tail)
        turned[tail].add(head)
        candidate = Dag(dag.names, tuple(map(frozenset, turned)))
        if nx.is_directed_acyclic_graph(candidate.to_networkx()):
            assert costs[tail, head] <= score.total(dag) - score.total(candidate) + 1e-6


def test_the_default_for_tables_is_the_search_and_for_oracles_rsl():
    _, names, values = gaussian(0)
    assert sl.learn(values, names=names).settings.learner == "hybrid"
    assert sl.learn(sl.DSeparation(sl.networks.load("asia"))).settings.learner == "rsl"
    assert "learner" not in sl.learn(values, names=names).settings.given
    with pytest.raises(sl.InputError, match="needs a score"):
        sl.learn(sl.DSeparation(sl.networks.load("asia")), score="bic")


def test_explain_says_what_turning_an_arrow_costs_and_the_file_keeps_it(tmp_path):
    _, names, values = gaussian(0)
    net = sl.learn(values, names=names)
    (tail, head), cost = next(iter(net.turn_costs.items()))
    assert f"Reversing it costs {cost:.1f} nats" in str(net.explain(tail, head))
    assert net.explain(head, tail).as_dict()["turn_cost"] == cost
    net.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json")
    assert again == net
    assert again.search_steps == net.search_steps
    assert net.search_steps[-1].score == net.score


def test_any_number_of_workers_finds_the_same():
    _, names, values = gaussian(0, n=30)
    assert sl.learn(values, names=names, n_jobs=2) == sl.learn(values, names=names)


def exact_table(graph, rng, n_rows=10**8):
    """All combinations of binary variables, as often as so many rows of a logistic network have them."""
    dag = Dag.from_networkx(graph)
    cells = np.array(list(product((0, 1), repeat=len(dag))), dtype=np.int8)
    probability = np.ones(len(cells))
    for v, parents in enumerate(dag.parents):
        slopes = {p: rng.uniform(0.8, 2.0) * rng.choice([-1, 1]) for p in sorted(parents)}
        logit = rng.uniform(-0.5, 0.5) + sum(slope * (2 * cells[:, p] - 1) for p, slope in slopes.items())
        one = 1 / (1 + np.exp(-logit))
        probability *= np.where(cells[:, v] == 1, one, 1 - one)
    return dag, cells, np.round(probability * n_rows)


@pytest.mark.parametrize("seed", range(60))
def test_exact_frequencies_of_discrete_networks_give_the_true_essential_graph(seed):
    rng = np.random.default_rng(seed)
    dag, cells, counts = exact_table(random_graphs.erdos_renyi(6, 0.35, rng), rng)
    net = sl.learn(cells[counts > 0], weights=counts[counts > 0], discrete=list(dag.names), names=list(dag.names))
    score = BayesianDirichlet(DiscreteRows(cells, [2] * 6, dag.names, counts))
    assert net.settings.score == "bdeu"
    assert essential_graph(Dag.from_networkx(net.to_dag())) == essential_graph(dag) or net.score > score.total(dag) + 1


TIED = [
    [1, -0.25, -0.5, -0.5, -0.5, -0.25],
    [-0.25, 1, 0.25, 0, 0.25, -0.25],
    [-0.5, 0.25, 1, 0.5, 0.5, 0],
    [-0.5, 0, 0.5, 1, 0, 0],
    [-0.5, 0.25, 0.5, 0, 1, 0.5],
    [-0.25, -0.25, 0, 0, 0.5, 1],
]


def test_a_search_among_equals_ends():
    assert len(sl.learn(sl.Correlation(np.array(TIED), 50)).skeleton.edges) > 0


@settings(max_examples=200, deadline=None)
@given(st.integers(3, 7), st.integers(0, 10**6))
def test_searches_on_matrices_full_of_ties_end_at_their_score(n, seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(-2, 3, size=(n, n)) / 8, 1)
    matrix = upper + upper.T + np.eye(n)
    assume(np.linalg.eigvalsh(matrix)[0] > 0.05)
    score = GaussianBic.extended(sl.Correlation(matrix, 50))
    found = score.search(rng.permutation(n).tolist(), Space([set(range(n)) - {v} for v in range(n)], 10))
    assert found.score == pytest.approx(score.total(Dag(tuple(range(n)), found.parents)))


def test_a_limit_that_the_user_gave_is_reported_after_a_search_too():
    _, names, values = gaussian(0)
    for options in ({"max_conditioning": 0}, {"max_tests": 5}):
        net = sl.learn(values, names=names, **options)
        assert any(warning.kind == "limit reached" for warning in net.warnings)


def test_a_bound_that_only_implies_what_was_checked_says_so(monkeypatch):
    monkeypatch.setattr(sl.VertexCover, "keeps", lambda self, graph: None)  # as where that takes too long
    chain = nx.path_graph(6, create_using=nx.DiGraph)
    net = sl.learn(exact_correlation(chain, np.random.default_rng(0)), sl.VertexCover(1), alpha=1e-6)
    assert net.certificate.status == "cannot be checked"
    assert "which itself was not checked" in net.certificate.sentence


@pytest.mark.parametrize(
    ("key", "change", "message"),
    [
        ("turn_costs", lambda costs: costs[0].reverse() or costs[0].insert(2, costs[0].pop(0)), "there is no arrow"),
        ("edge_losses", lambda losses: losses.pop(), "they are not those of the edges"),
    ],
)
def test_a_file_whose_scores_do_not_fit_its_graph_is_refused(tmp_path, key, change, message):
    _, names, values = gaussian(0)
    sl.learn(values, names=names).write(tmp_path / "net.json")
    content = json.loads((tmp_path / "net.json").read_text())
    change(content[key])
    (tmp_path / "net.json").write_text(json.dumps(content))
    with pytest.raises(sl.InputError, match=message):
        sl.read(tmp_path / "net.json")


def test_a_search_step_is_shown_as_it_is(tmp_path):
    from rich.console import Console

    from sidelight.output import terminal

    _, names, values = gaussian(0)
    net = replace(sl.learn(values, names=names), search_steps=(SearchStep("[/x] [red]evil", 1.0, 2),))
    console = Console(record=True, width=200)
    terminal.show(net, console, title="net")
    assert "[/x] [red]evil" in console.export_text()


def test_the_registry_of_learners_says_what_runs(monkeypatch):
    """A search that is registered decides: here one that finds nothing but the structure by tests."""
    tasks = []

    def keep(task):
        tasks.append(task)
        return FoundDag(task.score, (("search", task.start),))

    monkeypatch.setitem(LEARNERS, "hybrid", replace(LEARNERS["hybrid"], search=keep))
    _, names, values = gaussian(0)
    net = sl.learn(values, names=names, refuted="report")
    (task,) = tasks
    assert {frozenset(edge) for edge in net.skeleton.edges} == {
        frozenset(task.start.names[v] for v in edge) for edge in task.start.edges()
    }
