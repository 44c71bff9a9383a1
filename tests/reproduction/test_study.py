import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.graphs.properties import clique_number, is_diamond_free, max_in_degree
from studies.reproduction import growth, levels, structures
from studies.reproduction.command import app
from studies.reproduction.experiments import EXPERIMENTS, do
from studies.reproduction.figures import Figure, Panel, mean_and_band
from studies.reproduction.folder import open_records, parts_of, reproduce
from studies.reproduction.growth import two_layers
from studies.reproduction.study import run as run_jobs
from studies.reproduction.summaries import cut_of
from studies.reproduction.table import _verdict, exact_count, paper_value
from studies.reproduction.tables import ResultTable

ROOT = Path(__file__).parent.parent.parent
SMALL = {
    "oracle": {"runs": 2, "sizes": [10, 15]},
    "samples": {"runs": 2, "sizes": [10]},
    "structures": {"runs": 1, "sizes": [500]},
    "levels": {"runs": 1, "sizes": [500]},
    "tc": {"runs": 2, "sizes": [20, 30]},
    "lemma": {"runs": 3, "sizes": [10, 20]},
    "growth": {"runs": 1, "sizes": [20, 30]},
}


def small(name):
    (part,) = parts_of([name], False, SMALL[name]["runs"], SMALL[name]["sizes"])
    return replace(part, scale=replace(part.scale, max_tests=min(part.scale.max_tests, 1000)))


def run(folder, name, **kinds):
    with closing(open_records(folder)) as records:
        return reproduce([small(name)], folder, records, **kinds)


def tables_in(folder):
    return {path.name: path.read_bytes() for path in (folder / "tables").glob("*.csv")}


def tables_of(folder, part, n_jobs=1, dask=None):
    """The same tables without the figures, which take longest."""
    with closing(open_records(folder)) as records:
        done = run_jobs(part.jobs(), records, do, n_jobs, dask, lambda done: None)
    tables = [
        output for output in part.experiment.show(done) if isinstance(output, ResultTable) and not output.of_times
    ]
    return {f"{table.name}.csv": table.to_csv().encode() for table in tables}


@pytest.fixture
def fewer_points(monkeypatch):
    """Two points are enough to draw a line, and two structures to draw a figure each."""
    monkeypatch.setattr(levels, "ALPHAS", (0.01, 0.05))
    monkeypatch.setattr(growth, "PARENTS", (1, 2, 3))
    monkeypatch.setattr(structures, "STRUCTURES", {"insurance": "insurance-paper", "hepar2": "hepar2"})


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "table"])
def test_every_experiment_draws_its_figures_and_writes_its_tables(tmp_path, name, fewer_points):
    tables = run(tmp_path, name)
    assert all(table.rows for table in tables)
    svgs = list((tmp_path / "figures").glob("*.svg"))
    assert svgs
    for svg in svgs:
        assert svg.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        assert b"<svg" in svg.read_bytes()
    assert f"python -m studies.reproduction {name}" in (tmp_path / "reproduction.md").read_text()
    for table in tables:
        assert (tmp_path / table.place / f"{table.name}.csv").read_text().count("\n") == len(table.rows) + 1


def test_workers_and_a_cluster_give_the_same_tables(tmp_path):
    distributed = pytest.importorskip("distributed")
    part = small("samples")
    one = tables_of(tmp_path / "one", part)
    assert one["samples.csv"].count(b"\n") == 1 + 2 * 7
    assert tables_of(tmp_path / "two", part, n_jobs=2) == one
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        assert tables_of(tmp_path / "cluster", part, dask=cluster.scheduler_address) == one


WORKER_ELSEWHERE = """
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        input()
"""


def test_workers_of_a_cluster_need_not_have_the_study(tmp_path):
    pytest.importorskip("distributed")
    part = small("lemma")
    (tmp_path / "cluster.py").write_text(WORKER_ELSEWHERE)
    elsewhere = {**os.environ, "PYTHONPATH": str(Path(sl.__file__).parents[1])}
    command = [sys.executable, "cluster.py"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, env=elsewhere, **pipes) as cluster:
        address = cluster.stdout.readline().strip()
        assert tables_of(tmp_path / "cluster", part, dask=address) == tables_of(tmp_path / "one", part)
        cluster.communicate("\n")


def test_a_scheduler_that_does_not_answer_is_told(tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(sl.InputError, match="no scheduler answers"):
        run(tmp_path, "lemma", dask="nowhere://1")


KILLED_IN_THE_THIRD_RUN = """
import os, signal
from sidelight.cli.entry import main
from studies.reproduction import folder

def do(job, done=[], work=folder.do):
    if len(done) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(job)
    return work(job)

folder.do = do
main("studies.reproduction.command")
"""


def test_a_study_that_is_killed_goes_on_and_ends_with_the_same_tables(tmp_path):
    (part,) = parts_of(["samples"], False, 2, [10])
    options = ["samples", "--runs", "2", "--sizes", "10", "--n-jobs", "1", "--quiet", "--out", tmp_path]
    killed = subprocess.run([sys.executable, "-c", KILLED_IN_THE_THIRD_RUN, *options], cwd=ROOT)
    assert killed.returncode == -signal.SIGKILL
    assert not list((tmp_path / "tables").iterdir())
    kept = rows_of(tmp_path / "records.sqlite")
    assert len(kept) == 2
    with closing(open_records(tmp_path)) as records:
        reproduce([part], tmp_path, records)
    assert rows_of(tmp_path / "records.sqlite")[:2] == kept
    assert len(rows_of(tmp_path / "records.sqlite")) == len(part.jobs()) == 4  # nothing was done twice
    assert tables_in(tmp_path) == tables_of(tmp_path / "through", part)


def rows_of(path):
    with closing(sqlite3.connect(path)) as database:
        return database.execute("select * from records order by rowid").fetchall()


def test_a_full_disk_is_one_message_and_exit_code_2_also_with_workers(tmp_path):
    options = ["lemma", "--runs", "40", "--sizes", "10", "--n-jobs", "2", "--out", tmp_path]
    command = [sys.executable, "-m", "studies.reproduction", *options]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, preexec_fn=only_small_files)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "cannot keep a result" in ended.stderr


def only_small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))


def test_records_of_an_earlier_version_are_told(tmp_path):
    (tmp_path / "records.jsonl").write_text("0000 {}\n")
    with pytest.raises(sl.InputError, match="an earlier version of sidelight"):
        open_records(tmp_path)


def test_damaged_records_are_told_by_the_command(tmp_path):
    run(tmp_path, "tc")
    path = tmp_path / "records.sqlite"
    path.write_bytes(path.read_bytes().replace(b'"members": ', b'"members":-', 1))
    options = ["tc", "--runs", "2", "--sizes", "20,30", "--n-jobs", "1", "--out", str(tmp_path)]
    assert "1 damaged records in" in CliRunner().invoke(app, options).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lemma", "--n-jobs", "0", "--out", "s"], "--n-jobs must be a number of workers"),
        (["tabel"], "got 'tabel'"),
        (["oracle", "--sizes", "ten"], "--sizes ten"),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_2(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_study_prints_its_tables_or_gives_them_as_json(tmp_path):
    options = ["lemma", "--runs", "2", "--sizes", "10", "--out", str(tmp_path / "s"), "--n-jobs", "1"]
    assert "Share of random graphs" in CliRunner().invoke(app, options).stdout
    tables = json.loads(CliRunner().invoke(app, [*options, "--json"]).stdout)
    assert tables[0]["columns"][:2] == ["exponent", "n"]
    assert CliRunner().invoke(app, [*options, "--quiet"]).stdout == ""


def test_the_papers_values_are_those_of_its_table():
    assert paper_value("rsl-d", "f1", "andes") == "0.86"
    assert paper_value("pc", "oracle_tests", "pigs") == ">1e13"
    assert paper_value("mmpc", "alss", "pigs") == "NA"
    assert exact_count("marvel", "andes") == "6690"
    assert exact_count("mmpc", "andes") == "NA"


def test_two_layers_meet_every_assumption_of_the_table_of_bounds():
    graph = two_layers(30, 4, np.random.default_rng(0))
    assert clique_number(graph) == 2
    assert is_diamond_free(graph)
    assert max_in_degree(graph) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["tabel"], False), "got 'tabel'"),
        ((["oracle"], False, 0), "runs=0"),
        (([], False, None, [10]), "one at a time"),
        ((["oracle"], False, None, [3]), "a size is 10"),
        ((["oracle"], False, None, None, -1), "seed=-1"),
        ((["all", "tabel"], False), "got 'tabel'"),
        ((["levels"], False, None, [500, 1000]), "one size at a time"),
    ],
)
def test_a_study_that_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(sl.InputError, match=message):
        parts_of(*arguments)


def test_the_band_is_students_interval_for_the_mean():
    from scipy.stats import t

    runs = [1.0, 2.0, 4.0, 8.0]
    mean, low, high = mean_and_band(runs)
    expected = t.interval(0.8, 3, loc=np.mean(runs), scale=np.std(runs, ddof=1) / 2)
    assert mean == np.mean(runs)
    np.testing.assert_allclose((low, high), expected)


def test_the_same_runs_give_the_same_picture():
    panel = Panel("a", "x", "y", {"RSL-D": {1: [1, 2], 2: [2, 3]}, "PC": {1: [5, 6], 2: [0, 0]}}, log_y=True)
    one, two = (Figure("f", "title", (panel,)).draw() for _ in range(2))
    assert one == two


def test_a_table_is_the_same_as_csv_and_as_markdown():
    table = ResultTable("t", "Title", ("a", "b", "c"), ((1, 0.5, "x"), (10000, 12345.678, None)))
    assert table.to_csv() == "a,b,c\n1,0.5,x\n10000,12345.7,\n"
    assert (
        table.to_markdown()
        == "**Title**\n\n| a | b | c |\n| --- | --- | --- |\n| 1 | 0.500 | x |\n| 10,000 | 12,346 | – |\n"
    )


def test_a_size_that_is_given_twice_counts_once():
    (part,) = parts_of(["lemma"], False, 2, [10, 10])
    assert part.scale.sizes == (10,)


def test_the_page_keeps_the_sections_of_earlier_commands(tmp_path):
    run(tmp_path, "lemma")
    run(tmp_path, "tc")
    page = (tmp_path / "reproduction.md").read_text()
    assert "python -m studies.reproduction lemma" in page
    assert "python -m studies.reproduction tc" in page


def test_figures_tell_at_which_points_runs_were_stopped():
    done = [({"n": 10}, {"pc": {"tests": 1000, "cut": True}}), ({"n": 20}, {"pc": {"tests": 5, "cut": False}})]
    assert cut_of(done, "n") == {"PC": frozenset({10})}


def test_workers_that_are_none_are_refused(tmp_path):
    with pytest.raises(sl.InputError, match="n_jobs must be a number of workers"):
        run(tmp_path, "lemma", n_jobs=0)


@pytest.mark.parametrize(
    ("ours", "reference", "verdict"),
    [
        ({"cut": False, "tests": 7}, "7", "equal"),
        ({"cut": False, "tests": 9}, "7", "2 more"),
        ({"cut": False, "tests": 5}, "7", "2 fewer"),
        ({"cut": True, "tests": 100}, ">1e7", "beyond the limit too"),
        ({"cut": False, "tests": 100}, ">1e7", "fewer"),
        ({"cut": True, "tests": 100}, "7", "more"),
        ({"cut": True, "tests": 100}, "NA", "–"),
    ],
)
def test_a_count_is_set_beside_its_reference(ours, reference, verdict):
    assert _verdict(ours, reference) == verdict


def test_the_folder_must_be_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(sl.InputError, match="as a folder"):
        open_records(Path(tmp_path / "file" / "inside"))
