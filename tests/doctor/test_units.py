"""Columns that say which row or unit a row is of are found by name or by value, in any order of the rows."""

import numpy as np
import pandas as pd
import pytest

import sidelight as sl


def measured(rows, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(rows)
    return pd.DataFrame({"x": x.round(3), "y": (x + rng.standard_normal(rows)).round(3)})


def panel(units=18, times=10):
    """As lme4's sleepstudy: each subject on each of ten days."""
    frame = measured(units * times)
    return frame.assign(subject=np.repeat(np.arange(units) * 7 + 300, times), day=np.tile(np.arange(times), units))


def findings(source, kind, **options):
    return [finding for finding in sl.diagnose(source, **options).findings if finding.kind == kind]


def written(tmp_path, frame, **how):
    path = tmp_path / "table.csv"
    frame.to_csv(path, **how)
    return path


ROW_NAMES = {
    "counted": np.arange(1, 101),
    "with gaps, as in birthwt": np.arange(85, 285)[np.sort(np.random.default_rng(1).permutation(200)[:100])],
    "shuffled": np.random.default_rng(2).permutation(1000)[:100],
    "names": [f"car {i}" for i in range(100)],
}


@pytest.mark.parametrize("case", ROW_NAMES)
def test_row_names_without_a_heading_are_left_out_and_shown_as_ignored(tmp_path, case):
    path = written(tmp_path, measured(100).set_index(pd.Index(ROW_NAMES[case])), index_label="")
    (ignored,) = [column for column in sl.diagnose(path).types if column.type == "ignore"]
    assert (ignored.name, ignored.decided) == ("column 1", "no heading, another value in each row")
    assert sl.learn(path).names == ("x", "y")
    again = pd.read_csv(path)  # pandas calls it "Unnamed: 0"
    assert sl.learn(again).names == ("x", "y")


def test_a_column_without_a_heading_whose_values_repeat_or_that_is_asked_for_is_used(tmp_path):
    path = written(tmp_path, measured(100).set_index(pd.Index(np.arange(100) % 37)), index_label="")
    assert sl.learn(path).names == ("column 1", "x", "y")
    path = written(tmp_path, measured(100), index_label="")
    assert sl.learn(path, columns=["column 1", "x"]).names == ("column 1", "x")
    assert sl.learn(path, types="column 1=number").names == ("column 1", "x", "y")


def test_a_column_called_id_with_a_different_whole_number_in_each_row_is_an_identifier():
    numbers = np.sort(np.random.default_rng(3).permutation(5000)[:120]) + 19_000  # as in CrohnD
    for name in ("ID", "subject_id", "userId", "patientID"):
        (finding,) = findings(measured(120).assign(**{name: numbers}), "identifier")
        assert finding.cure.drop == (name,)
    for name in ("income", "paid", "ideology", "height"):
        assert not findings(measured(120).assign(**{name: numbers}), "identifier")


PANELS = {
    "as it is": panel(),
    "units as 300.0": panel().astype({"subject": float}),
    "units as strings": panel().astype({"subject": str}),
    "three rows removed": panel().drop(index=[3, 57, 120]),
    "shuffled": panel().sample(frac=1, random_state=0),
    "by time": panel().sort_values("day"),
    "other names": panel().rename(columns={"subject": "u", "day": "v"}),
}


@pytest.mark.parametrize("case", PANELS)
def test_a_panel_is_found_however_its_rows_and_units_are_written(case):
    (finding,) = findings(PANELS[case].reset_index(drop=True), "panel")
    assert finding.culprits == ("u" if case == "other names" else "subject",)
    assert "has 18 values" in finding.text
    assert finding.cure.groups == finding.culprits[0]


def test_an_unbalanced_panel_without_times_is_found_by_its_name():
    sizes = np.random.default_rng(4).integers(1, 6, 60)
    frame = measured(sizes.sum()).assign(id=np.repeat(np.arange(60), sizes))
    assert findings(frame, "panel")
    assert not findings(frame.rename(columns={"id": "score"}), "panel")


def test_fix_compares_rows_within_the_units_of_a_panel():
    net = sl.learn(panel(), fix=True)
    assert net.edges == sl.learn(panel(), groups="subject").edges
    assert ("subject" in net.names, net.settings.given["groups"]) == (False, "subject")
    assert {"fixed", "within groups"} <= {warning.kind for warning in net.warnings}


def test_where_tests_do_not_go_with_groups_fix_keeps_the_mark_of_a_panel_and_its_warning():
    gaps = panel().assign(x=lambda frame: frame["x"].mask(frame.index % 50 == 3))
    net = sl.learn(gaps, fix=True, missing="pairwise")
    assert {column.name: column.type for column in net.types}["subject"] == "category"
    assert "panel" in [warning.kind for warning in net.warnings]


def alike(seed=0, n_groups=30, n_rows=20, share=0.3):
    """Rows of schools, of which nothing but the values tells, in any order."""
    rng = np.random.default_rng(seed)
    school = rng.permutation(np.repeat(np.arange(n_groups), n_rows))
    of_school, noise = rng.standard_normal((n_groups, 4))[school], rng.standard_normal((len(school), 4))
    values = share**0.5 * of_school + (1 - share) ** 0.5 * noise
    return pd.DataFrame(values, columns=list("abcd")).assign(w=school * 7 % 101 + 3)


@pytest.mark.parametrize("written", [int, str, lambda code: f"school {code}"])
def test_groups_that_differ_in_many_columns_are_found_whatever_they_are_called(written):
    (finding,) = findings(alike().assign(w=lambda frame: frame["w"].map(written)), "groups")
    assert finding.culprits == ("w",)
    assert 'groups="w" compares rows within them' in finding.remedy
    assert not findings(alike(), "groups", groups="w")


def test_groups_that_differ_by_chance_and_numbers_with_a_trend_are_none():
    rng = np.random.default_rng(1)
    for seed in range(10):
        assert not findings(alike(seed, share=0.0), "groups")
        age = rng.integers(20, 60, 600)
        frame = pd.DataFrame({name: 0.1 * age + rng.standard_normal(600) for name in "abcd"}).assign(age=age)
        assert not findings(frame, "groups")


def test_independent_columns_of_whole_numbers_are_no_panel():
    rng = np.random.default_rng(5)
    for seed in range(20):
        frame = measured(400, seed).assign(age=rng.integers(18, 90, 400), children=rng.poisson(2, 400))
        frame["town"] = rng.integers(0, 40, 400)
        assert not findings(frame, "panel")


def test_codes_with_a_letter_are_categories_and_not_missing_values(tmp_path):
    families = [f"{i:03d}" for i in range(1, 16)] + ["136A"]  # as in GaltonFamilies
    frame = measured(160).assign(family=np.repeat(families, 10))
    for source in (frame, written(tmp_path, frame, index=False)):
        assert not findings(source, "non-numeric cells")
        assert not sl.diagnose(source).cure.missing_values
    assert findings(frame.assign(family=["high", *map(str, np.arange(159) / 7)]), "non-numeric cells")
