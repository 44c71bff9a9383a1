"""Warnings are values: a kind, a severity, the variables concerned, a text and a remedy."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi
from sidelight.text.message import in_command_words


def kinds(net):
    return {warning.kind for warning in net.warnings}


def few_rows(seed=5):
    rng = np.random.default_rng(seed)
    return sl.learn(linear_gaussian(erdos_renyi(20, 0.25, rng), 80, rng)[1], learner="rsl")


def test_contradictory_evidence_names_its_variables():
    warning = next(w for w in few_rows().warnings if w.kind == "overruled v-structures")
    assert set(warning.culprits) <= set(range(20))
    assert len(warning.culprits) >= 3


def test_fallback_removals_are_those_of_the_steps():
    net = few_rows()
    warning = next(w for w in net.warnings if w.kind == "fallback removals")
    assert warning.culprits == tuple(step.removed for step in net.steps if step.fallback)


@pytest.mark.parametrize("option", ["max_tests", "max_conditioning"])
def test_a_limit_that_was_reached_is_named_as_python_and_as_the_command_have_it(option):
    net = sl.learn(sl.DSeparation(sl.networks.load("alarm")), **{option: 0})
    (warning,) = (w for w in net.warnings if w.kind == "limit reached")
    assert f"{option}=0" in str(warning)
    assert f"--{option.replace('_', '-')} 0" in in_command_words(warning.message)


def test_tests_that_the_counts_cannot_decide_are_counted():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"v{i}": rng.integers(0, 5, 40) for i in range(8)})
    net = sl.learn(frame, discrete=list(frame), boundaries="tc")
    assert "undecided tests" in kinds(net)


def test_rows_that_were_left_out_are_counted():
    values = np.random.default_rng(0).standard_normal((100, 3))
    values[:7, 1] = np.nan
    (warning,) = (w for w in sl.learn(values, missing="drop").warnings if w.kind == "dropped rows")
    assert "7 of 100 rows" in warning.text


def test_an_oracle_gives_no_warnings():
    assert sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("c", "b")]))).warnings == ()


def test_warnings_survive_a_file_with_their_kind_and_culprits(tmp_path):
    net = few_rows()
    net.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json").warnings == net.warnings
