import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.sources.rows import read_table
from sidelight.tables.all_rows import AllRows, are_fractional, counted_as_rows, take_weights
from sidelight.text.message import in_command_words

FRAME = pd.DataFrame({"a": [1.0, np.nan, 3, np.inf, 5], "b": ["x", "y", None, "x", "y"], "n": [2, 0, 1, 3, 4]})
TABLE = read_table(FRAME)
WEIGHTS = np.array([2.0, 1, 1, 3, 4])


def test_rows_with_a_missing_or_infinite_value_are_left_out_and_counted():
    rows = AllRows.held(TABLE, WEIGHTS).complete(lambda: 2)
    assert rows.sample.column("a").tolist() == [1, 5]
    assert rows.sample.texts["b"] == ["x", "y"]
    assert rows.counts is not None
    assert rows.counts.tolist() == [2, 4]
    assert TABLE.incomplete == {"a", "b"}
    assert list(TABLE.gap_masks()) == ["a", "b"]


def test_complete_rows_stay_as_they_are():
    table = read_table(np.arange(6).reshape(3, 2))
    assert table.complete_rows().all()
    assert not table.gap_masks()


def test_a_column_of_weights_is_no_variable_and_rows_of_weight_0_are_left_out():
    table, weights = take_weights(TABLE, "n")
    assert weights is not None
    assert weights.tolist() == [2, 1, 3, 4]
    assert table.all_names == ("a", "b")
    assert table.texts["b"] == ["x", None, "x", "y"]


def test_an_array_of_weights_gives_what_a_column_gives():
    table, weights = take_weights(TABLE.part("ab"), [2, 0, 1, 3, 4])
    expected_table, expected_weights = take_weights(TABLE, "n")
    assert table.texts == expected_table.texts
    assert np.array_equal(table.values, expected_table.values, equal_nan=True)
    assert np.array_equal(weights, expected_weights)


def test_without_weights_every_row_counts_once():
    assert take_weights(TABLE, None) == (TABLE, None)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("m", "weights: there is no column 'm'"),
        ("b", "weights: column 'b' is not numeric"),
        (["x"] * 5, "weights: give the name of a column, or one number for each row"),
        ([1, 2], r"weights: 5 are needed, one for each row; the shape is \(2,\)"),
        ([1, 2, -3, 4, 5], "weights: the weight of row 3 is -3.0"),
        ([1, np.nan, 3, 4, 5], "weights: the weight of row 2 is nan"),
        ([0, 0, 0, 0, 0], "weights: all are zero"),
        ([1, 0, 0, 0, 0], "weights: they sum to 1, at least 5 is needed"),
        ([9.5, 0.1, 0.1, 0.1, 0.1], r"weights: they are worth 1\.1 rows of equal weight, and at least 5 are needed"),
    ],
)
def test_weights_that_cannot_be_used_are_refused_by_row(weights, message):
    with pytest.raises(sl.InputError, match=message) as caught:
        take_weights(TABLE, weights)
    assert in_command_words(str(caught.value)).startswith("--weights: ")


def test_whole_weights_are_numbers_of_equal_rows():
    assert not are_fractional(WEIGHTS)
    assert counted_as_rows(WEIGHTS) is WEIGHTS


@pytest.mark.parametrize("scale", [1e-200, 0.001, 1, np.pi, 1e6])
def test_survey_weights_count_as_many_rows_as_kish_says_whatever_their_sum(scale):
    weights = np.random.default_rng(0).lognormal(size=100)
    rows = counted_as_rows(weights * scale)
    assert rows.sum() == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert np.allclose(rows / rows.sum(), weights / weights.sum())


def test_equal_weights_count_as_the_rows_there_are():
    assert np.allclose(counted_as_rows(np.full(7, 1 / 7)), 1)


def test_weights_stay_survey_weights_when_the_fractional_rows_are_left_out():
    import pandas as pd

    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc"))
    table["w"] = 2.0
    table.loc[0, ["w", "a"]] = [1.5, np.nan]
    net = sl.learn(table, weights="w", missing="drop")
    assert any(warning.kind == "survey weights" for warning in net.warnings)
    assert net.trust.startswith("399 rows")


def weighted_rows(fraction):
    """Of 200 rows the first ten lack a value, and have other weights than the rest."""
    rng = np.random.default_rng(8)
    table = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    table = table.assign(b=table["a"] + table["b"])
    return table.assign(a=table["a"].where(table.index >= 10), w=np.where(table.index < 10, fraction, 1.0))


def test_weights_are_survey_weights_in_batches_as_in_memory(tmp_path):
    weighted_rows(1.5).to_csv(tmp_path / "table.csv", index=False)
    kinds = [
        {
            warning.kind
            for warning in sl.learn(tmp_path / "table.csv", weights="w", missing="drop", memory=memory).warnings
        }
        for memory in (None, "1kB")
    ]
    assert all("survey weights" in of_run for of_run in kinds)


@pytest.mark.parametrize("scale", [1e-200, 1e-3])
def test_the_unit_of_survey_weights_does_not_matter(tmp_path, scale):
    table = weighted_rows(1.5).dropna().assign(w=np.random.default_rng(9).uniform(0.5, 2, 190))
    as_given = sl.learn(table, weights="w")
    scaled = table.assign(w=scale * table["w"])
    scaled.to_csv(tmp_path / "table.csv", index=False)
    for source, memory in ((scaled, None), (tmp_path / "table.csv", "1kB")):
        found = sl.learn(source, weights="w", memory=memory)
        assert found.score == pytest.approx(as_given.score)


def test_weights_that_are_hardly_numbers_are_refused():
    table = weighted_rows(1.5).dropna().assign(w=np.linspace(1, 2, 190) * 1e-320)
    with pytest.raises(sl.InputError, match="too small to be scaled"):
        sl.learn(table, weights="w")
