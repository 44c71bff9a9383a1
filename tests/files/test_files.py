import os
import stat
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import networkx as nx
import pytest

import sidelight as sl
from sidelight.files.writing import NAME, check_target, write_whole, written_beside
from sidelight.text.message import in_command_words


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


def test_a_file_in_the_making_is_no_wider_open_than_the_one_that_it_replaces(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with written_beside(path) as beside:
        assert stat.S_IMODE(beside.stat().st_mode) == 0o600


def test_a_file_that_its_owner_may_not_write_is_replaced_and_stays_so(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o444)
    write_whole(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o444)


def test_the_umask_of_the_process_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", None)  # to call it would raise
    write_whole(tmp_path / "f", b"x")
    assert (tmp_path / "f").read_bytes() == b"x"


def test_the_content_is_on_the_disk_before_the_file_has_its_name(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append((os.fstat(descriptor).st_size, path.exists())))
    path = tmp_path / "f"
    write_whole(path, b"four")
    assert synced == [(4, False)]


def test_an_existing_file_is_refused_in_the_words_of_python_and_of_the_command(tmp_path):
    (tmp_path / "f").write_bytes(b"old")
    with pytest.raises(sl.InputError, match=r"'.*f' exists already; .*with overwrite=True$") as caught:
        check_target(tmp_path / "f", overwrite=False)
    assert in_command_words(str(caught.value)).endswith("with --force")


def test_what_a_killed_writer_left_is_removed_by_the_next_writer_in_the_folder(tmp_path):
    killed = (
        "import os, sys, pathlib; from sidelight.files.writing import written_beside\n"
        "with written_beside(pathlib.Path(sys.argv[1])) as beside:\n"
        "    beside.write_bytes(b'half')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", killed, tmp_path / "t.csv"])
    (left,) = tmp_path.iterdir()
    assert NAME.fullmatch(left.name)
    assert left.suffix == ".csv"
    write_whole(tmp_path / "other", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_the_file_of_a_writer_that_is_still_at_work_stays(tmp_path):
    with written_beside(tmp_path / "slow") as beside:
        write_whole(tmp_path / "quick", b"x")
        assert beside.exists()
        beside.write_bytes(b"slow")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["quick", "slow"]


def test_files_of_other_programs_stay_whatever_their_names(tmp_path):
    others = [".t.csv.swp", ".sidelight-unfinished-0123", "t.csv.sidelight-unfinished-0123456789abcdef.csv"]
    for name in others:
        (tmp_path / name).write_bytes(b"precious")
    write_whole(tmp_path / "f", b"x")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*others, "f"])


@pytest.mark.parametrize("has_links", [True, False])
def test_of_two_simultaneous_writers_without_overwrite_one_is_refused(tmp_path, monkeypatch, has_links):
    if not has_links:
        monkeypatch.setattr(os, "link", Mock(side_effect=PermissionError))
    path = tmp_path / "f"
    check_target(path, overwrite=False)

    def late():
        with written_beside(path, overwrite=False) as beside:
            beside.write_bytes(b"late")
            write_whole(path, b"early", overwrite=False)

    with pytest.raises(sl.InputError, match="exists already"):
        late()
    assert path.read_bytes() == b"early"
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_behind_a_link_is_refused_and_stays(tmp_path):
    link = tmp_path / "null.json"
    link.symlink_to("/dev/null")
    for write in (lambda: check_target(link, overwrite=True), lambda: write_whole(link, b"x")):
        with pytest.raises(sl.InputError, match="is a device or a pipe; give the name of a file"):
            write()
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_folder_that_cannot_be_written_to_is_noticed_before_any_work():
    with pytest.raises(sl.InputError, match="cannot write '/proc/f'"):
        check_target(Path("/proc/f"), overwrite=False)


@pytest.mark.parametrize("path", [None, 3, "a\0b.json", b"bytes"])
def test_what_is_no_name_of_a_file_is_an_input_error(path):
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])))
    for use in (sl.read, sl.read_graph, net.write, net.report):
        with pytest.raises(sl.InputError, match="the name of a file is needed here"):
            use(path)
