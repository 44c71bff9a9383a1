"""The command as a user starts it: a process of its own, through ``cli/entry.py``."""

import os
import subprocess
import sys

import numpy as np
import pytest

from sidelight.cli.shared import announced


def sidelight(*arguments, **options):
    command = [sys.executable, "-m", "sidelight", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.fixture
def small(tmp_path):
    values = np.cumsum(np.random.default_rng(0).normal(size=(60, 3)), axis=1)
    np.savetxt(tmp_path / "small.csv", values, delimiter=",", header="a,b,c", comments="")
    return tmp_path / "small.csv"


def test_the_kernel_test_is_found_where_its_package_is_installed(small):
    pytest.importorskip("causallearn")
    run = sidelight("learn", small, "--test", "kernel", "--json")
    assert run.returncode == 0, run.stderr
    assert "kernel" in run.stdout


def test_pyarrow_does_not_import_pandas_within_a_command(small):
    code = (
        "import sys; sys.argv = ['sidelight', 'check', sys.argv[1]]\n"
        "from sidelight.cli.entry import main\n"
        "try:\n    main()\nfinally:\n    print('pandas' in sys.modules, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(small)], capture_output=True, text=True)
    assert run.stderr.strip().endswith("False"), run.stderr


def test_a_mistake_is_a_sentence_and_exit_code_2(tmp_path):
    run = sidelight("learn", tmp_path / "nowhere.csv")
    assert (run.returncode, run.stdout) == (2, "")
    assert "there is no file" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_network_goes_from_one_command_to_the_next(small):
    assert sidelight("learn", small, "--out", small.parent / "net.json", "--quiet").returncode == 0
    run = sidelight("explain", small.parent / "net.json", "a", "b")
    assert run.returncode == 0, run.stderr
    assert "a" in run.stdout


def test_a_reader_that_is_gone_is_not_a_difference_and_a_closed_stream_no_error(small):
    network = small.parent / "net.json"
    assert sidelight("learn", small, "--out", network, "--quiet").returncode == 0
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run([sys.executable, "-m", "sidelight", "compare", network, network], stdout=writing, check=False)
    os.close(writing)
    assert run.returncode == 141
    closed = f"exec {sys.executable} -m sidelight compare {network} {network} >&-"
    run = subprocess.run(["sh", "-c", closed], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_too_little_address_space_is_said_at_once():
    resource = pytest.importorskip("resource")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (400_000 * 1024, resource.RLIM_INFINITY))

    run = sidelight("networks", preexec_fn=limit)
    assert run.returncode == 2
    assert "ulimit -v 400000 is too little" in run.stderr


def test_a_named_pipe_is_announced_and_other_files_are_not(tmp_path, capsys):
    os.mkfifo(tmp_path / "rows.csv")
    (tmp_path / "file.csv").touch()
    assert [announced(tmp_path / name) for name in ("file.csv", "rows.csv")]
    said = capsys.readouterr().err
    assert "waiting for another program to write to" in said
    assert "rows.csv" in said
    assert "file.csv" not in said
