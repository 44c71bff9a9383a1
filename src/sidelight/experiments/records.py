"""Results on disk as they are made, one line each, so that a study that is interrupted loses nothing.

Every line carries a checksum. A line that is damaged, half-written or from another version of the package is as if it
were not there: its work is done again, and the file is put in order when it is opened.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sidelight.files import write_whole

Result = dict[str, Any]


def key_of(job: Mapping[str, Any]) -> str:
    """What tells one piece of work from another."""
    return json.dumps(job, sort_keys=True, ensure_ascii=False)


class Records:
    """The results of a study by job, in a file that only grows."""

    def __init__(self, path: Path, version: str) -> None:
        self._path, self._version = path, version
        self._results: dict[str, Result] = {}
        self.n_damaged = 0
        self._load()

    def _load(self) -> None:
        kept = []
        for line in self._path.read_bytes().splitlines() if self._path.exists() else []:
            content = _checked(line)
            if content is None:
                self.n_damaged += 1
            elif content["version"] == self._version:
                kept.append(line)
                self._results[content["job"]] = content["result"]
        write_whole(self._path, b"".join(line + b"\n" for line in kept))

    def __contains__(self, job: Mapping[str, Any]) -> bool:
        return key_of(job) in self._results

    def __getitem__(self, job: Mapping[str, Any]) -> Result:
        return self._results[key_of(job)]

    def add(self, job: Mapping[str, Any], result: Result) -> None:
        """Keep a result; it is on the disk when this returns."""
        content = json.dumps({"version": self._version, "job": key_of(job), "result": result}, ensure_ascii=False)
        with self._path.open("ab") as file:
            file.write(f"{zlib.crc32(content.encode()):08x} {content}\n".encode())
            file.flush()
            os.fsync(file.fileno())
        # As a reader of the file would have it, so that a study run through has what a resumed one has.
        self._results[key_of(job)] = json.loads(content)["result"]


def _checked(line: bytes) -> dict[str, Any] | None:
    checksum, _, content = line.partition(b" ")
    if checksum != f"{zlib.crc32(content):08x}".encode():
        return None
    try:
        loaded = json.loads(content)
    except ValueError:
        return None
    return loaded if isinstance(loaded, dict) and loaded.keys() == {"version", "job", "result"} else None
