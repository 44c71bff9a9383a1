"""Separating sets that no test has confirmed are checked at the end; what fails is replaced or reported."""

from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.consistency.checks import NOTHING, Mended, Oriented, Refuted, check, orient_mended, plainly_dependent
from sidelight.families.options import DataOptions
from sidelight.families.subset_search import NO_LIMIT
from sidelight.graphs.dag import Dag
from sidelight.graphs.separating_sets import Skeleton
from sidelight.interview import Limits
from sidelight.prepare import prepare
from sidelight.result.trust import failed_separating_sets, unchecked_separating_sets
from sidelight.search import FoundDag
from sidelight.simulation import random_graphs
from sidelight.simulation.discrete import random_mixed

CHAIN = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "d")])


class Answers(sl.CITest):
    """d-separation in a graph, as a test that is not exact and counts what it is asked."""

    def __init__(self, graph):
        self._oracle = sl.DSeparation(graph)
        self.names = self._oracle.names
        self.n_asked = 0

    def p_value(self, x, y, given):
        self.n_asked += 1
        return self._oracle.p_value(x, y, given)


def skeleton_of(graph, boundaries):
    """The true edges, with these boundaries of the variables as separating sets, in the order of the columns."""
    names = list(graph)
    skeleton = Skeleton.without_edges(len(names))
    for x, name in enumerate(names):
        neighbours = [names.index(y) for y in nx.all_neighbors(graph, name)]
        skeleton.remove(x, boundaries[name], neighbours)
    return skeleton


def checked(test, skeleton, budget=100, largest=NO_LIMIT, may_mend=True):
    names = tuple(test.names)
    sets = skeleton.separating_sets(names)
    refuted = NOTHING if test.is_exact else check(test, skeleton.adjacency, sets, 0.01, budget, largest)
    return orient_mended(test, names, skeleton, refuted, 0.01, budget, largest, "mend" if may_mend else "dismiss")


def test_sets_that_separate_are_left_as_they_are():
    skeleton = skeleton_of(CHAIN, {"a": [1], "b": [2], "c": [3], "d": []})
    result = checked(Answers(CHAIN), skeleton)
    assert result.mended == Mended()
    assert result.sets[frozenset("ac")] == {"b"}


def test_a_set_that_does_not_separate_is_replaced_by_neighbours_that_do():
    skeleton = skeleton_of(CHAIN, {"a": [], "b": [2], "c": [3], "d": []})  # nothing does not separate a from c and d
    result = checked(Answers(CHAIN), skeleton)
    assert result.mended.left == result.mended.added == []
    for pair in ("ac", "ad"):
        assert nx.is_d_separator(CHAIN, {pair[0]}, {pair[1]}, set(result.sets[frozenset(pair)]))
    assert result.orientation.graph.directed_edges() == []  # the empty set would have made b a collider


def triangle_with_a_lost_corner():
    """a, b and c are all adjacent; but c was taken for isolated."""
    skeleton = Skeleton.without_edges(3)
    skeleton.remove(0, [1], [1])
    skeleton.remove(1, [], [])
    skeleton.remove(2, [], [])
    return nx.DiGraph([("a", "b"), ("a", "c"), ("b", "c")]), skeleton


def test_a_pair_that_nothing_separates_becomes_adjacent_and_that_is_reported():
    graph, skeleton = triangle_with_a_lost_corner()
    test = Answers(graph)
    result = checked(test, skeleton)
    assert set(result.mended.added) == {(0, 2), (1, 2)}
    assert skeleton.adjacency == [{1, 2}, {0, 2}, {0, 1}]
    (finding,) = failed_separating_sets(test, result)
    assert finding.kind == "mended separating sets"
    assert set(finding.culprits) == set(graph)
    assert "2 edges were added" in finding.text


def test_where_nothing_may_be_mended_the_pair_stays_without_an_edge_and_is_named():
    graph, skeleton = triangle_with_a_lost_corner()
    test = Answers(graph)
    result = checked(test, skeleton, may_mend=False)
    assert skeleton.adjacency == [{1}, {0}, set()]
    assert result.sets.failed == {(0, 2), (1, 2)}
    (finding,) = failed_separating_sets(test, result)
    assert finding.kind == "failed separating sets"
    assert set(finding.culprits) == set(graph)


def test_no_arrow_comes_from_a_set_that_failed():
    """a — b — c with the empty set between a and c, which does not separate them: b would be a collider."""
    skeleton = skeleton_of(CHAIN, {"a": [], "b": [2], "c": [3], "d": []})
    result = checked(Answers(CHAIN), skeleton, may_mend=False)
    assert result.sets.failed == {(0, 2), (0, 3)}
    assert result.orientation.graph.directed_edges() == []
    assert result.orientation.overruled == []


def test_components_that_depend_on_each_other_are_connected_at_the_clearest_pair():
    """In the chain a → b → c → d the edge b — c was lost, though c is in the boundary of b."""

    class Correlated(Answers):
        def p_value(self, x, y, given):
            return min(1.0, super().p_value(x, y, given) + 1e-9 * abs(x - y))  # the nearer, the clearer

    skeleton = Skeleton.without_edges(4)
    skeleton.remove(0, [1], [1])
    skeleton.remove(1, [2], [])
    skeleton.left_out[1, 2] = ()
    skeleton.remove(2, [3], [3])
    skeleton.remove(3, [], [])
    result = checked(Correlated(CHAIN), skeleton)
    assert (1, 2) in result.mended.added
    assert nx.is_connected(nx.Graph([(x, y) for x, found in enumerate(skeleton.adjacency) for y in found]))


def test_an_oracle_is_not_asked_again():
    graph = sl.networks.load("asia")
    oracle = sl.DSeparation(graph)
    skeleton = skeleton_of(graph, {name: [] for name in graph})  # wrong on purpose
    assert checked(oracle, skeleton).mended == Mended()


def test_where_sets_are_more_than_the_budget_those_that_decide_directions_come_first():
    test = Answers(CHAIN)
    skeleton = skeleton_of(CHAIN, {"a": [], "b": [2], "c": [3], "d": []})
    result = checked(test, skeleton, budget=2, may_mend=False)
    assert result.n_tests <= 2
    assert result.n_unchecked == 1  # a and d, which have no common neighbour
    assert result.sets.failed == {(0, 2)}
    assert [finding.kind for finding in failed_separating_sets(test, result)] == ["failed separating sets"]
    (finding,) = unchecked_separating_sets(result, Limits())
    assert finding.text.startswith("1 missing edge that rests on boundaries alone was not checked")


def numbers(rng):
    x = rng.standard_normal((300, 4))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1]
    return x


def discrete(rng):
    return sl.networks.load_discrete("asia").sample(500, rng)


TABLES = {"fisher-z": numbers, "chi2-moments": discrete, "g2": discrete, "chi2": discrete}


@pytest.mark.parametrize("option", TABLES)
def test_every_test_rejects_the_sets_whose_p_values_are_small(option):
    """The batch answer of each test is that of its p-values one by one."""
    import pandas as pd

    frame = pd.DataFrame(TABLES[option](np.random.default_rng(1)))
    test = sl.learn(frame, test=option).missing_p_values._test
    for x, others in ((0, [1, 2, 3]), (3, [0, 1])):
        expected = [test.p_value(x, y, []) <= 1e-4 for y in others]
        assert test.rejects(x, np.array(others), [], 1e-4).tolist() == expected


def test_what_is_rejected_is_beyond_chance_among_all_sets():
    """Of 100 pairs with uniform p-values, those below alpha / 100 are rejected."""

    class Uniform(sl.CITest):
        names = tuple(range(15))

        def p_value(self, x, y, given):
            return (x * 15 + y) / 400

    skeleton = Skeleton.without_edges(15)
    for x in range(15):
        skeleton.remove(x, [], [])
    sets = skeleton.separating_sets(tuple(range(15)))
    alpha = 0.9
    expected = {(x, y) for x, y in combinations(range(15), 2) if (x * 15 + y) / 400 <= alpha / len(sets)}
    refuted = check(Uniform(), skeleton.adjacency, sets, alpha, NO_LIMIT, NO_LIMIT)
    assert {(x, y) for x, y, _ in refuted.sets} == expected
    assert refuted.n_tests == len(sets)  # no pair is tested twice
    assert expected


@pytest.mark.parametrize(
    ("n_failed", "words"), [(1, "1 of 3 separating sets does not"), (2, "2 of 3 separating sets do")]
)
def test_the_warning_agrees_with_the_number_of_failed_sets(n_failed, words):
    values = np.random.default_rng(0).standard_normal((50, 3))
    test = sl.FisherZ(sl.Correlation(np.corrcoef(values.T), 50))
    net = sl.learn(test)
    failed = Mended(left=[(0, 1, []), (0, 2, [])][:n_failed])
    result = Oriented(net.separating_sets, None, failed, [])
    (finding,) = failed_separating_sets(test, result)
    assert words in str(finding)


def test_limits_hold_for_the_check_too():
    test = Answers(CHAIN)
    names = tuple(test.names)
    skeleton = skeleton_of(CHAIN, {"a": [1], "b": [2], "c": [3], "d": []})
    refuted = check(test, skeleton.adjacency, skeleton.separating_sets(names), 0.01, 100, largest=0)
    assert test.n_asked == 0
    assert refuted.sets == []
    assert refuted.n_unchecked == 3


def test_a_replaced_set_is_said_to_come_from_the_check(tmp_path):
    rng = np.random.default_rng(3)
    frame = sl.networks.load_discrete("insurance").sample(3000, rng)
    import pandas as pd

    net = sl.learn(pd.DataFrame(frame), sl.DiamondFree(), "rsl")
    net.write(tmp_path / "net.json")
    for network in (net, sl.read(tmp_path / "net.json")):
        sets = network.separating_sets
        assert sets.replaced
        for x, y in sets.replaced:
            found = network.explain(network.names[x], network.names[y]).as_dict()["found"]
            assert found["kind"] == "check of separating sets"


def test_sets_that_the_rows_cannot_test_do_not_count_as_checked():
    values = np.random.default_rng(0).normal(size=(6, 6))
    test = sl.FisherZ(sl.Correlation(np.corrcoef(values.T), 6))
    skeleton = Skeleton.without_edges(6)
    skeleton.remove(0, [1, 2, 3, 4], [])  # given four variables, six rows leave nothing to test with
    for x in range(1, 6):
        skeleton.remove(x, [], [])
    refuted = check(test, skeleton.adjacency, skeleton.separating_sets(tuple(range(6))), 0.01, NO_LIMIT, NO_LIMIT)
    assert refuted.n_unchecked == 1


@pytest.mark.parametrize("seed", [20, 22])
def test_a_set_that_fails_after_a_search_is_replaced_by_one_that_holds_in_the_graph_and_in_the_data(seed):
    rng = np.random.default_rng(seed)
    graph = random_graphs.erdos_renyi(20, 20**-0.82, rng)
    table = pd.DataFrame(random_mixed(graph, 0.5, rng).sample(20_000, rng))
    net, reported = sl.learn(table), sl.learn(table, refuted="report")
    assert set(net.directed_edges) == set(reported.directed_edges)
    replaced = [pair for pair, given in net.separating_sets.items() if reported.separating_sets[pair] != given]
    dag = net.to_dag()
    for pair in replaced:
        assert nx.is_d_separator(dag, *({name} for name in pair), set(net.separating_sets[pair]))
        assert net.missing_p_values[pair] > 0.01 >= reported.missing_p_values[pair]
    failed = [warning for warning in reported.warnings if warning.kind == "tests against score"]
    assert bool(replaced) == bool(failed)


def test_components_that_a_search_leaves_apart_though_they_depend_are_connected():
    rng = np.random.default_rng(0)
    number = rng.normal(size=400)
    rare = rng.permutation(np.repeat(np.arange(40), 10))  # so many categories cost more than the score gains
    columns = {"number": number + 0.1 * (rare % 7), "group": rare.astype(str), "other": rng.normal(size=400)}
    table = pd.DataFrame(columns)
    refuted = Refuted([], [(0, 1)])
    test = prepare(table, DataOptions()).test
    score, apart = test.score("auto", None), Dag(tuple(table), (frozenset(),) * 3)
    assert plainly_dependent(test, refuted) == [(0, 1)]
    found = FoundDag(score, (("search", apart),))
    connected = found.connected([(0, 1), (1, 0)], None, None)
    assert [set(edge) for edge in connected.dag.edges()] == [{0, 1}]
    assert connected.score == pytest.approx(score.total(connected.dag))
    assert connected.margin == 0.0
    bounded = found.connected([(0, 1)], sl.MaxInDegree(0), None)
    assert bounded is found


def test_after_a_search_no_set_fails_where_the_tests_keep_their_level():
    from sklearn.datasets import load_wine

    table = load_wine(as_frame=True).frame
    reported, net = sl.learn(table, refuted="report"), sl.learn(table)
    (warning,) = (warning for warning in reported.warnings if warning.kind == "tests against score")
    assert all(warning.kind != "tests against score" for warning in net.warnings)
    level = 0.01 / len(net.separating_sets)
    assert all(p > level for p in net.missing_p_values.values())
    for edge in net.added_edges:
        assert set(edge) <= set(warning.culprits)
        assert net.skeleton.has_edge(*edge)


def test_an_edge_that_tests_demand_closes_no_cycle_and_keeps_the_bound():
    dag = Dag(("a", "b", "c"), (frozenset(), frozenset({0}), frozenset({1})))
    values = np.random.default_rng(0).standard_normal((100, 3))
    score = sl.FisherZ(sl.Correlation(np.corrcoef(values.T), 100)).score("auto", None)
    found = FoundDag(score, (("search", dag),))
    added = found.with_edges([(0, 2)], None, None).dag
    assert {frozenset(edge) for edge in added.edges()} == set(map(frozenset, combinations(range(3), 2)))
    assert nx.is_directed_acyclic_graph(added.to_networkx())
    assert found.with_edges([(0, 2)], sl.CliqueNumber(2), None) is found


@pytest.mark.parametrize(("effect", "is_added"), [(0.12, False), (0.2, True)])
def test_an_edge_that_tests_demand_is_added_only_where_it_predicts_better_and_reported_else(effect, is_added):
    rng = np.random.default_rng(0)
    group = rng.permutation(np.repeat(np.arange(90), 10))  # one edge takes 89 parameters of 900 rows
    number, other = rng.normal(size=900) + effect * (group % 7), rng.normal(size=900)
    net = sl.learn(pd.DataFrame({"number": number, "group": np.char.add("v", group.astype(str)), "other": other}))
    assert net.added_edges == (("number", "group"),) * is_added
    (warning,) = (found for found in net.warnings if set(found.culprits) == {"number", "group"})
    assert warning.kind == ("mended separating sets" if is_added else "tests against score")
    cost, shares = np.log(900) / 2, pd.Series(number).groupby(group).mean()[group].to_numpy()
    gain = 450 * np.log(number.var() / (number - shares).var())
    assert cost * 89 > gain > 60  # the score rejects it, the test (p < 1e-5) demands it
    assert (gain > 89) == is_added
