"""What ends a command from outside: signals, a reader that is gone, a full disk; each with an exit code of its own."""

import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from sidelight.cli.main import COMMANDS, imported
from sidelight.network import Network
from tests.cli.test_cli import EXAMPLE, run

SIDELIGHT = [sys.executable, "-m", "sidelight"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_first_imports_ends_without_a_traceback(tmp_path, number):
    (tmp_path / "typer.py").write_text(f"import os\nos.kill(os.getpid(), {int(number)})\n")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    ended = subprocess.run([*SIDELIGHT, "--help"], env={**os.environ, "PYTHONPATH": path}, capture_output=True)
    assert (ended.returncode, ended.stderr) == (128 + number, b"sidelight: stopped\n")


def test_a_signal_in_whose_place_python_raises_another_exception_ends_without_a_traceback(tmp_path):
    stops = "import os\nclass Stops:\n    def __set_name__(self, owner, name):\n        os.kill(os.getpid(), 15)\n"
    (tmp_path / "typer.py").write_text(f"{stops}class Typer:\n    attribute = Stops()\n")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    ended = subprocess.run([*SIDELIGHT, "--help"], env={**os.environ, "PYTHONPATH": path}, capture_output=True)
    assert (ended.returncode, ended.stderr) == (143, b"sidelight: stopped\n")


def test_a_command_that_computes_in_c_is_ended_too():
    busy = (
        "import hashlib, os, signal, threading\n"
        "from sidelight.cli import signals\n"
        "signals.PATIENCE = 0.1\n"
        "signals.listen()\n"
        "threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM)).start()\n"
        "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)\n"  # minutes, and no instruction of Python among them
    )
    ended = subprocess.run([sys.executable, "-c", busy], capture_output=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (143, b"sidelight: stopped\n")


def test_a_signal_in_a_finalizer_is_not_lost():
    ignored = (
        "import os, signal\n"
        "from sidelight.cli import signals\n"
        "signals.listen()\n"
        "class Fragile:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "try:\n"
        "    Fragile()\n"
        "    for _ in range(10**9):\n        pass\n"
        "except KeyboardInterrupt:\n"
        "    os._exit(signals.exit_code())\n"
    )
    assert subprocess.run([sys.executable, "-c", ignored], timeout=60).returncode == 143


def test_a_signal_whose_exception_is_swallowed_comes_again():
    swallowed = (
        "import os, signal\n"
        "from sidelight.cli import signals\n"
        "signals.listen()\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "except:\n"
        "    pass\n"
        "try:\n"
        "    while True:\n"
        "        pass\n"
        "except KeyboardInterrupt:\n"
        "    os._exit(signals.exit_code())\n"
    )
    assert subprocess.run([sys.executable, "-c", swallowed], timeout=60).returncode == 143


def test_a_signal_does_not_come_again_while_its_exception_is_handled():
    slow = (
        "import os, signal, threading\n"
        "from sidelight.cli import signals\n"
        "signals.LOST = 0.001\n"
        "signals.listen()\n"
        "try:\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        signal.pause()\n"
        "    finally:\n"
        "        threading.Event().wait(0.1)\n"  # the watching thread looks some hundred times
        "        print('tidied up', flush=True)\n"
        "except KeyboardInterrupt:\n"
        "    os._exit(signals.exit_code())\n"
    )
    ended = subprocess.run([sys.executable, "-c", slow], stdout=subprocess.PIPE, timeout=60)
    assert (ended.returncode, ended.stdout) == (143, b"tidied up\n")


def test_no_command_imports_pandas_in_which_pyarrow_would_swallow_a_signal(tmp_path):
    (tmp_path / "pandas.py").write_text("import os\nos._exit(99)\n")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    run_all = (
        "import sys\n"
        "from sidelight.cli.entry import main\n"
        f"for arguments in (['simulate', 'asia', '--out', {str(tmp_path / 't.csv')!r}], ['check', {EXAMPLE!r}]):\n"
        "    sys.argv[1:] = [*arguments, '--quiet']\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as end:\n"
        "        assert not end.code\n"
    )
    assert subprocess.run([sys.executable, "-c", run_all], env={**os.environ, "PYTHONPATH": path}).returncode == 0


def test_the_cursor_is_shown_again_after_sigterm(tmp_path):
    out = tmp_path / "t.csv"
    command = [*SIDELIGHT, "simulate", "andes", "--rows", "10000000", "--out", str(out)]
    terminal, its_end = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its_end, env={**os.environ, "TERM": "xterm"})
    os.close(its_end)
    shown = b""
    while b"\x1b[?25l" not in shown:  # hidden: the rows have begun
        shown += os.read(terminal, 1000)
    process.terminate()
    with suppress(OSError):  # what a terminal says when its other end is closed
        while more := os.read(terminal, 1000):
            shown += more
    assert process.wait(timeout=60) == 143
    assert shown.rindex(b"\x1b[?25h") > shown.rindex(b"\x1b[?25l")
    assert list(tmp_path.iterdir()) == []


def test_a_stopped_command_says_which_files_it_has_written(tmp_path, monkeypatch):
    def stopped(*arguments, **options):
        raise KeyboardInterrupt

    out, report = tmp_path / "g.json", tmp_path / "r.html"
    monkeypatch.setattr(Network, "report", stopped)
    result = run("learn", EXAMPLE, "--out", str(out), "--report", str(report))
    assert result.exit_code == 130
    assert result.stderr == f"sidelight: stopped; {str(out)!r} was written\n"


def test_a_reader_that_is_gone_has_an_exit_code_of_its_own():
    """Neither 1, which says that graphs differ, nor 2, which says that the use was wrong."""
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run([*SIDELIGHT, "networks", "--quiet"], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_output_that_cannot_be_written_is_one_message():
    with open("/dev/full", "w") as full:
        ended = subprocess.run([*SIDELIGHT, "networks", "--quiet"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 2
    assert ended.stderr == "sidelight: cannot write to standard output: No space left on device\n"


def test_an_output_folder_that_cannot_be_written_to_is_noticed_before_the_table_is_read():
    for option, name in (("--out", "g.json"), ("--report", "r.html")):
        result = run("learn", "no such table.csv", option, f"/proc/{name}")
        assert result.exit_code == 2
        assert f"cannot write '/proc/{name}'" in result.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_first_sentences_of_their_help(name):
    assert " ".join(imported(name).help.split("\n\n")[0].split()) == COMMANDS[name].summary
