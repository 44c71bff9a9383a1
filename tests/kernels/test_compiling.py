"""Kernels are compiled also where numba has nowhere to keep them, or finds its files damaged or the disk full."""

import importlib.util
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import sidelight as sl
from sidelight.kernels import compiling_announced
from sidelight.kernels.compiling import KEPT, NOT_KEPT, KernelCache, NoCache, kernel_files

SOURCE = "from sidelight.kernels.compiling import njit\n\n\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a kernel, and no other place for what is compiled than ``__pycache__`` in it."""
    (tmp_path / "kernel.py").write_text(SOURCE)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    monkeypatch.setenv("HOME", "/dev/null/nowhere")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return tmp_path


def fresh(folder):
    """The kernel, imported as in a new process."""
    spec = importlib.util.spec_from_file_location("kernel", folder / "kernel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.twice


def n_loaded(kernel):
    return sum(kernel.stats.cache_hits.values())


def test_what_was_compiled_is_kept_and_only_compiling_is_announced_once(folder):
    announced = []
    for expected in ([KEPT], []):
        announced.clear()
        with compiling_announced(announced.append):
            kernel = fresh(folder)
            assert (kernel(2), kernel(2.5)) == (4, 5.0)
        assert announced == expected
    assert n_loaded(kernel) == 2


def test_a_kernel_is_compiled_anew_when_another_file_of_kernels_has_changed(folder, monkeypatch):
    assert fresh(folder)(2) == 4
    monkeypatch.setattr("sidelight.kernels.compiling.SOURCES", 1)
    changed, again = fresh(folder), fresh(folder)
    assert (changed(2), n_loaded(changed), again(2), n_loaded(again)) == (4, 0, 4, 1)


def test_where_nothing_can_be_written_a_folder_of_the_user_among_temporary_files_keeps_kernels(folder):
    (folder / "__pycache__").write_text("in the way")
    assert fresh(folder)(2) == 4
    again = fresh(folder)
    assert (again(2), n_loaded(again)) == (4, 1)
    (own,) = (folder / "temporary").iterdir()
    assert own.stat().st_mode & 0o777 == 0o700
    assert numba.config.CACHE_DIR == ""  # the user's own kernels are kept where they were


def test_a_temporary_folder_that_others_can_write_to_is_not_used(folder):
    (folder / "__pycache__").write_text("in the way")
    foreign = folder / "temporary" / f"sidelight-kernels-{os.getuid()}"
    foreign.mkdir()
    foreign.chmod(0o777)
    announced = []
    with compiling_announced(announced.append):
        kernel = fresh(folder)
        assert kernel(2) == 4
    assert isinstance(kernel._cache, NoCache)
    assert announced == [NOT_KEPT]
    assert list(foreign.iterdir()) == []


@pytest.mark.parametrize("extension", ["nbi", "nbc"])
def test_a_file_that_was_cut_off_is_made_anew(folder, extension):
    assert fresh(folder)(2) == 4
    (file,) = (folder / "__pycache__").glob(f"*.{extension}")
    whole = file.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:size])
        assert fresh(folder)(2) == 4
        again = fresh(folder)
        assert (again(2), n_loaded(again)) == (4, 1)


def test_a_full_disk_under_the_cache_is_no_obstacle(folder):
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    kernel = fresh(folder)
    assert isinstance(kernel._cache, KernelCache)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, unlimited[1]))
    try:
        assert kernel(2) == 4
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert not list((folder / "__pycache__").glob("*.nb?"))


def test_kernels_run_in_a_read_only_environment(tmp_path):
    """The package in a folder without a place for compiled code, no home, no folder for caches."""
    package = Path(sl.__file__).parent
    shutil.copytree(package, tmp_path / "sidelight", ignore=shutil.ignore_patterns("__pycache__", "bif"))
    for place in {path.parent for path in (tmp_path / "sidelight").rglob("*.py")}:
        (place / "__pycache__").touch()
    (tmp_path / "temporary").mkdir()
    bare = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path), "HOME": "/nonexistent",
            "XDG_CACHE_HOME": "/dev/null/x", "TMPDIR": str(tmp_path / "temporary")}  # fmt: skip
    imports = "import numpy as np; from sidelight.families.gaussian.kernels.correlation import unexplained_share"
    command = [sys.executable, "-c", f"{imports}; print(unexplained_share(np.eye(2), 0, np.array([1])))"]
    ended = subprocess.run(command, env=bare, cwd="/", capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1.0\n", "")


def test_every_kernel_is_compiled_by_the_decorator_of_the_package():
    for path in Path(sl.__file__).parent.rglob("*.py"):
        by_numba = re.search(r"from numba import.*njit|numba\.njit", path.read_text())
        assert path.name == "compiling.py" or not by_numba, path


def test_the_checksum_covers_every_file_with_kernels():
    for path in Path(sl.__file__).parent.rglob("*.py"):
        assert "\n@njit" not in path.read_text() or path in kernel_files(), path
