"""Arrays that are too large for the memory that may be used: in files that have no name, and so are never left behind.

The system keeps in memory what it has room for. The room on the disk is reserved beforehand: a disk that is full is an
error here, not a crash when a page is written.
"""

from __future__ import annotations

import errno
import os
import tempfile
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.files.memory import in_words


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
