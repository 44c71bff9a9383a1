"""``sidelight effect``: the result of ``net.effect`` in words and as JSON, and errors with flags."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("effect")
    rng = np.random.default_rng(1)
    age, other = rng.normal(size=(2, 800))
    drug = rng.random(800) < 1 / (1 + np.exp(-age))
    table = pd.DataFrame({"age": age, "other": other, "drug": np.where(drug, "yes", "no")})
    table["pressure"] = 2 * age - 3 * drug + other + rng.normal(size=800)
    table["site"] = rng.choice(["a", "b", "c"], 800)
    table.to_csv(folder / "table.csv", index=False)
    known = sl.Order("age", "drug", "pressure") & sl.Order("other", "pressure")
    sl.learn(folder / "table.csv", side=known).write(folder / "net.json")
    return str(folder / "net.json"), str(folder / "table.csv")


def run(files, *options):
    return CliRunner().invoke(app, ["effect", *files, *options])


def test_the_command_says_what_the_method_does(files):
    net, table = files
    result = run(files, "--cause", "drug", "--on", "pressure", "--json")
    assert result.exit_code == 0
    found = sl.read(net).effect("drug", "pressure", table)
    assert json.loads(result.stdout) == json.loads(json.dumps(found.as_dict()))
    assert "Identified by adjusting for age" in run(files, "--cause", "drug", "--on", "pressure").stdout
    low, high = map(float, run(files, "--cause", "drug", "--on", "pressure", "-q").stdout.split())
    assert (low, high) == pytest.approx(found.interval, rel=1e-4)


def test_values_of_numbers_and_several_causes_are_given_as_text(files):
    one = json.loads(run(files, "--cause", "age", "--on", "pressure", "--values", "0,1", "--json").stdout)
    two = json.loads(run(files, "--cause", "age", "--on", "pressure", "--values", "1,3", "--json").stdout)
    assert two["estimates"][0]["value"] == pytest.approx(2 * one["estimates"][0]["value"])
    both = json.loads(run(files, "--cause", "age,other", "--on", "pressure", "--json").stdout)
    assert both["causes"] == ["age", "other"]


def test_all_causes_of_an_outcome_are_ranked(files):
    result = run(files, "--all", "--on", "pressure")
    assert result.exit_code == 0
    assert "drug ⇝ pressure" in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give --cause and --on, or --all"),
        (("--cause", "drug", "--on", "presure"), "did you mean 'pressure'"),
        (("--all", "--on", "presure"), "did you mean 'pressure'"),
        (("--all", "--cause", "drug"), "--cause drug goes with one cause"),
        (("--all",), "tables of numbers"),
        (("--cause", "drug", "--on", "site"), "say of which one the probability is asked: --outcome a"),
        (("--cause", "site", "--on", "drug"), "say which two are compared: --values a,b"),
        (("--cause", "age", "--on", "pressure", "--values", "1,x"), "--values: 'age' is a number; got 'x'"),
        (("--cause", "age", "--on", "pressure", "--values", "1"), "--values must be two values"),
        (("--cause", "drug", "--on", "pressure", "--level", "2"), "--level must be a number between 0 and 1"),
        (("--cause", "drug", "--on", "pressure", "--outcome", "yes"), "--outcome yes: 'pressure' is a number"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence_and_exit_code_two(files, options, message):
    result = run(files, *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
