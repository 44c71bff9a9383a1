import resource
import sqlite3
import subprocess
import sys
from functools import cache
from multiprocessing import get_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.runs.records import Records

JOBS = [{"experiment": "e", "seed": seed, "exponent": 0.72} for seed in range(4)]


def result_of(job):
    return {"rsl-d": {"f1": 1 / 3, "seed": job["seed"]}}


def filled(path):
    records = Records(path, "1")
    for job in JOBS:
        records.add(job, result_of(job))
    return records


def right_in(records, jobs=JOBS):
    """The jobs with a result; none of them has a wrong one."""
    kept = [job for job in jobs if job in records]
    assert all(records[job] == result_of(job) for job in kept)
    return kept


def test_what_was_kept_is_there_when_the_file_is_opened_again(tmp_path):
    filled(tmp_path / "r").close()
    again = Records(tmp_path / "r", "1")
    assert right_in(again) == JOBS
    assert again.n_damaged == 0


def test_a_job_is_the_same_whatever_the_order_of_its_parts(tmp_path):
    records = filled(tmp_path / "r")
    assert dict(reversed(JOBS[0].items())) in records


@cache
def content_of_filled(folder):
    filled(folder / "filled").close()
    return (folder / "filled").read_bytes()


@given(st.data())
def test_one_damaged_byte_costs_one_record_or_is_told_and_never_gives_a_wrong_one(tmp_path_factory, data):
    content = bytearray(content_of_filled(tmp_path_factory.getbasetemp()))
    used = [position for position, byte in enumerate(content) if byte]
    content[data.draw(st.sampled_from(used))] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("records") / "r"
    path.write_bytes(content)
    told = ""
    try:
        again = Records(path, "1")
    except InputError as error:
        told = str(error)
    if told:
        assert str(path) in told
        assert path.read_bytes() == content
    else:
        assert len(right_in(again)) == len(JOBS) - again.n_damaged
        assert again.n_damaged <= 1


def test_a_damaged_record_is_done_again_and_the_others_stay(tmp_path):
    path = tmp_path / "r"
    filled(path).close()
    path.write_bytes(path.read_bytes().replace(b'"seed": 3}}', b'"seed": 7}}'))
    again = Records(path, "1")
    assert again.n_damaged == 1
    assert right_in(again) == JOBS[:3]
    again.add(JOBS[3], result_of(JOBS[3]))
    again.close()
    assert right_in(Records(path, "1")) == JOBS


@pytest.mark.parametrize("size", [10, 100, 5000])
def test_a_file_that_was_cut_off_is_told_with_what_to_do(tmp_path, size):
    path = tmp_path / "r"
    filled(path).close()
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(InputError, match=r"damaged.*move it away"):
        Records(path, "1")


MANY_JOBS = [{"seed": seed} for seed in range(10_000)]


def keep_many(path, connection):
    records = Records(path, "1")
    for job in MANY_JOBS:
        records.add(job, result_of(job))
        connection.send("kept")


@pytest.mark.parametrize("n_kept", range(1, 9))
def test_a_study_that_is_killed_while_it_writes_loses_nothing_that_was_kept(tmp_path, n_kept):
    processes = get_context("fork")
    receiver, sender = processes.Pipe(duplex=False)
    study = processes.Process(target=keep_many, args=(tmp_path / "r", sender))
    study.start()
    for _ in range(n_kept):
        receiver.recv()
    study.kill()
    study.join()
    again = Records(tmp_path / "r", "1")
    kept = right_in(again, MANY_JOBS)
    assert kept == MANY_JOBS[: len(kept)]
    assert n_kept <= len(kept) < len(MANY_JOBS)
    assert again.n_damaged == 0
    again.add(MANY_JOBS[-1], result_of(MANY_JOBS[-1]))


def test_no_record_is_ever_changed(tmp_path):
    path = tmp_path / "r"
    filled(path).close()
    before = rows_of(path)
    again = Records(path, "1")
    again.add(JOBS[0], {"x": 1})
    again.add({"experiment": "e", "seed": 9}, {"x": 2})
    again.close()
    assert rows_of(path)[:4] == before
    assert len(rows_of(path)) == 6


def rows_of(path):
    database = sqlite3.connect(path)
    rows = database.execute("select * from records order by rowid").fetchall()
    database.close()
    return rows


def test_records_of_another_version_are_not_used_and_not_lost(tmp_path):
    filled(tmp_path / "r").close()
    other = Records(tmp_path / "r", "2")
    assert JOBS[0] not in other
    other.close()
    assert JOBS[0] in Records(tmp_path / "r", "1")


def test_a_file_that_holds_something_else_is_refused_and_stays_as_it_is(tmp_path):
    path = tmp_path / "r"
    path.write_text("my own data\n")
    with pytest.raises(InputError, match="something else"):
        Records(path, "1")
    assert path.read_text() == "my own data\n"


def test_a_database_of_another_program_is_refused_and_stays_as_it_is(tmp_path):
    path = tmp_path / "r"
    database = sqlite3.connect(path)
    database.execute("create table records (mine)")
    database.close()
    content = path.read_bytes()
    with pytest.raises(InputError, match="something else"):
        Records(path, "1")
    assert path.read_bytes() == content


def test_two_studies_do_not_write_to_one_file(tmp_path):
    first = filled(tmp_path / "r")
    with pytest.raises(InputError, match="another study"):
        Records(tmp_path / "r", "1")
    first.close()
    assert JOBS[0] in Records(tmp_path / "r", "1")


def test_the_file_of_a_study_is_locked_for_other_processes_before_its_first_result(tmp_path):
    records = Records(tmp_path / "r", "1")
    read = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('select * from records')"
    other = subprocess.run([sys.executable, "-c", read, tmp_path / "r"], capture_output=True, text=True)
    assert "database is locked" in other.stderr
    records.add(JOBS[0], result_of(JOBS[0]))
    records.close()
    assert subprocess.run([sys.executable, "-c", read, tmp_path / "r"]).returncode == 0


def test_a_full_disk_is_one_message_and_costs_nothing_that_was_kept(tmp_path):
    path = tmp_path / "r"
    records = filled(path)
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, unlimited[1]))
    try:
        with pytest.raises(InputError, match=r"cannot keep a result in .*; what was kept before stays") as told:
            records.add({"seed": 4}, {"long": "x" * 10_000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert told.value.__suppress_context__  # no second traceback above the message
    assert {"seed": 4} not in records
    records.close()
    assert right_in(Records(path, "1")) == JOBS


def test_a_folder_in_the_place_of_records_is_told(tmp_path):
    with pytest.raises(InputError, match="for records"):
        Records(tmp_path, "1")


def test_a_journal_that_a_killed_study_left_is_removed(tmp_path):
    """SQLite itself leaves one whose first bytes are zero, which means nothing, until something is written."""
    path = tmp_path / "records.sqlite"
    journal = path.with_name("records.sqlite-journal")
    records = Records(path, "1")
    records.add({"job": 1}, {"answer": 1})
    records.close()
    journal.write_bytes(bytes(512))
    again = Records(path, "1")
    assert again[{"job": 1}] == {"answer": 1}
    again.close()
    assert not journal.exists()
