import json
import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app

EXAMPLE = str(Path(sl.__file__).parent / "examples" / "newborns.csv")


def run(*arguments):
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "120"})


def test_learning_the_example_shows_graph_and_summary():
    result = run("learn", EXAMPLE, "--side", "diamond-free")
    assert result.exit_code == 0
    for text in ("Sick ──▶ Grunting", "variables", "edges", "tests", "certificate", "seconds", "diamond-free"):
        assert text in result.stdout


@pytest.mark.parametrize("side", ["diamond-free", "clique:3", "treewidth:2", "vertex-cover:4", "in-degree:3", "none"])
def test_every_kind_of_side_information_can_be_given(side):
    assert run("learn", EXAMPLE, "--side", side, "--quiet").exit_code == 0


def test_json_on_standard_output_is_json_only():
    result = run("learn", EXAMPLE, "--json")
    learned = json.loads(result.stdout)
    assert learned["schema"] == "sidelight/network/1"
    assert len(learned["names"]) == 20


@pytest.mark.parametrize("extension", ["json", "dot", "graphml", "csv"])
def test_out_writes_the_graph_by_extension(tmp_path, extension):
    out = tmp_path / f"graph.{extension}"
    assert run("learn", EXAMPLE, "--side", "diamond-free", "--out", str(out), "--quiet").exit_code == 0
    net = sl.learn(EXAMPLE, sl.DiamondFree())
    directed, undirected = set(net.directed_edges), {frozenset(e) for e in net.undirected_edges}
    text = out.read_text()
    if extension == "json":
        content = json.loads(text)
        assert {tuple(e) for e in content["directed_edges"]} == directed
        assert {frozenset(e) for e in content["undirected_edges"]} == undirected
    elif extension == "graphml":
        graph = nx.read_graphml(out)
        assert {(a, b) for a, b, d in graph.edges(data="directed") if d} == directed
        assert {frozenset((a, b)) for a, b, d in graph.edges(data="directed") if not d} == undirected
    elif extension == "csv":
        rows = [line.split(",") for line in text.splitlines()[1:]]
        assert {(a, b) for a, b, d, *_ in rows if d == "yes"} == directed
    else:
        assert text.count(" -> ") == len(directed) + len(undirected)
        assert text.count("[dir=none") == len(undirected)
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--side", "clique"], "--side must be one of none, diamond-free, clique:NUMBER"),
        (["--side", "clique:0"], "CliqueNumber(0): clique number must be a whole number of at least 1"),
        (["--alpha", "2"], "--alpha must be a number between 0 and 1"),
        (["--variant", "quick"], "--variant must be one of"),
        (["--boundaries", "magic"], "--boundaries must be one of"),
        (["--correlation", "magic"], "--correlation must be one of 'auto', 'pearson', 'normal-scores'"),
        (["--columns", "Sick,Agee"], "columns: there is no column 'Agee'; did you mean 'Age'?"),
        (["--drop", "nothing"], "drop: there is no column 'nothing'"),
        (["--out", "graph.png.doc"], "cannot tell the format of 'graph.png.doc'; it may end in .json"),
        (["--out", "nowhere/graph.json"], "there is no folder 'nowhere'"),
        (["--report", "nowhere/report.html"], "there is no folder 'nowhere'"),
        (["--report", "report.txt"], "the report is an HTML file: give 'report.txt' a name that ends in .html"),
    ],
)
def test_wrong_use_is_named_and_exits_with_2(arguments, message):
    result = run("learn", EXAMPLE, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_an_existing_file_stays_unless_told_otherwise(tmp_path):
    out = tmp_path / "graph.json"
    out.write_text("precious")
    result = run("learn", EXAMPLE, "--out", str(out))
    assert result.exit_code == 2
    assert "exists already" in result.stderr
    assert out.read_text() == "precious"
    assert run("learn", EXAMPLE, "--out", str(out), "--force", "--quiet").exit_code == 0
    assert json.loads(out.read_text())


def test_a_report_is_written_beside_the_graph_and_tells_the_command(tmp_path):
    out, report = tmp_path / "graph.svg", tmp_path / "report.html"
    result = run("learn", EXAMPLE, "--side", "diamond-free", "--out", str(out), "--report", str(report))
    assert result.exit_code == 0
    assert f"written to {report}" in result.stdout
    assert "sidelight learn newborns.csv --side diamond-free" in report.read_text()
    assert out.read_text().startswith("<svg ")
    again = run("learn", EXAMPLE, "--report", str(report))
    assert again.exit_code == 2
    assert "exists already" in again.stderr


def test_check_finds_nothing_wrong_with_the_example():
    result = run("check", EXAMPLE)
    assert result.exit_code == 0
    assert "no problems found" in result.stdout


def test_a_file_that_is_not_there_is_wrong_use():
    result = run("learn", "nowhere.csv")
    assert result.exit_code == 2
    assert "there is no file 'nowhere.csv'" in result.stderr


def test_ctrl_c_ends_with_a_clean_message(tmp_path):
    data = tmp_path / "data.csv"
    rng = np.random.default_rng(0)
    header = ",".join(f"v{i}" for i in range(200))
    values = np.where(rng.random((4000, 200)) < 0.2, np.nan, rng.standard_normal((4000, 200)))
    np.savetxt(data, values, delimiter=",", header=header, comments="")
    command = [sys.executable, "-m", "sidelight", "learn", str(data), "--missing", "em", "--out",
               str(tmp_path / "graph.json")]  # fmt: skip
    terminal, its_end = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its_end, env={**os.environ, "TERM": "xterm"})
    os.close(its_end)
    shown = b""
    while b"correlation" not in shown:  # so that the work has begun, however busy the machine
        shown += os.read(terminal, 1000)
    process.send_signal(signal.SIGINT)
    with suppress(OSError):  # what a terminal says when its other end is closed
        while more := os.read(terminal, 1000):
            shown += more
    assert process.wait(timeout=60) in (130, -signal.SIGINT)  # a shell sees 130 for both
    assert b"sidelight: stopped; nothing was written" in shown
    assert b"Traceback" not in shown
    assert list(tmp_path.iterdir()) == [data]


def test_hostile_names_survive_every_format(tmp_path):
    names = ['<script>alert("x")</script>', "a,b", "emoji 🌧", "back\\slash"]
    rng = np.random.default_rng(0)
    values = rng.standard_normal((300, 4))
    values[:, 1:] += values[:, :1]
    net = sl.learn(values, names=names)
    for extension in ("json", "dot", "graphml", "csv"):
        net.write(tmp_path / f"graph.{extension}")
    assert json.loads((tmp_path / "graph.json").read_text())["names"] == names
    assert set(nx.read_graphml(tmp_path / "graph.graphml")) == set(names)


def test_the_bundled_networks_are_listed():
    result = CliRunner().invoke(app, ["networks"])
    assert result.exit_code == 0
    hepar2 = next(line for line in result.output.splitlines() if line.startswith("hepar2")).split()
    assert hepar2[1:7] == ["70", "123", "4", "6", "19", "26"]  # the paper's table of structures
    listed = json.loads(CliRunner().invoke(app, ["networks", "--json"]).output)
    assert listed["hepar2"]["diamond_free"] is True
    assert sorted(listed) == sl.networks.available()


@pytest.mark.parametrize("command", ["learn", "check", "explain", "audit", "effect", "networks", "simulate", "compare"])
def test_every_command_has_help_with_an_example_json_or_files_and_a_quiet_way(command):
    text = run(command, "--help").stdout
    assert f"Example:  sidelight {command}" in text
    assert "--quiet" in text
    assert "--json" in text or "--out" in text


def test_findings_about_a_table_can_be_had_as_json(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "".join(f"{i},{i % 7},1\n" for i in range(40)))
    result = run("check", str(path), "--json")
    findings = json.loads(result.stdout)["findings"]
    assert result.exit_code == 2
    assert ["c"] in [finding["culprits"] for finding in findings if finding["severity"] == "error"]
    assert run("check", str(path), "--quiet").stdout == ""


def test_the_names_of_the_networks_come_one_on_each_line():
    assert run("networks", "--quiet").stdout.split() == sl.networks.available()


def test_completion_can_be_installed_for_the_shell():
    assert "--install-completion" in run("--help").stdout


@pytest.mark.parametrize("command", [["learn", EXAMPLE], ["check", EXAMPLE], ["networks"], ["compare", "asia", "asia"]])
def test_a_terminal_that_knows_few_characters_is_no_obstacle(command):
    result = CliRunner(charset="ascii").invoke(app, command)
    assert result.exception is None
    assert result.exit_code == 0
    assert result.stdout_bytes.isascii()


@pytest.mark.parametrize("option", ["--side", "--learner", "--boundaries", "--correlation", "--missing", "--test"])
def test_an_empty_text_is_not_taken_for_the_default(option):
    result = run("learn", EXAMPLE, option, "")
    assert result.exit_code == 2
    assert f"{option} must be" in result.stderr


def test_resamples_are_drawn_unless_none_are_asked_for():
    assert json.loads(run("learn", EXAMPLE, "--json").stdout)["shares"]["n_resamples"] == 20
    assert "shares" not in json.loads(run("learn", EXAMPLE, "--resamples", "0", "--json").stdout)
    refused = run("learn", EXAMPLE, "--resamples", "many")
    assert refused.exit_code == 2
    assert "--resamples must be a number of resamples, 2 or more, or 'auto'; got 'many'" in refused.output
