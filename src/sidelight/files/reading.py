"""Reading files that others made: whatever goes wrong is an ``InputError`` that names the file.

Nothing is read that could not fit into memory, however small the file is that it was compressed to.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, cast

from sidelight.errors import InputError
from sidelight.files.memory import IS_IT_THAT, SOME_COLUMNS, check_size, in_words
from sidelight.text.message import Message

GZIP = b"\x1f\x8b"
VERSION = attrgetter("st_ino", "st_size", "st_mtime_ns")
CHUNK = 1 << 20  # bytes
TEXT_TO_MEMORY = 8  # bytes of memory for a byte of a text that is parsed, at least
MOST_WRITTEN = 1 << 24  # bytes of what people write, such as background knowledge: its parsers are slow
DEEPEST_KEY = 16  # parts of a dotted key; tomllib takes memory as the square of their number
KEY_PART = r"""(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)"""
DEEP_KEY = re.compile(rf"(?<![\w.-]){KEY_PART}(?:[ \t]*+\.[ \t]*+{KEY_PART}){{{DEEPEST_KEY}}}")


def user_path(path: str | os.PathLike[str]) -> Path:
    """The path, with ``~`` for the user's home."""
    if not isinstance(path, str | os.PathLike) or "\0" in str(path):
        raise InputError(f"the name of a file is needed here, without NUL characters; got {path!r}")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InputError(f"there is no file {str(path)!r}: no user has that name") from error


def cannot_read(path: Path, why: str | None) -> InputError:
    """The error to raise for a file that cannot be read."""
    return InputError(Message(f"cannot read {str(path)!r}: ", str(why)))


@contextmanager
def named_errors(path: Path, remedy: str = SOME_COLUMNS) -> Iterator[None]:
    """Errors that a damaged, unreadable or too large file causes name it."""
    import pyarrow as pa

    try:
        yield
    except InputError:
        raise
    except MemoryError as error:
        raise InputError(Message(f"there is not enough memory to read {str(path)!r}: ", remedy)) from error
    except UnicodeDecodeError as error:
        raise cannot_read(path, "it is not UTF-8 text; save it as UTF-8") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise cannot_read(path, "it is not a gzip file, or is damaged or cut off") from error
    except (pa.ArrowException, OSError) as error:
        raise cannot_read(path, first_line(error)) from error


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Raise if the file is another one, or has other contents, at the end."""
    before = VERSION(os.stat(path))
    yield
    if VERSION(os.stat(path)) != before:
        raise InputError(f"{str(path)!r} changed while it was read; try again when nothing writes to it")


def first_line(error: Exception) -> str:
    """What an error says, in short."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def open_bytes(path: Path) -> BufferedReader:
    """The file, opened for reading; a folder, a device and a file that is not there are refused."""
    try:
        file = path.open("rb")
    except (FileNotFoundError, ValueError) as error:  # no file has a NUL character in its name
        raise InputError(f"there is no file {str(path)!r}") from error
    except IsADirectoryError as error:
        raise InputError(f"{str(path)!r} is a folder, not a file") from error
    except OSError as error:
        raise cannot_read(path, error.strerror) from error
    mode = os.fstat(file.fileno()).st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):  # some have no end
        file.close()
        raise InputError(f"{str(path)!r} is a device, not a file")
    return file


def open_text(path: Path) -> IO[bytes]:
    """The bytes of a text; gzip'd ones are known by their first bytes, whatever the name."""
    file = open_bytes(path)
    is_packed = path.suffix.lower() == ".gz" or file.peek(len(GZIP)).startswith(GZIP)
    return cast(IO[bytes], gzip.GzipFile(fileobj=file)) if is_packed else file


def read_text(path: Path, most: int | None = None) -> str:
    """The text of a file, gzip'd or not, its line ends unchanged; refused if too long or too large for the memory."""
    chunks, n_bytes = [], 0
    with named_errors(path, IS_IT_THAT), open_text(path) as stream:
        while chunk := stream.read(CHUNK):
            chunks.append(chunk)
            n_bytes += len(chunk)
            check_size(repr(str(path)), TEXT_TO_MEMORY * n_bytes, remedy=IS_IT_THAT)
            if most is not None and n_bytes > most:
                raise cannot_read(path, f"it has more than {in_words(most)} of text; {IS_IT_THAT}")
        content = b"".join(chunks)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise cannot_read(path, "it is not UTF-8 text") from error


def toml_of(text: str, path: Path) -> dict[str, Any]:
    """What the text of a TOML file says; refused if it would take more memory than its length explains."""
    if DEEP_KEY.search(text):
        raise InputError(f"{str(path)!r} is not read: a key in it has more than {DEEPEST_KEY} parts")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise InputError(f"{str(path)!r} is not read: lists or tables in it are nested too deeply") from error
    except ValueError as error:  # also for numbers with too many digits
        raise InputError(f"{str(path)!r} is not TOML: {error}") from error
