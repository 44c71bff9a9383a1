"""A fitted network takes every table as the one that its structure was learned from."""

import numpy as np
import pandas as pd
import pytest

import sidelight as sl


@pytest.fixture
def chain():
    rng = np.random.default_rng(0)
    a = rng.standard_normal(300)
    b = np.round(1000 * (a + rng.standard_normal(300)))
    return pd.DataFrame({"a": a, "b": b, "c": b / 1000 + rng.standard_normal(300)})


def with_marks(table):
    return table.assign(b=table["b"].where(np.arange(len(table)) % 10 > 0, -99999))


def with_dates(table):
    return table.assign(b=pd.Timestamp("2020-01-01") + pd.to_timedelta(table["b"], unit="D"))


def with_texts(table):
    return table.assign(b=[f"{value + 10_000:06.0f}" for value in table["b"]])  # "007" is no number by itself


@pytest.mark.parametrize(
    ("treated", "options"),
    [
        (with_marks, {"missing_values": {"b": -99999}}),
        (with_dates, {"dates": ["b"]}),
        (with_texts, {"types": "b=number"}),
    ],
)
def test_likelihoods_and_predictions_are_those_of_the_plain_numbers(chain, treated, options):
    table = treated(chain)
    plain = chain if treated is not with_marks else chain[table["b"] != -99999]
    net = sl.learn(table, missing="drop", **options)
    expected, fitted = net.fit(plain), net.fit(table, missing="drop")
    assert fitted.log_likelihood(table, missing="drop") == pytest.approx(expected.log_likelihood(plain))
    assert fitted.bic(table, missing="drop") == pytest.approx(expected.bic(plain))
    assert fitted.predict("a", table, missing="drop") == pytest.approx(expected.predict("a", plain))


def test_what_was_said_of_an_ignored_column_does_not_matter_later(chain):
    table = chain.assign(zone=np.arange(300) % 7, day="2020-01-01")
    said = {"types": {"zone": "ignore", "day": "ignore"}, "missing_values": {"zone": 3}, "dates": ["day"]}
    net = sl.learn(table, **said)
    assert net.names == ("a", "b", "c")
    assert net.audit(table).holds
    assert net.fit(table).log_likelihood(table) == pytest.approx(net.fit(chain).log_likelihood(chain))


def test_marks_of_columns_that_are_numbered_are_found_again_in_a_file(chain, tmp_path):
    array = with_marks(chain).to_numpy()
    net = sl.learn(array, missing="drop", missing_values={1: -99999})
    net.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json")
    assert again.settings.missing_values == {1: (-99999,)}
    assert again.audit(array).holds
    assert again.fit(array, missing="drop").n_rows == 270


def test_a_prediction_needs_complete_rows(chain):
    fitted = sl.learn(chain).fit(chain)
    with pytest.raises(sl.InputError, match="missing must be one of 'error', 'drop'"):
        fitted.predict("a", with_marks(chain), missing="em")


def test_a_file_is_read_as_the_one_that_was_learned_from(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    rows = np.column_stack([a, a + rng.normal(size=200)]).round(2)
    (tmp_path / "t.csv").write_text("\n".join(";".join(f"{x:.2f}".replace(".", ",") for x in row) for row in rows))
    net = sl.learn(tmp_path / "t.csv", header=False, decimal=",", delimiter=";")
    assert net.names == ("column 1", "column 2")
    assert net.audit(tmp_path / "t.csv").settings.test == "fisher-z"
    assert net.fit(tmp_path / "t.csv").n_rows == 200
