"""How much memory may be used: what the machine, its container and the limits of the process leave."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from pathlib import Path

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


@dataclass(frozen=True)
class Budget:
    """How many bytes of memory reading a file may take; None for all that can be used."""

    path: Path
    limit: int | None = None
    remedy: str = SOME_COLUMNS  # what can be done where that is not enough

    def check(self, needed: int) -> None:
        """Raise when reading takes more than that."""
        limit = most_memory() if self.limit is None else self.limit
        check_size(repr(str(self.path)), needed, limit, self.remedy)


class TooLargeError(InputError):
    """A table does not fit into the memory that may be used."""


def check_size(title: str, needed: int, limit: int | None, remedy: str = SOME_COLUMNS) -> None:
    """Raise when reading what is called so takes more than a limit."""
    if limit is not None and needed > limit:
        sizes = f"takes about {in_words(needed)} of memory, and {in_words(limit)} can be used"
        raise TooLargeError(Message(f"reading {title} {sizes}: ", remedy))


def most_memory() -> int | None:
    """The bytes that may be used; None where the system does not say."""
    return min((*_of_machine(), *_of_containers(), *_of_process()), default=None)


def memory_for(option: object) -> int | None:
    """The bytes that the option ``memory`` grants; by default a share of what may be used, None if that is unknown."""
    if option is None:
        there = most_memory()
        return None if there is None else int(USUAL_SHARE * there)
    found = SIZE.fullmatch(option) if isinstance(option, str) else None
    n_bytes = float(found[1]) * UNITS[found[2].upper()] if found else option
    if isinstance(n_bytes, bool) or not isinstance(n_bytes, Real) or not 1 <= float(n_bytes) < MOST:
        raise InputError(must_be("memory", "a size such as '4GB' or '500MB', or a number of bytes", option))
    return int(float(n_bytes))


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
