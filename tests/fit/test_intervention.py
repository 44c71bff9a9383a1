import networkx as nx
import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from tests.fit.test_mixed import NET, simulated


@pytest.fixture(scope="module")
def fitted():
    return NET.fit(simulated(20_000))


@pytest.mark.parametrize("do", [{"bmi": 2.0}, {"sex": "m"}, {"illness": "chronic", "age": 30.0}])
def test_interventions_in_the_fitted_network_are_those_in_the_model_that_it_was_fitted_to(fitted, do):
    truth = simulated(100_000, seed=9, do=do)
    cost = fitted.do(do, "cost", seed=3)
    assert cost.mean == pytest.approx(truth["cost"].mean(), abs=0.1)
    assert cost.errors["mean"] == pytest.approx(truth["cost"].std() / 100, rel=0.05)
    illness = fitted.do(do, "illness", seed=3)
    assert illness.probabilities == pytest.approx(
        {value: (truth["illness"] == value).mean() for value in illness.probabilities}, abs=0.02
    )


def test_what_is_set_has_its_value_and_what_comes_before_it_does_not_change(fitted):
    free, held = fitted.sample(5000, seed=1), fitted.sample(5000, seed=1, do={"bmi": 3})
    assert set(held["bmi"]) == {3.0}
    assert np.array_equal(free["sex"], held["sex"])
    assert (held["illness"] == "none").mean() > (free["illness"] == "none").mean() + 0.1
    conditioned = np.abs(free["bmi"] - 3) < 0.3
    assert free["age"][conditioned].mean() > held["age"].mean() + 3  # seeing is not setting


def test_the_answer_names_the_edges_that_it_depends_on():
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("z", "c")])  # a — b → c ← z
    net = sl.learn(sl.DSeparation(graph))
    assert net.undirected_edges == [("a", "b")]
    rng = np.random.default_rng(0)
    a = rng.standard_normal(2000)
    b, z = a + rng.standard_normal(2000), rng.standard_normal(2000)
    fitted = net.fit(pd.DataFrame({"a": a, "b": b, "c": b + z + rng.standard_normal(2000), "z": z}))
    assert set(map(frozenset, fitted.undetermined)) == {frozenset("ab")}
    assert set(map(frozenset, fitted.do({"a": 1}, "c").open_edges)) == {frozenset("ab")}
    assert fitted.do({"b": 1}, "c").open_edges == ()  # the arrow b → c is in every DAG of the class
    assert set(map(frozenset, fitted.do({"b": 1}, "a").open_edges)) == {frozenset("ab")}
    assert fitted.do({"a": 1, "b": 1}, "c").open_edges == ()
    assert fitted.do({"b": 1}, "z").open_edges == ()
    words = str(fitted.do({"a": 1}, "c"))
    assert words.startswith("c under do(a = 1): mean ")
    assert "leave the direction of" in words
    assert "leave" not in str(fitted.do({"b": 1}, "c"))


def test_a_linear_effect_is_the_product_of_the_slopes_on_the_way():
    graph = nx.DiGraph([("x", "y"), ("y", "z")])
    net = sl.learn(sl.DSeparation(graph), sl.Required(*graph.edges))
    rng = np.random.default_rng(0)
    x = rng.standard_normal(500)
    y = 2 * x + rng.standard_normal(500)
    fitted = net.fit(pd.DataFrame({"x": x, "y": y, "z": -y + rng.standard_normal(500)}))
    slope = fitted.coefficients["y"]["x"] * fitted.coefficients["z"]["y"]
    found = [fitted.do({"x": value}, "z", seed=0).mean for value in (0, 1)]
    assert found[1] - found[0] == pytest.approx(slope)  # the same noise under the same seed


def test_what_cannot_be_set_is_named(fitted):
    with pytest.raises(sl.InputError, match="there is no variable 'bni'; did you mean 'bmi'"):
        fitted.do({"bni": 1}, "cost")
    with pytest.raises(sl.InputError, match="'sex' has the value 'x', which is none of the fitted categories 'f', 'm'"):
        fitted.sample(5, do={"sex": "x"})
    for wrong in ("high", float("nan"), None):
        with pytest.raises(sl.InputError, match="variable 'bmi' can be set to a finite number; got"):
            fitted.sample(5, do={"bmi": wrong})
    with pytest.raises(sl.InputError, match="do must be a dict of values by variable; got 'bmi'"):
        fitted.sample(5, do="bmi")
    with pytest.raises(sl.InputError, match="n_rows must be a whole number, 2 or more; got 1"):
        fitted.do({"bmi": 1}, "cost", n_rows=1)
