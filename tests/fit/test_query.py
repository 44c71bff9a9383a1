"""Queries with part of the evidence: against brute force, against pgmpy's way of summing, and against simulation."""

from itertools import product

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.fit import FittedGaussian, FittedMixed, FittedTables, fit


def network(frame, **options):
    return sl.learn(frame, alpha=0.1, **options)


def numbers(rows=300, columns=5, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, columns))
    for i in range(1, columns):
        values[:, i] += values[:, :i] @ rng.uniform(-1, 1, i)
    return pd.DataFrame(values * 10.0 ** np.arange(columns) + 5, columns=list("abcdefgh")[:columns])


def categories(rows=400, columns=6, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.choice(list("xyz"), rows)})
    for name in "bcdefgh"[: columns - 1]:
        parents = frame.iloc[:, -2:]
        codes = sum(parents[p].map({"x": 0, "y": 1, "z": 2}) for p in parents)
        frame[name] = np.array(list("xyz"))[(codes + (rng.random(rows) < 0.4)) % 3]
    return frame


@pytest.mark.parametrize("seed", range(3))
def test_numbers_are_conditioned_as_the_joint_normal_distribution_says(seed):
    fitted = network(numbers(seed=seed)).fit(numbers(seed=seed))
    assert isinstance(fitted, FittedGaussian)
    mean, covariance = fitted.model.mean(), fitted.model.covariance()
    for known in ([], [1], [0, 3], [0, 1, 3, 4]):
        evidence = {fitted.names[v]: mean[v] + 0.7 * covariance[v, v] ** 0.5 for v in known}
        answer = fitted.query("c", given=evidence)
        slopes = np.linalg.solve(covariance[np.ix_(known, known)], covariance[known, 2])
        surprise = np.array([evidence[fitted.names[v]] for v in known]) - mean[known]
        assert answer.mean == pytest.approx(mean[2] + slopes @ surprise, rel=1e-8)
        assert answer.spread**2 == pytest.approx(covariance[2, 2] - slopes @ covariance[known, 2], rel=1e-6)
        assert answer.is_exact


def brute_force(fitted, target, evidence):
    """All combinations of categories, each with its probability."""
    values = dict(zip(fitted.names, fitted.categories, strict=True))
    shares = dict.fromkeys(values[target], 0.0)
    for cells in product(*values.values()):
        row = dict(zip(fitted.names, cells, strict=True))
        if all(row[name] == value for name, value in evidence.items()):
            at = {name: np.array([values[name].index(cell)]) for name, cell in row.items()}
            shares[row[target]] += float(np.exp(sum(node.log_densities(at)[0] for node in fitted.conditionals)))
    return {category: share / sum(shares.values()) for category, share in shares.items()}


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 5), st.lists(st.integers(0, 5), max_size=3, unique=True), st.integers(0, 3))
def test_tables_are_summed_as_brute_force_does(target, known, seed):
    frame = categories(rows=200, seed=seed)
    fitted = network(frame, learner="pc-stable").fit(frame)
    evidence = {fitted.names[v]: frame.iloc[7, v] for v in known if v != target}
    answer = fitted.query(fitted.names[target], given=evidence)
    assert answer.method == "variable elimination"
    assert dict(answer.probabilities) == pytest.approx(brute_force(fitted, fitted.names[target], evidence), abs=1e-12)


def test_a_large_network_is_answered_exactly():
    frame = sl.simulate(sl.networks.load_discrete("alarm"), 500, seed=0).table.to_pandas()
    fitted = sl.learn(frame, learner="pc-stable").fit(frame)
    answer = fitted.query(fitted.names[0], given={name: frame[name].iloc[0] for name in fitted.names[-3:]})
    assert answer.is_exact
    assert sum(answer.probabilities.values()) == pytest.approx(1)


def mixed(rows=2000, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.choice(["p", "q"], rows)
    x = (group == "q") * 1.5 + rng.standard_normal(rows)
    smokes = np.where(rng.random(rows) < 1 / (1 + np.exp(-1.2 * x)), "yes", "no")
    y = x - (smokes == "yes") + rng.standard_normal(rows)
    return pd.DataFrame({"group": group, "x": x, "smokes": smokes, "y": y})


def test_a_simulated_answer_agrees_with_integration_within_its_error():
    frame = mixed()
    graph = sl.learn(frame)
    fitted = graph.fit(frame)
    assert isinstance(fitted, FittedMixed)
    answer = fitted.query("group", given={"smokes": "yes", "y": 1.5})
    grid = np.linspace(-8, 10, 4001)
    shares = {}
    for group in ("p", "q"):
        rows = pd.DataFrame({"group": group, "x": grid, "smokes": "yes", "y": 1.5})
        encoded = {v.name: np.array([v.kind.encoded_value(v, x) for x in rows[v.name]]) for v in fitted.variables}
        shares[group] = np.exp(sum(node.log_densities(encoded) for node in fitted.conditionals)).sum()
    expected = shares["q"] / sum(shares.values())
    assert not answer.is_exact
    assert abs(answer.probabilities["q"] - expected) < 4 * answer.errors["q"]
    assert answer.errors["q"] <= 0.005
    assert fitted.query("group", given={"smokes": "yes", "y": 1.5}) == answer  # the same seed
    root = next(name for name, degree in fitted.dag.in_degree if degree == 0)
    assert fitted.query(root).is_exact  # it has no parents, and nothing else matters


def test_what_cannot_be_asked_is_said():
    frame = categories()
    fitted = network(frame, learner="pc-stable").fit(frame)
    with pytest.raises(sl.InputError, match="no variable 'q'"):
        fitted.query("q")
    with pytest.raises(sl.InputError, match="none of the fitted categories"):
        fitted.query("a", given={"b": "w"})
    with pytest.raises(sl.InputError, match="cannot be given"):
        fitted.query("a", given={"a": "x"})
    with pytest.raises(sl.InputError, match="given must be a dict"):
        fitted.query("a", given=["b"])


def test_impossible_evidence_is_said():
    frame = pd.DataFrame({"a": ["x", "x", "y", "y"] * 30, "b": ["u", "u", "v", "v"] * 30, "c": ["m", "n"] * 60})
    net = sl.learn(frame.assign(b=np.where(np.arange(120) == 3, "u", frame.b)))
    fitted = net.fit(frame, equivalent_sample_size=0)
    with pytest.raises(sl.InputError, match="probability 0"):
        fitted.query("c", given={"a": "x", "b": "v"})


FRAMES = {"numbers": numbers(), "tables": categories(), "mixed": mixed(400)}


@pytest.mark.parametrize("case", FRAMES)
def test_a_fitted_network_is_read_as_it_was_written(case, tmp_path):
    frame = FRAMES[case]
    fitted = sl.learn(frame).fit(frame)
    fitted.write(tmp_path / "model.json")
    again = sl.read_fitted(tmp_path / "model.json")
    assert type(again) is type(fitted)
    assert (again.names, again.n_rows, again.undetermined) == (fitted.names, fitted.n_rows, fitted.undetermined)
    assert nx.utils.graphs_equal(again.dag, fitted.dag)
    assert again.log_likelihood(frame) == fitted.log_likelihood(frame)
    assert repr(again) == repr(fitted)
    with pytest.raises(sl.InputError, match="exists"):
        fitted.write(tmp_path / "model.json")


def test_tables_are_read_from_bif_whatever_the_order_of_parents(tmp_path):
    frame = categories()
    fitted = sl.learn(frame).fit(frame)
    fitted.write(tmp_path / "model.bif")
    again = sl.read_fitted(tmp_path / "model.bif")
    assert isinstance(again, FittedTables)
    assert again.log_likelihood(frame) == pytest.approx(fitted.log_likelihood(frame), rel=1e-6)
    with pytest.raises(sl.InputError, match="BIF holds tables"):
        sl.learn(numbers()).fit(numbers()).write(tmp_path / "numbers.bif")


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:200],
        lambda text: "[]",
        lambda text: text.replace("0.", "1e400", 1),
        lambda text: text.replace('"table"', '"list"'),
        lambda text: text.replace('"categories"', '"c"'),
    ],
)
def test_a_damaged_file_is_refused_with_its_name(damage, tmp_path):
    frame = categories()
    path = tmp_path / "model.json"
    sl.learn(frame).fit(frame).write(path)
    path.write_text(damage(path.read_text()))
    with pytest.raises(sl.InputError, match=r"model\.json"):
        sl.read_fitted(path)


def test_fit_treats_missing_values_as_learning_did():
    frame = numbers().mask(np.random.default_rng(0).random((300, 5)) < 0.05)
    for missing, n_rows in (("drop", frame.dropna().shape[0]), ("pairwise", 300), ("em", 300)):
        net = sl.learn(frame, missing=missing)
        assert net.fit(frame).n_rows == n_rows
        assert repr(net.fit(frame)) == repr(fit(net, frame, missing="drop" if missing == "drop" else "em"))


def test_a_category_that_the_rows_do_not_have_has_a_probability_if_it_is_named():
    frame = categories(rows=200, columns=4)
    net = sl.learn(frame)
    few = frame[frame.b != "z"]
    with pytest.raises(sl.InputError, match="categories="):
        net.fit(few).mean_log_likelihood(frame)
    fitted = net.fit(few, categories={"b": ["x", "y", "z"]})
    assert np.isfinite(fitted.mean_log_likelihood(frame))
    assert sum(fitted.query("b").probabilities.values()) == pytest.approx(1)
    assert repr(net.fit(frame, categories={"b": ["x", "y", "z"]})) == repr(net.fit(frame))
    with pytest.raises(sl.InputError, match="categories"):
        net.fit(frame, categories={"q": ["x"]})
    numbered = numbers(columns=3)
    with pytest.raises(sl.InputError, match="'a' is no category"):
        sl.learn(numbered).fit(numbered, categories={"a": [1]})
