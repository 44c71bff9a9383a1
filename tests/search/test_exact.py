"""Exact search: no structure scores higher, whatever is known beforehand, and the result says so."""

from functools import cache
from itertools import combinations, permutations, product

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.families.discrete.score import BayesianDirichlet, DiscreteBic, DiscreteRows, QuotientNml
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.score import LEAST_GAIN, Space
from sidelight.graphs.dag import Dag
from sidelight.knowledge import constraints_of, known
from sidelight.options import Options
from sidelight.prepare import prepare
from sidelight.search import exact
from sidelight.search.climbing import Supported
from sidelight.search.exact import exact_search
from sidelight.search.maximise import SearchTask, maximise
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi
from tests.graphs_for_tests import subsets

NAMES = "abcdefghijkl"


@cache
def all_dags(n):
    """The parents of each variable, for every DAG over n variables."""
    found = set()
    for order in permutations(range(n)):
        before = [frozenset(order[:i]) for i in range(n)]
        for chosen in product(*(list(subsets(sorted(earlier))) for earlier in before)):
            found.add(tuple(frozenset(chosen[order.index(v)]) for v in range(n)))
    return sorted(found, key=lambda parents: [sorted(members) for members in parents])


def table(n, degree, n_rows, seed):
    rng = np.random.default_rng(seed)
    return linear_gaussian(erdos_renyi(n, degree / (n - 1), rng), n_rows, rng)[1]


def score_of(values):
    return GaussianBic.extended(sl.Correlation(np.corrcoef(values.T), len(values), list(NAMES[: values.shape[1]])))


def everywhere(n, most_parents=60):
    return Space([set(range(n)) - {v} for v in range(n)], most_parents)


def empty(n):
    return Dag(tuple(NAMES[:n]), (frozenset(),) * n)


def best_by_recursion(score):
    """The best score of a DAG, by the definition: some variable is last, with its best parents among the others."""
    n = len(score.names)

    @cache
    def family(v, members):
        return max(score.local(v, chosen) for chosen in subsets(sorted(members)))

    @cache
    def best(members):
        return max((best(members - {v}) + family(v, members - {v}) for v in members), default=0.0)

    return best(frozenset(range(n)))


@pytest.mark.parametrize("seed", range(6))
def test_no_dag_of_five_variables_scores_higher(seed):
    score = score_of(table(5, 2.5, 40 + 30 * seed, seed))
    local = cache(score.local)
    best = max(sum(local(v, members) for v, members in enumerate(parents)) for parents in all_dags(5))
    found = exact_search(score, everywhere(5), None, lambda: None)
    assert found.score == pytest.approx(best, abs=1e-6)
    assert sum(score.local(v, members) for v, members in enumerate(found.parents)) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize(("n", "degree"), [(8, 2), (8, 6), (9, 5), (10, 4)])
def test_another_implementation_finds_the_same_score(n, degree):
    score = score_of(table(n, degree, 200, n))
    assert exact_search(score, everywhere(n), None, lambda: None).score == pytest.approx(best_by_recursion(score))


def test_every_family_has_the_score_that_is_computed_one_by_one():
    score = score_of(table(7, 4, 100, 1))
    values = score.all_families(everywhere(7), [frozenset()] * 7)
    for v in range(7):
        others = [x for x in range(7) if x != v]
        for number in range(64):
            parents = [x for i, x in enumerate(others) if number >> i & 1]
            assert values[v, number] == pytest.approx(score.local(v, parents), abs=1e-5)  # of rounded correlations


STATEMENTS = st.lists(
    st.builds(
        lambda kind, pair: kind(pair),
        st.sampled_from([sl.Required, sl.Forbidden, sl.Edge, sl.NoEdge]),
        st.sampled_from(list(permutations(NAMES[:5], 2))),
    ),
    min_size=1,
    max_size=4,
)


def agrees(parents, known):
    arrows = {(x, v) for v, members in enumerate(parents) for x in members}
    adjacent = {tuple(sorted(arrow)) for arrow in arrows}
    return known.required <= arrows and known.adjacent <= adjacent and all(known.allowed[arrow] for arrow in arrows)


def together(statements):
    """What they say, or None if they contradict each other."""
    every = known(statements[0])
    for statement in statements[1:]:
        every = every & statement
    try:
        return constraints_of(every, tuple(NAMES[:5]))
    except sl.InputError:
        return None


def compare_with_all_dags(score, constraints):
    local = cache(score.local)
    allowed = [parents for parents in all_dags(5) if agrees(parents, constraints)]
    best = max(sum(local(v, members) for v, members in enumerate(parents)) for parents in allowed)
    task = SearchTask(score, empty(5), (), (), known=constraints)
    found = exact_search(score, task.space(everywhere(5).near), constraints, lambda: None)
    assert found.score == pytest.approx(best, abs=1e-6)
    assert agrees(found.parents, constraints)


@settings(max_examples=60, deadline=None)
@given(STATEMENTS, st.integers(0, 5))
def test_with_knowledge_no_dag_that_agrees_with_it_scores_higher(statements, seed):
    score, constraints = score_of(table(5, 3, 60, seed)), together(statements)
    if constraints is not None:
        compare_with_all_dags(score, constraints)
        task = SearchTask(score, empty(5), (), (), known=constraints)
        assert agrees(maximise(task).dag.parents, constraints)


def test_a_bound_on_parents_is_part_of_the_search():
    values = table(7, 6, 300, 2)
    score, most = score_of(values), 2
    best = max(
        sum(score.local(v, members) for v, members in enumerate(parents)) for parents in _orders_within(score, 7, most)
    )
    found = maximise(SearchTask(score, empty(7), (), (), side=sl.MaxInDegree(most)))
    assert max(map(len, found.dag.parents)) <= most
    assert score.total(found.dag) == pytest.approx(best, abs=1e-6)


def _orders_within(score, n, most):
    """For each order, the best parents of each variable among those before it, of at most so many."""
    family = cache(
        lambda v, members: max(
            (chosen for size in range(most + 1) for chosen in combinations(sorted(members), size)),
            key=lambda chosen: score.local(v, chosen),
        )
    )
    for order in permutations(range(n)):
        yield [family(v, frozenset(order[: order.index(v)])) for v in range(n)]


def discrete_rows(seed, n_rows, n=5, most_categories=4, weights=None):
    """Five columns: one is caused by two others, one by one other, with two to four categories."""
    rng = np.random.default_rng(seed)
    categories = rng.integers(2, most_categories + 1, n)
    codes = rng.integers(0, categories, (n_rows, n))
    codes[:, 2] = (codes[:, 0] + codes[:, 1] + (rng.random(n_rows) < 0.1)) % categories[2]
    codes[:, 4] = np.where(rng.random(n_rows) < 0.8, codes[:, 3] % categories[4], codes[:, 4])
    return DiscreteRows(codes.astype(np.int8), categories.tolist(), tuple(NAMES[:n]), weights)


def mixed_score(seed, n_rows):
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, n_rows))
    columns = [a, b, np.digitize(a + b, [-1, 1]), np.digitize(a, [0]), b + rng.standard_normal(n_rows)]
    frame = pd.DataFrame(dict(zip(NAMES[:5], columns, strict=True)))
    frame[["c", "d"]] = frame[["c", "d"]].astype(str)
    return prepare(frame, Options()).test.score("bic", None)


SCORES = {
    "bdeu": BayesianDirichlet,
    "bdeu, prior of one row": lambda rows: BayesianDirichlet(rows, 1),
    "bdeu, prior of 100 rows": lambda rows: BayesianDirichlet(rows, 100),
    "qnml": QuotientNml,
    "bic": DiscreteBic,
    "bdeu, few edges supported": lambda rows: Supported(BayesianDirichlet(rows), [{1}, {0}, {3}, {2}, set()], 5.0),
}


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize(("seed", "n_rows"), [(1, 25), (2, 60), (3, 400)])
def test_no_discrete_dag_of_five_variables_scores_higher(kind, seed, n_rows):
    score = SCORES[kind](discrete_rows(seed, n_rows))
    local = cache(score.local)
    best = max(sum(local(v, members) for v, members in enumerate(parents)) for parents in all_dags(5))
    assert exact_search(score, everywhere(5), None, lambda: None).score == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("weighted", [False, True])
def test_no_parents_score_higher_with_more_of_the_candidates_than_their_ceiling(kind, weighted):
    for seed, n_rows in product(range(4), (8, 40, 300)):
        weights = np.random.default_rng(seed).uniform(0.2, 3, n_rows) if weighted else None
        score = SCORES[kind](discrete_rows(seed, n_rows, weights=weights))
        assert_below_ceilings(score)


@pytest.mark.parametrize("n_rows", [12, 40, 300])
def test_no_parents_of_a_mixed_table_score_higher_than_their_ceiling(n_rows):
    assert_below_ceilings(mixed_score(n_rows, n_rows))


def assert_below_ceilings(score):
    for v in range(5):
        candidates = tuple(x for x in range(5) if x != v)
        ceiling = score.ceiling(v, candidates)
        for more in subsets(candidates):
            value = score.local(v, more)
            assert all(value <= ceiling(tuple(parents)) + 1e-9 for parents in subsets(sorted(more)))


@settings(max_examples=40, deadline=None)
@given(STATEMENTS, st.integers(0, 5), st.sampled_from(sorted(SCORES)))
def test_what_is_known_of_discrete_columns_is_no_reason_to_leave_out_a_better_dag(statements, seed, kind):
    constraints = together(statements)
    if constraints is not None:
        compare_with_all_dags(SCORES[kind](discrete_rows(seed, 40)), constraints)


def test_sets_of_parents_that_cannot_pay_are_not_scored():
    score = DiscreteBic(discrete_rows(1, 60, n=8))
    exact_search(score, everywhere(8), None, lambda: None)
    assert score.n_known < 8 << 6  # half of all


def test_more_sets_of_parents_than_can_be_scored_are_refused(monkeypatch):
    monkeypatch.setattr(exact, "MOST_SCORED", 100)
    codes = discrete_rows(1, 300, n=6).codes
    with pytest.raises(sl.InputError, match="more than 100 sets of parents for these 6 columns"):
        sl.learn(pd.DataFrame(codes.astype(str), columns=list(NAMES[:6])), search="exact")


def test_the_certificate_says_that_no_structure_scores_higher():
    values = table(8, 3, 500, 5)
    net = sl.learn(values, names=list(NAMES[:8]))
    assert net.certificate.best_score
    assert "none of them has a higher score" in str(net.certificate)
    local = sl.learn(values, names=list(NAMES[:8]), search="local")
    assert not local.certificate.best_score
    assert "100 restarts" in str(local.certificate)
    assert local.score <= net.score + LEAST_GAIN


def test_with_knowledge_the_certificate_speaks_of_structures_that_agree_with_it():
    values = table(6, 3, 500, 5)
    net = sl.learn(values, names=list(NAMES[:6]), side=sl.Roots("f"))
    assert "all structures that agree with the background knowledge were compared" in str(net.certificate)


def test_who_asks_for_restarts_gets_a_local_search():
    net = sl.learn(table(6, 3, 500, 5), names=list(NAMES[:6]), restarts=3)
    assert "3 restarts" in str(net.certificate)


def test_what_was_proved_survives_a_file(tmp_path):
    net = sl.learn(table(6, 2, 300, 1), names=list(NAMES[:6]))
    net.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json").certificate == net.certificate


def test_what_is_known_of_paths_is_searched_locally_and_refused_by_exact_search():
    values, path = table(6, 3, 300, 4), sl.Ancestor(("a", "f"))
    assert not sl.learn(values, names=list(NAMES[:6]), side=path).certificate.best_score
    with pytest.raises(sl.InputError, match="not of ancestors"):
        sl.learn(values, names=list(NAMES[:6]), side=path, search="exact")


def test_noise_with_few_rows_is_searched_locally_and_refused_by_exact_search():
    values = np.random.default_rng(0).normal(size=(15, 20))
    net = sl.learn(values, names=[f"x{i}" for i in range(20)])
    assert not net.certificate.best_score
    assert len(net.directed_edges) + len(net.undirected_edges) < 10
    with pytest.raises(sl.InputError, match="five rows"):
        sl.learn(values, names=[f"x{i}" for i in range(20)], search="exact")


def test_columns_that_nearly_determine_each_other_are_not_searched_exactly():
    values = np.random.default_rng(1).normal(size=(2000, 4))
    values[:, 2] = values[:, 0] + values[:, 1] + 1e-6 * values[:, 2]
    assert not sl.learn(values, names=list("abcd")).certificate.best_score


def discrete_chain(seed, n_rows):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, n_rows)
    b = np.where(rng.random(n_rows) < 0.3, a, rng.integers(0, 2, n_rows))
    c = np.where(rng.random(n_rows) < 0.4, b, rng.integers(0, 2, n_rows))
    return pd.DataFrame({"a": a, "b": b, "c": c}).astype(str)


@pytest.mark.parametrize("seed", range(4))
def test_the_score_that_is_proved_highest_is_the_one_that_is_reported(seed):
    frame = discrete_chain(seed, 60)
    net = sl.learn(frame, search="exact")
    codes = frame.to_numpy().astype(np.int8)
    score = BayesianDirichlet(DiscreteRows(codes, [2] * 3, tuple("abc")))
    best = max(sum(score.local(v, members) for v, members in enumerate(parents)) for parents in all_dags(3))
    assert net.search_steps[1].score == pytest.approx(best)


def test_a_bound_that_takes_out_edges_leaves_no_claim_about_the_highest_score():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 100))
    frame = pd.DataFrame({"a": a, "b": b, "c": 0.4 * a + 0.4 * b + rng.normal(size=100)})
    net = sl.learn(frame, side=sl.MaxInDegree(1))
    assert "edges were taken out to keep the assumption" in str(net.certificate)


def test_knowledge_of_paths_never_ends_below_the_structure_by_tests():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        weights = np.triu(rng.normal(size=(4, 4)), 1)
        values = rng.normal(size=(300, 4)) @ np.linalg.inv(np.eye(4) - weights)
        net = sl.learn(values, names=list("abcd"), side=sl.NotAncestor(("a", "d")))
        scores = {step.what: step.score for step in net.search_steps}
        assert scores["search"] >= scores["structure by tests"] - 1e-6


def test_a_bound_and_edges_that_no_dag_keeps_together_are_left_to_the_free_search():
    values = np.random.default_rng(3).normal(size=(500, 4))
    values[:, 1] += values[:, 0]
    values[:, 2] += values[:, 1]
    values[:, 3] += values[:, 2] + values[:, 0]
    edges = sl.Edge(("a", "b")) & sl.Edge(("b", "c")) & sl.Edge(("c", "d")) & sl.Required(("a", "d"))
    net = sl.learn(values, names=list("abcd"), side=sl.MaxInDegree(1) & edges)
    assert ("a", "d") in net.directed_edges


def test_more_columns_than_memory_has_room_for_are_refused(monkeypatch):
    monkeypatch.setattr(exact, "most_memory", lambda: 10**6)
    with pytest.raises(sl.InputError, match="17 columns"):
        sl.learn(table(17, 3, 200, 1), names=[f"x{i}" for i in range(17)], search="exact")


@pytest.mark.parametrize(
    "options",
    [{"search": "dfs"}, {"restarts": -1}, {"learner": "rsl", "search": "exact"}, {"search": "exact", "restarts": 3}],
)
def test_options_that_mean_nothing_are_refused(options):
    with pytest.raises(sl.InputError, match=next(iter(reversed(options)))):
        sl.learn(table(4, 2, 50, 1), names=list(NAMES[:4]), **options)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([4, 7, 11]), st.sampled_from([60, 100, 500]), st.data())
def test_the_graph_does_not_depend_on_order_scale_sign_or_names_of_columns(seed, n, n_rows, data):
    rng = np.random.default_rng(seed)
    values = table(n, 3, n_rows, seed)
    frame = pd.DataFrame(values, columns=list(NAMES[:n]))
    net = sl.learn(frame)
    order = data.draw(st.permutations(list(NAMES[:n])))
    scaled = frame * (10.0 ** rng.integers(-3, 4, n)) * rng.choice([-1.0, 1.0], n)
    assert marks(sl.learn(scaled[order])) == marks(net)
    renamed = dict(zip(NAMES[:n], rng.permutation([f"v{i}" for i in range(n)]).tolist(), strict=True))
    assert marks(sl.learn(frame.rename(columns=renamed))) == marks(net, renamed)


def test_weights_of_two_give_the_graph_of_rows_twice():
    frame = pd.DataFrame(table(8, 3, 60, 9), columns=list(NAMES[:8]))
    weighted = sl.learn(frame, weights=[2.0] * len(frame))
    assert marks(weighted) == marks(sl.learn(pd.concat([frame, frame])))


def test_rounding_of_correlations_changes_nothing():
    matrix = np.corrcoef(table(10, 4, 60, 12).T)
    noise = np.random.default_rng(1).choice([-1e-15, 1e-15], matrix.shape)
    np.fill_diagonal(noise, 0)
    changed = matrix + (noise + noise.T) / 2
    nets = [sl.learn(sl.Correlation(m, 60, list(NAMES[:10])), learner="hybrid") for m in (matrix, changed)]
    assert marks(nets[0]) == marks(nets[1])
    assert nets[0].score == pytest.approx(nets[1].score)


def marks(net, renamed=None):
    rename = (renamed or {}).get
    arrows = {(rename(x, x), rename(y, y)) for x, y in net.directed_edges}
    return arrows, {frozenset(rename(x, x) for x in pair) for pair in net.undirected_edges}


def test_a_cycle_is_never_the_result():
    net = sl.learn(table(12, 8, 1000, 3), names=list(NAMES))
    assert nx.is_directed_acyclic_graph(net.to_dag())
