"""How much memory may be used: what the machine, its container and the limits of the process leave."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sidelight.errors import InputError
from sidelight.text.message import Message, Option

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
    """How many bytes of memory reading a file may take; None where the system does not say what there is."""

    path: Path
    limit: int | None
    remedy: str  # what can be done where that is not enough

    def check(self, needed: int) -> None:
        """Raise when reading takes more than that."""
        if self.limit is not None and needed > self.limit:
            sizes = f"takes about {in_words(needed)} of memory, and {in_words(self.limit)} can be used"
            raise InputError(Message(f"reading {str(self.path)!r} {sizes}: ", self.remedy))


def budget_for(path: Path, remedy: str = SOME_COLUMNS) -> Budget:
    """What may be used now."""
    return Budget(path, most_memory(), remedy)


def most_memory() -> int | None:
    """The bytes that may be used; None where the system does not say."""
    return min((*_of_machine(), *_of_containers(), *_of_process()), default=None)


def in_words(n_bytes: float) -> str:
    """``3.2 GB``, ``160 MB``."""
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{max(n_bytes / 1e6, 1):.0f} MB"


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
    """What ``ulimit -v`` leaves."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            yield max(0, limit - pages * resource.getpagesize())
