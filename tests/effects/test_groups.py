"""Effects where there are several rows of each subject."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import sidelight as sl


def subjects(seed=0, n_groups=50, n_rows=6):
    """z → x → y ← z, with an effect of x that differs between subjects, and something of theirs that acts on all."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_groups), n_rows)
    own, slope = rng.standard_normal((2, n_groups))
    z = own[who] + rng.standard_normal(len(who))
    x = own[who] + 0.5 * z + rng.standard_normal(len(who))
    y = (1 + slope[who]) * x + 0.7 * z + 2 * own[who] + rng.standard_normal(len(who))
    return pd.DataFrame({"x": x, "z": z, "y": y, "who": who})


TIERS = sl.Tiers(["z"], ["x"], ["y"])
FRAME = subjects()
NET = sl.learn(FRAME, side=TIERS & sl.Required(("z", "x"), ("x", "y"), ("z", "y")), groups="who")


def test_an_effect_and_its_interval_are_those_of_fixed_effects_with_clustered_errors():
    columns = FRAME[["y", "x", "z"]]
    centred = columns - columns.groupby(FRAME["who"]).transform("mean")
    fitted = sm.OLS(centred["y"], centred[["x", "z"]]).fit(
        cov_type="cluster", cov_kwds={"groups": FRAME["who"]}, use_t=True
    )
    found, both = NET.effect("x", "y", FRAME), NET.effect(["x", "z"], "y", FRAME)
    assert found.estimates[0].value == pytest.approx(fitted.params["x"])
    assert found.interval == pytest.approx(fitted.conf_int().loc["x"].to_numpy())
    assert both.estimates[0].by_cause["z"][1:] == pytest.approx(fitted.conf_int().loc["z"].to_numpy())
    ranked = {effect.cause: effect for effect in NET.effects_on("y", FRAME)}
    assert (ranked["x"].low, ranked["x"].high) == pytest.approx(found.interval)
    every = {(effect.cause, effect.on): effect for effect in NET.all_effects(FRAME)}
    assert (every["x", "y"].low, every["x", "y"].high) == pytest.approx(found.interval)


def test_data_without_the_column_of_the_groups_are_doubted():
    doubts = NET.effect("x", "y", FRAME.drop(columns="who")).doubts
    assert any("these data have no such column: rows are taken as independent" in doubt for doubt in doubts)
    assert "no groups" in [warning.kind for warning in NET.audit(FRAME.drop(columns="who")).warnings]
    assert "no groups" not in [warning.kind for warning in NET.audit(FRAME).warnings]


def test_between_groups_an_effect_is_that_of_the_means():
    means = FRAME.groupby("who").mean()
    net = sl.learn(FRAME, side=TIERS, groups="who", variation="between")
    other = sl.learn(means, side=TIERS)
    assert net.effect("x", "y", FRAME).interval == pytest.approx(other.effect("x", "y", means).interval)


def test_with_categories_whole_groups_are_resampled():
    """Of an outcome that is the same in all rows of a group, rows are worth no more than groups."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(40), 25)
    x = rng.integers(0, 2, 40)[who]
    c = np.where(rng.random(40) < 0.3 + 0.4 * rng.integers(0, 2, 40), "yes", "no")[who]
    flip = rng.random(len(who)) < 0.02
    frame = pd.DataFrame({"x": np.where(flip, 1 - x, x), "c": np.where(flip[::-1], "yes", c), "who": who})
    side = sl.Required(("x", "c"))
    grouped, plain = sl.learn(frame, side=side, groups="who"), sl.learn(frame.drop(columns="who"), side=side)
    wide, narrow = (np.ptp(net.effect("x", "c", frame).interval) for net in (grouped, plain))
    assert 3 < wide / narrow < 7  # the root of 25
