"""Coverage-guided fuzzing of what reads text: files are changed so that they reach code that none before has reached.

    python tools/fuzz_coverage.py [SECONDS FOR EACH READER] [READER …]     csv, json, bif, toml, tetrad
    python tools/fuzz_coverage.py --keep [READER …]     some of the short files that reached more go to the corpus

It begins with tools/fuzz_corpus, and with files of `tools/fuzz.py`. What is read is also used: knowledge for some
variables, a network written again. Nothing but an ``InputError`` may come of it, within five seconds and 2 GB. A file
that breaks this is kept in build/fuzz. Needs atheris (`pip install '.[fuzz]'`), which has wheels for Linux.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
CORPUS, FOUND = ROOT / "tools" / "fuzz_corpus", ROOT / "build" / "fuzz"
LARGEST = 4096  # bytes of a file
MOST_KEPT, TRIVIAL = 5000, 20  # bytes of all files kept for a reader, and of a file that is not worth it
LIMITS = ("-timeout=5", "-rss_limit_mb=2048", f"-max_len={LARGEST}", "-len_control=0")
NAMES = ("a", "b", "c", "d", "age", "sex", "smoking", "cancer", "lab_1", "two words")
READERS = {"csv": "t.csv", "json": "n.json", "bif": "m.bif", "toml": "k.toml", "tetrad": "k.txt"}
WORDS = {  # that a change hardly comes upon
    "csv": 'NA 1e9 -999 2024-02-29 12:30 true 1,5 1.000 inf "" ;',
    "json": 'null true 1e999 -1 [] {} "directed" "format" "hidden" "groups" "marks"',
    "bif": "network variable probability discrete table default property ( | 0.5 { } [",
    "toml": "required forbidden adjacent not_adjacent ancestors not_ancestors roots leaves order side [tiers] names "
    "isolated next_only [[part]] arrows variables * ?",
    "tetrad": "/knowledge addtemporal forbiddirect requiredirect forbiddengroup requiredgroup 1* 2- *",
}
Read = Callable[[Path], object]


def used_knowledge(path: Path) -> None:
    """Knowledge, and what follows from it for some variables."""
    import sidelight as sl
    from sidelight.knowledge import constraints_of

    constraints_of(sl.read_knowledge(path), NAMES)


def used_network(path: Path) -> None:
    """A network, written again; what that reads is the same."""
    import sidelight as sl
    from sidelight.output import formats

    net = sl.read(path)
    again = path.with_name("again.json")
    formats.write(net, again, overwrite=True)
    assert sl.read(again) == net


def used_table(path: Path) -> None:
    """A table, and what the doctor says of it."""
    import sidelight as sl

    str(sl.diagnose(path))


def used_distributions(path: Path) -> None:
    """A structure with tables of probabilities, and its graph."""
    import sidelight as sl
    from sidelight.simulation.bif import read_bif

    read_bif(path)
    sl.read_graph(path)


USED: dict[str, Read] = {
    "csv": used_table,
    "json": used_network,
    "bif": used_distributions,
    "toml": used_knowledge,
    "tetrad": used_knowledge,
}


def fuzz(reader: str, arguments: list[str]) -> None:
    """Read changed files until libFuzzer ends this process."""
    import atheris

    with atheris.instrument_imports(include=["sidelight", "tomllib"]):
        import sidelight as sl

        read, folder = USED[reader], tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
        path = Path(folder) / READERS[reader]
        for start in (CORPUS / reader).iterdir():  # what is imported when it is first used is watched too
            _read(read, path, start.read_bytes(), sl.InputError)

    def one(content: bytes) -> None:
        _read(read, path, content, sl.InputError)

    atheris.Setup([sys.argv[0], *arguments], one)
    atheris.Fuzz()


def _read(read: Read, path: Path, content: bytes, accepted: type[Exception]) -> None:
    path.write_bytes(content)
    try:
        read(path)
    except accepted:
        return


def words_of(reader: str) -> Path:
    """A dictionary for libFuzzer, with the names of the variables."""
    words = FOUND / f"{reader}.words"
    words.parent.mkdir(parents=True, exist_ok=True)
    escaped = [word.replace('"', '\\"') for word in (*WORDS[reader].split(), *NAMES)]
    words.write_text("".join(f'"{word}"\n' for word in escaped))
    return words


def started(reader: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Fuzz in a process of its own, which libFuzzer ends."""
    command = [sys.executable, __file__, "--one", reader, f"-dict={words_of(reader)}", *LIMITS, *map(str, arguments)]
    return subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def searched(reader: str, seconds: int) -> bool:
    """Search for files that break a reader; those that reach something new are in build/fuzz, for the next time."""
    reached = FOUND / "reached" / reader
    reached.mkdir(parents=True, exist_ok=True)
    prefix = f"-artifact_prefix={FOUND}/{reader}-"
    done = started(reader, f"-max_total_time={seconds}", prefix, reached, CORPUS / reader)
    if done.returncode:
        print(done.stdout[-4000:])
    runs, places = (re.findall(pattern, done.stdout) for pattern in (r"Done (\d+) runs", r"cov: (\d+)"))
    what = f"{runs[-1] if runs else '?'} files, {places[-1] if places else '?'} places reached"
    print(f"{reader}: {what}, {'a fault' if done.returncode else 'no fault'}", flush=True)
    return done.returncode == 0


def keep(reader: str) -> None:
    """The shortest files that reached something new, in the corpus."""
    reached = sorted((FOUND / "reached" / reader).iterdir(), key=lambda path: (path.stat().st_size, path.name))
    room = MOST_KEPT
    for path in (path for path in reached if path.stat().st_size > TRIVIAL):
        room -= path.stat().st_size
        if room >= 0:
            shutil.copy(path, CORPUS / reader / path.name[:12])


def main(arguments: list[str]) -> int:
    """Search in each reader in turn."""
    if arguments[:1] == ["--one"]:
        fuzz(arguments[1], arguments[2:])
        return 0
    try:
        import atheris  # noqa: F401
    except ImportError:
        print("atheris is not installed, so files are not changed by what they reach: pip install '.[fuzz]'")
        return 0
    readers = [word for word in arguments if word in READERS] or list(READERS)
    if "--keep" in arguments:
        for reader in readers:
            keep(reader)
        return 0
    seconds = next((int(word) for word in arguments if word.isdigit()), 60)
    faults = [reader for reader in readers if not searched(reader, seconds)]
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
