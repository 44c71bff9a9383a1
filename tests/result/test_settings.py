import shlex
import shutil
from dataclasses import fields, replace

import numpy as np
import pytest
from sklearn.datasets import load_wine
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from sidelight.examples import example
from sidelight.options import Options, kept_options
from sidelight.output.formats import to_json
from sidelight.output.formats.network_json import parse
from sidelight.output.report.html.content import content
from sidelight.result.settings import LABELS, Settings
from sidelight.side_information import parse_side, side_in_words

CALLS = [
    {},
    {"side": sl.DiamondFree(), "alpha": 0.05},
    {"side": "clique:3", "variant": "paper", "boundaries": "iamb", "boundary_alpha": 0.001},
    {"learner": "pc", "max_tests": 500, "max_conditioning": 2, "drop": ["Sick", "Age"]},
    {"columns": ["Grunting", "Age", "Sick"], "correlation": "normal-scores"},
]


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(example("newborns"), tmp_path / "it's a table.csv")
    return "it's a table.csv"


@pytest.mark.parametrize("options", CALLS)
def test_the_python_call_of_the_settings_learns_the_same(table, options):
    net = sl.learn(table, **options)
    again = eval(net.settings.python_call(), {"sl": sl})
    assert again == net
    assert again.settings == net.settings


@pytest.mark.parametrize("options", CALLS)
def test_the_command_of_the_settings_learns_the_same(table, options):
    net = sl.learn(table, **options)
    words = shlex.split(net.settings.command())
    assert words.pop(0) == "sidelight"
    result = CliRunner().invoke(app, [*words, "--out", "again.json", "--quiet"])
    assert result.exit_code == 0, result.stderr
    assert sl.read("again.json") == net
    assert sl.read("again.json").settings == net.settings


@pytest.mark.parametrize(("threshold", "call"), [((), "consensus()"), ((0.7,), "consensus(threshold=0.7)")])
def test_a_consensus_has_the_call_that_makes_it_again_and_no_command(table, tmp_path, threshold, call):
    stability = sl.stability(table, resamples=10, n_jobs=1)
    net = stability.consensus(*threshold)
    assert net.settings.python_call() == f'sl.stability("{table}", resamples=10).{call}'
    assert net.settings.command() == ""
    again = eval(net.settings.python_call(), {"sl": sl})
    assert again == net
    assert again.settings == net.settings != stability.network.settings
    net.write(tmp_path / "consensus.json")
    assert sl.read(tmp_path / "consensus.json").settings == net.settings


GIVEN = {"names": ("a", "b"), "columns": ("a",), "fix": True, "refuted": "report", "drop": ("c, d",)}


@pytest.mark.parametrize("name", [field.name for field in kept_options(Options)])
def test_every_option_that_may_change_the_result_is_in_text_files_reports_and_calls(name):
    value = GIVEN.get(name, "as given")
    has_field = name in Settings.__dataclass_fields__ or name in ("knowledge", "weights")
    net = sl.learn(example("newborns"))
    net = replace(net, settings=replace(net.settings, given={name: value}))
    assert parse(to_json(net), "net.json").settings.given == {name: value}
    assert f"{name}=" in net.settings.python_call()
    assert f"--{name.replace('_', '-')}" in net.settings.command()
    assert has_field or LABELS[name] in [label for label, _ in content(net)["settings"]]
    assert has_field or name in net.settings.as_text()


def test_options_that_cannot_change_the_result_are_not_kept():
    kept = {field.name for field in kept_options(Options)}
    assert {field.name for field in fields(Options)} - kept == {"progress", "n_jobs", "memory", "dask", "resamples"}


def test_boundaries_that_were_grown_again_are_told_beside_their_algorithm(tmp_path):
    wines = load_wine(as_frame=True).frame.rename(columns={"target": "cultivar"})
    net = sl.learn(wines)
    assert (net.settings.boundaries, net.settings.regrown) == ("tc", True)
    assert net.settings.as_text()["boundaries"] == "tc, regrown"
    net.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json").settings == net.settings


def test_what_cannot_be_told_is_left_open_and_has_no_command():
    values = np.random.default_rng(0).standard_normal((100, 2))
    net = sl.learn(values, names=["a", "b"], boundaries={"a": [], "b": []}, weights=np.ones(100))
    assert net.settings.python_call() == "sl.learn(data, names=['a', 'b'], weights=…, boundaries=…)"
    assert net.settings.command() == ""


def test_the_names_of_an_array_s_columns_are_told():
    data = np.random.default_rng(0).standard_normal((100, 3))
    net = sl.learn(data, names=["p", "q", "r"])
    assert net.settings.python_call() == "sl.learn(data, names=['p', 'q', 'r'])"
    assert eval(net.settings.python_call(), {"sl": sl, "data": data}) == net


def test_the_settings_name_the_file_without_its_folder(table, tmp_path):
    for source in (table, tmp_path / table):
        settings = sl.learn(source).settings
        assert (settings.table, settings.given) == ("it's a table.csv", {})


@pytest.mark.parametrize("words", ["none", "diamond-free", "clique:3", "treewidth:2", "vertex-cover:4", "in-degree:3"])
def test_side_information_in_words_is_read_back(words):
    assert side_in_words(parse_side(words)) == words


def test_the_significance_level_keeps_all_its_digits(table, tmp_path):
    net = sl.learn(table, alpha=0.0123456789)
    net.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json").settings.alpha == net.settings.alpha == 0.0123456789


@pytest.mark.parametrize("options", CALLS)
def test_settings_survive_a_file_as_values(table, tmp_path, options):
    net = sl.learn(table, **options)
    net.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json").settings
    assert again == net.settings
    assert (again.table, again.given) == (net.settings.table, net.settings.given)


@pytest.mark.parametrize("limit", [np.int64(100), 10**30])
def test_limits_of_any_whole_number_survive_a_file(table, tmp_path, limit):
    net = sl.learn(table, max_tests=limit)
    net.write(tmp_path / "net.json")
    assert sl.read(tmp_path / "net.json").settings == net.settings
