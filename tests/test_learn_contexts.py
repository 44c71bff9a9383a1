"""Rows from several places: the column that says which has no causes, and edges that differ between them are named."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest, linregress

import sidelight as sl
from sidelight.graphs.dag import Dag
from sidelight.learning.contexts import slopes_of
from sidelight.options import Options
from sidelight.prepare import prepare


def places(slopes=(0.8, 0.8, 0.8), seed=0, n=900, noise=(1.0, 1.0, 1.0)):
    """dose → pressure, with a slope and a noise of each hospital, and dose → age without any difference."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 3, n)
    dose = rng.standard_normal(n)
    pressure = np.array(slopes)[place] * dose + np.array(noise)[place] * rng.standard_normal(n)
    table = {"hospital": np.array(["A", "B", "C"])[place], "dose": dose, "pressure": pressure}
    return pd.DataFrame(table).assign(age=0.7 * dose + rng.standard_normal(n))


def differing(net):
    return [warning.culprits for warning in net.warnings if warning.kind == "contexts"]


def test_an_edge_that_differs_between_places_is_named_and_one_that_does_not_is_not():
    net = sl.learn(places((0.9, 0.9, -0.2)), context="hospital")
    pair = next(found for found in differing(net))
    assert set(pair) == {"dose", "pressure"}
    assert len(differing(net)) == 1
    assert differing(sl.learn(places(), context="hospital")) == []


def test_the_context_is_a_category_without_causes_even_if_its_places_are_numbers():
    table = places()
    table["hospital"] = table["hospital"].map({"A": 101.0, "B": 205.0, "C": 333.0})
    table["dose"] += 0.01 * table["hospital"]
    net = sl.learn(table, context="hospital")
    assert ("hospital", "dose") in net.directed_edges
    assert sl.learn(table, columns=["dose", "pressure"], context="hospital").names == ("hospital", "dose", "pressure")
    assert next(column for column in net.types if column.name == "hospital").type == "category"
    assert "--context" not in net.settings.command()  # there is no file
    assert "context='hospital'" in net.settings.python_call()


def test_slopes_are_those_of_a_regression_in_each_place():
    table = places((0.9, 0.5, -0.2))
    data = prepare(table, Options(context="hospital")).rows.data
    dag = Dag(("hospital", "dose", "pressure", "age"), (frozenset(), frozenset(), frozenset({0, 1}), frozenset()))
    found = slopes_of(data, "hospital", dag, 2)[1]
    expected = [linregress(part["dose"], part["pressure"]) for _, part in table.groupby("hospital")]
    assert found.slopes == pytest.approx([fit.slope for fit in expected])
    assert found.errors == pytest.approx([fit.stderr for fit in expected])


def test_p_values_are_uniform_where_slopes_are_the_same_though_variances_differ():
    dag = Dag(("hospital", "dose", "pressure", "age"), (frozenset(), frozenset(), frozenset({0, 1}), frozenset()))
    data = prepare(places(), Options(context="hospital")).rows.data
    p_values = []
    for seed in range(150):
        table = places(seed=seed, noise=(0.5, 1.0, 3.0))
        rows = data.table.with_numbers({name: table[name].to_numpy() for name in ("dose", "pressure")}, {})
        codes = pd.Categorical(table["hospital"]).codes
        rows.texts["hospital"].codes[:] = [list(rows.texts["hospital"].values).index("ABC"[code]) for code in codes]
        p_values.append(slopes_of(_with(data, rows), "hospital", dag, 2)[1].p_value)
    assert kstest(p_values, "uniform").pvalue > 1e-3


def _with(data, table):
    from dataclasses import replace

    return replace(data, rows=replace(data.rows, sample=table))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"context": "clinic"}, "context: there is no column 'clinic'"),
        ({"context": ["hospital"]}, "context must be the name of a column"),
        ({"context": "hospital", "groups": "age"}, 'context="hospital" does not go with groups='),
    ],
)
def test_what_cannot_be_a_context_is_refused(options, words):
    with pytest.raises(sl.InputError, match=words):
        sl.learn(places(), **options)
