"""Write tools/locked.txt: what the development environment consists of, with the hash of each file that was installed.

    python tools/lock.py                                             or: make lock
    pip install --require-hashes -r tools/locked.txt                 the same environment on Linux, with this Python

Versions are those that are installed, so run it after `make test` has passed; pip says which file it takes for each.
The lowest versions are in tools/lowest_versions.txt. The workflow looks for known vulnerabilities in the locked ones.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKED = Path(__file__).parent / "locked.txt"
HEAD = "# The development environment on Linux with Python {python}: written by tools/lock.py\n"


def needed(wanted: str) -> dict[str, str]:
    """The versions installed of all that is needed, by name."""
    found: dict[str, str] = {}
    waiting, seen = [Requirement(wanted)], set()
    while waiting:
        asked = waiting.pop()
        name, extras = canonicalize_name(asked.name), frozenset(asked.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found[name] = distribution(name).version
        waiting += _requirements(name, extras)
    del found["sidelight"]
    return dict(sorted(found.items()))


def _requirements(name: str, extras: frozenset[str]) -> Iterator[Requirement]:
    """What an installed package needs here with these extras; an extra of somebody else's may be missing."""
    for line in distribution(name).requires or ():
        needs = Requirement(line)
        if needs.marker is None or any(needs.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            try:
                distribution(needs.name)
            except PackageNotFoundError:
                if name == "sidelight":
                    raise
                continue
            yield needs


def hashes(versions: dict[str, str]) -> dict[str, str]:
    """The hash of the file that pip takes for each."""
    with tempfile.TemporaryDirectory() as folder:
        pins, report = Path(folder) / "pins.txt", Path(folder) / "report.json"
        pins.write_text("".join(f"{name}=={version}\n" for name, version in versions.items()))
        options = ("--quiet", "--dry-run", "--no-deps", "--ignore-installed", "--only-binary", ":all:")
        command = [sys.executable, "-m", "pip", "install", *options, "--report", report, "-r", pins]
        subprocess.run(command, check=True)
        installs = json.loads(report.read_text())["install"]
    return {
        canonicalize_name(each["metadata"]["name"]): each["download_info"]["archive_info"]["hashes"]["sha256"]
        for each in installs
    }


def main() -> None:
    """Write the file."""
    versions = needed("sidelight[dev]")
    found = hashes(versions)
    lines = [f"{name}=={version} --hash=sha256:{found[name]}\n" for name, version in versions.items()]
    LOCKED.write_text(HEAD.format(python=".".join(map(str, sys.version_info[:2]))) + "".join(lines))
    print(f"{len(lines)} packages in {LOCKED.name}")


if __name__ == "__main__":
    main()
