"""Test-wise deletion: what a test says of the complete rows of its columns, and what it says of itself."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.families.options import DataOptions
from sidelight.prepare import prepare

KINDS = {"a": "number", "b": "number", "c": "category", "d": "category", "e": "number", "f": "category"}
QUESTIONS = [(*pair, *given) for pair in combinations("abcd", 2) for given in ((), ("e",), ("f",), ("e", "f"))]


def mixed(rows=400, seed=0, rate=0.15):
    """Numbers and categories that depend on each other; a has no gaps, f has some, the others more."""
    rng = np.random.default_rng(seed)
    e, f = rng.standard_normal(rows), rng.choice(list("uvw"), rows)
    a, b = e + rng.standard_normal(rows), (f == "u") + rng.standard_normal(rows)
    c = np.where(a + rng.standard_normal(rows) > 0, "yes", "no")
    d = np.where(b + e + rng.standard_normal(rows) > 0.5, "x", np.where(rng.random(rows) < 0.5, "y", "z"))
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e, "f": f})
    rates = np.array([0, rate, rate, rate, rate, rate / 3])
    return frame.mask(rng.random(frame.shape) < rates)


def p_value(frame, names, **options):
    test = prepare(frame, DataOptions(**options)).test
    x, y, *given = (test.names.index(name) for name in names)
    return test.p_value(x, y, given)


@pytest.fixture(scope="module")
def whole():
    return prepare(mixed(), DataOptions(missing="pairwise")).test


@pytest.mark.parametrize("names", QUESTIONS, ids="".join)
def test_each_test_is_the_one_on_the_complete_rows_of_its_columns(names, whole):
    part = mixed()[list(names)].dropna()
    discrete = [name for name in names if KINDS[name] == "category"]
    x, y, *given = (whole.names.index(name) for name in names)
    by_hand = p_value(part, names, test="mixed", discrete=discrete)
    assert whole.p_value(x, y, given) == pytest.approx(by_hand, rel=1e-9)
    for alpha in (by_hand * 0.9, min(0.99, by_hand * 1.1)):
        assert whole.independent(x, y, given, alpha) == (by_hand > alpha)


@pytest.mark.parametrize("names", QUESTIONS, ids="".join)
def test_effect_sizes_are_those_on_the_complete_rows_and_name_categories_as_the_data_do(names, whole):
    discrete = [name for name in names if KINDS[name] == "category"]
    by_hand = prepare(mixed()[list(names)].dropna(), DataOptions(test="mixed", discrete=discrete)).test
    x, y, *given = (whole.names.index(name) for name in names)
    assert whole.effect_size(x, y, given) == pytest.approx(by_hand.effect_size(0, 1, range(2, len(names))), rel=1e-9)
    assert whole.effect_name_of(x, y) == by_hand.effect_name_of(0, 1)


def test_numbers_and_categories_alone_are_tested_on_their_complete_rows_too():
    for names in (["a", "b", "e"], ["c", "d", "f"]):
        frame = mixed()[names]
        assert p_value(frame, names, missing="pairwise") == pytest.approx(p_value(frame.dropna(), names), rel=1e-9)


def test_the_kernel_test_uses_the_complete_rows_of_its_columns():
    pytest.importorskip("causallearn")
    frame = mixed(80)[["a", "b", "e"]]
    for names in (["a", "b"], ["a", "b", "e"]):
        by_hand = p_value(frame[names].dropna(), names, test="kernel")
        assert p_value(frame, names, test="kernel", missing="pairwise") == pytest.approx(by_hand, rel=1e-9)


@pytest.mark.parametrize("columns", ["abe", "abcdef"])
@pytest.mark.parametrize("missing", ["pairwise", "em"])
def test_frequency_weights_count_equal_rows(columns, missing):
    if missing == "em" and columns != "abe":
        pytest.skip("for numbers")
    frame, counts = mixed(150)[list(columns)], np.random.default_rng(1).integers(1, 4, 150)
    repeated = frame.loc[np.repeat(frame.index, counts)].reset_index(drop=True)
    for names in ("ab", "abe"):
        weighted = p_value(frame, list(names), missing=missing, weights=counts)
        assert weighted == pytest.approx(p_value(repeated, list(names), missing=missing), rel=1e-6)


def test_survey_weights_have_the_effective_size_of_the_rows_that_a_test_uses():
    frame, weights = mixed(200)[["a", "b", "c"]], np.random.default_rng(2).lognormal(size=200)
    there = frame[["a", "b"]].notna().all(axis=1).to_numpy()
    by_hand = p_value(frame.loc[there, ["a", "b"]], ["a", "b"], weights=weights[there], test="mixed", discrete=[])
    assert p_value(frame, ["a", "b"], missing="pairwise", weights=weights) == pytest.approx(by_hand, rel=1e-9)


def test_columns_never_observed_together_are_undecided_and_learning_says_so():
    frame = mixed(300, rate=0.0)
    frame.loc[:150, "c"], frame.loc[151:, "b"] = None, np.nan
    test = prepare(frame, DataOptions(missing="pairwise")).test
    b, c = test.names.index("b"), test.names.index("c")
    assert test.p_value(b, c, []) == 1
    assert test.independent(b, c, [], 0.01)
    assert test.dependences(b, [c], [])[0] == -np.inf
    assert test.n_undecided == 3
    assert "undecided tests" in [warning.kind for warning in sl.learn(frame, missing="pairwise").warnings]


def test_a_column_that_does_not_vary_in_the_rows_of_a_test_leaves_it_undecided():
    frame = mixed(300, rate=0.0)
    frame.loc[frame["c"] == "yes", "b"] = np.nan
    test = prepare(frame, DataOptions(missing="pairwise")).test
    assert test.p_value(test.names.index("b"), test.names.index("c"), []) == 1
    assert test.n_undecided == 1


def test_under_independence_a_mixed_test_with_gaps_keeps_its_level():
    """14 of 300 at 0.01 are beyond chance (p < 0.0001)."""
    rng = np.random.default_rng(0)
    p = []
    for _ in range(50):
        z = rng.standard_normal(250)
        frame = pd.DataFrame({"z": z, **{f"y{i}": z + rng.standard_normal(250) for i in range(2)}})
        for i in range(3):
            frame[f"x{i}"] = np.where(1.5 * z + rng.logistic(size=250) > 0, "a", "b")
        test = prepare(frame.mask(rng.random(frame.shape) < 0.3), DataOptions(missing="pairwise")).test
        p += [test.p_value(y, x, [0]) for y in (1, 2) for x in (3, 4, 5)]
    assert np.sum(np.array(p) <= 0.01) < 14
    assert np.mean(np.array(p) <= 0.5) == pytest.approx(0.5, abs=0.12)


@pytest.mark.parametrize("missing", ["pairwise", "em"])
def test_what_is_assumed_of_missing_values_is_said_once(missing):
    frame = mixed()[["a", "b", "e"]]
    (warning,) = [w for w in sl.learn(frame, missing=missing).warnings if w.kind == "missing values"]
    assert warning.culprits == ("b", "e")
    assert "at random" in warning.text
    assert f"{len(frame.dropna())} of 400 rows are complete" in warning.text
    assert not [w for w in sl.learn(frame.dropna(), missing=missing).warnings if w.kind == "missing values"]


def test_a_mixed_table_with_two_rows_in_five_incomplete_keeps_all_its_rows_and_is_learned_by_score():
    """smoking → weight change; sex and age → smoking; the outcome is missing where it depends on age."""
    rng = np.random.default_rng(3)
    sex, age = rng.choice(["f", "m"], 1500), rng.normal(50, 12, 1500)
    quit_smoking = rng.random(1500) < 1 / (1 + np.exp(-(age - 50) / 8 - (sex == "m")))
    weight = 3 * quit_smoking + rng.normal(0, 3, 1500)
    frame = pd.DataFrame({"sex": sex, "age": age, "quit": np.where(quit_smoking, "yes", "no"), "weight": weight})
    frame.loc[rng.random(1500) < 0.5 * (age > 50), "weight"] = np.nan
    frame.loc[rng.random(1500) < 0.2, "sex"] = None
    assert 0.3 < frame.isna().any(axis=1).mean() < 0.5
    net = sl.learn(frame, missing="pairwise")
    assert net.settings.learner == "hybrid"
    assert {frozenset(edge) for edge in net.skeleton.edges} == {
        frozenset({"sex", "quit"}),
        frozenset({"age", "quit"}),
        frozenset({"quit", "weight"}),
    }
    assert set(net.directed_edges) >= {("sex", "quit"), ("age", "quit"), ("quit", "weight")}
