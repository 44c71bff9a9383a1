"""What a killed command leaves is whole, and gone after the next run; ``make torture`` kills many times."""

import importlib.util
import signal
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parent.parent / "tools" / "torture.py"
SPEC = importlib.util.spec_from_file_location("torture", PATH)
torture = importlib.util.module_from_spec(SPEC)
sys.modules["torture"] = torture  # where dataclasses look for the module of a class
SPEC.loader.exec_module(torture)
SIMULATE, LEARN, RESAMPLES, REPRODUCE = torture.TARGETS


@pytest.mark.parametrize(
    ("target", "number", "delay"),
    [
        (SIMULATE, signal.SIGTERM, 1.0),
        (SIMULATE, signal.SIGKILL, 1.2),
        (RESAMPLES, signal.SIGKILL, 2.5),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_kill_leaves_nothing_that_the_next_run_does_not_mend(target, number, delay, tmp_path, monkeypatch):
    monkeypatch.setattr(torture, "ALIVE", 20)  # a machine that runs all tests at once may take its time
    assert torture.strike(target, tmp_path, number, delay).complaints == ()


def test_a_file_that_is_left_or_cut_off_or_lost_is_complained_about(tmp_path):
    (tmp_path / ".t.csv.sidelight-unfinished-0123456789abcdef.csv").touch()
    (tmp_path / "t.csv").write_bytes(b"half")
    assert len(list(torture._about_leftovers(tmp_path))) == 1
    assert list(torture._about_files(SIMULATE, tmp_path, {"truth.csv"})) == ["t.csv is not whole", "truth.csv is lost"]
