"""Files, written whole or not at all: beside the target first, then renamed.

A file in the making is recognisable by its name. Its writer holds a lock on it, which the system releases however the
writer ends: one without a lock is abandoned, and the next writer in the same folder removes it. An existing file is
replaced only on request.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sidelight.errors import InputError
from sidelight.text.message import Message, Option

try:
    import fcntl
except ImportError:  # Windows: no locks, so that no file is taken for abandoned
    fcntl = None  # type: ignore[assignment]

MARK = ".sidelight-unfinished-"
NAME = re.compile(rf"\..*{re.escape(MARK)}[0-9a-f]{{16}}(\.[^.]*)?")
NEW_FILE = 0o666  # less what the user's umask takes away
_in_the_making: set[Path] = set()  # of this process


def check_target(path: Path, overwrite: bool) -> None:
    """Raise when the file cannot or should not be written, before any work is done for it."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into")
    if path.exists() and not path.is_file():
        raise _is_no_file(path)
    if path.exists() and not overwrite:
        raise _exists(path)
    with _explained(path), unfinished(Path(os.path.realpath(path)), NEW_FILE):
        pass  # so that a folder which cannot be written to is noticed now


def write_whole(path: Path, content: bytes, overwrite: bool = True) -> None:
    """Write beside the target, then rename: a reader never sees half a file."""
    with written_beside(path, overwrite) as beside:
        beside.write_bytes(content)


@contextmanager
def written_beside(path: Path, overwrite: bool = True) -> Iterator[Path]:
    """A path beside the target to write to, which becomes the target at the end; it is removed if anything fails.

    Without ``overwrite`` a target that is there by then stays, and an ``InputError`` says so.
    """
    with _explained(path):
        target = Path(os.path.realpath(path))  # what a link points to is replaced, not the link
        permissions = stat.S_IMODE(target.stat().st_mode) & 0o777 if target.exists() else None
        if target.exists() and not target.is_file():
            raise _is_no_file(path)
        # No wider open than the file that it will replace; the owner must be able to write it.
        with unfinished(target, NEW_FILE if permissions is None else permissions | 0o600) as beside:
            yield beside
            _flush_to_disk(beside)
            if permissions is not None:
                beside.chmod(permissions)
            if overwrite:
                beside.replace(target)
            else:
                _put(beside, target)


def _put(beside: Path, target: Path) -> None:
    """Give the file its name unless another has it, which only the file system can decide if two are as far at once."""
    try:
        os.link(beside, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError:  # a file system without links
        try:
            target.touch(exist_ok=False)
        except FileExistsError:
            raise _exists(target) from None
        beside.replace(target)


def _flush_to_disk(path: Path) -> None:
    """Without this, a crash of the machine after the renaming could leave an empty file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """An error of the system in the words of the user, with the name that the user gave."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from error


def _exists(path: Path) -> InputError:
    exists = f"{str(path)!r} exists already; choose another name, or replace the file with "
    return InputError(Message(exists, Option("overwrite", True, flag="--force")))


def _is_no_file(path: Path) -> InputError:
    return InputError(f"{str(path)!r} is a device or a pipe; give the name of a file")


# Files in the making.


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
