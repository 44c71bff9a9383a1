"""``-`` is standard input, for each command that takes a table."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

rng = np.random.default_rng(0)
A = rng.normal(size=200)
FRAME = pd.DataFrame({"a": A, "b": A + rng.normal(size=200), "c": rng.normal(size=200)}).round(3)


def run(content, *arguments):
    command = [sys.executable, "-m", "sidelight", *arguments]
    return subprocess.run(command, input=content, capture_output=True, check=False)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_is_read_from_standard_input(kind):
    content = FRAME.to_csv(index=False).encode() if kind == "csv" else FRAME.to_parquet(index=False)
    learned = run(content, "learn", "-", "--json")
    assert learned.returncode == 0
    assert b'"names": [' in learned.stdout
    if kind == "csv":
        assert b"200 rows" in run(content, "check", "-").stdout
        assert run(b"", "check", "-").returncode == 2
