"""Files in the making, beside the ones that they will replace: recognisable by their names, and never left for long.

The writer of a file holds a lock on it, which the system releases however the writer ends. A file in the making without
a lock is therefore abandoned, and the next writer in the same folder removes it.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: no locks, so that no file is taken for abandoned
    fcntl = None  # type: ignore[assignment]

MARK = ".sidelight-unfinished-"
NAME = re.compile(rf"\..*{re.escape(MARK)}[0-9a-f]{{16}}(\.[^.]*)?")
_in_the_making: set[Path] = set()  # of this process


@contextmanager
def unfinished(target: Path, mode: int) -> Iterator[Path]:
    """A new empty file beside the target, with its extension; at the end it is gone, unless it was renamed."""
    remove_abandoned(target.parent)
    beside = target.with_name(f".{target.name[:40]}{MARK}{secrets.token_hex(8)}{target.suffix}")
    descriptor = None
    _in_the_making.add(beside)
    try:
        descriptor = _locked(beside, mode)
        yield beside
    finally:
        beside.unlink(missing_ok=True)
        _in_the_making.discard(beside)
        if descriptor is not None:
            os.close(descriptor)


def remove_unfinished() -> None:
    """Remove what this process is writing, which is about to end."""
    for path in tuple(_in_the_making):
        with suppress(OSError):
            path.unlink()


def remove_abandoned(folder: Path) -> None:
    """Remove the files of writers that were killed; those of running ones stay."""
    with suppress(OSError), os.scandir(folder) as entries:
        for path in [entry.path for entry in entries if NAME.fullmatch(entry.name)]:
            with suppress(OSError):
                _remove_if_abandoned(path)


def _locked(path: Path, mode: int) -> int:
    """The descriptor of a new file that this process holds a lock on."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks: there no file is taken for abandoned either
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    if os.fstat(descriptor).st_nlink:
        return descriptor
    os.close(descriptor)  # another writer came between the creation and the lock, and removed the file
    return _locked(path, mode)


def _remove_if_abandoned(path: str) -> None:
    if fcntl is None:
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(descriptor)
