"""Kill the command at random moments, and check what it leaves behind.

    python tools/torture.py --kills 12 --seed 0

Each kill is a signal to ``simulate``, ``learn``, ``learn --resamples``, to the reproduction of the paper, or to
``learn`` from a folder of files that is read in batches, here or with ``--dask`` by a cluster that outlives it, at a
moment of the time it takes undisturbed, which is measured first. There are so many of each command. Two seconds later
no process may be alive, no file half written and none lost; after the next run in the folder nothing may be left but
its files. A command that had ended before the signal does not count: kills go on until as many as wanted have
interrupted one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sidelight.examples import example
from sidelight.files.writing import NAME

ALIVE = 2.0  # seconds after which no process may be left
MOST_TRIALS = 3  # for each command to be interrupted
ROOT = str(Path(__file__).parent.parent)
WITH_STUDIES = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))}
SIGNALS = {"TERM": signal.SIGTERM, "KILL": signal.SIGKILL, "INT": signal.SIGINT}


def _is_json(content: bytes) -> bool:
    with suppress(ValueError):
        return bool(json.loads(content))
    return False


def _ends_with(end: bytes) -> Callable[[bytes], bool]:
    return lambda content: content.rstrip().endswith(end)


@dataclass(frozen=True)
class Target:
    """A command to kill, and the files that it writes, each with what shows that its content is whole."""

    name: str
    arguments: tuple[str, ...]
    files: Mapping[str, Callable[[bytes], bool]]
    module: str = "sidelight"

    def command(self) -> list[str]:
        """What is run in the folder."""
        return [sys.executable, "-m", self.module, *self.arguments]


TABLE = str(example("newborns"))
LINES = 300_000
TARGETS = (
    Target(
        "simulate",
        ("simulate", "asia", "--rows", str(LINES), "--out", "t.csv", "--truth", "truth.csv", "--force"),
        {"t.csv": lambda content: content.count(b"\n") == LINES + 1, "truth.csv": lambda c: c.count(b"\n") == 9},
    ),
    Target(
        "learn",
        ("learn", TABLE, "--out", "g.json", "--report", "r.html", "--force", "--quiet"),
        {"g.json": _is_json, "r.html": _ends_with(b"</html>")},
    ),
    Target(
        "resamples",
        ("learn", TABLE, "--resamples", "40", "--n-jobs", "2", "--out", "s.json", "--force", "--quiet"),
        {"s.json": _is_json},
    ),
    Target(
        "reproduce",
        ("lemma", "--runs", "8", "--sizes", "20", "--n-jobs", "2", "--out", "study", "--quiet"),
        {"study/reproduction.md": lambda content: content.startswith(b"#")},
        "studies.reproduction",
    ),
)


LEARNED = {"g.json": _is_json, "r.html": _ends_with(b"</html>")}


def from_folder(folder: Path, name: str, *options: str) -> Target:
    """A command that learns from a folder of files in batches."""
    learn = ("learn", str(folder), *options, "--out", "g.json", "--report", "r.html", "--force", "--quiet")
    return Target(name, learn, LEARNED)


def fill(folder: Path) -> None:
    """Files that take more memory than a target has, which then maps a file for what does not fit."""
    for seed in range(4):
        rows = ("--rows", "100000", "--seed", str(seed), "--out", str(folder / f"part-{seed}.parquet"), "--quiet")
        command = [sys.executable, "-m", "sidelight", "simulate", "child", "--kind", "discrete", *rows]
        subprocess.run(command, check=True, capture_output=True)


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a scheduler with one worker; it reads the files."""
    from distributed import LocalCluster

    with LocalCluster(1, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as found:
        yield found.scheduler_address


@dataclass(frozen=True)
class Struck:
    """What a kill found, and what was wrong afterwards."""

    code: int
    seconds_alive: float
    seconds_again: float  # that the next run took, undisturbed
    complaints: tuple[str, ...]

    @property
    def interrupted(self) -> bool:
        """False if the command was done before the signal came."""
        return self.code != 0


def strike(target: Target, folder: Path, number: signal.Signals, delay: float) -> Struck:
    """Start the command, send it the signal, and check what it leaves at once and after the next run."""
    before = {name for name in target.files if (folder / name).exists()}
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    process = subprocess.Popen(target.command(), cwd=folder, env=WITH_STUDIES, start_new_session=True, **pipes)
    time.sleep(delay)
    process.send_signal(number)
    seconds = _seconds_alive(process)
    assert process.stderr is not None
    said = process.stderr.read().decode()
    complaints = [
        *_about_the_end(process.returncode, number, said, seconds),
        *_about_files(target, folder, before),
        *([] if number is signal.SIGKILL else _about_leftovers(folder)),
    ]
    started = time.monotonic()
    complaints += _about_the_next_run(target, folder)
    return Struck(process.returncode, seconds, time.monotonic() - started, tuple(complaints))


def _seconds_alive(process: subprocess.Popen[bytes]) -> float:
    """How long the process and its workers, which are one group, stay alive."""
    started = time.monotonic()
    while time.monotonic() - started < 60:
        process.poll()  # a process that has ended is one of the group until its parent has noticed
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.01)
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return time.monotonic() - started


def _about_the_end(code: int, number: int, said: str, seconds: float) -> Iterator[str]:
    if code not in (0, 128 + number, -number):  # -number: before Python could handle signals at all
        yield f"exit code {code}: {said}"
    if "Traceback" in said and "sidelight" in said:
        yield f"a traceback: {said}"
    if seconds > ALIVE:
        yield f"alive for {seconds:.1f} seconds: exit code {code}, {said!r}"


def _about_files(target: Target, folder: Path, before: set[str]) -> Iterator[str]:
    for name, is_whole in target.files.items():
        path = folder / name
        if not path.exists():
            if name in before:
                yield f"{name} is lost"
        elif not is_whole(path.read_bytes()):
            yield f"{name} is not whole"


def _about_leftovers(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if NAME.fullmatch(path.name) or path.name.endswith(("-journal", "-wal")):
            yield f"{path.name} is left"


def _about_the_next_run(target: Target, folder: Path) -> Iterator[str]:
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    again = subprocess.run(target.command(), cwd=folder, env=WITH_STUDIES, **pipes)
    if again.returncode:
        yield f"the next run ends with {again.returncode}: {again.stderr.decode()}"
    yield from _about_files(target, folder, set(target.files))
    yield from (f"after the next run {complaint}" for complaint in _about_leftovers(folder))
    for path in folder.glob("*.resamples*"):
        yield f"after the next run {path.name} is left"


def measured(target: Target, folder: Path) -> tuple[float, float]:
    """How many seconds the command takes in a new folder, and in one with its files; kernels are compiled before."""
    seconds = []
    for place in ("compiled", "new", "new"):
        (folder / place).mkdir(exist_ok=True)
        started = time.monotonic()
        subprocess.run(target.command(), cwd=folder / place, env=WITH_STUDIES, check=True, capture_output=True)
        seconds.append(time.monotonic() - started)
    return seconds[1], seconds[2]


def torture(
    targets: Sequence[Target], folder: Path, number: signal.Signals, kills: int, rng: random.Random
) -> Iterator[tuple[Target, Struck]]:
    """Kills at random moments until so many have interrupted each command, of all in turn.

    Two in each folder: a new one, and one with files. How quick the machine is just now is known from the last run.
    """
    seconds, pace = {}, dict.fromkeys((target.name for target in targets), 1.0)
    for target in targets:
        (folder / target.name).mkdir()
        seconds[target.name] = measured(target, folder / target.name)
    n_interrupted, turn = 0, 0
    wanted = kills * len(targets)
    while n_interrupted < wanted and turn < MOST_TRIALS * wanted:
        target, earlier = targets[turn % len(targets)], turn // len(targets)
        place = folder / f"{target.name}-{earlier // 2}"
        place.mkdir(exist_ok=True)
        in_new_folder, again = seconds[target.name]
        usual = again if earlier % 2 else in_new_folder
        struck = strike(target, place, number, rng.uniform(0, usual * pace[target.name]))
        pace[target.name] = min(1.0, struck.seconds_again / again)
        n_interrupted, turn = n_interrupted + struck.interrupted, turn + 1
        yield target, struck


def report(name: str, kills: int, rng: random.Random) -> int:
    """Kill with one signal, print every complaint and the sum; return how many complaints there are."""
    codes: Counter[int] = Counter()
    longest, n_complaints = 0.0, 0
    with tempfile.TemporaryDirectory() as parts, tempfile.TemporaryDirectory() as folder, cluster() as address:
        fill(Path(parts))
        in_batches = from_folder(Path(parts), "folder", "--memory", "3MB")
        targets = (*TARGETS, in_batches, from_folder(Path(parts), "dask", "--dask", address))
        interrupted: Counter[str] = Counter({target.name: 0 for target in targets})
        for target, struck in torture(targets, Path(folder), SIGNALS[name], kills, rng):
            codes[struck.code] += 1
            interrupted[target.name] += struck.interrupted
            longest = max(longest, struck.seconds_alive)
            n_complaints += len(struck.complaints)
            for complaint in struck.complaints:
                print(f"SIG{name} to {target.name}: {complaint}", flush=True)
    commands = ", ".join(f"{count} {target}" for target, count in interrupted.items())
    print(
        f"SIG{name}: {interrupted.total()} commands interrupted ({commands}), {codes[0]} had ended before; "
        f"exit codes {', '.join(f'{code}: {count}' for code, count in sorted(codes.items()))}; "
        f"at most {longest:.2f} seconds alive; {n_complaints} complaints",
        flush=True,
    )
    return n_complaints + (interrupted.total() < kills * len(interrupted))


def main() -> int:
    """Report every kill with a complaint, and the sum of all."""
    parser = argparse.ArgumentParser(description="Kill the command at random moments, and check what it leaves.")
    parser.add_argument("--kills", type=int, default=12, help="how often to interrupt each command with each signal")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--signals", nargs="+", choices=SIGNALS, default=["TERM", "KILL"])
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what runs in the background ignore it
    failures = [report(name, options.kills, random.Random(options.seed)) for name in options.signals]
    return int(any(failures))


if __name__ == "__main__":
    sys.exit(main())
