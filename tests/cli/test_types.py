"""Types of columns on the command line: shown, said, refused."""

import json

import pandas as pd
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from sidelight.examples import example
from sidelight.output.report.html.content import content

PENGUINS = str(example("penguins"))
SAID = ("--types", "year=ordinal,island=ignore", "--missing", "drop")


def run(*arguments):
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "120"})


def test_the_penguins_are_all_there():
    frame = pd.read_csv(PENGUINS)
    assert frame.shape == (344, 8)
    assert frame["species"].value_counts().to_dict() == {"Adelie": 152, "Gentoo": 124, "Chinstrap": 68}
    assert frame.isna().sum().to_dict() == {
        "species": 0, "island": 0, "bill_length_mm": 2, "bill_depth_mm": 2, "flipper_length_mm": 2, "body_mass_g": 2,
        "sex": 11, "year": 0,
    }  # fmt: skip


def test_check_shows_what_each_column_is_taken_as_and_why():
    result = run("check", PENGUINS, *SAID)
    assert result.exit_code == 0
    rows = [line.strip("│ ").split() for line in result.stdout.splitlines()]
    assert ["sex", "category", "texts", "2", "11", "male"] in rows
    assert ["year", "ordinal", "given", "in", "types", "3", "2007"] in rows
    assert "344 rows, 333 complete" in result.stdout
    found = json.loads(run("check", PENGUINS, *SAID, "--json").stdout)
    assert (found["n_rows"], found["n_complete"]) == (344, 333)
    assert [column["type"] for column in found["types"]].count("ignore") == 1


def test_learn_counts_types_and_rows_and_so_does_the_report(tmp_path):
    result = run("learn", PENGUINS, *SAID, "--out", str(tmp_path / "net.json"))
    assert result.exit_code == 0
    assert "344, 333 of them complete" in result.stdout
    assert "4 numbers, 2 categories, 1 ordered category, 1 ignored; sidelight check shows each" in result.stdout
    net = sl.read(tmp_path / "net.json")
    shown = content(net)
    assert (shown["rows"], shown["types_words"]) == (344, "4 numbers, 2 categories, 1 ordered category, 1 ignored")
    assert [column["name"] for column in shown["types"]] == [str(column.name) for column in net.types]
    assert ["Rows of the table", "344, 333 of them complete"] in shown["settings"]
    assert "--types year=ordinal,island=ignore" in net.settings.command()


def test_a_file_of_types_does_what_the_text_does(tmp_path):
    (tmp_path / "types.toml").write_text('year = "ordinal"\nisland = "ignore"\nsex = ["female", "male"]\n')
    result = run("check", PENGUINS, "--types", str(tmp_path / "types.toml"), "--missing", "drop")
    assert result.exit_code == 0
    assert "ordinal: female < male" in result.stdout


def test_types_that_cannot_be_are_wrong_use():
    for types, message in (
        ("yaer=ordinal", "--types: there is no column 'yaer'; did you mean 'year'?"),
        ("year", "--types must be a mapping"),
        ("sex=number", "--types: column 'sex' is to be a number, but row 1 has 'male'"),
        ("sex=ordinal", "give it, as in --types 'sex=female<male'"),
    ):
        result = run("learn", PENGUINS, "--types", types, "--missing", "drop")
        assert result.exit_code == 2
        assert message in result.stderr
    result = run("check", PENGUINS, "--types", "year=number", "--discrete", "year,sex")
    assert (result.exit_code, "among those of --discrete" in result.stderr) == (2, True)
