"""Files: read with clear errors, written whole or not at all.

A file is written beside its target first, then renamed. An existing file is replaced only on request.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sidelight.data.opening import read_within_memory
from sidelight.errors import InputError
from sidelight.text.message import Message, Option


def check_target(path: Path, overwrite: bool) -> None:
    """Raise when the file cannot or should not be written, before any work is done for it."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into")
    if path.exists() and not overwrite:
        exists = f"{str(path)!r} exists already; choose another name, or replace the file with "
        raise InputError(Message(exists, Option("overwrite", True, flag="--force")))


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the target, then rename: a reader never sees half a file."""
    with written_beside(path) as beside:
        beside.write_bytes(content)


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A path beside the target to write to; it replaces the target at the end, and is removed if anything fails."""
    path = path.resolve()  # what a link points to is replaced, not the link
    beside = path.with_name(f".{path.name[:80]}.{secrets.token_hex(8)}{path.suffix}")
    try:
        permissions = path.stat().st_mode & 0o777 if path.exists() else None
        _create(beside, permissions)
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}") from error
    try:
        yield beside
        _flush_to_disk(beside)
        if permissions is not None:
            beside.chmod(permissions)
        beside.replace(path)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"cannot write {str(path)!r}: {error.strerror}") from error
        raise


def _create(path: Path, permissions: int | None) -> None:
    """A new empty file: no wider open than the one that it will replace, or else as the user's umask has it."""
    mode = 0o666 if permissions is None else permissions | 0o600  # the owner must be able to write it
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))


def _flush_to_disk(path: Path) -> None:
    """Without this, a crash of the machine after the renaming could leave an empty file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def read_text(path: Path) -> str:
    """The text of a file, gzip'd or not, its line ends unchanged."""
    try:
        return read_within_memory(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {str(path)!r}: it is not UTF-8 text") from error
