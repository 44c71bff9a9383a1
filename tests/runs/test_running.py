"""Workers end with their parent, however it ends, and at once when it gives up."""

import os
import signal
import subprocess
import sys
import time

import pytest

WORK = """
import os, time
from sidelight.runs.running import in_parallel, run

def sleep(job):
    print("works", flush=True)
    time.sleep(600)

jobs = [{"number": number} for number in range(4)]
"""
WAYS = {
    "forked": WORK + "list(run(jobs, None, sleep, 2, None, lambda done: None))",
    "started by joblib": WORK + "in_parallel(2, sleep, [(job,) for job in jobs])",
}


def is_alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("way", "number"),
    [("forked", signal.SIGKILL), ("forked", signal.SIGINT), ("started by joblib", signal.SIGKILL)],
)
def test_no_worker_outlives_its_parent(way, number):
    parent = subprocess.Popen(
        [sys.executable, "-c", WAYS[way]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        assert parent.stdout.read(5) == b"works"
        parent.send_signal(number)
        parent.wait(timeout=20)
        patience = time.monotonic() + 20
        while is_alive(parent.pid) and time.monotonic() < patience:
            time.sleep(0.05)
        assert not is_alive(parent.pid)
    finally:
        if is_alive(parent.pid):
            os.killpg(parent.pid, signal.SIGKILL)
        parent.stdout.close()
