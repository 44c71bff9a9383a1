"""Tables whose parts are on the workers of a Dask cluster, or are read there: workers reduce what they have.

Dask schedules, and computes anew what a lost worker had: each part gives one result, which counts once.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sidelight.errors import InputError
from sidelight.graphs.names import check_names
from sidelight.runs.cluster import check_versions, client_of, cluster, results
from sidelight.sources import Source
from sidelight.sources.column_files import ColumnFile
from sidelight.sources.delimited import DelimitedFile
from sidelight.sources.folder import Folder
from sidelight.sources.queries import Query
from sidelight.tables.all_rows import Tick
from sidelight.text.message import Message, Option

if TYPE_CHECKING:
    import pyarrow as pa


Work = Callable[[Iterator[Any]], Any]  # on batches


class How(NamedTuple):
    """Which columns batches have, which of them as strings, and how many rows."""

    chosen: Sequence[str]
    as_text: Collection[str]
    at_once: int


@dataclass(frozen=True)
class OnCluster(Source):
    """A table in parts: partitions of a Dask data frame, or files that workers read."""

    parts: tuple[Any, ...]
    dask: object = None  # a client, the address of a scheduler, or None for the client that there is

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """The chosen columns, brought here."""
        for tables in self.each(list, How(chosen, as_text, at_once), lambda count=1: None):
            yield from tables

    def each(self, work: Work, how: How, tick: Tick) -> Iterator[Any]:
        """What comes of some work on the batches of each part, in the order of the parts."""
        tasks = self._tasks(work, how)
        with nullcontext(_client()) if self.dask is None else cluster(self.dask) as client:
            here = (task.compute() for task in tasks)
            for result in here if client is None else _computed(client, tasks):
                tick()
                yield result

    @property
    def has_workers(self) -> bool:
        """Is there a cluster, whose workers can keep what they have computed?"""
        return self.dask is not None or _client() is not None

    def kept(self, work: Work, how: How, tick: Tick) -> KeptParts:
        """What comes of some work on the batches of each part, which stays where it was computed."""
        return KeptParts(self._tasks(work, how), _client() if self.dask is None else self.dask, tick)

    def _tasks(self, work: Work, how: How) -> list[Any]:
        from dask.delayed import delayed

        do = delayed(_worked, pure=False)
        titles = (f"partition {number} of {self.title}" for number in range(1, len(self.parts) + 1))
        return [do(part, work, how, title) for part, title in zip(self.parts, titles, strict=True)]


class KeptParts:
    """What workers have made of parts of a table. What was lost with a worker, or by a restart, is computed anew."""

    def __init__(self, tasks: list[Any], dask: object, tick: Tick) -> None:
        self._client, self._tasks = client_of(dask), tasks
        if self._client is not dask:
            weakref.finalize(self, self._client.close)
        check_versions(self._client)
        self._futures = self._client.compute(tasks)
        for _ in self.each(_nothing):
            tick()

    def each(self, function: Callable[[Any], Any]) -> Iterator[Any]:
        """A function of each part, computed where the part is, in their order."""
        if self._client.status in ("closing", "closed"):
            text = "the cluster whose workers keep the rows is closed: what was not asked for before is not known"
            raise InputError(text)
        return (result for _, result in results(self._client, partial(self._send, function), len(self._tasks)))

    def _send(self, function: Callable[[Any], Any], numbers: Sequence[int]) -> list[Any]:
        if any(future.cancelled() for future in self._futures):
            self._futures = self._client.compute(self._tasks)
        parts = [self._futures[number] for number in numbers]
        futures: list[Any] = self._client.map(function, parts, pure=False)
        return futures


def _nothing(part: Any) -> None:
    """All that is asked is that there is the part."""


def _computed(client: Any, tasks: list[Any]) -> Iterator[Any]:
    """The results in order, from workers with the same version of sidelight, also those that come meanwhile."""
    check_versions(client)
    for _, result in results(client, lambda numbers: client.compute([tasks[n] for n in numbers]), len(tasks)):
        yield result
    check_versions(client)


def _worked(part: Any, work: Work, how: How, title: str) -> Any:
    """What a worker does with a part; iterators cannot be sent."""
    source = (
        part if isinstance(part, Source) else Query(title, (), lambda chosen, at_once: [_chosen(part, chosen, title)])
    )
    try:
        result = work(source.batches(*how))
        return list(result) if isinstance(result, Iterator) else result
    except InputError as error:
        files: Sequence[Any] = part.files if isinstance(part, Folder) else [part]
        if isinstance(part, Source) and not all(file.path.exists() for file in files):
            where = "the workers of a cluster must find the files under the same path as here"
            raise InputError(f"{error}, on a worker: {where}") from error
        raise


def _chosen(part: Any, chosen: Sequence[str], title: str) -> Any:
    """The chosen columns of a partition."""
    lacking = [name for name in chosen if name not in getattr(part, "columns", ())]
    if not hasattr(part, "columns"):
        raise InputError(f"{title} is a {type(part).__name__}, and not a data frame")
    if lacking:
        what = f"{title} has no column {lacking[0]!r}, which the data frame says that it has: give it that column"
        raise InputError(Message(what, ", empty if there are no values, or leave it out by ", Option("drop", lacking)))
    return part[chosen]


def _client() -> Any | None:
    """The client that the user has made, if there is one."""
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):
        return None


def open_dask(source: Any) -> OnCluster | None:
    """The source, if it is a data frame of Dask."""
    if not type(source).__module__.startswith("dask") or not hasattr(source, "to_delayed"):
        return None
    if not hasattr(source, "columns"):
        raise InputError(f"of Dask, a data frame can be learned from; got a {type(source).__name__}")
    names = tuple(map(str, check_names(source.columns)))
    categories = frozenset(str(name) for name, kind in source.dtypes.items() if str(kind) == "category")
    if any(not isinstance(name, str) for name in source.columns) and len(set(names)) == len(names):
        source = source.rename(columns={name: str(name) for name in source.columns})
    return OnCluster("the Dask data frame", names, tuple(source.to_delayed()), categories=categories)


def on_cluster(source: Source, dask: object) -> OnCluster:
    """The table, read by the workers of a cluster, which must find its files under the same path."""
    if isinstance(source, OnCluster):
        return replace(source, dask=dask)
    if isinstance(source, Folder):
        files = zip(source.files, source.partitions, strict=True)
        parts: tuple[Source, ...] = tuple(
            replace(source, files=(_absolute(file),), partitions=(values,), notes=()) for file, values in files
        )
    else:
        parts = (_absolute(source),)
    read = {name: getattr(source, name) for name in ("categories", "decimal", "notes")}
    return OnCluster(source.title, source.names, parts, dask, **read)


def _absolute(file: Source) -> Source:
    if not isinstance(file, DelimitedFile | ColumnFile):
        raise InputError("workers of a cluster read files, folders and data frames of Dask, and no other tables")
    return replace(file, path=file.path.absolute())
