"""Results on disk as they are made, one line each, so that a study that is interrupted loses nothing.

Every line carries a checksum. A line that is damaged or half-written is passed over, and its work is done again; the
file itself only grows. Lines of other versions of the package stay for those.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sidelight.errors import InputError

Result = dict[str, Any]
LIKE_A_RECORD = re.compile(rb"[0-9a-f]{1,8}( |$)")


def key_of(job: Mapping[str, Any]) -> str:
    """What tells one piece of work from another."""
    return json.dumps(job, sort_keys=True, ensure_ascii=False)


class Records:
    """The results of a study by job, in a file that only grows and that one study at a time writes to."""

    def __init__(self, path: Path, version: str) -> None:
        self._version = version
        self._results: dict[str, Result] = {}
        self.n_damaged = 0
        try:
            self._file = path.open("a+b")
            _lock(self._file.fileno(), path)
            self._file.seek(0)
            self._load(self._file.read(), path)
        except OSError as error:
            raise InputError(f"cannot use {str(path)!r} for records: {error.strerror}") from error

    def _load(self, content: bytes, path: Path) -> None:
        lines = content.splitlines()
        if lines and not any(LIKE_A_RECORD.match(line) for line in lines):
            raise InputError(f"{str(path)!r} holds something else than the records of a study; choose another folder")
        for line in lines:
            record = _checked(line)
            if record is None:
                self.n_damaged += bool(line)
            elif record["version"] == self._version:
                self._results[record["job"]] = record["result"]
        if content and not content.endswith(b"\n"):
            self._file.write(b"\n")  # so that half a line spoils no other

    def __contains__(self, job: Mapping[str, Any]) -> bool:
        return key_of(job) in self._results

    def __getitem__(self, job: Mapping[str, Any]) -> Result:
        return self._results[key_of(job)]

    def add(self, job: Mapping[str, Any], result: Result) -> None:
        """Keep a result; it is on the disk when this returns."""
        content = json.dumps({"version": self._version, "job": key_of(job), "result": result}, ensure_ascii=False)
        try:
            self._file.write(f"{zlib.crc32(content.encode()):08x} {content}\n".encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise InputError(f"cannot keep a result: {error.strerror}; what was kept before stays") from error
        # As a reader of the file would have it, so that a study run through has what a resumed one has.
        self._results[key_of(job)] = json.loads(content)["result"]

    def close(self) -> None:
        """Let another study write."""
        self._file.close()


def _lock(descriptor: int, path: Path) -> None:
    """One study in a folder; the lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            f"another study is running in {str(path.parent)!r}; wait for it, or choose another folder"
        ) from None


def _checked(line: bytes) -> dict[str, Any] | None:
    checksum, _, content = line.partition(b" ")
    if checksum != f"{zlib.crc32(content):08x}".encode():
        return None
    try:
        record = json.loads(content)
    except ValueError:
        return None
    right = isinstance(record, dict) and record.keys() == {"version", "job", "result"}
    return record if right and isinstance(record["job"], str) else None
