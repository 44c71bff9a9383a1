import shlex
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from sidelight.data import example
from sidelight.result.settings import Recipe
from sidelight.side_information import parse_side, side_in_words

CALLS = [
    {},
    {"side": sl.DiamondFree(), "alpha": 0.05},
    {"side": "clique:3", "variant": "paper", "boundaries": "iamb", "boundary_alpha": 0.001},
    {"learner": "pc", "max_tests": 500, "max_conditioning": 2, "drop": ["Sick", "Age"]},
    {"columns": ["Grunting", "Age", "Sick"], "correlation": "spearman"},
]


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(example("newborns"), tmp_path / "it's a table.csv")
    return "it's a table.csv"


@pytest.mark.parametrize("options", CALLS)
def test_the_python_call_of_a_recipe_learns_the_same(table, options):
    net = sl.learn(table, **options)
    again = eval(net.recipe.python(), {"sl": sl})
    assert again == net
    assert again.recipe == net.recipe


@pytest.mark.parametrize("options", CALLS)
def test_the_command_of_a_recipe_learns_the_same(table, options):
    net = sl.learn(table, **options)
    words = shlex.split(net.recipe.command())
    assert words.pop(0) == "sidelight"
    result = CliRunner().invoke(app, [*words, "--out", "again.json", "--quiet"])
    assert result.exit_code == 0, result.stderr
    assert sl.read("again.json") == net
    assert sl.read("again.json").recipe == net.recipe


def test_what_cannot_be_told_is_left_open_and_has_no_command():
    values = np.random.default_rng(0).standard_normal((100, 2))
    net = sl.learn(values, names=["a", "b"], boundaries={"a": [], "b": []}, weights=np.ones(100))
    assert net.recipe.python() == "sl.learn(data, boundaries=…, names=['a', 'b'], weights=…)"
    assert net.recipe.command() == ""


def test_the_names_of_an_array_s_columns_are_told():
    data = np.random.default_rng(0).standard_normal((100, 3))
    net = sl.learn(data, names=["p", "q", "r"])
    assert net.recipe.python() == "sl.learn(data, names=['p', 'q', 'r'])"
    assert eval(net.recipe.python(), {"sl": sl, "data": data}) == net


def test_a_recipe_names_the_file_without_its_folder(table, tmp_path):
    assert sl.learn(tmp_path / table).recipe == sl.learn(table).recipe == Recipe("it's a table.csv")


@pytest.mark.parametrize("words", ["none", "diamond-free", "clique:3", "treewidth:2", "vertex-cover:4", "in-degree:3"])
def test_side_information_in_words_is_read_back(words):
    assert side_in_words(parse_side(words)) == words
