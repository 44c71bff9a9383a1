"""Files of spreadsheets and statistics programs: the same table as the CSV has, labels as categories."""

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.sources.rows import read_table

pyreadr = pytest.importorskip("pyreadr")
pyreadstat = pytest.importorskip("pyreadstat")
pytest.importorskip("openpyxl")

rng = np.random.default_rng(0)
X = rng.normal(size=100).round(3)
FRAME = pd.DataFrame(
    {
        "x": X,
        "y": (X + rng.normal(size=100)).round(3),
        "sex": rng.choice([1.0, 2.0], 100),
        "age": [*rng.integers(20, 80, 97).astype(float), 98.0, 99.0, 99.0],
    }
)
LABELS = {"sex": {1: "male", 2: "female"}, "age": {98: "refused", 99: "unknown"}}


def written(path, frame=FRAME):
    if path.suffix == ".sav":
        pyreadstat.write_sav(frame, path, variable_value_labels=LABELS)
    elif path.suffix == ".dta":
        pyreadstat.write_dta(frame, path, variable_value_labels=LABELS)
    elif path.suffix == ".rds":
        pyreadr.write_rds(path, frame.assign(sex=frame.sex.map(LABELS["sex"]).astype("category")))
    elif path.suffix == ".RData":
        pyreadr.write_rdata(path, frame, df_name="d")
    else:
        frame.to_excel(path, index=False)
    return path


@pytest.mark.parametrize("ending", [".sav", ".dta", ".rds", ".RData", ".xlsx"])
def test_the_table_is_that_of_the_file(ending, tmp_path):
    table = read_table(written(tmp_path / f"table{ending}"))
    assert table.all_names == ("x", "y", "sex", "age")
    assert np.allclose(np.asarray(table.part(["x", "y", "age"]).values, dtype=float), FRAME[["x", "y", "age"]])
    labelled = ending in (".sav", ".dta", ".rds")
    expected = FRAME.sex.map(LABELS["sex"]) if labelled else FRAME.sex
    assert list(table.column("sex")) == list(expected)


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_labels_of_some_values_are_said_with_what_they_may_mean(ending, tmp_path):
    path = written(tmp_path / f"table{ending}")
    (finding,) = [finding for finding in sl.diagnose(path).findings if finding.kind == "labels"]
    assert "98 is 'refused', 99 is 'unknown'" in finding.text
    assert not sl.diagnose(path, missing_values={"age": [98, 99]}, missing="drop").errors
    assert sl.learn(path).names == ("x", "y", "sex", "age")


def test_of_several_sheets_the_first_is_read_and_the_others_are_named(tmp_path):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame().to_excel(book, sheet_name="empty", index=False)
        FRAME.to_excel(book, sheet_name="data", index=False)
        FRAME[:3].to_excel(book, sheet_name="notes", index=False)
    (finding,) = [finding for finding in sl.diagnose(path).findings if finding.kind == "sheets"]
    assert "'data'" in finding.text
    assert "'notes'" in finding.text
    assert read_table(path).n_rows == 100


@pytest.mark.parametrize("ending", [".sav", ".dta", ".rds", ".RData", ".xlsx", ".sas7bdat"])
def test_a_damaged_file_is_refused_by_its_name(ending, tmp_path):
    path = tmp_path / f"table{ending}"
    for content in (b"", b"x,y\n1,2\n", b"PK\x03\x04 no archive", b"\x1f\x8b\x08 no archive"):
        path.write_bytes(content)
        with pytest.raises(sl.InputError, match="table"):
            sl.diagnose(path)


def test_several_data_frames_in_a_file_of_r_are_an_error_that_names_them(tmp_path, monkeypatch):
    path = written(tmp_path / "table.RData")
    monkeypatch.setattr(pyreadr, "read_r", lambda path: {"a": FRAME, "b": FRAME})
    with pytest.raises(sl.InputError, match="'a' and 'b'"):
        read_table(path)


def test_how_text_is_written_cannot_be_said_of_such_a_file(tmp_path):
    with pytest.raises(sl.InputError, match="delimiter"):
        sl.learn(written(tmp_path / "table.xlsx"), delimiter=";")
