"""The paragraph for a paper says what was done, and nothing that was not."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from sidelight.families import TABLE_TESTS
from sidelight.learners import LEARNERS
from sidelight.output import methods

rng = np.random.default_rng(0)
X = rng.standard_normal(300)
FRAME = pd.DataFrame({"x": X, "y": X + rng.standard_normal(300), "z": rng.standard_normal(300)})
GAPS = FRAME.mask(rng.random((300, 3)) < 0.05)


def test_every_test_score_and_learner_has_its_words():
    assert set(TABLE_TESTS) <= set(methods.TESTS)
    assert set(LEARNERS) <= set(methods.LEARNERS)
    assert set(methods.SCORES) == {"ebic", "bic", "bdeu", "qnml"}


def test_the_paragraph_has_rows_test_alpha_score_search_assumptions_and_version():
    text = sl.learn(FRAME, alpha=0.02, score="bic").methods()
    for part in (
        "3 variables (3 continuous)",
        "300 rows",
        "Fisher's z",
        "level of 0.02",
        "(Schwarz 1978); no structure has a higher",
        "exact score-based search",
        "faithfulness, no hidden common causes",
        f"sidelight {sl.__version__}",
        "AAAI 36",
    ):
        assert part in text
    assert "missing" not in text
    assert "resamples" not in text


def test_a_learner_by_tests_alone_has_no_score():
    text = sl.learn(FRAME, learner="pc-stable").methods()
    assert "Colombo & Maathuis 2014" in text
    assert "score" not in text
    assert "boundaries" not in text


@pytest.mark.parametrize(
    ("missing", "part"),
    [
        ("drop", f"left out; {len(GAPS.dropna())} of 300 remained"),
        ("pairwise", f"complete in its variables ({len(GAPS.dropna())} of 300 were complete)"),
        ("em", "by the EM algorithm"),
    ],
)
def test_missing_values_are_told_with_what_is_assumed(missing, part):
    assert part in sl.learn(GAPS, missing=missing).methods()


def test_knowledge_side_information_and_resamples_are_told(tmp_path):
    known = sl.learn(FRAME, sl.Required(("x", "y"))).methods()
    assert "Background knowledge was imposed" in known
    assert "side information" in sl.learn(FRAME, sl.DiamondFree(), learner="rsl").methods()
    resampled = sl.stability(FRAME, resamples=4, seed=2).network.methods()
    assert "4 bootstrap resamples, seed 2" in resampled
    assert sl.learn(sl.DSeparation(sl.networks.load("asia"))).methods()


def test_rows_that_are_not_independent_are_told():
    panel = FRAME.assign(unit=np.repeat(np.arange(15), 20), year=np.tile(np.arange(20), 15))
    assert "several rows of each unit" in sl.learn(panel).methods()


def test_the_command_prints_the_same(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    result = CliRunner().invoke(app, ["learn", str(tmp_path / "t.csv"), "-q", "--methods", "--resamples", "0"])
    assert sl.learn(tmp_path / "t.csv").methods() in result.stdout


def test_groups_experiments_and_hidden_causes_are_told():
    unit, z = np.repeat(["a", "b", "c"], 100), np.where(rng.random(300) < 0.3, "x", "")
    grouped = sl.learn(FRAME.assign(unit=unit), groups="unit").methods()
    assert "within the groups that 'unit' tells apart" in grouped
    assert "independent rows within groups" in grouped
    assert "had been set (x)" in sl.learn(FRAME.assign(set=z), targets="set").methods()
    hidden = sl.learn(FRAME, hidden=True).methods()
    assert "A partial ancestral graph (PAG)" in hidden
    assert "search among ancestral graphs" in hidden
    assert "no hidden common causes" not in hidden
