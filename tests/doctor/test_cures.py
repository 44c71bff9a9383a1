"""Every finding that has a cure, and ``fix`` from Python and from the command: a table as it comes is learned from."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from sidelight.output.formats.network_json import read
from sidelight.tables.findings import Cure

ROWS = 200


def numbers(seed=0, rows=ROWS):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, 3)) @ np.array([[1, 0.8, 0], [0, 1, 0.6], [0, 0, 1]])
    return pd.DataFrame(values.round(4), columns=["x", "y", "z"])


def integers(highest, seed=1):
    return np.random.default_rng(seed).integers(0, highest, ROWS)


def counts():
    """Parts of very different sizes, of which the smallest is lost among the correlations."""
    rng = np.random.default_rng(2)
    return pd.DataFrame({f"part{i}": rng.poisson(10**i, ROWS) * 12 for i in range(1, 6)})


DAYS = pd.Timestamp("2024-03-01") + pd.to_timedelta(integers(300), "D")
CASES = {
    "sum": (pd.concat([counts().assign(total=counts().sum(axis=1)), numbers()], axis=1), "drop", ("total",)),
    "sum, total first": (pd.concat([counts().sum(axis=1).rename("total"), counts()], axis=1), "drop", ("total",)),
    "indicators": (
        numbers().assign(**{f"is{i}": (integers(4) == i).astype(int) for i in range(4)}), "drop", ("is3",)
    ),
    "indicators that are numbers": (
        numbers().assign(**{f"is{i}": (integers(4) == i).astype(float) for i in range(4)}), "drop", ("is3",)
    ),
    "linear copy": (numbers().assign(copy=lambda f: 3 - 12 * f["x"]), "drop", ("copy",)),
    "logarithm": (numbers().assign(size=lambda f: np.exp(f["x"])), "drop", ("size",)),
    "square of positives": (numbers().assign(p=lambda f: f["x"].abs(), q=lambda f: f["x"] ** 2), "drop", ("q",)),
    "row numbers": (numbers().assign(row=np.arange(ROWS) + 7), "drop", ("row",)),
    "row numbers, shuffled": (numbers().assign(row=np.random.default_rng(3).permutation(ROWS)), "drop", ("row",)),
    "text identifier": (numbers().assign(key=[f"k{i}" for i in range(ROWS)]), "drop", ("key",)),
    "panel": (
        numbers().assign(unit=np.repeat(np.arange(20) * 3, 10), year=np.tile(np.arange(2000, 2010), 20)),
        "groups", "unit",
    ),
    "panel of many units": (
        numbers().assign(unit=np.repeat(np.arange(100) * 3, 2), year=np.tile([2000, 2001], 100)), "groups", "unit"
    ),
    "large integers": (numbers().assign(key=np.random.default_rng(4).integers(2**55, 2**60, ROWS)), "drop", ("key",)),
    "constant": (numbers().assign(site=1.5, city="Rome"), "drop", ("site", "city")),
    "many categories": (numbers().assign(code=[f"c{i}" for i in integers(150)]), "drop", ("code",)),
    "recoded categories": (
        numbers().assign(a=integers(3), b=lambda f: f["a"].map({0: "p", 1: "q", 2: "r"})), "drop", ("b",)
    ),
    "empty": (numbers().assign(notes=np.nan), "drop", ("notes",)),
    "sentinel": (
        numbers().assign(x=lambda f: f["x"].where(f.index % 9 > 0, -999)), "missing_values", {"x": (-999.0,)}
    ),
    "refusals": (
        numbers().assign(age=np.where(integers(30) < 2, 98 + integers(30), 20 + integers(40, seed=5) % 31)),
        "missing_values", {"age": (98.0, 99.0)},
    ),
    "stray cells": (
        numbers().assign(dose=lambda f: [*map(str, f["x"][:-2] + f["z"][:-2]), "high", "n.d."]),
        "missing_values", {"dose": ("high", "n.d.")},
    ),
    "dates": (numbers().assign(day=DAYS), "dates", ("day",)),
    "dates as texts": (numbers().assign(day=DAYS.strftime("%d.%m.%Y")), "dates", ("day",)),
    "times": (numbers().assign(at=[f"{i // 60 % 24}:{i % 60:02d}" for i in 7 * integers(200)]), "dates", ("at",)),
    "durations": (numbers().assign(took=pd.to_timedelta(integers(9000), "s")), "dates", ("took",)),
    "dates in order": (numbers().assign(day=pd.date_range("2024-01-01", periods=ROWS)), "drop", ("day",)),
    "a few missing": (numbers().mask(np.random.default_rng(6).random((ROWS, 3)) < 0.01), "missing", "drop"),
    "many missing": (numbers().mask(np.random.default_rng(6).random((ROWS, 3)) < 0.2), "missing", "pairwise"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_finding_has_its_cure_as_a_value(case):
    frame, option, value = CASES[case]
    assert getattr(sl.diagnose(frame).cure, option) == value


@pytest.mark.parametrize("case", CASES)
def test_fixed_tables_have_nothing_left_to_cure_and_say_what_was_done(case):
    frame, option, value = CASES[case]
    after = sl.diagnose(frame, fix=True)
    assert not after.errors
    assert not after.cure
    done = [finding for finding in after.findings if finding.kind == "fixed"]
    assert done
    if option == "drop":
        assert any(f"dropped '{value[0]}'" in finding.text for finding in done)


def test_sums_are_named_with_their_parts():
    text = str(sl.diagnose(CASES["sum, total first"][0]))
    assert "'total' = 'part1' + 'part2' + 'part3' + 'part4' + 'part5'" in text


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from([-3, -2, -1, 1, 2, 3, 12]), min_size=2, max_size=6), st.integers(0, 2**31), st.data())
def test_every_sum_with_simple_coefficients_is_found_wherever_it_stands(weights, seed, data):
    rng = np.random.default_rng(seed)
    parts = pd.DataFrame(rng.integers(0, 1000, (60, len(weights))), columns=[f"p{i}" for i in range(len(weights))])
    place = data.draw(st.integers(0, len(weights)))
    parts.insert(place, "sum", parts.to_numpy() @ np.array(weights) + 5)
    (finding,) = [f for f in sl.diagnose(parts, discrete=[]).findings if f.kind == "sum"]
    assert set(finding.culprits) == set(parts.columns)
    assert not sl.diagnose(parts, fix=True, discrete=[]).errors


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([np.exp, np.sinh, np.cbrt, lambda x: -(x**3), lambda x: 1 / (5 + x)]), st.integers(0, 2**31))
def test_every_monotone_function_is_a_copy(function, seed):
    frame = pd.DataFrame(np.random.default_rng(seed).uniform(-3, 3, (100, 2)), columns=["a", "b"])
    frame["c"] = function(frame["a"])
    (finding,) = [f for f in sl.diagnose(frame).findings if f.kind == "monotone copies"]
    assert finding.culprits == ("a", "c")


def test_one_finding_of_a_kind_names_all_columns():
    frame = numbers().assign(
        a=1.5, b=2.5, r=np.arange(ROWS), s=np.random.default_rng(1).permutation(ROWS), u=np.nan, v=np.nan
    )
    frame[["x", "y"]] = frame[["x", "y"]].mask(np.random.default_rng(0).random((ROWS, 2)) < 0.3)
    kinds = [finding.kind for finding in sl.diagnose(frame).findings]
    assert sorted(kinds) == ["constant", "empty", "identifier", "missing"]


def test_the_rows_that_are_left_are_counted():
    frame = CASES["many missing"][0]
    (finding,) = sl.diagnose(frame).errors
    assert f'missing="drop" leaves {len(frame.dropna())} rows of {ROWS}' in finding.remedy


def test_a_column_that_is_mostly_missing_is_dropped_where_rows_must_be_complete():
    rng = np.random.default_rng(0)
    frame = numbers().assign(group=rng.choice(list("ab"), ROWS), rare=np.where(rng.random(ROWS) < 0.9, np.nan, 1.5))
    frame["rare"] *= rng.random(ROWS)
    if "pairwise" in sl.diagnose(frame).errors[0].remedy:
        pytest.skip("this test accepts gaps")
    assert sl.diagnose(frame).cure == Cure(drop=("rare",), missing="drop")
    assert sl.learn(frame, fix=True).names == ("x", "y", "z", "group")


def test_honest_columns_are_left_alone():
    """Counts, ages, money, balanced designs, years: nothing to cure."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "children": rng.poisson(2, 300),
            "age": rng.integers(18, 99, 300),
            "income": rng.lognormal(10, 1, 300).round(),
            "arm": np.tile(["a", "b", "c"], 100),
            "year": rng.integers(1990, 2020, 300),
            "score": rng.integers(0, 1000, 300),
        }
    )
    assert not sl.diagnose(frame).cure


def test_advice_never_names_what_the_test_refuses():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"t": rng.standard_t(2, 500), "u": rng.standard_t(2, 500), "g": rng.choice(list("ab"), 500)})
    assert "normal-scores" not in str(sl.diagnose(frame))
    assert "normal-scores" not in str(sl.diagnose(frame[["t", "u"]], correlation="normal-scores"))
    assert "normal-scores" in str(sl.diagnose(frame[["t", "u"]], correlation="pearson"))


def everything():
    """Much that is wrong at once."""
    frame = numbers().assign(key=[f"k{i}" for i in range(ROWS)], site=1, day=DAYS.strftime("%Y-%m-%d"))
    frame["size"] = np.exp(frame["x"])
    frame["income"] = (frame["y"] * 3 + 10).round(2).mask(frame.index % 20 == 0, -999)
    frame["group"] = np.where(frame["z"] > 0, "high", "low")
    return frame


def test_what_was_fixed_is_kept_with_the_network_which_can_be_audited_and_read_back(tmp_path):
    frame = everything()
    net = sl.learn(frame, fix=True)
    assert net.names == ("x", "y", "z", "day", "income", "group")
    assert net.settings.missing_values == {"income": (-999.0,)}
    assert net.settings.dates == ("day",)
    assert net.audit(frame).settings.missing == net.settings.missing
    net.write(tmp_path / "net.json")
    assert read(tmp_path / "net.json").settings == net.settings


def test_the_options_of_a_cure_can_be_given_by_hand():
    frame = everything()
    by_hand = sl.learn(
        frame, drop=["key", "site", "size"], dates=["day"], missing_values={"income": -999}, missing="drop"
    )
    assert by_hand.directed_edges == sl.learn(frame, fix=True).directed_edges
    in_words = sl.diagnose(frame[["x", "income"]], missing_values="income=-999")
    assert "'income' has 10 missing values" in str(in_words)


@pytest.mark.parametrize("mark", ["99999999", "007", "n.d.", "1e3"])
def test_a_mark_is_the_same_in_the_words_of_the_command(mark):
    frame = pd.DataFrame({"x": numbers()["x"], "group": np.where(np.arange(len(numbers())) % 9 > 0, "a", mark)})
    frame.loc[::2, "group"] = "b"
    by_hand = sl.learn(frame, missing_values={"group": mark}, missing="drop")
    in_words = sl.learn(frame, missing_values=f"group={mark}", missing="drop")
    assert in_words.n_complete == by_hand.n_complete == int((frame["group"] != mark).sum())


def test_the_command_fixes_says_so_and_check_says_it_before(tmp_path):
    path = tmp_path / "data.csv"
    everything().to_csv(path, index=False)
    refused = CliRunner().invoke(app, ["learn", str(path)])
    assert refused.exit_code == 2
    checked = CliRunner().invoke(app, ["check", str(path)], env={"COLUMNS": "200"})
    assert checked.exit_code == 2
    assert "dropped 'site'" in checked.stdout
    assert checked.stdout.rstrip().endswith("--fix")
    learned = CliRunner().invoke(app, ["learn", str(path), "--fix"], env={"COLUMNS": "200"})
    assert learned.exit_code == 0, learned.output
    assert "took -999 in 'income' as missing" in learned.stdout
    as_json = json.loads(CliRunner().invoke(app, ["check", str(path), "--json"]).stdout)
    assert any(finding.get("cure") == {"drop": ["site"]} for finding in as_json["findings"])
    assert all(finding["severity"] == "warning" for finding in as_json["fixed"]["findings"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing_values": {"w": -999}}, "missing_values: there is no column 'w'"),
        ({"missing_values": 5}, "missing_values must be a mapping"),
        ({"dates": ["group"]}, "dates: column 'group' has other values than dates"),
        ({"dates": ["nowhere"]}, "dates: there is no column 'nowhere'"),
        ({"fix": "yes"}, "fix must be True or False"),
    ],
)
def test_mistakes_in_these_options_are_named(options, message):
    with pytest.raises(sl.InputError, match=message):
        sl.diagnose(everything(), **options)


def test_a_table_without_a_cure_is_refused_with_its_cause():
    with pytest.raises(sl.InputError, match="3 rows, too few"):
        sl.learn(numbers(rows=3), fix=True)


CODES = numbers().assign(code=integers(150), group=integers(3).astype(str))


@pytest.mark.parametrize("said", [{"types": {"code": "category"}}, {"discrete": ["code", "group"]}])
def test_numbers_of_too_many_values_are_taken_as_numbers_which_the_type_table_says(said):
    net = sl.learn(CODES, fix=True, **said)
    types = {column.name: (column.type, column.decided) for column in net.types}
    assert types["code"] == ("number", "too many values for categories")
    assert net.settings.discrete == ("group",)


@pytest.mark.parametrize("said", [{"types": {"code": "category"}}, {"discrete": ["code", "group"]}, {"test": "chi2"}])
def test_the_advice_about_too_many_values_goes_with_the_other_options(said):
    table = CODES[["code", "group"]]
    (finding,) = (f for f in sl.diagnose(table, **said).errors if f.kind == "many values")
    option = next(part for part in finding.remedy.parts if not isinstance(part, str))
    assert option.name == next(iter(said)).replace("test", "drop")
    assert not sl.diagnose(table, **{**said, option.name: option.value}).errors


def test_dates_are_numbers_in_the_type_table_however_few_they_are():
    table = numbers().assign(day=pd.Timestamp("2024-03-01") + pd.to_timedelta(integers(5), "D"))
    net = sl.learn(table, fix=True)
    assert net.settings.dates == ("day",)
    assert {column.name: column.type for column in net.types}["day"] == "number"


def test_ordered_categories_of_a_data_frame_stay_ordered_when_other_columns_are_cured():
    stage = pd.Categorical.from_codes(integers(3), ["low", "mid", "high"], ordered=True)
    table = numbers().assign(stage=stage, income=np.where(integers(20) == 0, -999, integers(90)))
    net = sl.learn(table, fix=True)
    assert net.settings.ordinal == ("stage",)
    assert "income" in net.settings.missing_values


def test_a_column_that_is_dropped_is_not_in_the_type_table():
    net = sl.learn(numbers().assign(row=np.arange(ROWS)), fix=True, types={"row": "number"})
    assert [column.name for column in net.types] == ["x", "y", "z"]


def test_nothing_is_said_of_the_conditioning_of_columns_with_gaps():
    table = numbers()
    table.loc[3, "x"] = np.nan
    assert [finding.kind for finding in sl.diagnose(table).findings] == ["missing"]
