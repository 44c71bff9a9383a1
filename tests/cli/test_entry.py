"""The command as a user starts it: a process of its own, through ``cli/entry.py``."""

import subprocess
import sys

import numpy as np
import pytest


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
