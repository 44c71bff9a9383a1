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
from sidelight.families.discrete.score import BayesianDirichlet, DiscreteRows
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.score import LEAST_GAIN, Space
from sidelight.graphs.dag import Dag
from sidelight.knowledge import constraints_of, known
from sidelight.search import exact
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
    values = score.all_families(everywhere(7))
    for v in range(7):
        others = [x for x in range(7) if x != v]
        for number in range(64):
            parents = [x for i, x in enumerate(others) if number >> i & 1]
            assert values[v, number] == pytest.approx(score.local(v, parents), abs=1e-7)


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


@settings(max_examples=60, deadline=None)
@given(STATEMENTS, st.integers(0, 5))
def test_with_knowledge_no_dag_that_agrees_with_it_scores_higher(statements, seed):
    score = score_of(table(5, 3, 60, seed))
    together = known(statements[0])
    for statement in statements[1:]:
        together = together & statement
    try:
        constraints = constraints_of(together, tuple(NAMES[:5]))
    except sl.InputError:
        return
    local = cache(score.local)
    allowed = [parents for parents in all_dags(5) if agrees(parents, constraints)]
    best = max(sum(local(v, members) for v, members in enumerate(parents)) for parents in allowed)
    task = SearchTask(score, empty(5), (), (), known=constraints)
    found = exact_search(score, task.space(everywhere(5).near), constraints, lambda: None)
    assert found.score == pytest.approx(best, abs=1e-6)
    assert agrees(found.parents, constraints)
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


def test_discrete_tables_of_few_columns_are_searched_among_all_pairs_if_asked():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (400, 5))
    codes[:, 2] = (codes[:, 0] + codes[:, 1] + (rng.random(400) < 0.1)) % 2
    codes[:, 4] = np.where(rng.random(400) < 0.8, codes[:, 3], 1 - codes[:, 3])
    score = BayesianDirichlet(DiscreteRows(codes.astype(np.int8), [2] * 5, tuple(NAMES[:5])))
    local = cache(score.local)
    best = max(sum(local(v, members) for v, members in enumerate(parents)) for parents in all_dags(5))
    assert exact_search(score, everywhere(5), None, lambda: None).score == pytest.approx(best, abs=1e-6)


def test_the_certificate_says_that_no_structure_scores_higher():
    values = table(8, 3, 500, 5)
    net = sl.learn(values, names=list(NAMES[:8]))
    assert net.certificate.best_score
    assert "none has a higher score" in str(net.certificate)
    local = sl.learn(values, names=list(NAMES[:8]), search="local")
    assert not local.certificate.best_score
    assert "100 restarts" in str(local.certificate)
    assert local.score <= net.score + LEAST_GAIN


def test_what_was_proved_survives_a_file(tmp_path):
    net = sl.learn(table(6, 2, 300, 1), names=list(NAMES[:6]))
    net.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json").certificate == net.certificate


def test_what_is_known_of_paths_is_searched_locally_and_refused_by_exact_search():
    values, path = table(6, 3, 300, 4), sl.Ancestor(("a", "f"))
    assert not sl.learn(values, names=list(NAMES[:6]), side=path).certificate.best_score
    with pytest.raises(sl.InputError, match="not of ancestors"):
        sl.learn(values, names=list(NAMES[:6]), side=path, search="exact")


def test_more_columns_than_memory_has_room_for_are_refused(monkeypatch):
    monkeypatch.setattr(exact, "most_memory", lambda: 10**6)
    with pytest.raises(sl.InputError, match="17 columns"):
        sl.learn(table(17, 3, 100, 1), names=[f"x{i}" for i in range(17)], search="exact")


@pytest.mark.parametrize("options", [{"search": "dfs"}, {"restarts": -1}, {"learner": "rsl", "search": "exact"}])
def test_options_that_mean_nothing_are_refused(options):
    with pytest.raises(sl.InputError, match=next(iter(reversed(options)))):
        sl.learn(table(4, 2, 50, 1), names=list(NAMES[:4]), **options)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([4, 7, 11]), st.sampled_from([25, 60, 500]), st.data())
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
