"""The same result from the same table, however its columns stand and are written down."""

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.graphs.dag import Dag
from sidelight.graphs.separating_sets import skeleton_of
from sidelight.options import Options
from sidelight.prepare import prepare
from sidelight.simulation import networks
from sidelight.simulation.discrete import random_mixed
from sidelight.simulation.random_graphs import erdos_renyi


def discrete(n_rows=120):
    return pd.DataFrame(networks.load_discrete("sachs").sample(n_rows, np.random.default_rng(1))).iloc[:, :8]


def mixed(n_rows=120):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(random_mixed(erdos_renyi(8, 0.35, rng), 0.5, rng).sample(n_rows, rng))
    return frame.rename(columns="v{}".format)


def numbers(n_rows=60):
    frame, rng = pd.DataFrame(), np.random.default_rng(4)
    for v in range(9):
        parents = rng.choice(v, min(v, 2), replace=False)
        frame[f"v{v}"] = rng.standard_normal(n_rows) + sum(0.6 * frame[f"v{p}"] for p in parents)
    return frame


TABLES = {"discrete": discrete, "mixed": mixed, "numbers": numbers}


def by_name(net, names=None):
    """All that was learned, by the names of the variables, or by those that they had before."""
    before = {name: name for name in net.names} if names is None else {new: old for old, new in names.items()}

    def named(members):
        return frozenset(before[name] for name in members)

    return {
        "arrows": {(before[a], before[b]) for a, b in net.directed_edges},
        "edges": set(map(named, net.undirected_edges)),
        "dag": {(before[a], before[b]) for a, b in net.to_dag().edges},
        "sets": {named(pair): named(given) for pair, given in net.separating_sets.items()},
        "boundaries": {before[name]: named(members) for name, members in net.boundaries.items()},
        "removed": [before[name] for name in net.removal_order],
        "added": set(map(named, net.added_edges)),
        "tests": (net.tests_by_size, net.tests_by_phase, net.boundary_tests, net.check_tests),
        "losses": {named(pair): round(loss, 6) for pair, loss in net.edge_losses.items()},
        "turned": {(before[a], before[b]): round(cost, 6) for (a, b), cost in net.turn_costs.items()},
        "kinds": [finding.kind for finding in net.warnings],
    }


@pytest.mark.parametrize("learner", ["hybrid", "rsl", "pc", "marvel"])
@pytest.mark.parametrize("kind", TABLES)
def test_columns_that_change_places_change_nothing(kind, learner):
    frame, rng = TABLES[kind](), np.random.default_rng(0)
    found = by_name(sl.learn(frame, learner=learner))
    for _ in range(2):
        assert by_name(sl.learn(frame[rng.permutation(frame.columns)], learner=learner)) == found


@pytest.mark.parametrize("learner", ["hybrid", "rsl"])
@pytest.mark.parametrize("kind", TABLES)
def test_other_names_scales_signs_and_labels_of_categories_change_no_structure(kind, learner):
    frame, rng = TABLES[kind](), np.random.default_rng(0)
    names = dict(zip(frame, (f"n{v}" for v in rng.permutation(frame.shape[1])), strict=True))
    other = frame.rename(columns=names)
    for name in other:
        if other[name].dtype == float:
            other[name] = -other[name] * rng.uniform(0.1, 10) + 5
        else:
            values = other[name].unique()
            other[name] = other[name].map(
                dict(zip(values, map("c{}".format, rng.permutation(len(values))), strict=True))
            )
    found, again = by_name(sl.learn(frame, learner=learner)), by_name(sl.learn(other, learner=learner), names)
    assert {part: again[part] for part in ("arrows", "edges", "sets")} == {
        part: found[part] for part in ("arrows", "edges", "sets")
    }


@pytest.mark.parametrize("kind", TABLES)
def test_a_weight_does_what_repeated_rows_do(kind):
    frame = TABLES[kind]()
    drawn, counts = np.unique(np.random.default_rng(0).integers(len(frame), size=len(frame)), return_counts=True)
    repeated, weighted = frame.iloc[np.repeat(drawn, counts)], frame.iloc[drawn].assign(weight=counts)
    found, again = by_name(sl.learn(repeated)), by_name(sl.learn(weighted, weights="weight"))
    assert [again[part] for part in ("arrows", "edges", "sets")] == [
        found[part] for part in ("arrows", "edges", "sets")
    ]


@pytest.mark.parametrize("kind", TABLES)
def test_what_is_known_goes_with_the_variables(kind):
    frame, rng = TABLES[kind](), np.random.default_rng(0)
    first, second, third = list(frame)[:3]
    known = [sl.Forbidden((first, second)), sl.Required((second, third))]
    found = by_name(sl.learn(frame, known))
    assert (second, third) in found["arrows"]
    assert by_name(sl.learn(frame[rng.permutation(frame.columns)], known)) == found


@pytest.mark.parametrize("kind", ["discrete", "numbers"])
def test_resamples_are_counted_for_the_same_pairs_whatever_the_order_of_the_columns(kind):
    frame = TABLES[kind]()
    shares = sl.stability(frame, resamples=2, n_jobs=1).adjacency
    assert sl.stability(frame[frame.columns[::-1]], resamples=2, n_jobs=1).adjacency == shares


@pytest.mark.parametrize("kind", TABLES)
def test_the_order_by_the_data_is_the_same_for_all_orders_of_the_columns(kind):
    frame, rng = TABLES[kind](), np.random.default_rng(0)
    orders = []
    for _ in range(3):
        test = prepare(frame[rng.permutation(frame.columns)], Options()).test
        orders.append([test.names[v] for v in test.data_order()])
    assert orders[0] == orders[1] == orders[2]


def test_a_test_of_the_users_own_keeps_its_order():
    class Mine(sl.MomentChiSquare):
        def data_order(self):
            raise AssertionError("positions may mean something here")

    coded = prepare(discrete(), Options()).test
    assert sl.learn(Mine(coded._codes, coded._categories.tolist(), coded.names)).names == tuple(coded.names)


def test_a_skeleton_with_each_variable_at_another_place_and_back_is_itself():
    rng = np.random.default_rng(0)
    skeleton, place = skeleton_of(Dag.from_networkx(erdos_renyi(12, 0.3, rng))), rng.permutation(12).tolist()
    skeleton.note(0, 1, frozenset({2}))
    moved = skeleton.renumbered(place)
    assert moved != skeleton
    assert moved.renumbered(np.argsort(place).tolist()) == skeleton
