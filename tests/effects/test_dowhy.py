"""What DoWhy gets: the DAG, the table and the set; with DoWhy itself where it is installed, else with a stand-in."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import sidelight as sl


def confounded():
    rng = np.random.default_rng(0)
    z, w = rng.normal(size=(2, 1500))
    x = z + w + rng.normal(size=1500)
    return pd.DataFrame({"z": z, "w": w, "x": x, "y": 2 * x - z + rng.normal(size=1500)})


class StandIn:
    """Keeps what it is given, as ``dowhy.CausalModel`` takes it."""

    def __init__(self, data, treatment, outcome, graph):
        self.data, self.treatment, self.outcome, self.graph = data, treatment, outcome, graph

    def identify_effect(self, proceed_when_unidentifiable):
        return SimpleNamespace(backdoor_variables={}, default_backdoor_id=None)


def test_dag_table_and_set_are_handed_over(monkeypatch):
    monkeypatch.setitem(sys.modules, "dowhy", SimpleNamespace(CausalModel=StandIn))
    table = confounded()
    net = sl.learn(table)
    model, estimand = net.to_dowhy(table, "x", "y")
    assert set(model.graph.edges) == set(net.to_dag().edges)
    pd.testing.assert_frame_equal(model.data, table)
    assert (model.treatment, model.outcome) == (["x"], ["y"])
    assert estimand.backdoor_variables[estimand.default_backdoor_id] == ["z"]


def test_what_the_class_leaves_open_is_not_handed_over(monkeypatch):
    monkeypatch.setitem(sys.modules, "dowhy", SimpleNamespace(CausalModel=StandIn))
    table = confounded()[["x", "y"]]
    with pytest.raises(sl.InputError, match="x — y may be a causal path or not"):
        sl.learn(table).to_dowhy(table, "x", "y")


def test_dowhy_estimates_the_same_effect():
    pytest.importorskip("dowhy")
    table = confounded()
    net = sl.learn(table)
    model, estimand = net.to_dowhy(table, "x", "y")
    found = model.estimate_effect(estimand, method_name="backdoor.linear_regression")
    assert found.value == pytest.approx(net.effect("x", "y", table).value)


def test_without_dowhy_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "dowhy", None)
    table = confounded()
    with pytest.raises(sl.InputError, match=r"sidelight\[dowhy\]"):
        sl.learn(table).to_dowhy(table, "x", "y")
