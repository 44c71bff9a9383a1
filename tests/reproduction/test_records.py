import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.reproduction.records import Records

JOBS = [{"experiment": "e", "seed": seed, "exponent": 0.72} for seed in range(4)]


def filled(path):
    records = Records(path, "1")
    for job in JOBS:
        records.add(job, {"rsl-d": {"f1": 1 / 3, "seed": job["seed"]}})
    return records


def test_what_was_kept_is_there_when_the_file_is_opened_again(tmp_path):
    filled(tmp_path / "r").close()
    again = Records(tmp_path / "r", "1")
    assert [again[job]["rsl-d"] for job in JOBS] == [{"f1": 1 / 3, "seed": seed} for seed in range(4)]
    assert again.n_damaged == 0


def test_a_job_is_the_same_whatever_the_order_of_its_parts(tmp_path):
    records = filled(tmp_path / "r")
    assert dict(reversed(JOBS[0].items())) in records


@given(st.data())
def test_one_damaged_byte_costs_one_record_and_never_gives_a_wrong_one(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("records") / "r"
    filled(path).close()
    content = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(content) - 1))
    content[position] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    again = Records(path, "1")
    right = [job for job in JOBS if job in again and again[job] == {"rsl-d": {"f1": 1 / 3, "seed": job["seed"]}}]
    assert len(right) == sum(job in again for job in JOBS)
    assert len(right) >= len(JOBS) - 2  # two, when it was the end of a line
    assert again.n_damaged >= 1 or len(right) == len(JOBS)


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_record_that_was_half_written_is_done_again(tmp_path, cut):
    path = tmp_path / "r"
    filled(path).close()
    path.write_bytes(path.read_bytes()[:-cut])
    again = Records(path, "1")
    if cut > 1:  # only the end of the line is lost
        assert JOBS[3] not in again
        assert again.n_damaged == 1
    again.add(JOBS[3], {"x": 1})
    again.close()
    assert [job in Records(path, "1") for job in JOBS] == [True] * 4


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


def test_two_studies_do_not_write_to_one_file(tmp_path):
    first = filled(tmp_path / "r")
    with pytest.raises(InputError, match="another study"):
        Records(tmp_path / "r", "1")
    first.close()
    assert JOBS[0] in Records(tmp_path / "r", "1")


def test_a_folder_in_the_place_of_records_is_told(tmp_path):
    with pytest.raises(InputError, match="for records"):
        Records(tmp_path, "1")
