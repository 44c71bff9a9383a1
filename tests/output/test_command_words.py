"""What the command tells its user to type can be typed."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.output.command_words import in_command_words


@pytest.mark.parametrize(
    ("python", "command"),
    [
        ("drop it: drop=['site']", "drop it: --drop site"),
        ("drop them: drop=['a', 'b c']", "drop them: --drop 'a,b c'"),
        ('use correlation="spearman"', "use --correlation spearman"),
        ('see missing= ("drop" leaves rows out)', 'see --missing ("drop" leaves rows out)'),
        ("side=: only rsl uses it", "--side: only rsl uses it"),
        ("max_tests=-5: give a number", "max_tests=-5: give a number"),
        ("drop=['it''s', \"x,y\"]", "drop=['it''s', \"x,y\"]"),
        ("p = 0.01 and x=y", "p = 0.01 and x=y"),
    ],
)
def test_options_are_spelled_as_the_command_has_them(python, command):
    assert in_command_words(python) == command


def test_a_remedy_of_check_works_when_typed(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 3)), columns=list("abc"))
    frame["site"] = 1.0
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    told = CliRunner().invoke(app, ["check", str(path)])
    assert told.exit_code == 2
    assert "--drop site" in told.output
    assert CliRunner().invoke(app, ["check", str(path), "--drop", "site"]).exit_code == 0
    refused = CliRunner().invoke(app, ["learn", str(path)])
    assert refused.exit_code == 2
    assert "--drop site" in refused.output
