import os
import stat

import pytest

import sidelight as sl
from sidelight.data.files import write_whole, written_beside


def test_a_new_file_has_the_permissions_of_the_users_umask(tmp_path):
    before = os.umask(0o077)
    try:
        write_whole(tmp_path / "f", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o600


def test_a_file_that_is_overwritten_keeps_its_permissions(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_nothing_is_left_when_writing_fails(tmp_path):
    def fail():
        with written_beside(tmp_path / "f") as beside:
            beside.write_bytes(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path):
    with pytest.raises(sl.InputError, match="cannot write"):
        write_whole(tmp_path / "nowhere" / "f", b"x")
