"""Every unusable table of the list, from Python and from the command: a clear message, nothing written."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from sidelight.families.options import DataOptions
from sidelight.prepare import prepare
from sidelight.text.message import Message, Option, in_command_words


def good(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.standard_normal(rows)
    weight = age + rng.standard_normal(rows)
    return pd.DataFrame({"age": age, "weight": weight, "height": weight - age + rng.standard_normal(rows)})


def with_column(name, values):
    frame = good()
    frame[name] = values(frame) if callable(values) else values
    return frame


def with_cell(row, column, value):
    frame = good()
    frame.loc[row, column] = value
    return frame


UNUSABLE = {
    "constant": (with_column("site", 3.0), ["'site' has one value only", Option("drop", ["site"])]),
    "constant far from zero": (with_column("site", 1e15 + 1), ["'site' has one value only"]),
    "two constants": (
        with_column("site", 3.0).assign(unit=0.5),
        ["columns 'site' and 'unit' have one value only", Option("drop", ["site", "unit"])],
    ),
    "copy": (
        with_column("age again", lambda f: f["age"]),
        ["columns 'age' and 'age again' are perfectly correlated", Option("drop", ["age again"])],
    ),
    "linear function": (
        with_column("age in months", lambda f: 12 * f["age"] + 3),
        ["'age' and 'age in months' are perfectly correlated"],
    ),
    "nearly a linear function": (
        with_column("rescaled", lambda f: 1e9 * f["age"] + good(seed=9)["weight"]),
        ["'age' and 'rescaled' are so close to linear functions of each other"],
    ),
    "outliers": (
        with_column("age", lambda f: [1e15, *f["age"][1:]]).assign(weight=lambda f: [3e15, *f["weight"][1:]]),
        [
            "'age' and 'weight' are alike only through extreme values, such as in row 1",
            Option("correlation", "normal-scores"),
        ],
    ),
    "combination": (
        with_column("sum", lambda f: f["age"] + f["weight"]),
        ["columns are exact sums of others: 'sum' = 'age' + 'weight'", Option("drop", ["sum"])],
    ),
    "missing": (with_cell(6, "weight", np.nan), ["'weight' has 1 missing value, the first in row 7"]),
    "missing in two columns": (
        with_cell(6, "weight", np.nan).assign(age=lambda f: f["age"].where(f.index < 198)),
        ["missing values in columns 'age' (2, the first in row 199) and 'weight' (1, the first in row 7)"],
    ),
    "infinite": (with_cell(2, "age", -np.inf), ["'age' has 1 infinite value, the first in row 3"]),
    "numbers but for one cell": (
        with_column("dose", lambda f: [*map(str, f["age"][:-1]), "high"]),
        ["'dose' has 1 cell among 200 that is not numeric, such as 'high' in row 200"],
    ),
    "one category": (with_column("city", "Rome"), ["'city' has one value only"]),
    "the same categories": (
        with_column("city", lambda f: ["Rome", "Bern"] * 100).assign(town=["R", "B"] * 100),
        ["'city' and 'town' define the same categories", Option("drop", ["town"])],
    ),
    "empty": (with_column("notes", np.nan), ["'notes' has missing values only"]),
    "scale": (with_column("mass", lambda f: good(seed=9)["age"] * 1e200), ["'mass' are too large or too small"]),
    "text identifier": (
        with_column("id", lambda f: [f"p{i}" for i in range(len(f))]),
        ["'id' is not numeric and differs in every row", "identifier"],
    ),
    "date": (with_column("day", lambda f: pd.date_range("2024-01-01", periods=len(f))), ["'day' is not numeric"]),
    "three rows": (good(3), ["the table has 3 rows, too few to test anything"]),
    "no rows": (good(0), ["the table has 0 rows"]),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_what_makes_a_result_wrong_is_an_error_with_its_remedy(case):
    frame, messages = UNUSABLE[case]
    with pytest.raises(sl.InputError) as caught:
        sl.learn(frame, sl.DiamondFree())
    for message in messages:
        assert Message(message) in str(caught.value)
    diagnosis = sl.diagnose(frame)
    assert str(diagnosis) in str(caught.value)
    assert repr(diagnosis) == str(diagnosis)
    assert repr(diagnosis.errors[0]).startswith("<error: ")


@pytest.mark.parametrize("case", UNUSABLE)
def test_the_command_says_the_same_and_writes_nothing(case, tmp_path):
    frame, messages = UNUSABLE[case]
    data, out = tmp_path / "data.csv", tmp_path / "graph.json"
    frame.to_csv(data, index=False)
    result = CliRunner().invoke(app, ["learn", str(data), "--out", str(out)])
    assert result.exit_code == 2
    for message in messages:
        assert in_command_words(Message(message)) in result.stderr
    assert "Traceback" not in result.output
    assert sorted(tmp_path.iterdir()) == [data]
    checked = CliRunner().invoke(app, ["check", str(data)])
    assert checked.exit_code == 2
    assert "error" in checked.stdout


DOUBTFUL = {
    "row numbers": (with_column("row", lambda f: np.arange(len(f)) + 1), "'row' numbers the rows"),
    "outlier": (
        with_column("age", lambda f: [-999.0, *f["age"][1:]]),
        "-999 in 'age' (1 value)",
    ),
    "near copy": (
        with_column("nearly age", lambda f: f["age"] + 1e-7 * good(seed=9)["weight"]),
        "close to linearly dependent",
    ),
    "fewer rows than columns": (
        pd.DataFrame(np.random.default_rng(0).standard_normal((20, 30)), columns=[f"v{i}" for i in range(30)]),
        "only 20 rows for 30 columns",
    ),
}


@pytest.mark.parametrize("case", DOUBTFUL)
def test_what_may_make_a_result_wrong_is_a_warning_on_the_network(case, tmp_path):
    frame, message = DOUBTFUL[case]
    net = sl.learn(frame, sl.DiamondFree())
    assert any(message in str(warning) for warning in net.warnings)
    data = tmp_path / "data.csv"
    frame.to_csv(data, index=False)
    result = CliRunner().invoke(app, ["check", str(data)], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert message in result.stdout
    learned = CliRunner().invoke(app, ["learn", str(data), "--quiet"])
    assert learned.exit_code == 0
    assert message in learned.stderr


def test_with_few_rows_another_boundary_algorithm_is_used_and_named():
    net = sl.learn(DOUBTFUL["fewer rows than columns"][0])
    assert net.settings.boundaries == "iamb"
    with pytest.raises(sl.InputError, match=r'boundaries="tc": total conditioning needs more rows'):
        sl.learn(DOUBTFUL["fewer rows than columns"][0], boundaries="tc")


def test_all_findings_come_at_once():
    frame = with_cell(6, "weight", np.nan).assign(site=1.5, city="x", copy=good()["age"], row=np.arange(200))
    kinds = [finding.kind for finding in sl.diagnose(frame).findings]
    assert kinds == ["identifier", "duplicated", "missing", "constant"]
    numbers_only = [finding.kind for finding in sl.diagnose(frame, test="fisher-z").findings]
    assert numbers_only == ["non-numeric", "identifier", "duplicated", "missing", "constant"]


def test_in_a_good_table_no_problems_are_found():
    diagnosis = sl.diagnose(good().rename(columns={"age": "length"}))  # of ages it suggests background knowledge
    assert diagnosis.findings == ()
    assert str(diagnosis) == "200 rows, 3 columns: no problems found"


def test_the_remedy_is_a_remedy():
    frame = with_column("site", 3.0).assign(unit=0.5, copy=lambda f: f["age"])
    drop = [column for finding in sl.diagnose(frame).errors for column in finding.culprits if column != "age"]
    assert sl.diagnose(frame, drop=drop).warnings == sl.diagnose(frame, drop=drop).errors == ()
    assert sl.learn(frame, drop=drop).names == ("age", "weight", "height")


def test_strong_effects_are_no_copies():
    """Chains of strong effects leave little unexplained; that is not an exact combination."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((5000, 5))
    for i in range(1, 5):
        values[:, i] += 30 * values[:, i - 1]
    assert not sl.diagnose(values).errors


def test_weighted_rows_count_as_many():
    """A table of counts has few rows, all of which differ, and yet many samples."""
    counts = pd.DataFrame({"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"], "n": [50, 20, 10, 60]})
    assert sl.learn(counts, weights="n").undirected_edges == [("a", "b")]
    with pytest.raises(sl.InputError, match="4 rows, too few"):
        sl.learn(counts[["a", "b"]])
    numbers = pd.DataFrame({"a": [0, 1, 2, 3], "b": [1.0, 3.0, 2.0, 4.5], "n": [500, 200, 100, 600]})
    assert sl.learn(numbers, weights="n", discrete=[]).warnings == ()


@pytest.mark.parametrize("as_text", [True, False])
def test_a_discrete_column_of_too_many_values_is_named(as_text):
    """Nearly an identifier: one value comes twice. Or a number that is to be taken as categories."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    values = [f"u{i}" for i in (*range(299), 0)] if as_text else rng.normal(size=300)
    frame["uid"] = values
    with pytest.raises(sl.InputError, match=r"column 'uid' has (299|300) different values in 300 rows"):
        sl.learn(frame, discrete=["uid"])


def test_too_many_values_for_a_discrete_test_are_one_message_about_all_columns():
    values = np.random.default_rng(0).normal(size=(100, 3))
    message = str(sl.diagnose(values, names=list("abc"), test="g2"))
    assert "column 'a' has 100 different values, 'b' has 100 different values and 'c' has 100" in message
    assert message.count("too many for categories") == 1
    assert "define the same categories" not in message


def test_heavy_tails_are_named_and_normal_scores_cure_them():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"normal": rng.normal(size=2000), "heavy": rng.standard_t(3, size=2000)})
    (finding,) = (found for found in sl.diagnose(table).findings if found.kind == "heavy tails")
    assert finding.culprits == ("heavy",)
    assert 'correlation="normal-scores"' in str(finding)
    assert not [f for f in sl.diagnose(table, correlation="normal-scores").findings if f.kind == "heavy tails"]


def test_uniform_and_normal_columns_have_no_heavy_tails():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame({"normal": rng.normal(size=200), "uniform": rng.uniform(size=200)})
        assert not [found for found in sl.diagnose(table).findings if found.kind == "heavy tails"]


def test_a_column_of_very_many_categories_is_refused_beside_numbers():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"id": [f"c{i}" for i in rng.integers(0, 400, 5000)], "x": rng.normal(size=5000)})
    with pytest.raises(sl.InputError, match="too many for categories: at most 200 are accepted beside numbers"):
        sl.learn(table)


def strings_and_numbers():
    """Three discrete columns and a number that a quarter of the rows lack."""
    rng = np.random.default_rng(6)
    table = pd.DataFrame({name: rng.choice(list("xyz"), 200, p=p) for name, p in zip("pqr", SHARES, strict=True)})
    return table.assign(z=np.where(np.arange(200) < 50, np.nan, rng.normal(size=200)))


SHARES = ((0.5, 0.3, 0.2), (0.6, 0.3, 0.1), (0.45, 0.35, 0.2))


def of_days(table, categorical):
    days = pd.date_range("2020-01-01", periods=50)
    few = days[np.arange(200) % 6]
    return table.assign(when=few if categorical else np.where(table["z"].isna(), days[np.arange(200) % 50], few))


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (of_days(strings_and_numbers().drop(columns="z"), True), {"types": {"when": "category"}}),
        (of_days(strings_and_numbers().drop(columns="z"), True), {"discrete": ["p", "q", "r", "when"]}),
        (of_days(strings_and_numbers(), False).astype({"when": str}), {"missing": "drop"}),
        (SUM := pd.DataFrame(np.random.default_rng(7).normal(size=(90, 3)), columns=list("abc")).eval("d = a + b"), {}),
        (SUM, {"correlation": "normal-scores"}),
        (SUM.assign(id=[f"person {i}" for i in range(90)]), {"correlation": "normal-scores"}),
    ],
    ids=["date type", "date discrete", "dates in rows left out", "sum", "sum by ranks", "identifier"],
)
def test_errors_of_a_table_are_raised_before_anything_is_learned(table, options):
    with pytest.raises(sl.InputError, match="errors that must be"):
        prepare(table, DataOptions(**options))
