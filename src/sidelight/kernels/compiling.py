# mypy: disable-error-code="no-untyped-call, attr-defined, call-overload"
"""``njit`` for kernels: as numba's, but a kernel is compiled also where numba cannot keep what it has compiled.

numba raises an error where no folder can be written to, a file of its cache is damaged or the disk is full. Kernels are
then kept in a folder of the user's own among temporary files, compiled again, or not kept.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import numba
from numba.core.caching import FunctionCache, NullCache

from sidelight.kernels import announce_compiling

KEPT = "compiling kernels (first run on this machine) …"
NOT_KEPT = "compiling kernels (no folder to keep them in: NUMBA_CACHE_DIR can name one) …"
PACKAGE = Path(__file__).parent.parent


def kernel_files() -> list[Path]:
    """The files of all kernels: in this folder, and in ``kernels.py`` or ``kernels/`` beside what calls them."""
    folders = [path for path in PACKAGE.rglob("kernels") if path.is_dir()]
    return sorted([*PACKAGE.rglob("kernels.py"), *(path for folder in folders for path in folder.glob("*.py"))])


# Numba compiles a kernel again when its own file has changed, not when another has whose functions it calls.
SOURCES = crc32(b"".join(path.read_bytes() for path in kernel_files()))


def njit(cache: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """The decorator of numba; with ``cache``, what is compiled is kept on disk if there is a place for it."""

    def decorate(function: Callable[..., Any]) -> Any:
        # No kernel is called from C, and those that only others call need no way in from Python: less to compile.
        is_inner = function.__name__.startswith("_")
        dispatcher = numba.njit(no_cfunc_wrapper=True, no_cpython_wrapper=is_inner, **options)(function)
        if cache:
            dispatcher._cache = _cache_of(function)
        return dispatcher

    return decorate


class KernelCache(FunctionCache):
    """numba's cache of one function, in which damage is repaired and a full disk is no obstacle."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for these types; None if that has to be done now."""
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # a damaged pickle can raise anything
            with suppress(OSError):
                self.flush()
        if found is None:
            announce_compiling(KEPT)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if the disk allows it."""
        with suppress(OSError):
            super().save_overload(sig, data)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (*super()._index_key(sig, codegen), SOURCES)


class NoCache(NullCache):
    """For a kernel that cannot be kept anywhere."""

    def load_overload(self, sig: Any, target_context: Any) -> None:
        """Nothing: it has to be compiled now."""
        announce_compiling(NOT_KEPT)


def _cache_of(function: Callable[..., Any]) -> Any:
    with suppress(RuntimeError):  # no folder that numba knows of can be written to
        return KernelCache(function)
    chosen = numba.config.CACHE_DIR
    try:
        numba.config.CACHE_DIR = str(_own_temporary_folder())  # read when a cache is made, and only then
        return KernelCache(function)
    except (AttributeError, OSError, RuntimeError):  # AttributeError: Windows has no os.getuid
        return NoCache()
    finally:
        numba.config.CACHE_DIR = chosen


def _own_temporary_folder() -> Path:
    """A folder that nobody else can write to: what is read from a cache is run."""
    folder = Path(tempfile.gettempdir()) / f"sidelight-kernels-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise PermissionError(f"{str(folder)!r} belongs to another user")
    return folder
