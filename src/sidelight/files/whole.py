"""Files: read with clear errors, written whole or not at all.

A file is written beside its target first, then renamed. An existing file is replaced only on request.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sidelight.errors import InputError
from sidelight.files.opening import read_within_memory
from sidelight.files.unfinished import unfinished
from sidelight.text.message import Message, Option

NEW_FILE = 0o666  # less what the user's umask takes away


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
    with _explained(path), unfinished(_pointed_to(path), NEW_FILE):
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
        target = _pointed_to(path)
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


def _pointed_to(path: Path) -> Path:
    """What a link points to is replaced, not the link."""
    return Path(os.path.realpath(path))


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


def read_text(path: Path) -> str:
    """The text of a file, gzip'd or not, its line ends unchanged."""
    try:
        return read_within_memory(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {str(path)!r}: it is not UTF-8 text") from error
