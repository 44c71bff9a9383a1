"""Effects where causes may be hidden: what is identified against regressions by hand and the truth, and what is not."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app


@pytest.fixture(scope="module")
def learned():
    """a → x ← b, x → m → y, and something hidden that causes y and w."""
    rng = np.random.default_rng(0)
    a, b, u = rng.normal(size=(3, 4000))
    x = a + b + 0.5 * rng.normal(size=4000)
    m = x + rng.normal(size=4000)
    y = m + u + rng.normal(size=4000)
    table = pd.DataFrame({"a": a, "b": b, "x": x, "m": m, "y": y, "w": u + rng.normal(size=4000)})
    net = sl.learn(table, hidden=True)
    assert [" ".join(edge) for edge in net.edges] == ["x → m", "m → y", "a ○→ x", "b ○→ x", "w ○→ y"]
    return net, table


def test_an_identified_effect_is_the_coefficient_with_what_is_adjusted_for(learned):
    net, table = learned
    found = net.effect("x", "y", table)
    assert found.identified
    assert found.adjustment_set == ("w",)
    columns = np.column_stack([np.ones(len(table)), table[["x", "w"]]])
    assert found.value == pytest.approx(np.linalg.lstsq(columns, table["y"], rcond=None)[0][1])
    assert found.interval[0] < 1 < found.interval[1]
    assert "whatever is hidden: all models of the PAG agree" in str(found)
    assert net.effect("x", "y", table, adjustment="minimal").adjustment_set == ()


def test_resamples_widen_the_interval(learned):
    _, table = learned
    net = sl.learn(table.iloc[:400], hidden=True, resamples=8)
    found = net.effect("m", "y", table.iloc[:400])
    low, high = found.with_resamples
    assert low <= found.interval[0]
    assert high >= found.interval[1]
    json.dumps(found.as_dict(), allow_nan=False)
    one = net.effect("a", "y", table.iloc[:400])
    assert one.with_resamples == (-np.inf, np.inf)
    json.dumps(one.as_dict(), allow_nan=False)


def test_what_is_no_cause_has_effect_0_and_says_why(learned):
    net, table = learned
    found = net.effect("y", "x", table)
    assert (found.identified, found.value, found.interval) == (True, 0.0, (0.0, 0.0))
    assert found.because.startswith(
        "Identified: y does not cause x, so the effect is 0, whatever is hidden (every path"
    )


def test_what_something_hidden_may_explain_is_not_identified(learned):
    net, table = learned
    found = net.effect("a", "y", table)
    assert (found.identified, found.value, found.least) == (False, None, 0.0)
    assert found.interval == (-np.inf, np.inf)
    assert [one.assumed_marks for one in found.estimates] == [("a does not cause x",)]
    assert found.unidentified == (
        "If a causes x: not identified, since something hidden may cause both a and x, through which a may act on y.",
    )
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["unidentified"] == list(found.unidentified)
    known = net.with_knowledge(sl.NoHiddenCause(("a", "x"))).effect("a", "y", table)
    assert (known.identified, known.adjustment_set) == (True, ("b", "w"))
    assert known.interval[0] < 1 < known.interval[1]


def test_what_does_not_go_with_a_pag_is_refused(learned):
    net, table = learned
    with pytest.raises(sl.InputError, match="parents in a PAG need not be"):
        net.effect("x", "y", table, adjustment="parents")
    with pytest.raises(sl.InputError, match="give the table"):
        net.effect("x", "y")


def test_the_command_and_the_report_say_the_same(learned, tmp_path):
    net, table = learned
    table.to_csv(tmp_path / "t.csv", index=False)
    net.write(tmp_path / "net.json")
    done = CliRunner().invoke(
        app, ["effect", str(tmp_path / "net.json"), str(tmp_path / "t.csv"), "--cause", "x", "--on", "y"]
    )
    assert done.exit_code == 0, done.output
    assert "Identified by adjusting for w, whatever is hidden" in done.output
    net.report(tmp_path / "net.html")
    page = (tmp_path / "net.html").read_text()
    assert "Identified by adjusting for w, whatever is hidden; sidelight effect estimates it" in page
    assert "The PAG alone does not identify the effect: something hidden may cause both a and x" in page
