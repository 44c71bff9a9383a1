"""Tables that were once misread: each is read as it was meant, or refused with a question, the same from every source.

Where two readings of a file are possible, the result names the choice, or an ``InputError`` asks; none is silent.
"""

import csv
import datetime as dt
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sidelight as sl

LITTLE = "1kB"  # so little memory that every file below is read in batches
IN_BOTH = pytest.mark.parametrize("memory", [None, LITTLE], ids=["in memory", "in batches"])
ROWS = 300


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(1, threads_per_worker=1, processes=False, dashboard_address=None)
    with cluster, distributed.Client(cluster) as found:
        yield found


@pytest.fixture(params=["in memory", "in batches", "on Dask"])
def how(request):
    """Options with which a folder is read in one of three ways."""
    if request.param == "on Dask":
        return {"dask": request.getfixturevalue("client")}
    return {"memory": LITTLE if request.param == "in batches" else None}


def numbers(rows=ROWS, seed=0):
    x = np.random.default_rng(seed).normal(40, 3, rows)
    return pd.DataFrame({"x": x, "y": x + np.random.default_rng(seed + 1).normal(size=rows)})


def folder_of(path, *frames):
    """A folder of CSV files."""
    for number, frame in enumerate(frames):
        frame.to_csv(path / f"part-{number}.csv", index=False)
    return path


def written(path, header, rows, delimiter=","):
    path.write_text("\n".join([header, *(delimiter.join(row) for row in rows)]) + "\n")
    return path


def column(net, name):
    return next(found for found in net.types if found.name == name)


def outcome(source, **options):
    """The facts of a network, or that the table was refused; any other error is a fault."""
    try:
        net = sl.learn(source, **options)
    except sl.InputError:
        return "refused"
    types = [(c.name, c.type, c.n_missing, None if c.type == "number" else c.n_values) for c in net.types]
    return types, net.n_rows, net.n_complete, net.score and float(f"{net.score:.9g}")


# Decimal marks.


def doses(x_digits, delimiter):
    """Measurements with a decimal point, and a dose with a decimal comma."""
    frame = numbers()
    cells = [
        [f"{x:.{x_digits}f}", f"{y:.3f}", f'"{dose}"' if delimiter == "," else dose]
        for x, y, dose in zip(frame["x"], frame["y"], ["1,5", "2,5"] * (ROWS // 2), strict=True)
    ]
    return "x,y,dose".replace(",", delimiter), cells, delimiter


@IN_BOTH
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_decimals_of_three_digits_are_not_thousands_silently(tmp_path, memory, delimiter):
    path = written(tmp_path / "doses.csv", *doses(3, delimiter))
    try:
        net = sl.learn(path, memory=memory)
    except sl.InputError as error:
        assert "'x'" in str(error) or "'dose'" in str(error)  # noqa: PT017 - asking is right, too
        return
    if delimiter == ",":  # a comma between cells is hardly one within numbers
        assert float(column(net, "x").example) == pytest.approx(numbers()["x"][0], abs=1e-3)
    chosen = [warning for warning in net.warnings if {"x", "dose"} & set(warning.culprits)]
    assert any("decimal" in str(warning) for warning in chosen)


@IN_BOTH
def test_a_comma_in_one_cell_of_a_text_column_says_nothing_of_numbers(tmp_path, memory):
    frame = numbers()
    notes = ['"2,5"' if i == 3 else "abc"[i % 3] for i in range(ROWS)]
    cells = [[f"{x:.3f}", f"{y:.3f}", note] for x, y, note in zip(frame["x"], frame["y"], notes, strict=True)]
    net = sl.learn(written(tmp_path / "notes.csv", "x,y,note", cells), memory=memory)
    assert float(column(net, "x").example) == pytest.approx(frame["x"][0], abs=1e-3)
    assert (column(net, "note").type, column(net, "note").n_values) == ("category", 4)


# Dates and times.


def days(count=ROWS):
    return [f"2020-01-{1 + i % 5:02d}" for i in range(count)]


@pytest.mark.parametrize("later", [["unknown"] * ROWS, [*days(ROWS - 5), *["unknown"] * 5]], ids=["all", "some"])
@pytest.mark.parametrize("first", ["dates first", "dates last"])
def test_a_day_is_one_category_when_another_file_has_a_text(tmp_path, how, later, first):
    frames = [numbers().assign(when=days()), numbers(seed=2).assign(when=later)]
    net = sl.learn(folder_of(tmp_path, *(frames if first == "dates first" else reversed(frames))), **how)
    assert column(net, "when").n_values == 6
    assert column(net, "when").example == (days()[0] if first == "dates first" else later[0])


@IN_BOTH
def test_a_day_is_one_category_when_a_text_comes_after_many_megabytes(tmp_path, memory):
    frame = numbers(10_000).assign(when=days(10_000), padding="p" * 900)
    frame.loc[9_990:, "when"] = "unknown"
    frame.to_csv(tmp_path / "large.csv", index=False)
    diagnosis = sl.diagnose(tmp_path / "large.csv", drop=["padding"], memory=memory)
    assert [(c.name, c.n_values) for c in diagnosis.types if c.type == "category"] == [("when", 6)]


@pytest.mark.parametrize("dates", [None, ["when"]])
@pytest.mark.parametrize("first", ["dates first", "numbers first"])
def test_a_column_of_dates_and_numbers_has_one_outcome(tmp_path, how, dates, first):
    rows = 3_000  # more than are kept together of a table in batches
    frames = [numbers(rows).assign(when=days(rows)), numbers(rows, 2).assign(when=np.arange(rows) % 7)]
    if first == "numbers first":
        frames.reverse()
    folder = folder_of(tmp_path, *frames)
    found = outcome(folder, dates=dates, **how)
    if dates is not None:  # not all of them are dates
        assert found == "refused"
    else:
        assert found == outcome(folder)


def test_typed_dates_and_texts_in_a_folder_have_one_outcome(tmp_path, how):
    numbers().assign(when=pd.to_datetime(days())).to_parquet(tmp_path / "1.parquet")
    numbers(seed=2).assign(when=days()).to_parquet(tmp_path / "2.parquet")
    found = outcome(tmp_path, **how)
    assert found == "refused" or ("when", "category", 0, 5) in found[0]


def test_numbers_of_an_iterator_do_not_become_dates():
    frames = iter([numbers().assign(when=pd.to_datetime(days())), numbers(seed=2).assign(when=np.arange(ROWS))])
    with pytest.raises(sl.InputError, match="when"):
        sl.learn(frames, dates=["when"])


def test_dates_stay_dates_when_another_file_has_none(tmp_path, how):
    folder = folder_of(tmp_path, numbers().assign(when=days()), numbers(seed=2).assign(when=None))
    with pytest.raises(sl.InputError, match="dates, times or durations"):
        sl.learn(folder, missing="drop", **how)
    assert sl.learn(folder, missing="drop", dates=["when"], **how).n_complete == ROWS


@pytest.mark.parametrize("marked", [ROWS, 5], ids=["all", "some"])
def test_dates_with_marks_of_missing_ones_have_one_outcome(tmp_path, how, marked):
    later = [*days(ROWS - marked), *["unknown"] * marked]
    folder = folder_of(tmp_path, numbers().assign(when=days()), numbers(seed=2).assign(when=later))
    options = {"missing_values": {"when": "unknown"}, "missing": "drop"}
    found = outcome(folder, **options, **how)
    assert found == "refused" or ("when", "category", marked, 5) in found[0]
    assert found == outcome(folder, **options)


MOMENTS = [dt.datetime.combine(dt.date.fromisoformat(day), dt.time()) for day in days()]
SPANS = [dt.timedelta(days=i % 5) for i in range(ROWS)]
SAME_DAYS = {
    "dates": [moment.date() for moment in MOMENTS],
    "datetimes": pd.Series(MOMENTS, dtype=object),
    "timestamps": pd.Series(list(pd.to_datetime(MOMENTS)), dtype=object),
    "datetime64": pd.to_datetime(MOMENTS),
    "durations": pd.Series(SPANS, dtype=object),
    "timedelta64": pd.to_timedelta(SPANS),
}


def sources_of_days(kind):
    frame = numbers().assign(when=SAME_DAYS[kind])
    array = np.column_stack([frame[["x", "y"]].to_numpy().astype(object), list(SAME_DAYS[kind])])
    return {"pandas": frame, "array": array, "iterator": iter([frame])}


@pytest.mark.parametrize("source", ["pandas", "array", "iterator"])
@pytest.mark.parametrize("kind", SAME_DAYS)
def test_dates_are_dates_whatever_python_type_they_have(kind, source):
    with pytest.raises(sl.InputError, match="dates, times or durations"):
        sl.learn(sources_of_days(kind)[source])
    net = sl.learn(sources_of_days(kind)[source], dates=[2 if source == "array" else "when"])
    plain = sl.learn(numbers().assign(when=np.arange(ROWS) % 5.0), types={"when": "number"})
    assert net.score == pytest.approx(plain.score, rel=1e-9)


def test_dates_on_dask_are_dates():
    dd = pytest.importorskip("dask.dataframe")  # which itself turns objects into strings
    with pytest.raises(sl.InputError, match="dates, times or durations"):
        sl.learn(dd.from_pandas(numbers().assign(when=SAME_DAYS["datetime64"]), npartitions=2))


# Folders.


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(("change", "which"), [("lacks", "'z'"), ("has", "'more'")])
def test_a_file_with_other_columns_is_named(tmp_path, how, suffix, change, which):
    frame = numbers().assign(z=1.5)
    other = frame.drop(columns="z") if change == "lacks" else frame.assign(more=1.0)
    for number, part in enumerate((frame, other)):
        path = tmp_path / f"part-{number}.{suffix}"
        part.to_csv(path, index=False) if suffix == "csv" else part.to_parquet(path)
    with pytest.raises(sl.InputError, match=rf"part-1.{suffix}.* {change} .*{which}.*part-0.{suffix}"):
        sl.learn(tmp_path, **how)


def test_a_column_of_a_file_is_not_replaced_by_the_name_of_its_folder_silently(tmp_path, how):
    for value in ("1", "2"):
        (tmp_path / f"z={value}").mkdir()
    numbers().to_csv(tmp_path / "z=1" / "part.csv", index=False)
    numbers(seed=2).assign(z=7.5).to_csv(tmp_path / "z=2" / "part.csv", index=False)
    with pytest.raises(sl.InputError, match="'z'"):
        sl.learn(tmp_path, **how)


@pytest.mark.parametrize("first", ["empty first", "empty last"])
def test_a_file_with_a_header_alone_adds_no_rows(tmp_path, how, first):
    frame = numbers().assign(k=["u", "v", "w"] * (ROWS // 3))
    parts = [frame.iloc[:0], frame] if first == "empty first" else [frame, frame.iloc[:0]]
    assert outcome(folder_of(tmp_path, *parts), **how) == outcome(frame)


def test_a_file_without_a_header_is_refused_by_name(tmp_path, how):
    folder = folder_of(tmp_path, numbers())
    (folder / "part-1.csv").write_text("")
    with pytest.raises(sl.InputError, match=r"part-1\.csv.*empty"):
        sl.learn(folder, **how)


# Headers, quotes and delimiters.


@IN_BOTH
def test_a_header_may_be_long(tmp_path, memory):
    names = [f"ENSG{gene:011d}.{gene}" for gene in range(8_000)]
    assert len(",".join(names)) > 131_072
    rows = [[f"{value:.1f}" for value in row] for row in np.random.default_rng(1).normal(size=(30, len(names)))]
    net = sl.learn(written(tmp_path / "genes.csv", ",".join(names), rows), columns=names[:4], memory=memory)
    assert (net.names, net.n_rows) == (tuple(names[:4]), 30)


@IN_BOTH
def test_a_cell_may_be_long(tmp_path, memory):
    rows = [[f"{x:.3f}", f"{y:.3f}", "t" * 140_000] for x, y in numbers(30).to_numpy()]
    net = sl.learn(written(tmp_path / "long.csv", "x,y,text", rows), drop=["text"], memory=memory)
    assert (net.names, net.n_rows) == (("x", "y"), 30)


COMMENTED = ["#city,sex,smokes", "# a comment\n#city,sex,smokes", "# made, in, 2020\ncity,sex,smokes"]


def people():
    rng = np.random.default_rng(4)
    choices = (["Rome", "Oslo", "Bern"], ["m", "f"], ["yes", "no"])
    return [[str(rng.choice(values)) for values in choices] for _ in range(ROWS)]


@IN_BOTH
@pytest.mark.parametrize("header", COMMENTED)
def test_a_row_of_texts_does_not_become_the_names_below_a_commented_header(tmp_path, memory, header):
    path = written(tmp_path / "people.csv", header, people())
    try:
        net = sl.learn(path, memory=memory)
    except sl.InputError as error:
        assert "header" in str(error)  # noqa: PT017 - asking is right, too
    else:
        assert (net.names, net.n_rows) == (("city", "sex", "smokes"), ROWS)


@IN_BOTH
@pytest.mark.parametrize("n_quotes", [1, 2, 3])
def test_a_quote_within_a_cell_does_not_open_a_quotation(tmp_path, memory, n_quotes):
    frame = numbers()
    notes = ['6" tall' if i < n_quotes else '"line one\nline two"' if i % 3 else "plain" for i in range(ROWS)]
    cells = [[f"{x:.3f}", note, f"{y:.3f}"] for x, note, y in zip(frame["x"], notes, frame["y"], strict=True)]
    path = written(tmp_path / "notes.csv", "x,note,y", cells)
    assert len(list(csv.reader(io.StringIO(path.read_text(), newline="")))) == ROWS + 1  # Python reads it so
    net = sl.learn(path, memory=memory)
    assert (net.n_rows, column(net, "note").n_values) == (ROWS, 3)


@IN_BOTH
def test_commas_in_quotes_do_not_divide_a_file_with_semicolons(tmp_path, memory):
    cells = [[f"{x:.3f}", f"{y:.3f}", '"p, q, r, s"' if x > y else '"t, u, v, w"'] for x, y in numbers().to_numpy()]
    path = written(tmp_path / "semicolons.csv", 'x;y;"a, b, c, d"', cells, ";")
    net = sl.learn(path, memory=memory)
    assert [(c.name, c.type) for c in net.types] == [("x", "number"), ("y", "number"), ("a, b, c, d", "category")]


# Missing values with few rows.


def few_rows_with_gaps(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(60, 40))).add_prefix("v")
    return frame.mask(rng.random(frame.shape) < 0.1)


@pytest.mark.parametrize("missing", ["pairwise", "em"])
@pytest.mark.parametrize("seed", range(8))
def test_independent_columns_with_gaps_are_no_linear_combinations(seed, missing):
    frame = few_rows_with_gaps(seed)
    assert not sl.diagnose(frame, missing=missing).errors
    assert not [found for found in sl.diagnose(frame, missing=missing, fix=True).findings if found.kind == "fixed"]


@pytest.mark.parametrize("missing", ["pairwise", "em"])
def test_copies_and_sums_with_gaps_are_still_found(missing):
    rng = np.random.default_rng(9)
    frame = pd.DataFrame(rng.normal(size=(ROWS, 4)), columns=list("abcd"))
    frame["copy"], frame["sum"] = 2 * frame["a"], frame["b"] + frame["c"]
    errors = sl.diagnose(frame.mask(rng.random(frame.shape) < 0.05), missing=missing).errors
    assert [set(found.culprits) for found in errors] == [{"a", "copy"}, {"b", "c", "sum"}]


# Cells and names of a kind that cannot be used, each with a clear error.


@pytest.mark.parametrize("dtype", [str, object])
def test_masked_cells_of_texts_are_missing(dtype):
    rng = np.random.default_rng(5)
    texts, mask = rng.choice(["u", "v"], (ROWS, 3)).astype(dtype), rng.random((ROWS, 3)) < 0.05
    net = sl.learn(np.ma.masked_array(texts, mask), missing="drop")
    assert [(c.type, c.n_values, c.n_missing) for c in net.types] == [("category", 2, n) for n in mask.sum(axis=0)]


def complex_sources():
    values = np.random.default_rng(6).normal(size=(ROWS, 3)) + 1j
    series = pl.Series("u", [1 + 2j, 2j] * (ROWS // 2), dtype=pl.Object)
    frame = pl.from_pandas(numbers()).with_columns(series)
    return {
        "an array": values,
        "a masked array": np.ma.masked_array(values, np.zeros(values.shape, dtype=bool)),
        "an object array": values.astype(object),
        "pandas": numbers().assign(u=values[:, 0]),
        "pandas, repeated": numbers().assign(u=[1 + 2j, 2j] * (ROWS // 2)),
        "polars": frame,
        "polars, lazy": frame.lazy(),
    }


@pytest.mark.parametrize("source", complex_sources())
def test_complex_numbers_are_refused(source):
    with pytest.raises(sl.InputError, match=r"complex|objects"):
        sl.learn(complex_sources()[source])


def unions():
    kinds, cells = pa.array([0, 1] * (ROWS // 2), pa.int8()), [pa.array(np.ones(ROWS)), pa.array(["t"] * ROWS)]
    places = pa.array(range(ROWS), pa.int32())
    return [pa.UnionArray.from_sparse(kinds, cells), pa.UnionArray.from_dense(kinds, places, cells)]


@IN_BOTH
@pytest.mark.parametrize("union", unions(), ids=["sparse", "dense"])
def test_unions_are_refused_by_the_name_of_their_column(union, memory):
    table = pa.table({**numbers(), "u": union})
    for source in (table, iter([table])):
        with pytest.raises(sl.InputError, match="column 'u'"):
            sl.learn(source, memory=memory)


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}, {1, 2}, np.arange(2)], ids=["list", "dict", "set", "array"])
def test_cells_with_several_values_in_an_object_array_are_refused(cell):
    array = np.empty((ROWS, 3), dtype=object)
    array[:, :2] = numbers()
    for row in range(ROWS):
        array[row, 2] = cell
    with pytest.raises(sl.InputError, match="column '2' holds a"):
        sl.learn(array)


@pytest.mark.parametrize("names", [[1, True], [0, False], [1, 1.0]])
def test_names_that_python_takes_for_equal_are_refused(names):
    frame = numbers()
    frame.columns = names
    sources = [frame, iter([frame]), (frame.to_numpy(), names)]
    if names != [1, 1.0]:  # as texts they differ, and Dask has texts
        dd = pytest.importorskip("dask.dataframe")
        sources.append(dd.from_pandas(frame, npartitions=2))
    for source in sources:
        array, given = source if isinstance(source, tuple) else (source, None)
        with pytest.raises(sl.InputError, match="name"):
            sl.learn(array, names=given)
