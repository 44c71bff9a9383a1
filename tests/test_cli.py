from typer.testing import CliRunner

from sidelight.cli import app


def test_the_demo_learns_asia_exactly():
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0
    assert "either ──▶ xray,  dysp" in result.stdout
    assert "the learned ones are exactly these" in result.stdout


def test_an_unknown_network_is_wrong_use():
    result = CliRunner().invoke(app, ["demo", "--network", "azia"])
    assert result.exit_code == 2
    assert "no network named 'azia'" in result.stderr
