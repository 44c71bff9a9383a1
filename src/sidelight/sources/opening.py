"""Which sources come in batches."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from pathlib import Path

from sidelight.files.opening import user_path
from sidelight.sources.base import Batches, open_file, open_folder
from sidelight.sources.cluster import open_frame
from sidelight.sources.queries import open_query


def open_batches(source: object, columns: Iterable[Hashable] = (), memory: int | None = None) -> Batches | None:
    """The source as batches of rows; None for what is in memory as a whole, such as arrays and data frames.

    What can be read only once is read here, and takes at most so many bytes of memory.
    """
    if not isinstance(source, str | Path):
        return open_frame(source) or open_query(source, memory)
    path = user_path(source)
    return open_folder(path, columns) if os.path.isdir(path) else open_file(path, columns)
