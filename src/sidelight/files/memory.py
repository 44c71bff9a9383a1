"""How much memory may be used: what the machine, its container and the limits of the process leave.

Arrays that take more are in files that have no name, and so are never left behind: the system keeps in memory what it
has room for. The room on the disk is reserved beforehand: a disk that is full is an error here, not a crash when a page
is written.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from math import prod
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.text.message import Message, Option, must_be

USUAL_SHARE = 0.5  # of the memory that may be used, for a table; learning needs the rest
SIZE = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([kKmMgGtT]?)(?:i?[bB])?\s*")
MOST = 2**60  # bytes
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
MEMINFO = Path("/proc/meminfo")
# The folders of a container's limits in both versions of Linux's control groups: the limit, what is used, and what of
# that the system would give back, since it only keeps files at hand.
GROUPS = (
    (Path("/sys/fs/cgroup"), "memory.max", "memory.current", "inactive_file"),
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)

SOME_COLUMNS = Message("read some of its columns with ", Option("columns"), ", or take a part of its rows")
IS_IT_THAT = "is it the file that you meant?"


class TooLargeError(InputError):
    """A table does not fit into the memory that may be used."""


def check_size(title: str, needed: int, limit: int | None = None, share: float = 1, remedy: str = SOME_COLUMNS) -> None:
    """Raise when reading what is called so takes more than a limit, by default a share of what may be used."""
    limit = _share_of_memory(share) if limit is None else limit
    if limit is not None and needed > limit:
        sizes = f"takes about {in_words(needed)} of memory, and {in_words(limit)} can be used"
        raise TooLargeError(Message(f"reading {title} {sizes}: ", remedy))


def most_memory() -> int | None:
    """The bytes that may be used; None where the system does not say."""
    return min((*_of_machine(), *_of_containers(), *_of_process()), default=None)


def memory_for(option: object) -> int | None:
    """The bytes that the option ``memory`` grants; by default a share of what may be used, None if that is unknown."""
    if option is None:
        return _share_of_memory(USUAL_SHARE)
    found = SIZE.fullmatch(option) if isinstance(option, str) else None
    n_bytes = float(found[1]) * UNITS[found[2].upper()] if found else option
    if isinstance(n_bytes, bool) or not isinstance(n_bytes, Real) or not 1 <= float(n_bytes) < MOST:
        raise InputError(must_be("memory", "a size such as '4GB' or '500MB', or a number of bytes", option))
    return int(float(n_bytes))


def _share_of_memory(share: float) -> int | None:
    there = most_memory()
    return None if there is None else int(share * there)


def in_words(n_bytes: float) -> str:
    """``3.2 GB``, ``160 MB``, ``500 kB``."""
    if n_bytes >= 1e9:
        return f"{n_bytes / 1e9:.1f} GB"
    return f"{n_bytes / 1e6:.0f} MB" if n_bytes >= 1e6 else f"{max(n_bytes / 1e3, 1):.0f} kB"


def _of_machine() -> Iterator[int]:
    """What programs can have without swapping, or else all that is built in."""
    with suppress(OSError):
        found = re.search(r"^MemAvailable:\s+(\d+) kB$", MEMINFO.read_text(), re.MULTILINE)
        if found:
            yield int(found[1]) * 1024
            return
    with suppress(ValueError, OSError, AttributeError):  # Windows has no sysconf
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_containers() -> Iterator[int]:
    """What is left of a container's limit; one that has none says "max"."""
    for folder, limit, used, spare in GROUPS:
        with suppress(OSError, ValueError):
            found = re.search(rf"^{spare} (\d+)$", (folder / "memory.stat").read_text(), re.MULTILINE)
            in_use = int((folder / used).read_text()) - (int(found[1]) if found else 0)
            yield max(0, int((folder / limit).read_text()) - in_use)


def _of_process() -> Iterator[int]:
    """What ``ulimit -v`` leaves of addresses, and ``ulimit -d`` of memory that is not a file's."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = [int(count) for count in Path("/proc/self/statm").read_text().split()]
        for limited, used in ((resource.RLIMIT_AS, pages[0]), (resource.RLIMIT_DATA, pages[5])):
            limit = resource.getrlimit(limited)[0]
            if limit != resource.RLIM_INFINITY:
                yield max(0, limit - used * resource.getpagesize())


# Arrays beyond that.


def empty(shape: tuple[int, ...], dtype: Any, in_memory: int | None, order: Literal["C", "F"] = "F") -> NDArray[Any]:
    """An array to be filled, in memory if it takes at most so many bytes (None: any number)."""
    n_bytes = prod(shape) * np.dtype(dtype).itemsize
    if in_memory is None or n_bytes <= in_memory:
        return np.empty(shape, dtype, order=order)
    with _file(n_bytes) as file:  # the array keeps what it maps
        return np.memmap(file, dtype=dtype, mode="r+", shape=shape, order=order)


def _file(n_bytes: int) -> Any:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, n_bytes)
        else:
            file.truncate(n_bytes)
    except OSError as error:
        file.close()
        if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            where = f"{in_words(n_bytes)} in the folder {tempfile.gettempdir()!r}"
            raise InputError(
                f"the rows do not fit into memory, and there is no room for them on disk: they need {where}; TMPDIR "
                "names another folder"
            ) from error
        raise
    return file
