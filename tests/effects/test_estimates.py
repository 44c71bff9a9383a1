"""How large effects are, and how sure: against regressions by hand, weighted averages by hand, and the truth."""

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.effects.linear import Estimated, LinearEstimator
from sidelight.effects.sensitivity import e_value, robustness
from sidelight.graphs.dag import Dag
from tests.effects.classes import random_covariance, random_dag, true_effect


def chain_with_confounder(n_rows, seed=0):
    """z → x, z → y, x → m → y; and w, which makes the arrows into x and m certain."""
    rng = np.random.default_rng(seed)
    z, w = rng.normal(size=(2, n_rows))
    x = 0.8 * z + 0.7 * w + rng.normal(size=n_rows)
    m = 1.5 * x + rng.normal(size=n_rows)
    y = 2.0 * m - 1.0 * z + rng.normal(size=n_rows)
    return pd.DataFrame({"z": z, "w": w, "x": x, "m": m, "y": 10 * y})


@pytest.fixture(scope="module")
def numbers():
    table = chain_with_confounder(2000)
    return sl.learn(table), table


def test_an_effect_among_numbers_is_the_coefficient_of_a_regression(numbers):
    net, table = numbers
    found = net.effect("x", "y", table)
    assert found.identified
    assert set(found.adjustment_set) == {"z"}
    design = np.column_stack([np.ones(len(table)), table.x, table.z])
    slopes, left, *_ = np.linalg.lstsq(design, table.y, rcond=None)
    error = np.sqrt(left[0] / (len(table) - 3) * np.linalg.inv(design.T @ design)[1, 1])
    assert found.value == pytest.approx(slopes[1])
    low, high = found.interval
    assert (high - low) / 2 == pytest.approx(1.9612 * error, rel=1e-3)
    assert found.given_one_graph == found.interval
    assert found.estimates[0].standardised == pytest.approx(slopes[1] * table.x.std() / table.y.std())
    assert low < 30 < high


def test_without_data_the_correlations_of_learning_give_the_standardised_effect(numbers):
    net, table = numbers
    assert net.effect("x", "y").value == pytest.approx(net.effect("x", "y", table).estimates[0].standardised)


def test_two_values_of_a_number_multiply_its_effect(numbers):
    net, table = numbers
    assert net.effect("x", "y", table, values=(1, 4)).value == pytest.approx(3 * net.effect("x", "y", table).value)


def test_an_effect_against_the_arrows_is_nothing(numbers):
    net, table = numbers
    found = net.effect("y", "x", table)
    assert found.identified
    assert found.value == 0
    assert "no path from y to x can be causal" in found.because


def test_columns_in_another_order_and_weights_of_one_change_nothing(numbers):
    net, table = numbers
    turned = table[["y", "m", "x", "w", "z"]]
    assert net.effect("x", "y", turned).value == pytest.approx(net.effect("x", "y", table).value)


def test_joint_effects_along_the_graph_are_those_of_the_model():
    rng = np.random.default_rng(1)
    for _ in range(20):
        dag = random_dag(rng, 6, 0.6)
        covariance = random_covariance(rng, dag)
        estimator = LinearEstimator(dag.names, covariance, 1000)
        order = dag.topological_order()
        causes, target = sorted(order[:3:2]), order[-1]
        found = estimator.along(dag, causes, target, np.ones(2))
        truth = true_effect(dag, covariance, causes, target)
        assert [part.value for part in found.by_cause] == pytest.approx(truth.tolist())
        assert found.total.value == pytest.approx(truth.sum())


def test_the_error_along_a_graph_is_that_of_repeated_samples():
    # x → m → y, x → y and a second cause downstream: products of coefficients, by simulation.
    dag = Dag(tuple("xmby"), (frozenset(), frozenset({0}), frozenset({1}), frozenset({0, 1, 2})))
    rng, found = np.random.default_rng(2), []
    for _ in range(400):
        x = rng.normal(size=200)
        m = 0.7 * x + rng.normal(size=200)
        b = 0.5 * m + rng.normal(size=200)
        y = 0.4 * x + 0.9 * m + 0.8 * b + rng.normal(size=200)
        estimator = LinearEstimator(dag.names, np.cov([x, m, b, y]), 200)
        found.append(estimator.along(dag, [0, 2], 3, np.array([1.0, 0.0])).total)
    assert np.mean([each.value for each in found]) == pytest.approx(0.4 + 0.63, abs=0.02)
    assert np.std([each.value for each in found]) == pytest.approx(np.mean([each.error for each in found]), rel=0.12)


def test_several_causes_at_once_have_a_part_each():
    rng = np.random.default_rng(3)
    a, b, c = rng.normal(size=(3, 1000))
    table = pd.DataFrame({"a": a, "b": b, "c": c, "y": a + 2 * b + c + rng.normal(size=1000)})
    found = sl.learn(table).effect(["a", "b"], "y", table)
    parts = {name: part[0] for name, part in found.estimates[0].by_cause.items()}
    assert parts["b"] == pytest.approx(2, abs=0.15)
    assert found.value == pytest.approx(sum(parts.values()))
    assert "of which b" in str(found)


@pytest.fixture(scope="module")
def categories():
    """Sick people are treated more often; treatment helps."""
    rng = np.random.default_rng(4)
    sick = rng.random(4000) < 0.4
    treated = rng.random(4000) < np.where(sick, 0.8, 0.2)
    other = rng.choice(list("pqr"), 4000)
    well = rng.random(4000) < 0.5 + 0.3 * treated - 0.3 * sick + 0.1 * (other == "p")
    words = {"sick": sick, "treated": treated, "other": other, "well": well}
    table = pd.DataFrame({k: np.where(v, "yes", "no") if v.dtype == bool else v for k, v in words.items()})
    known = sl.Order("sick", "treated", "well") & sl.Order("other", "well")
    return sl.learn(table, side=known), table


def test_a_risk_difference_is_an_average_over_strata(categories):
    net, table = categories
    found = net.effect("treated", "well", table, adjustment="parents")
    assert found.adjustment_set == ("sick",)
    well = table.well == "yes"
    share = {v: well.groupby([table.sick, table.treated]).mean().xs(v, level=1) for v in ("yes", "no")}
    weights = table.sick.value_counts(normalize=True)
    risk = {v: float((share[v] * weights).sum()) for v in share}
    assert found.value == pytest.approx(risk["yes"] - risk["no"], abs=1e-3)
    estimate = found.estimates[0]
    assert estimate.risk_ratio.value == pytest.approx(risk["yes"] / risk["no"], rel=1e-2)
    odds = {v: r / (1 - r) for v, r in risk.items()}
    assert estimate.odds_ratio.value == pytest.approx(odds["yes"] / odds["no"], rel=1e-2)
    assert found.interval[0] < 0.3 < found.interval[1]
    assert found.sensitivity.e_value == pytest.approx(e_value(estimate.risk_ratio.value))
    # Without the confounder the difference is far smaller.
    assert found.sensitivity.without["sick"] < found.value - 0.1


def test_bootstrap_errors_of_a_share_are_the_binomial_ones():
    rng = np.random.default_rng(5)
    x = rng.random(3000) < 0.5
    table = pd.DataFrame({"x": x.astype(str), "y": (rng.random(3000) < np.where(x, 0.7, 0.4)).astype(str)})
    found = sl.learn(table, side=sl.Order("x", "y")).effect("x", "y", table)
    risks = [(table.y == "True")[table.x == v].mean() for v in ("True", "False")]
    error = sum(r * (1 - r) / (table.x == v).sum() for r, v in zip(risks, ("True", "False"), strict=True)) ** 0.5
    assert (found.interval[1] - found.interval[0]) / 2 == pytest.approx(1.984 * error, rel=0.25)


def test_mixed_columns_are_standardised_too():
    rng = np.random.default_rng(6)
    age = rng.normal(50, 10, 3000)
    drug = rng.random(3000) < 1 / (1 + np.exp(-(age - 50) / 5))
    pressure = 120 + 0.5 * age - 8 * drug + rng.normal(0, 5, 3000)
    table = pd.DataFrame({"age": age, "drug": np.where(drug, "yes", "no"), "pressure": pressure})
    net = sl.learn(table, side=sl.Order("age", "drug", "pressure"))
    found = net.effect("drug", "pressure", table, placebo=5)
    assert found.adjustment_set == ("age",)
    low, high = found.interval
    assert low < -8 < high
    assert high - low < 2
    assert max(map(abs, found.sensitivity.placebo)) < 1.5
    assert net.effect("age", "drug", table).estimates[0].odds_ratio.value == pytest.approx(np.exp(1 / 5), rel=0.1)


def x_to_y():
    return sl.learn(sl.DSeparation(nx.DiGraph([("x", "y"), ("w", "y")])))


def test_a_placebo_of_numbers_is_the_regression_on_a_permuted_cause():
    # One row has another value of x than all others: wherever that value goes, the slope is that row's y from the rest.
    rng = np.random.default_rng(10)
    table = pd.DataFrame({"x": [1.0] + [0.0] * 59, "w": rng.normal(size=60), "y": rng.normal(size=60)})
    found = x_to_y().effect("x", "y", table, adjustment="parents", placebo=30)
    slopes = table.y - (table.y.sum() - table.y) / 59
    assert all(np.isclose(slopes, value).any() for value in found.sensitivity.placebo)
    assert len(set(found.sensitivity.placebo)) > 15
    assert "permuted over the rows (30 times)" in str(found)


def test_without_rows_the_placebo_is_drawn_and_says_so():
    rng = np.random.default_rng(11)
    table = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("xwy"))
    known = sl.Correlation(np.corrcoef(table.to_numpy().T), 400, list("xwy"))
    drawn = x_to_y().effect("x", "y", known, placebo=300)
    by_rows = x_to_y().effect("x", "y", table, placebo=300)
    assert drawn.sensitivity.placebo_from == drawn.as_dict()["sensitivity"]["placebo_from"] == "correlations"
    assert "correlations drawn" in str(drawn)
    spreads = [np.std(found.sensitivity.placebo) for found in (drawn, by_rows)]
    assert spreads == pytest.approx([1 / np.sqrt(400)] * 2, rel=0.2)


def test_the_placebo_of_incomplete_rows_permutes_the_gaps_too():
    table = chain_with_confounder(500)
    holes = table.mask(np.random.default_rng(12).random(table.shape) < 0.05)
    found = sl.learn(holes, missing="em").effect("m", "y", holes, placebo=5)
    assert 0 < max(map(abs, found.sensitivity.placebo)) < 5


def test_frequency_weights_are_rows_to_intervals_and_placebos(categories):
    net, table = categories
    counted = table.value_counts().reset_index(name="n")
    learned = sl.learn(counted, weights="n", side=sl.Order("sick", "treated", "well") & sl.Order("other", "well"))
    found = [
        net.effect("treated", "well", table, placebo=5),
        learned.effect("treated", "well", counted, placebo=5),
    ]
    assert found[0].interval == pytest.approx(found[1].interval)
    assert all(max(map(abs, each.sensitivity.placebo)) < 0.06 for each in found)


def test_frequency_weights_of_numbers_are_permuted_as_rows():
    table = chain_with_confounder(40).assign(n=10)
    net = sl.learn(table, weights="n", side=sl.Order("m", "y"))
    written_out = table.loc[table.index.repeat(10)].drop(columns="n")
    without = sl.learn(written_out, side=sl.Order("m", "y"))
    found = [
        net.effect("m", "y", table, adjustment="parents", placebo=200),
        without.effect("m", "y", written_out, adjustment="parents", placebo=200),
    ]
    assert found[0].interval == pytest.approx(found[1].interval)
    spreads = [np.std(each.sensitivity.placebo) for each in found]
    assert spreads[0] == pytest.approx(spreads[1], rel=0.25)


def test_what_the_class_leaves_open_is_listed_with_what_it_assumes():
    rng = np.random.default_rng(7)
    x = rng.normal(size=3000)
    y = x + rng.normal(size=3000)
    z = y + rng.normal(size=3000)
    table = pd.DataFrame({"x": x, "y": y, "z": z})
    net = sl.learn(table)
    found = net.effect("y", "z", table)
    assert not found.identified
    assert found.value is None
    assert {estimate.assumed for estimate in found.estimates} == {(("y", "z"),), (("z", "y"),)}
    assert {round(estimate.value, 1) for estimate in found.estimates} == {0.0, 1.0}
    assert found.interval[0] <= 0 < 0.9 < found.interval[1]
    assert set(found.question.edge) == {"y", "z"}
    assert "1 of 2 possible effects would go" in str(found)
    assert found.least == 0


def test_intervals_over_resamples_hold_those_over_the_class_and_are_kept_in_files(tmp_path):
    rng = np.random.default_rng(8)
    x = rng.normal(size=150)
    y = 0.3 * x + rng.normal(size=150)
    table = pd.DataFrame({"x": x, "y": y, "z": y * 0.4 + rng.normal(size=150), "w": rng.normal(size=150)})
    net = sl.stability(table, resamples=20, seed=1).network
    graphs = list(net.shares.graphs())
    assert len(graphs) == 20
    for (a, b), counts in net.shares.counts.items():
        assert sum(graph.adjacent(a, b) for graph in graphs) == counts.adjacent
        assert sum(b in graph.children[a] for graph in graphs) == counts.forward
    found = net.effect("x", "z", table)
    assert found.with_resamples[0] <= found.interval[0]
    assert found.with_resamples[1] >= found.interval[1]
    net.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json").effect("x", "z", table)
    assert again.with_resamples == found.with_resamples
    record = json.loads((tmp_path / "net.json").read_text())
    for pair in record["shares"]["pairs"]:
        del pair["ways"]
    (tmp_path / "old.json").write_text(json.dumps(record))
    old = sl.read(tmp_path / "old.json")
    assert old.shares.counts == net.shares.counts
    assert old.effect("x", "z", table).with_resamples is None


def test_letters_that_do_not_agree_with_their_counts_are_refused(tmp_path):
    table = chain_with_confounder(100)
    sl.stability(table, resamples=4).network.write(tmp_path / "net.json")
    record = json.loads((tmp_path / "net.json").read_text())
    record["shares"]["pairs"][0]["ways"] = "...."
    (tmp_path / "net.json").write_text(json.dumps(record))
    with pytest.raises(sl.InputError, match="do not agree with their counts"):
        sl.read(tmp_path / "net.json")


def test_causes_are_ranked_by_how_large_their_effect_is_at_least(numbers):
    net, table = numbers
    ranked = net.effects_on("y", table)
    assert ranked[0].cause in ("x", "m")
    assert [effect.least for effect in ranked] == sorted((effect.least for effect in ranked), reverse=True)
    for effect in ranked:
        alone = net.effect(effect.cause, "y", table)
        assert (effect.low, effect.high) == pytest.approx(alone.interval)
    every = net.all_effects(table)
    by_parents = net.effect("x", "y", table, adjustment="parents")
    of_pair = next(effect for effect in every if (effect.cause, effect.on) == ("x", "y"))
    assert of_pair.lowest == pytest.approx(by_parents.value)
    assert (of_pair.low, of_pair.high) == pytest.approx(by_parents.interval)


def test_direct_effects_are_coefficients_given_the_other_parents(numbers):
    net, table = numbers
    found = net.direct_effect("m", "y", table)
    assert found.values == pytest.approx((20,), abs=0.6)
    assert found.low < 20 < found.high
    assert net.direct_effect("x", "y", table).values == (0.0,)


def test_sets_by_name_say_which_path_objects(numbers):
    net, _ = numbers
    sets = net.adjustment_sets("x", "y")
    assert sets.optimal == ("z",)
    assert sets.all_minimal == (("z",),)
    assert "x ← z → y is open" in sets.objection([])
    assert "m may follow from x on the way to y" in sets.objection(["z", "m"])
    assert sets.objection(["z"]) == ""
    assert sets.objection(["x"]) != ""
    with pytest.raises(sl.InputError, match="there is no variable 5"):
        sets.objection(5)


def test_robustness_values_are_those_of_the_published_example():
    # Cinelli & Hazlett (2020), Darfur: estimate .097, error .023, 783 degrees of freedom: 2.2 %, 13.9 %, 7.6 %.
    found = robustness(Estimated(0.0973158, 0.0232570, 783.0), 0.95)
    assert found.partial_r2 == pytest.approx(0.02187, abs=2e-4)
    assert found.value == pytest.approx(0.13878, abs=2e-4)
    assert found.value_of_interval == pytest.approx(0.07626, abs=2e-4)


def test_the_e_value_is_that_of_the_published_example():
    # VanderWeele & Ding (2017): a risk ratio of 3.9 has the E-value 7.26, its limit 1.8 one of 3.0.
    assert e_value(3.9) == pytest.approx(7.26, abs=0.01)
    assert e_value(1 / 3.9) == pytest.approx(7.26, abs=0.01)
    assert e_value(1.8) == pytest.approx(3.0, abs=0.01)


def test_results_are_data_that_json_can_hold(numbers, categories):
    for net, table in (numbers, categories):
        cause, on = net.names[0], net.names[-1]
        json.dumps(net.effect(cause, on, table, placebo=2).as_dict())
        json.dumps(net.effects_on(on, table).as_dict())
        json.dumps(net.adjustment_sets(cause, on).as_dict())


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"cause": "x", "on": "yy"}, "there is no variable 'yy'; did you mean 'y'"),
        ({"cause": "x", "on": "x"}, "both cause and outcome"),
        ({"cause": ["x", "x"], "on": "y"}, "twice"),
        ({"cause": [], "on": "y"}, "a variable, or several"),
        ({"cause": "x", "on": "y", "level": 95}, "level must be a number between 0 and 1"),
        ({"cause": "x", "on": "y", "adjustment": "best"}, "adjustment"),
        ({"cause": "x", "on": "y", "values": (1,)}, "two values of 'x'"),
        ({"cause": "x", "on": "y", "values": ("a", "b")}, "is a number"),
        ({"cause": ["x", "z"], "on": "y", "values": {"m": (0, 1)}}, "none of the causes"),
        ({"cause": "x", "on": "y", "outcome": "yes"}, "is a number"),
        ({"cause": "x", "on": "y", "placebo": -1}, "placebo"),
    ],
)
def test_what_cannot_be_asked_is_said(numbers, asked, message):
    net, table = numbers
    with pytest.raises(sl.InputError, match=message):
        net.effect(asked.pop("cause"), asked.pop("on"), table, **asked)


def test_categories_without_a_contrast_are_asked_back(categories):
    net, table = categories
    with pytest.raises(sl.InputError, match="say which two are compared"):
        net.effect("other", "well", table)
    with pytest.raises(sl.InputError, match="values: 'treated' has no category 'perhaps'; it has 'no', 'yes'"):
        net.effect("treated", "well", table, values=("yes", "perhaps"))
    with pytest.raises(sl.InputError, match="say of which one the probability"):
        net.effect("well", "other", table)
    with pytest.raises(sl.InputError, match="give the table"):
        net.effect("treated", "well")


def test_an_outcome_that_does_not_vary_is_refused(numbers):
    net, table = numbers
    with pytest.raises(sl.InputError, match="'y'"):
        net.effect("x", "y", table.assign(y=1.0))


def test_few_rows_and_a_violated_certificate_are_said(numbers):
    net, table = numbers
    assert "few for" in str(net.effect("x", "y", table[:30]))
    assert "violated" not in str(net.effect("x", "y", table))
    violated = replace(net, certificate=replace(net.certificate, status="violated"))
    assert "certificate of this network says *violated*" in str(violated.effect("x", "y", table))


def test_rankings_say_what_limits_trust_in_all_of_them(numbers):
    net, table = numbers
    assert net.effects_on("y", table).doubts == ()
    violated = replace(net, certificate=replace(net.certificate, status="violated"))
    ranked = violated.effects_on("y", table[:30])
    assert "30 rows, which is few" in str(ranked)
    assert "says *violated*" in str(violated.all_effects(table))
    assert ranked.as_dict()["doubts"] == list(ranked.doubts)
    assert str(net.effects_on("z", table)).startswith("No effects")


def test_data_without_the_weights_of_learning_say_so(categories):
    _, table = categories
    weighted = table.assign(n=1.5)
    net = sl.learn(weighted, weights="n", side=sl.Order("sick", "treated", "well") & sl.Order("other", "well"))
    assert "weights" not in str(net.effect("treated", "well", weighted))
    assert "these data have no such column" in str(net.effect("treated", "well", table))


def test_what_does_not_vary_or_is_hardly_there_is_refused_in_mixed_tables():
    rng = np.random.default_rng(14)
    table = pd.DataFrame({"age": rng.normal(50, 10, 300), "drug": rng.choice(["yes", "no"], 300)})
    table["pressure"] = 120 + 0.5 * table.age - 8 * (table.drug == "yes") + rng.normal(0, 5, 300)
    net = sl.learn(table, side=sl.Order("age", "pressure") & sl.Order("drug", "pressure"))
    for constant, cause in (("age", "age"), ("drug", "drug"), ("pressure", "age")):
        with pytest.raises(sl.InputError, match=f"'{constant}' does not vary"):
            net.effect(cause, "pressure", table.assign(**{constant: table[constant].iloc[0]}))
    with pytest.raises(sl.InputError, match="the table has 1 row, too few"):
        net.effect("age", "pressure", table[:1])


def test_a_difference_of_probabilities_is_never_beyond_1():
    table = pd.DataFrame({"x": list("aaaabbbb"), "y": list("nnnnnyyy"), "w": list("pqpqpqqp")})
    low, high = x_to_y().effect("x", "y", table, adjustment="parents").interval
    assert 0 < low < high == 1.0


def test_an_oracle_has_sets_and_with_a_table_effects():
    table = chain_with_confounder(1000)
    net = sl.learn(sl.DSeparation(nx.DiGraph([("z", "x"), ("w", "x"), ("x", "m"), ("m", "y"), ("z", "y")])))
    assert net.adjustment_sets("x", "y").optimal == ("z",)
    assert net.effect("x", "y", table).value == pytest.approx(30, abs=2)


def test_missing_values_are_treated_as_in_learning():
    table = chain_with_confounder(2000)
    holes = table.mask(np.random.default_rng(9).random(table.shape) < 0.05)
    for missing in ("drop", "em", "pairwise"):
        found = sl.learn(holes, missing=missing).effect("m", "y", holes)
        assert found.interval[0] < 20 < found.interval[1]
