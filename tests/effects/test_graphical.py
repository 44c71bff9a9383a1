"""Which effects a graph identifies, by which sets: against all DAGs of small classes, and published examples."""

from itertools import chain, combinations

import numpy as np
import pytest

from sidelight.effects.adjustment import (
    forbidden_set,
    is_valid,
    minimal_set,
    minimal_sets,
    objection,
    open_path,
    optimal_set,
)
from sidelight.effects.paths import (
    possible_ancestors,
    possible_descendants,
    possibly_between,
    undecided_path,
)
from sidelight.effects.possible import best_question, candidates, possible_parents
from sidelight.graphs.ancestral import reached
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.marks import MarkedGraph
from sidelight.orientation.essential import essential_graph
from sidelight.orientation.meek import close_under_meek_rules
from tests.effects.classes import members, random_class, random_covariance, regression, true_effect

SEEDS = range(12)
CLASSES_EACH = 8


def some_questions(seed):
    """Classes, the DAGs in them, a covariance, causes and a target."""
    rng = np.random.default_rng(seed)
    for _ in range(CLASSES_EACH):
        n = int(rng.integers(2, 7))
        graph, dag = random_class(rng, n, rng.uniform(0.2, 0.9), int(rng.integers(0, 3)))
        size = int(rng.integers(1, min(3, n)))
        chosen = rng.permutation(n)[: size + 1].tolist()
        yield graph, list(members(graph)), random_covariance(rng, dag), tuple(sorted(chosen[:size])), chosen[size]


def subsets(variables):
    return chain.from_iterable(combinations(variables, size) for size in range(len(variables) + 1))


def different(effects):
    found = []
    for effect in effects:
        if not any(np.allclose(effect, other, rtol=1e-9, atol=1e-9) for other in found):
            found.append(effect)
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_possible_descendants_ancestors_and_parents_are_those_in_some_dag_of_the_class(seed):
    for graph, dags, *_ in some_questions(seed):
        for x in range(len(graph)):
            assert possible_descendants(graph, [x]) == set().union(*(reached(d.children, [x]) for d in dags))
            assert possible_ancestors(graph, [x]) == set().union(*(reached(d.parents, [x]) for d in dags))
            listed = list(possible_parents(graph, x))
            assert set(listed) == {dag.parents[x] for dag in dags}
            assert len(listed) == len(set(listed))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_list_of_possible_effects_has_each_effect_of_the_class_once(seed):
    for graph, dags, covariance, causes, target in some_questions(seed):
        effects = different(true_effect(dag, covariance, causes, target) for dag in dags)
        listed = [
            true_effect(next(members(found.graph)), covariance, causes, target)
            for found in candidates(graph, causes, target)
        ]
        assert len(listed) == len(effects) == len(different([*effects, *listed]))
        assert (undecided_path(graph, causes, target) is None) == (len(effects) == 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_set_is_valid_exactly_if_adjusting_for_it_gives_the_effect_in_all_dags(seed):
    for graph, dags, covariance, causes, target in some_questions(seed):
        effects = [true_effect(dag, covariance, causes, target) for dag in dags]
        rest = sorted(set(range(len(graph))) - {*causes, target})
        valid = []
        for given in map(frozenset, subsets(rest)):
            adjusted = regression(covariance, causes, target, sorted(given))
            is_right = all(np.allclose(adjusted, effect, rtol=1e-9, atol=1e-9) for effect in effects)
            assert is_valid(graph, dags[0], causes, target, given) == is_right
            valid += [given] * is_right
        smallest = {given for given in valid if not any(other < given for other in valid)}
        if undecided_path(graph, causes, target) is None:
            assert set(minimal_sets(graph, dags[-1], causes, target)) == smallest
            assert minimal_set(graph, dags[0], causes, target) in (smallest or {None})


@pytest.mark.parametrize("seed", SEEDS)
def test_the_optimal_set_is_valid_if_any_is_and_has_the_smallest_variance(seed):
    for graph, dags, covariance, causes, target in some_questions(seed):
        if undecided_path(graph, causes, target) is not None or not possibly_between(graph, causes, target):
            continue
        rest = sorted(set(range(len(graph))) - {*causes, target})
        valid = [given for given in subsets(rest) if is_valid(graph, dags[0], causes, target, set(given))]
        best = optimal_set(graph, causes, target)
        assert is_valid(graph, dags[0], causes, target, best) == bool(valid)
        if valid and len(causes) == 1:
            variances = [variance(covariance, causes, target, given) for given in valid]
            assert variance(covariance, causes, target, sorted(best)) <= min(variances) * (1 + 1e-9)


def variance(covariance, causes, target, given):
    """The asymptotic one of the coefficient of the first cause."""
    columns = [*causes, *given]
    inverse, along = np.linalg.inv(covariance[np.ix_(columns, columns)]), covariance[columns, target]
    return (covariance[target, target] - along @ inverse @ along) * inverse[0, 0]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_forbidden_is_what_some_dag_forbids(seed):
    for graph, dags, _, causes, target in some_questions(seed):
        if undecided_path(graph, causes, target) is None:
            found = set()
            for dag in dags:
                below = reached(dag.children, {v for x in causes for v in dag.children[x]}, causes)
                found |= reached(dag.children, below & reached(dag.parents, [target], causes))
            assert forbidden_set(graph, causes, target) == found


# Published examples. The graphs are written down from the papers' figures, variables by letters.


def partial(names, directed=(), undirected=()):
    index = {name: i for i, name in enumerate(names)}
    graph = PartialDag.from_skeleton(len(names), [(index[a], index[b]) for a, b in (*directed, *undirected)])
    for a, b in directed:
        graph.orient(index[a], index[b])
    return graph, index


def test_an_undirected_edge_into_a_triangle_leaves_an_effect_unidentified():
    # X — V, both causes of Y: Example 4.4 of Maathuis & Colombo (2015) in this form: not amenable.
    graph, at = partial("XVY", [("X", "Y"), ("V", "Y")], [("X", "V")])
    assert undecided_path(graph, [at["X"]], at["Y"]) == (at["X"], at["V"], at["Y"])
    found = list(candidates(graph, [at["X"]], at["Y"]))
    assert [c.assumed for c in found] == [((at["X"], at["V"]),), ((at["V"], at["X"]),)]
    assert [optimal_set(c.graph, [at["X"]], at["Y"]) for c in found] == [frozenset(), {at["V"]}]
    assert best_question(graph, found).if_forward == 1


def test_background_knowledge_makes_shielded_paths_impossible_that_look_causal():
    # X — A — B with B → X known: X, A, B has no arrow against it step by step, but B is no descendant of X.
    graph, at = partial("XAB", [("B", "X")], [("X", "A"), ("A", "B")])
    close_under_meek_rules(graph)
    assert possible_descendants(graph, [at["X"]]) == {at["X"], at["A"]}
    assert undecided_path(graph, [at["X"]], at["B"]) is None


def test_m_bias_leaves_the_empty_set_valid_and_the_collider_not():
    dag = Dag(tuple("XYABC"), (frozenset({2}), frozenset({0, 3}), frozenset(), frozenset(), frozenset({2, 3})))
    graph = PartialDag([set(p) for p in dag.parents], [set(c) for c in dag.children], [set() for _ in range(5)])
    assert is_valid(graph, dag, [0], 1, set())
    assert objection(graph, dag, [0], 1, {4}).open_path == (0, 2, 4, 3, 1)
    assert set(minimal_sets(graph, dag, [0], 1)) == {frozenset()}
    assert optimal_set(graph, [0], 1) == {3}


def test_two_causes_in_time_may_have_no_adjustment_set_although_the_effect_is_identified():
    # X1 → L → X2 → Y, X1 → Y, U → L, U → Y: L is between the causes and confounds the second.
    names = ["X1", "L", "X2", "Y", "U"]
    arrows = [("X1", "L"), ("L", "X2"), ("X2", "Y"), ("L", "Y"), ("U", "L"), ("U", "Y")]
    graph, at = partial(names, arrows)
    dag = Dag(tuple(names), tuple(map(frozenset, graph.parents)))
    causes = [at["X1"], at["X2"]]
    assert undecided_path(graph, causes, at["Y"]) is None
    assert minimal_set(graph, dag, causes, at["Y"]) is None
    assert list(minimal_sets(graph, dag, causes, at["Y"])) == []


def arrows(text):
    """``13 34`` as 1 → 3, 3 → 4."""
    return [tuple(pair) for pair in text.split()]


# Graph, causes, target, sets that the generalised adjustment criterion accepts, and sets that it refuses: the examples
# of Perković et al. (2015, 2018) and of Perković, Kalisch & Maathuis (2017), as the help page and tests of pcalg's
# ``gac`` have them, with the answers there.
FIGURE_1 = ("123456", "13 23 36 43 46 56", "12 24 25 45")
FIGURE_5A = ("12345", "23 43 35", "12")
MEDIATED = ("123456", "12 14 23 25 36", "")
CONFOUNDED = ("123456", "12 14 32 35 45 56", "")
CRITERION = [
    (FIGURE_1, "3", "6", ["24", "45", "124", "145", "245", "1245"], ["", "2"]),
    (FIGURE_5A, "15", "4", ["23"], ["2"]),
    (MEDIATED, "1", "3", ["", "4"], ["2", "5", "6", "45"]),
    (CONFOUNDED, "4", "6", ["1", "3", "12", "13"], ["2", "5", "15"]),
    (("1234", "", "12 23 24 34"), "2", "4", [], [""]),
    (("1234", "12 23 24", "34"), "2", "4", [""], []),
    (("1234", "21 42", "23 34"), "2", "4", [], [""]),
]


@pytest.mark.parametrize(("drawn", "causes", "target", "accepted", "refused"), CRITERION)
def test_the_adjustment_criterion_answers_as_in_its_papers(drawn, causes, target, accepted, refused):
    names, directed, undirected = drawn
    graph, at = partial(names, arrows(directed), arrows(undirected))
    x = [at[name] for name in causes]
    for given in accepted:
        assert is_valid(graph, next(members(graph)), x, at[target], {at[name] for name in given})
    for given in refused:
        assert not is_valid(graph, next(members(graph)), x, at[target], {at[name] for name in given})


def test_amenability_is_that_of_the_figures_with_background_knowledge():
    figures = {"a": ("", "12 23 24 34"), "b": ("12 23 24", "34"), "c": ("21 42", "23 34")}
    graphs = {key: partial("1234", arrows(a), arrows(u))[0] for key, (a, u) in figures.items()}
    assert undecided_path(graphs["a"], [1], 3) is not None
    assert undecided_path(graphs["b"], [1], 3) is None
    assert undecided_path(graphs["c"], [1], 3) is None


def test_possible_joint_effects_are_those_of_the_published_example():
    # The example of pcalg's ``jointIda`` (Nandy, Maathuis & Richardson 2017): of 1 and 2 on 6, (0, 0.4) or (0.99, 0.4).
    weights = np.zeros((6, 6))
    sizes = {"13": 1.1, "14": 0.3, "26": 0.4, "32": 0.6, "34": 0.8, "36": 0.9, "42": 0.5, "51": 0.2, "54": 0.7}
    for (tail, head), size in sizes.items():
        weights[int(tail) - 1, int(head) - 1] = size
    total = np.linalg.inv(np.eye(6) - weights)
    covariance = total.T @ total
    dag = Dag(tuple("123456"), tuple(frozenset(np.flatnonzero(column).tolist()) for column in weights.T))
    found = candidates(essential_graph(dag), [0, 1], 5)
    effects = [true_effect(next(members(each.graph)), covariance, (0, 1), 5) for each in found]
    assert sorted(np.round(effects, 7).tolist()) == [[0.0, 0.4], [0.99, 0.4]]


def test_the_optimal_set_is_that_of_a_documented_example():
    # ``adjustment_set`` of the R package caugi.
    graph, at = partial("CXFDAKYGH", arrows("CX XF XD AX AK KY DY DG YH"))
    assert optimal_set(graph, [at["X"]], at["Y"]) == {at["K"]}
    assert graph.parents[at["X"]] == {at["C"], at["A"]}


def test_an_open_path_is_reported_as_a_path_of_the_graph():
    dag = Dag(tuple("XYZ"), (frozenset({2}), frozenset({0, 2}), frozenset()))
    assert open_path(dag, [0], 1, set()) == (0, 2, 1)
    assert open_path(dag, [0], 1, {2}) is None


def test_graphs_with_marks_answer_as_their_directed_and_undirected_edges_do():
    rng = np.random.default_rng(3)
    for _ in range(20):
        graph, dag = random_class(rng, 6, 0.5, 1)
        marked = MarkedGraph.of_partial(dag.names, graph)
        for x in range(6):
            assert possible_descendants(marked, [x]) == possible_descendants(graph, [x])
            assert undecided_path(marked, [x], (x + 1) % 6) == undecided_path(graph, [x], (x + 1) % 6)
            assert optimal_set(marked, [x], (x + 1) % 6) == optimal_set(graph, [x], (x + 1) % 6)


def test_the_question_that_settles_most_is_worth_what_it_says():
    rng = np.random.default_rng(5)
    n_asked = 0
    for _ in range(60):
        graph, _ = random_class(rng, 6, 0.7, 0)
        found = list(candidates(graph, [0], 5))
        question = best_question(graph, found)
        if question is None:
            continue
        n_asked += 1
        a, b = question.a, question.b
        for tail, head, left in ((a, b, question.if_forward), (b, a, question.if_backward)):
            known = graph.copy()
            known.orient(tail, head)
            close_under_meek_rules(known)
            assert len(list(candidates(known, [0], 5))) <= left < len(found) or left == len(found)
    assert n_asked > 5


def test_essential_graphs_of_chains_list_three_effects_of_the_middle():
    dag = Dag(tuple("ABC"), (frozenset(), frozenset({0}), frozenset({1})))
    graph = essential_graph(dag)
    assert len(list(candidates(graph, [1], 2))) == 2
    assert len(list(possible_parents(graph, 1))) == 3
