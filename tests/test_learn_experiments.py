"""Rows in which variables were set: what experiments tell of directions, and how scores and tests use such rows."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import combine_pvalues

import sidelight as sl
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.gaussian.test import FisherZ
from sidelight.options import Options
from sidelight.prepare import prepare

N_ROWS = 600


def chain(setting="b", n_rows=N_ROWS, seed=0, categories=False):
    """a → b → c, with one variable set in half of the rows."""
    rng = np.random.default_rng(seed)
    is_set = np.arange(n_rows) % 2 == 0
    values = {}
    for name, cause in (("a", None), ("b", "a"), ("c", "b")):
        values[name] = rng.standard_normal(n_rows) + (0 if cause is None else 1.2 * values[cause])
        if name == setting:
            values[name][is_set] = rng.standard_normal(is_set.sum())
        if categories:
            values[name] = np.where(values[name] > 0, 1.0, -1.0)
    frame = pd.DataFrame(values)
    if categories:
        frame = frame.replace({1.0: "high", -1.0: "low"})
    return frame.assign(set=np.where(is_set, setting, ""))


@pytest.mark.parametrize("categories", [False, True])
def test_setting_the_middle_of_a_chain_tells_both_directions(categories):
    table = chain(categories=categories)
    assert sl.learn(table.drop(columns="set")[1::2]).directed_edges == []
    assert set(sl.learn(table, targets="set").directed_edges) == {("a", "b"), ("b", "c")}


def test_setting_an_end_tells_the_direction_of_its_edge_and_what_follows():
    assert set(sl.learn(chain("a"), targets="set").directed_edges) == {("a", "b"), ("b", "c")}


def test_what_experiments_tell_is_explained_kept_in_files_and_learned_again(tmp_path):
    table = chain()
    table.to_csv(tmp_path / "trial.csv", index=False)
    net = sl.learn(tmp_path / "trial.csv", targets="set")
    net.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json") == net
    assert "one of a and b was set" in str(net.explain("a", "b"))
    assert "--targets set" in net.settings.command()
    assert net.audit(tmp_path / "trial.csv").holds


def test_the_order_of_rows_and_columns_does_not_matter():
    table = chain()
    other = table.sample(frac=1, random_state=1)[["set", "c", "a", "b"]]
    assert set(sl.learn(other, targets="set").directed_edges) == set(sl.learn(table, targets="set").directed_edges)


def test_a_variable_is_scored_by_the_rows_in_which_it_was_not_set():
    table = chain()
    score = prepare(table, Options(targets="set")).test.score("bic", 1.0)
    observed = table[table["set"] == ""].drop(columns="set")
    rows = {"a": table.drop(columns="set"), "b": observed, "c": table.drop(columns="set")}
    for v, name in enumerate(score.names):
        values = rows[name][list(score.names)].to_numpy()
        plain = GaussianBic(sl.Correlation(np.corrcoef(values.T), len(values), score.names))
        for parents in ((), tuple(p for p in range(3) if p != v)):
            assert score.local(v, parents) == pytest.approx(plain.local(v, parents))


def test_a_p_value_is_that_of_stouffers_method_over_the_settings():
    table = chain("c")
    test = prepare(table, Options(targets="set")).test
    parts = [rows.drop(columns="set").to_numpy() for _, rows in table.groupby("set")]
    single = [FisherZ(sl.Correlation(np.corrcoef(part.T), len(part), list("abc"))).p_value(0, 2, [1]) for part in parts]
    combined = combine_pvalues(single, method="stouffer", weights=[np.sqrt(len(part) - 4) for part in parts])
    assert test.p_value(0, 2, [1]) == pytest.approx(combined.pvalue)


def test_a_variable_that_was_always_set_has_no_causes():
    table = chain("a").assign(set="b")
    table.loc[::3, "set"] = "a, b"
    net = sl.learn(table, targets="set")
    assert not [edge for edge in net.directed_edges if edge[1] == "b"]


def test_resamples_keep_what_was_set_in_each_row():
    net = sl.learn(chain(), targets="set", resamples=10)
    assert net.shares.arrow["a", "b"] == net.shares.arrow["b", "c"] == 1


def test_estimates_are_refused_for_rows_in_which_variables_were_set():
    table = chain()
    net = sl.learn(table, targets="set")
    with pytest.raises(sl.InputError, match="'set'"):
        net.effect("a", "b", table)
    with pytest.raises(sl.InputError, match="'set'"):
        net.fit(table)
    observed = table[table["set"] == ""].drop(columns="set")
    assert net.effect("a", "b", observed).value == pytest.approx(1.2, abs=0.2)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"targets": "sett"}, "sett"),
        ({"targets": "a"}, "none of the variables"),
        ({"targets": "set", "learner": "pc"}, "pc"),
        ({"targets": "set", "hidden": True}, "hidden"),
        ({"targets": "set", "weights": np.ones(N_ROWS)}, "weights"),
        ({"targets": ["set"]}, "name of a column"),
    ],
)
def test_what_targets_cannot_be_is_said_by_name(changed, named):
    with pytest.raises(sl.InputError, match=named):
        sl.learn(chain(), **changed)


def test_rows_in_batches_are_refused(tmp_path):
    chain().to_csv(tmp_path / "trial.csv", index=False)
    with pytest.raises(sl.InputError, match="in memory"):
        sl.learn(tmp_path / "trial.csv", targets="set", memory="1kB")


def test_a_column_that_says_of_no_row_that_something_was_set_is_refused():
    with pytest.raises(sl.InputError, match="no row"):
        sl.learn(chain().assign(set=""), targets="set")
