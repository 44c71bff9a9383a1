import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from tests.cli.test_cli import EXAMPLE, run


@pytest.fixture
def learned(tmp_path):
    out = tmp_path / "net.json"
    assert run("learn", EXAMPLE, "--side", "diamond-free", "--out", str(out), "--quiet").exit_code == 0
    return str(out)


def test_explain_says_what_the_library_says(learned):
    net = sl.learn(EXAMPLE, sl.DiamondFree(), resamples=20)
    for a, b in (("Sick", "Grunting"), ("Age", "Grunting"), ("Disease", "Age")):
        result = run("explain", learned, a, b)
        assert result.exit_code == 0
        assert result.stdout == f"{net.explain(a, b)}\n"
        assert json.loads(run("explain", learned, a, b, "--json").stdout) == net.explain(a, b).as_dict()


def test_numbers_as_names_can_be_given_to_explain(tmp_path):
    values = np.random.default_rng(0).standard_normal((50, 3))
    sl.output.formats.write(sl.learn(values), tmp_path / "net.json")
    assert "0 and 2 are not adjacent" in run("explain", str(tmp_path / "net.json"), "0", "2").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "NET", "Sick", "Grunt"], "there is no variable 'Grunt' in this network; did you mean 'Grunting'?"),
        (["explain", "NET", "Sick", "Sick"], "two different variables are needed"),
        (["explain", "nowhere.json", "a", "b"], "there is no file 'nowhere.json'"),
        (["explain", EXAMPLE, "a", "b"], "a network with its evidence is a .json file"),
        (["audit", "NET", "nowhere.csv"], "there is no file 'nowhere.csv'"),
        (["audit", "NET", EXAMPLE, "--alpha", "2"], "--alpha must be a number between 0 and 1"),
        (["audit", "NET", "OTHER"], "columns: there are no columns 'BirthAsphyxia', 'HypDistrib'"),
    ],
)
def test_wrong_use_of_explain_and_audit_is_named_and_exits_with_2(learned, tmp_path, arguments, message):
    (tmp_path / "other.csv").write_text("Sick,Age\n1.5,2.5\n3.5,2\n")
    names = {"NET": learned, "OTHER": str(tmp_path / "other.csv")}
    result = run(*(names.get(argument, argument) for argument in arguments))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_an_audit_exits_with_0_if_all_holds_and_with_1_if_not(learned, tmp_path):
    assert run("audit", learned, EXAMPLE).exit_code == 0
    assert run("audit", learned, EXAMPLE, "--quiet").stdout == ""
    header, *rows = Path(EXAMPLE).read_text().splitlines()
    columns = np.array([row.split(",") for row in rows])
    for i in range(columns.shape[1]):  # every column for itself: no dependence is left
        columns[:, i] = np.roll(columns[:, i], 37 * i)
    (tmp_path / "shuffled.csv").write_text("\n".join([header, *map(",".join, columns)]))
    result = run("audit", learned, str(tmp_path / "shuffled.csv"), "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert told["holds"] is False
    assert sum(failure["adjacent"] for failure in told["failures"]) == told["n_edges"] == 25
    quiet = run("audit", learned, str(tmp_path / "shuffled.csv"), "--quiet")
    assert quiet.exit_code == 1
    assert len(quiet.stdout.splitlines()) == len(told["failures"])


def test_an_audit_on_the_command_line_is_as_the_network_was_learned(tmp_path):
    header, *rows = Path(EXAMPLE).read_text().splitlines()
    rows[0] = "," + rows[0].split(",", 1)[1]  # a gap
    data, net = str(tmp_path / "data.csv"), str(tmp_path / "net.json")
    Path(data).write_text("\n".join([header, *rows]))
    options = ["--missing", "drop", "--correlation", "normal-scores", "--alpha", "0.05"]
    assert run("learn", data, *options, "--out", net, "--quiet").exit_code == 0
    result = run("audit", net, data)
    assert result.exit_code == 0
    assert "(alpha 0.05, correlation normal-scores, missing drop), as the network was learned" in result.stdout
    assert run("audit", net, data, *options, "--json").stdout == run("audit", net, data, "--json").stdout
    refused = run("audit", net, data, "--missing", "error")
    assert refused.exit_code == 2
    assert "has 1 missing value" in refused.stderr


def test_numbers_as_names_are_found_in_a_csv(tmp_path):
    values = np.random.default_rng(0).standard_normal((50, 3)).round(3)
    sl.output.formats.write(sl.learn(values), tmp_path / "net.json")
    np.savetxt(tmp_path / "data.csv", values, delimiter=",", header="0,1,2", comments="")
    assert run("audit", str(tmp_path / "net.json"), str(tmp_path / "data.csv")).exit_code == 0
    discrete = run("audit", str(tmp_path / "net.json"), str(tmp_path / "data.csv"), "--discrete", "0")
    assert "'0'" in discrete.stderr  # it has too many values: it was found


def test_warnings_of_an_audit_name_options_as_the_command_has_them(tmp_path):
    values = np.random.default_rng(0).standard_normal((50, 3)).round(3)
    net, data = tmp_path / "net.json", tmp_path / "data.csv"
    sl.output.formats.write(sl.learn(values, names=["a", "b", "c"], weights=np.full(50, 2.0)), net)
    np.savetxt(data, values, delimiter=",", header="a,b,c", comments="")
    told = run("audit", str(net), str(data)).stdout
    assert "every row counts once; --weights gives them" in told
    assert "weights=" not in told


def test_a_terminal_without_arrows_gets_plain_ones(learned):
    plain = CliRunner(charset="ascii").invoke(app, ["explain", learned, "HypoxiaInO2", "RUQO2"])
    assert plain.exit_code == 0
    assert "2. HypoxiaInO2 -> RUQO2: CardiacMixing -> HypoxiaInO2 is directed" in plain.stdout
    assert "correlation -0.91" in plain.stdout
    assert "p <= 6.1e-05" in CliRunner(charset="ascii").invoke(app, ["audit", learned, EXAMPLE]).stdout
