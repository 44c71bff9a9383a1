"""Files, read and written with care.

A file is written whole or not at all: beside its target first, then renamed. An existing file stays unless told so.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sidelight.errors import InputError


def check_target(path: Path, overwrite: bool) -> None:
    """Raise when the file cannot or should not be written, before any work is done for it."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into")
    if path.exists() and not overwrite:
        raise InputError(
            f"{str(path)!r} exists already; choose another name, or overwrite it (--force, overwrite=True)"
        )


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the target, then rename: a reader never sees half a file."""
    with written_beside(path) as beside:
        beside.write_bytes(content)


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A path beside the target to write to; it takes the target's place at the end, and vanishes if anything fails."""
    path = path.resolve()  # what a link points to is replaced, not the link
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.", suffix=path.suffix)
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}") from error
    os.close(descriptor)
    try:
        yield Path(name)
        os.chmod(name, _mode(path))
        os.replace(name, path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"cannot write {str(path)!r}: {error.strerror}") from error
        raise


def _mode(path: Path) -> int:
    """The permissions that a file has, or that a new one would get from the user's umask."""
    if path.exists():
        return path.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def read_text(path: Path) -> str:
    """All of a text file, gzip'd or not, its line ends as they are."""
    if not path.exists():
        raise InputError(f"there is no file {str(path)!r}")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder, not a file")
    try:
        content = path.read_bytes()
        return (gzip.decompress(content) if path.suffix.lower() == ".gz" else content).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {str(path)!r}: it is not UTF-8 text") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read {str(path)!r}: {error}") from error
