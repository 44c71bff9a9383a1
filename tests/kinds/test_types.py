"""One rule for types, whatever the source; what was said of types; and the table as they say."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sidelight as sl
from sidelight.kinds.types import said_types
from sidelight.tables.column_options import types_in_words
from sidelight.text.message import in_command_words


def frame():
    rng = np.random.default_rng(0)
    n = 60
    return pd.DataFrame(
        {
            "length": rng.normal(size=n),
            "count": rng.integers(0, 4, n),
            "year": np.arange(n) % 30 + 1990,
            "site": rng.choice(["a", "b", "c"], n),
            "ill": rng.random(n) < 0.5,
        }
    )


EXPECTED = {"length": "number", "count": "category", "year": "number", "site": "category", "ill": "category"}


def types_of(source, **options):
    return {column.name: column.type for column in sl.diagnose(source, **options).types}


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "feather"])
def test_types_do_not_depend_on_the_format_of_the_file(tmp_path, kind):
    data, path = frame(), tmp_path / f"data.{kind}"
    write = {"csv": data.to_csv, "tsv": data.to_csv, "parquet": data.to_parquet, "feather": data.to_feather}[kind]
    write(path, **({"index": False, "sep": "\t" if kind == "tsv" else ","} if kind in ("csv", "tsv") else {}))
    assert types_of(path) == types_of(data) == types_of(pl.from_pandas(data)) == EXPECTED


def test_types_do_not_depend_on_1_or_1_0_nor_on_missing_values_nor_on_other_columns(tmp_path):
    data = frame()
    floats = data.astype({"count": float, "year": float})
    assert types_of(floats) == EXPECTED
    floats.loc[::7, ["count", "year", "length"]] = np.nan
    assert types_of(floats) == EXPECTED
    floats.to_csv(tmp_path / "gaps.csv", index=False)
    assert types_of(tmp_path / "gaps.csv", missing="drop") == EXPECTED
    assert types_of(data[["count"]]) == {"count": "category"}
    assert types_of(data[["count"]].to_numpy(float)) == {0: "category"}


def test_types_are_decided_before_rows_are_dropped():
    data = pd.DataFrame({"v": np.arange(300.0) % 15, "w": np.random.default_rng(0).normal(size=300)})
    data.loc[data["v"] >= 5, "w"] = np.nan
    assert types_of(data) == types_of(data, missing="drop") == {"v": "number", "w": "number"}
    assert sl.learn(data, missing="drop").settings.test == "fisher-z"


def test_few_rows_of_whole_numbers_are_numbers_and_constants_are_no_reason_for_a_mixed_table():
    whole = np.random.default_rng(0).permutation(8 * 3).reshape(8, 3)
    assert set(types_of(whole).values()) == {"number"}
    assert types_of(pd.DataFrame({"a": [3.0] * 20, "b": [np.nan] * 20})) == {"a": "number", "b": "number"}


def test_ordered_types_of_data_frames_are_ordinal_and_others_are_not(tmp_path):
    levels = ["low", "middle", "high"]
    values = np.random.default_rng(0).choice(levels, 40).tolist()
    ordered = pd.DataFrame({"v": pd.Categorical(values, levels, ordered=True), "w": pd.Categorical(values, levels)})
    assert types_of(ordered) == {"v": "ordinal", "w": "category"}
    assert sl.diagnose(ordered).types[0].order == tuple(levels)
    ordered.to_parquet(tmp_path / "ordered.parquet")
    assert types_of(tmp_path / "ordered.parquet") == types_of(ordered)
    assert types_of(pl.DataFrame({"v": pl.Series(values, dtype=pl.Enum(levels))})) == {"v": "ordinal"}


def test_the_record_says_how_it_was_decided_and_what_is_there():
    data = frame()
    data.loc[:4, "site"] = None
    record = {column.name: column for column in sl.diagnose(data).types}
    assert (record["site"].decided, record["site"].n_values, record["site"].n_missing) == ("texts", 3, 5)
    assert record["site"].example == data["site"].dropna().iloc[0]
    assert (record["count"].decided, record["count"].n_values) == ("whole, up to 10 values", 4)
    assert (record["year"].n_values, record["year"].example) == (30, "1990")
    assert (sl.diagnose(data).n_rows, sl.diagnose(data).n_complete) == (60, 55)


# What users say.


def test_what_is_said_may_be_a_mapping_a_text_or_a_file(tmp_path):
    said = {"age": "number", "stage": ("I", "II", "III"), "last, first": "ignore", 'a"=b': "category"}
    text = types_in_words(said)
    assert text == 'age=number,stage=I<II<III,"last, first"=ignore,"a""=b"=category'
    assert said_types(said) == said_types(text) == said_types(f" {text} , ".replace("<", " < ")) == said
    (tmp_path / "types.toml").write_text(
        'age = "number"\nstage = ["I", "II", "III"]\n"last, first" = "ignore"\n\'a"=b\' = "category"\n'
    )
    assert said_types(tmp_path / "types.toml") == said_types(str(tmp_path / "types.toml")) == said
    assert said_types(None) == {}


@pytest.mark.parametrize("text", ["age", "age=", "=number", "age==number", "a=number=b", "a=number,,b=number", 3])
def test_a_text_that_says_no_types_is_refused(text):
    with pytest.raises(sl.InputError, match=r"^types"):
        said_types(text)


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ("lenght=number", "types: there is no column 'lenght'; did you mean 'length'"),
        ("length=numeric", "types: column 'length' must be one of 'number', 'category', 'ordinal', 'ignore'"),
        ({"count": ["0"]}, "types: column 'count' needs two or more different categories"),
        ("site=number", "types: column 'site' is to be a number, but row 1 has '"),
        ("site=ordinal", r"the order of the texts in column 'site' is not known; give it, as in types=\"site=a<b<c\""),
        ("site=a<b", "types: column 'site' has 'c' in row 1, which is not in its order a < b"),
        (
            "length=ignore,count=ignore,year=ignore,site=ignore,ill=ignore",
            "no column is left to learn from; see types=",
        ),
        ("nowhere.toml", "nowhere.toml"),
    ],
)
def test_types_that_cannot_be_are_named(types, message):
    with pytest.raises(sl.InputError, match=message):
        sl.diagnose(frame(), types=types)


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 5000 + "]" * 5000, "{ " + "a." * 50_000 + "b = 1 }"])
def test_a_file_of_types_has_the_limits_of_other_toml_files(tmp_path, value):
    (tmp_path / "types.toml").write_text(f"length = {value}\n")
    with pytest.raises(sl.InputError, match=r"types\.toml' is not (read|TOML)"):
        said_types(tmp_path / "types.toml")


def test_types_and_discrete_must_not_contradict_each_other():
    assert types_of(frame(), types="site=ignore,ill=ignore", discrete=["count"])["count"] == "category"
    for types, discrete in (("count=number", ["count", "site", "ill"]), ("count=category", ["site", "ill"])):
        with pytest.raises(sl.InputError, match=r"'count' is said to be .* among those of discrete=") as caught:
            sl.diagnose(frame(), types=types, discrete=discrete)
        assert "--types: 'count' is said" in in_command_words(str(caught.value))


def test_a_type_that_the_test_does_not_take_is_refused_and_what_a_test_takes_is_in_the_table():
    with pytest.raises(sl.InputError, match="'count' is said to be 'category', and the test 'fisher-z' takes it as"):
        sl.learn(frame()[["length", "count"]], types="count=category", test="fisher-z")
    record = sl.diagnose(frame()[["length", "count"]], test="fisher-z").types[1]
    assert (record.type, record.decided) == ("number", "by the test fisher-z")


def test_a_file_of_types_may_name_columns_that_are_not_used(tmp_path):
    frame().to_csv(tmp_path / "data.csv", index=False)
    types = types_of(tmp_path / "data.csv", columns=["length", "count"], types="site=ignore,count=number")
    assert types == {"length": "number", "count": "number"}


def test_what_is_ignored_is_not_learned_from_and_texts_can_be_numbers():
    data = frame().assign(length=lambda f: f["length"].map("{:.3f}".format))
    net = sl.learn(data, types={"length": "number", "ill": "ignore", "site": "ignore", "count": "ignore"})
    assert (net.names, net.settings.test) == (("length", "year"), "fisher-z")
    assert [column.type for column in net.types].count("ignore") == 3


def test_types_are_kept_in_settings_files_and_audits(tmp_path):
    data = frame().assign(stage=lambda f: f["count"].map({0: "I", 1: "II", 2: "III", 3: "IV"}))
    data.to_csv(tmp_path / "data.csv", index=False)
    types = {"stage": ["I", "II", "III", "IV"], "ill": "ignore", "count": "ignore"}
    net = sl.learn(tmp_path / "data.csv", types=types)
    said = "stage=I<II<III<IV,ill=ignore,count=ignore"
    assert f"types='{said}'" in net.settings.python_call()
    assert f"--types '{said}'" in net.settings.command()
    net.write(tmp_path / "net.json")
    read = sl.read(tmp_path / "net.json")
    assert read == net
    assert (read.types, read.n_rows, read.n_complete) == (net.types, 60, 60)
    assert read.settings.ordinal == ("stage",)
    audit = read.audit(tmp_path / "data.csv")
    assert not audit.learned_with  # everything as learned
    assert read.audit(tmp_path / "data.csv", types="stage=category").settings.ordinal is None
    fewer = data[data["count"] > 0].reset_index(drop=True)
    assert read.audit(fewer).settings.ordinal == ("stage",)


def test_a_file_with_types_of_other_variables_is_refused(tmp_path):
    net = sl.learn(frame()[["length", "year"]])
    net.write(tmp_path / "net.json")
    text = (tmp_path / "net.json").read_text().replace('"name": "year"', '"name": "month"')
    (tmp_path / "net.json").write_text(text)
    with pytest.raises(sl.InputError, match="'types': they are not those of the variables"):
        sl.read(tmp_path / "net.json")


def test_parameters_are_fitted_to_the_types_that_the_structure_was_learned_with():
    data = frame()[["count", "site"]]
    net = sl.learn(data)
    fewer_values = data[data["count"] < 2].iloc[:3]
    assert type(net.fit(fewer_values)).__name__ == "FittedTables"
