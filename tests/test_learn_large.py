"""Tables in batches: whatever they come from, and however little memory there is, the network is that of the table."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.simulation import networks

LITTLE = "100kB"  # so little that every table below is read in batches


def edges(net):
    return set(net.directed_edges), {frozenset(edge) for edge in net.undirected_edges}


def table_of(kind, rows=6000):
    graph = networks.load_discrete("asia") if kind == "discrete" else networks.load("asia")
    return sl.simulate(graph, rows, kind=kind, seed=5).table


def in_batches(net):
    return any(warning.kind == "batches" for warning in net.warnings)


def assert_same(large, whole):
    assert in_batches(large)
    assert not in_batches(whole)
    assert edges(large) == edges(whole)
    assert large.score == pytest.approx(whole.score, rel=1e-9)
    assert (large.n_rows, large.n_complete) == (whole.n_rows, whole.n_complete)
    assert [(c.name, c.type, c.n_missing) for c in large.types] == [(c.name, c.type, c.n_missing) for c in whole.types]
    others = [(w.kind, w.culprits) for w in large.warnings if w.kind != "batches"]
    assert others == [(w.kind, w.culprits) for w in whole.warnings]


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "mixed"])
@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv"])
def test_a_file_gives_the_same_network_in_batches(tmp_path, kind, suffix):
    table, path = table_of(kind, 3000 if kind == "mixed" else 6000), tmp_path / f"table{suffix}"
    if suffix == ".csv":
        table.to_pandas().to_csv(path, index=False)
    else:
        {".parquet": pq.write_table, ".feather": pa.feather.write_feather}[suffix](table, path)
    assert_same(sl.learn(path, memory=LITTLE), sl.learn(path))


@pytest.mark.parametrize("make", ["folder", "dataset", "lazy", "reader", "frames", "relation"])
@pytest.mark.parametrize("kind", ["gaussian", "discrete"])
def test_every_source_of_batches_gives_the_same_network(tmp_path, make, kind):
    table = table_of(kind)

    def source():
        match make:
            case "lazy":
                return pl.from_arrow(table).lazy()
            case "reader":
                return table.to_reader(max_chunksize=500)
            case "frames":
                return (table.slice(start, 700).to_pandas() for start in range(0, table.num_rows, 700))
            case "relation":
                return pytest.importorskip("duckdb").arrow(table)
        for number in range(3):
            pq.write_table(table.slice(2000 * number, 2000), tmp_path / f"part-{number}.parquet")
        return tmp_path if make == "folder" else pa.dataset.dataset(tmp_path)

    whole = sl.learn(table)
    assert edges(sl.learn(source())) == edges(whole)
    assert_same(sl.learn(source(), memory=LITTLE), whole)


def test_folders_are_columns_where_their_names_say_so(tmp_path):
    frame = table_of("discrete").to_pandas()
    for value, part in frame.groupby("asia"):
        (tmp_path / f"asia={value}").mkdir()
        part.drop(columns="asia").to_parquet(tmp_path / f"asia={value}" / "rows.parquet")
    whole = sl.learn(frame)
    assert edges(sl.learn(tmp_path)) == edges(whole)
    assert edges(sl.learn(tmp_path, memory=LITTLE)) == edges(whole)


@pytest.mark.parametrize("missing", ["drop", "error"])
def test_gaps_are_counted_and_left_out_as_in_memory(tmp_path, missing):
    frame = table_of("gaussian").to_pandas()
    rng = np.random.default_rng(1)
    for name in frame.columns[:3]:
        frame.loc[rng.random(len(frame)) < 0.02, name] = np.nan
    frame.iloc[17, 4] = np.inf
    path = tmp_path / "gaps.parquet"
    frame.to_parquet(path)
    if missing == "drop":
        assert_same(sl.learn(path, missing="drop", memory=LITTLE), sl.learn(path, missing="drop"))
        return
    large, whole = (sl.diagnose(path, memory=memory).errors for memory in (LITTLE, None))
    assert [(finding.kind, finding.text) for finding in large] == [(finding.kind, finding.text) for finding in whole]


@pytest.mark.parametrize("whole_numbers", [True, False])
@pytest.mark.parametrize("kind", ["gaussian", "discrete"])
def test_weights_count_rows_as_in_memory(tmp_path, kind, whole_numbers):
    frame = table_of(kind).to_pandas()
    rng = np.random.default_rng(2)
    frame["w"] = rng.integers(0, 4, len(frame)) if whole_numbers else rng.uniform(0.2, 3, len(frame))
    path = tmp_path / "weighted.parquet"
    frame.to_parquet(path)
    large, whole = (sl.learn(path, weights="w", memory=memory) for memory in (LITTLE, None))
    assert edges(large) == edges(whole)
    assert large.score == pytest.approx(whole.score, rel=1e-6)


def test_normal_scores_and_ordered_categories_are_those_of_the_table(tmp_path):
    frame = table_of("gaussian").to_pandas()
    path = tmp_path / "scores.parquet"
    np.exp(frame).to_parquet(path)
    large, whole = (sl.learn(path, correlation="normal-scores", memory=memory) for memory in (LITTLE, None))
    assert edges(large) == edges(whole)
    stages = frame.assign(asia=pd.cut(frame["asia"], 4, labels=False), tub=pd.cut(frame["tub"], 3, labels=list("abc")))
    stages[:2000].astype({"tub": str}).to_parquet(path)
    types = {"asia": "ordinal", "tub": ("a", "b", "c")}
    large, whole = (sl.learn(path, types=types, memory=memory) for memory in (LITTLE, None))
    assert edges(large) == edges(whole)
    assert large.score == pytest.approx(whole.score, rel=1e-9)


def test_what_is_wrong_is_found_in_rows_that_are_rare(tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(60_000, 4)), columns=list("abcd"))
    frame["few"] = rng.integers(0, 3, len(frame)).astype(float)
    frame.loc[43_211, "few"] = 1.5  # the only fraction
    frame.loc[31_007, "a"] = 1e6  # the only extreme value
    frame["id"] = rng.permutation(len(frame))
    frame["constant"] = 7.0
    frame["text"] = "yes"
    frame.loc[55_555, "text"] = "no"
    path = tmp_path / "rare.parquet"
    frame.to_parquet(path)
    large, whole = (sl.diagnose(path, memory=memory) for memory in ("2MB", None))
    assert [(c.name, c.type) for c in large.types] == [(c.name, c.type) for c in whole.types]
    found = [(finding.kind, finding.culprits) for finding in large.findings if finding.kind != "batches"]
    assert found == [(finding.kind, finding.culprits) for finding in whole.findings]


def test_remedies_are_applied_to_all_rows(tmp_path):
    frame = table_of("gaussian").to_pandas().assign(constant=1.0)
    frame["copy"] = 2 * frame["asia"]
    path = tmp_path / "curable.parquet"
    frame.to_parquet(path)
    large, whole = (sl.learn(path, fix=True, memory=memory) for memory in (LITTLE, None))
    assert edges(large) == edges(whole)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": "much"}, "memory must be a size such as '4GB'"),
        ({"memory": LITTLE, "test": "kernel"}, "needs all rows in memory"),
        ({"memory": LITTLE, "missing": "pairwise"}, "needs all rows in memory"),
        ({"memory": LITTLE, "weights": np.ones(6000)}, "must be a column of it"),
    ],
)
def test_what_needs_all_rows_in_memory_says_so(tmp_path, options, message):
    path = tmp_path / "table.parquet"
    pq.write_table(table_of("gaussian"), path)
    with pytest.raises(sl.InputError, match=message):
        sl.learn(path, **options)


def test_resamples_need_all_rows_in_memory(tmp_path):
    path = tmp_path / "table.parquet"
    pq.write_table(table_of("gaussian"), path)
    with pytest.raises(sl.InputError, match="rows in memory"):
        sl.stability(path, resamples=2, memory=LITTLE)


def test_progress_counts_rows(tmp_path):
    path, seen = tmp_path / "table.parquet", []
    pq.write_table(table_of("gaussian"), path)
    sl.learn(path, memory=LITTLE, progress=lambda phase, done: seen.append((phase, done)))
    assert max(done for phase, done in seen if phase == "reading") == 6000


def both(tmp_path, frame, **options):
    path = tmp_path / "both.parquet"
    frame.to_parquet(path)
    return sl.learn(path, memory=LITTLE, **options), sl.learn(path, **options)


def test_dates_and_numbers_in_texts_are_read_in_one_way_in_all_batches(tmp_path):
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.normal(size=(6000, 2)), columns=["x", "y"])
    days = np.where(np.arange(6000) < 3000, rng.integers(1, 13, 6000), rng.integers(13, 29, 6000))
    frame["when"] = [f"{month:02d}/{day:02d}/2024" for month, day in zip(rng.integers(1, 13, 6000), days, strict=True)]
    values = np.where(np.arange(6000) < 3000, 1.5, rng.normal(size=6000).round(3))
    frame["comma"] = [f"{value:.3f}".replace(".", ",") for value in values]  # 1,500 may be a thousand in the first half
    frame["point"] = [f"{value:.1f},5".replace(".", "").replace("-", "") for value in rng.normal(size=6000)]
    large, whole = both(tmp_path, frame, dates=["when"])
    assert large.score == pytest.approx(whole.score, rel=1e-9)
    assert [(c.name, c.type) for c in large.types] == [(c.name, c.type) for c in whole.types]


def test_ordered_numbers_are_positions_for_every_test(tmp_path):
    rng = np.random.default_rng(7)
    stage = rng.integers(0, 3, 6000)
    frame = pd.DataFrame({"x": stage + rng.normal(size=6000), "o": 10.0**stage, "y": rng.normal(size=6000)})
    large, whole = both(tmp_path, frame, types={"o": "ordinal"}, test="fisher-z")
    assert large.score == pytest.approx(whole.score, rel=1e-9)


def test_gaps_of_ignored_columns_do_not_count(tmp_path):
    frame = table_of("gaussian").to_pandas()
    frame.loc[::2, "asia"] = np.nan
    frame.loc[::5, "tub"] = np.nan
    large, whole = both(tmp_path, frame, types={"asia": "ignore"}, missing="drop")
    assert_same(large, whole)


def test_a_category_whose_first_row_is_left_out_is_known(tmp_path):
    frame = table_of("discrete").to_pandas()
    frame.loc[5500:, "xray"] = "unknown"
    frame.loc[5500:5510, "dysp"] = None
    frame.loc[5990, "bronc"] = "only here"
    frame.loc[5990, "dysp"] = None
    assert_same(*both(tmp_path, frame, missing="drop"))


@pytest.mark.parametrize("bad", [-1.0, np.nan, "text"])
def test_weights_that_are_none_are_refused(tmp_path, bad):
    frame = table_of("gaussian").to_pandas().assign(w=1.0)
    frame["w"] = frame["w"].astype(object)
    frame.loc[4000:, "w"] = bad
    path = tmp_path / "weights.parquet"
    frame.astype({"w": str if bad == "text" else float}).to_parquet(path)
    with pytest.raises(sl.InputError, match="weights: "):
        sl.learn(path, weights="w", memory=LITTLE)


def test_survey_weights_are_worth_the_same_with_rows_left_out(tmp_path):
    frame = table_of("gaussian").to_pandas()
    frame["w"] = np.random.default_rng(9).exponential(size=len(frame))
    frame.loc[::3, "asia"] = np.nan
    large, whole = both(tmp_path, frame, weights="w", missing="drop")
    assert large.score == pytest.approx(whole.score, rel=1e-6)
    assert [w.text for w in large.warnings if w.kind == "survey weights"] == [
        w.text for w in whole.warnings if w.kind == "survey weights"
    ]


def test_frames_of_an_iterator_may_differ_in_types_of_numbers():
    frame = table_of("gaussian").to_pandas()
    whole = frame.round().iloc[:3000].astype(int)
    net = sl.learn(part for part in (whole, frame.iloc[3000:]))
    assert net.n_rows == 6000


@pytest.mark.parametrize(("label", "variation"), [(str, "within"), (int, "within"), (str, "between")])
def test_groups_whose_rows_are_spread_over_batches_are_those_of_the_table(tmp_path, label, variation):
    rng, path = np.random.default_rng(0), tmp_path / "t.csv"
    frame = table_of("gaussian").to_pandas()
    who = rng.integers(0, 700, len(frame))
    frame += rng.standard_normal((700, frame.shape[1]))[who] + 1000
    frame = frame.assign(town=[f"t{i % 7}" for i in who], who=[label(i) for i in who])
    frame.loc[5, frame.columns[0]] = np.nan
    frame.to_csv(path, index=False)
    how = {"groups": "who", "variation": variation, "missing": "drop"}
    large, whole = (sl.learn(path, memory=memory, **how) for memory in (LITTLE, None))
    assert edges(large) == edges(whole)
    assert large.score == pytest.approx(whole.score, rel=1e-9)
    assert ("same within groups" in [w.kind for w in large.warnings]) == (variation == "within")
    if variation == "within":
        assert_same(large, whole)
        assert large.trust == whole.trust


def test_categories_within_groups_need_their_rows_in_memory(tmp_path):
    frame = table_of("discrete").to_pandas().assign(who=np.arange(6000) % 600)
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(sl.InputError, match="categories within groups need all rows in memory"):
        sl.learn(tmp_path / "t.csv", groups="who", memory=LITTLE)
