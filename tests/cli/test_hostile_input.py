"""Hostile names, files and arguments at the command: nothing acts on the terminal, every mistake is one message."""

import json
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli import learn as learn_command
from sidelight.cli.main import app

EXAMPLE = str(Path(sl.__file__).parent / "examples" / "newborns.csv")
NAMES = ["esc \x1b[31m", "c1 \x9b31m", "bidi \u202e\u2066", "bell \x07"]
ACTING = "\x1b\x9b\u202e\u2066\x07"


def run(*arguments, **options):
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "120", **options})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table with hostile names, and the network of it."""
    folder = tmp_path_factory.mktemp("hostile")
    values = np.random.default_rng(0).standard_normal((300, 4))
    values[:, 1:3] += values[:, :1]
    lines = [",".join(NAMES), *(",".join(f"{cell:.4f}" for cell in row) for row in values)]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    sl.learn(folder / "t.csv").write(folder / "net.json")
    sl.output.formats.write(nx.DiGraph([tuple(NAMES[:2]), tuple(NAMES[2:])]), folder / "other.json")
    return folder


@pytest.mark.parametrize("extra", [(), ("--json",), ("--quiet",)], ids=["words", "json", "quiet"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("learn", "t.csv"),
        ("check", "t.csv"),
        ("explain", "net.json", NAMES[0], NAMES[1]),
        ("explain", "net.json", NAMES[0], NAMES[3]),
        ("audit", "net.json", "t.csv"),
        ("compare", "net.json", "other.json"),
        ("learn", "t.csv", "--drop", NAMES[0] + "x"),
        ("explain", "net.json", NAMES[0], "x" + NAMES[1]),
    ],
    ids=lambda arguments: f"{arguments[0]} {len(arguments)}",
)
def test_nothing_in_a_name_acts_on_the_terminal(folder, monkeypatch, arguments, extra):
    monkeypatch.chdir(folder)
    result = run(*arguments, *extra)
    assert not set(ACTING) & set(result.stdout + result.stderr)
    assert "Traceback" not in result.output
    if extra == ("--json",) and result.exit_code != 2:
        json.loads(result.stdout)


def test_names_in_json_are_the_same_for_programs(folder):
    assert json.loads(run("learn", folder / "t.csv", "--json").stdout)["names"] == NAMES


def test_an_empty_list_of_columns_is_not_taken_for_all(tmp_path):
    result = run("learn", EXAMPLE, "--columns", "")
    assert result.exit_code == 2
    assert "no column is left to learn from; see --columns and --drop" in result.stderr
    assert run("check", EXAMPLE, "--discrete", "", "--quiet").exit_code == 0


def test_names_with_commas_can_be_dropped_in_quotes(tmp_path):
    path = tmp_path / "t.csv"
    rows = np.random.default_rng(0).standard_normal((40, 3)).round(3)
    path.write_text('"size, cm",b,c\n' + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    result = run("learn", path, "--drop", '"size, cm"', "--json")
    assert json.loads(result.stdout)["names"] == ["b", "c"]


def test_weights_are_found_beside_the_chosen_columns(tmp_path):
    path = tmp_path / "t.csv"
    rows = np.random.default_rng(0).integers(1, 90, (60, 4))
    path.write_text("a,b,c,d\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    assert json.loads(run("learn", path, "--weights", "d", "--columns", "a,b", "--json").stdout)["names"] == ["a", "b"]


@pytest.mark.parametrize("structure", ["erdos-renyi", "treewidth:2"])
def test_what_is_simulated_can_be_learned_from(tmp_path, structure):
    table, truth, learned = tmp_path / "x.csv", tmp_path / "truth.csv", tmp_path / "learned.json"
    assert run("simulate", structure, "--variables", 8, "--out", table, "--truth", truth).exit_code == 0
    assert run("learn", table, "--out", learned, "--quiet").exit_code == 0
    assert run("compare", learned, truth, "--quiet").exit_code in (0, 1)


def test_a_damaged_table_is_one_message(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(b"\x1f\x8b\x08\x00" + b"\x07" * 200)
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + b"\0" * 100 + b"PAR1")
    for name in ("t.csv.gz", "t.parquet", "\udcff.csv", "x" * 300 + ".csv"):
        for command in ("learn", "check"):
            result = run(command, tmp_path / name)
            assert result.exit_code == 2
            assert result.stderr.startswith("sidelight: ")
            assert "Traceback" not in result.output


def test_running_out_of_memory_is_one_message(monkeypatch):
    def fail(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr(learn_command, "learn_network", fail)
    result = run("learn", EXAMPLE)
    assert result.exit_code == 2
    assert result.stderr.startswith("sidelight: there is not enough memory; use fewer columns (--columns) or")


def test_arguments_are_utf_8_where_the_locale_is_not(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("größe,b,c\n" + "".join(f"{i * i % 17},{i * 3 % 13},{i % 11}\n" for i in range(60)))
    environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "sidelight", "learn", str(path), "--columns", "größe,b", "--json"]
    result = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert json.loads(result.stdout.decode("ascii"))["names"] == ["größe", "b"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_output_that_cannot_be_printed_is_one_message():
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "sidelight", "networks"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    assert result.stderr == "sidelight: cannot write to standard output: No space left on device\n"
