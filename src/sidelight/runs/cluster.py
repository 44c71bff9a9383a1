"""Work on a Dask cluster. What it loses is sent again; what cannot be repeated is one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext
from time import sleep
from typing import Any

from sidelight.errors import InputError
from sidelight.text.message import Message, Option, OptionName
from sidelight.text.sentences import counted

MOST_TIMES = 4  # that tasks are sent without any result
EVERY = 0.1  # seconds between two looks at a client that seeks its scheduler

GONE = (
    "the scheduler of the cluster is gone, or the client was closed: start the cluster again, connect to it and repeat "
    "the call"
)

Send = Callable[[Sequence[int]], list[Any]]  # from the numbers of tasks to their futures
Order = Callable[[list[Any]], Iterable[Any]]


@contextmanager
def cluster(dask: object) -> Iterator[Any]:
    """A dask client as it is, or one for the scheduler with an address, which is closed at the end."""
    client = client_of(dask)
    with nullcontext(client) if client is dask else client:
        yield client


def client_of(dask: object) -> Any:
    """A dask client as it is, or one for the scheduler with an address."""
    try:
        from distributed import Client
    except ImportError as error:
        needs = Message(OptionName("dask"), " needs the package distributed: pip install 'sidelight[dask]'")
        raise InputError(needs) from error
    if isinstance(dask, Client):
        return dask
    try:
        return Client(dask, timeout=10, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(Message(Option("dask", dask), f": no scheduler answers there ({error})")) from error


def in_turn(futures: list[Any]) -> Iterator[Any]:
    """The futures in their order; each is forgotten by the cluster once its result is here."""
    futures.reverse()
    while futures:
        yield futures[-1]
        futures.pop()


def as_ready(futures: list[Any]) -> Iterable[Any]:
    """The futures in the order in which they are ready."""
    from distributed import as_completed

    return as_completed(futures, loop=futures[0].client.loop) if futures else ()


def results(client: Any, send: Send, count: int, order: Order = in_turn) -> Iterator[tuple[int, Any]]:
    """The numbers of so many tasks, and their results; what a restarted cluster has lost is sent again."""
    waiting, times_in_vain = list(range(count)), 0
    while waiting:
        _wait_for_scheduler(client)
        with _in_words(client):
            futures = send(waiting)
        numbers = {future.key: number for future, number in zip(futures, waiting, strict=True)}
        times_in_vain += 1
        for key, result in _until_one_is_lost(client, futures, order):
            times_in_vain = 0
            waiting.remove(numbers[key])
            yield numbers[key], result
        if times_in_vain == MOST_TIMES:
            times = f"the cluster has lost its work {MOST_TIMES} times, as it does when it is restarted"
            raise InputError(f"{times}; repeat the call when nothing restarts it")


def _until_one_is_lost(client: Any, futures: list[Any], order: Order) -> Iterator[tuple[Any, Any]]:
    """The keys and results of futures; what is wanted no more is cancelled."""
    try:
        for future in order(futures):
            with _in_words(client):
                result = future.result()
            yield future.key, result
    except CancelledError:
        futures.clear()  # they are sent again, some with the same keys
    finally:
        if futures and client.status == "running":
            client.cancel(futures)


def _wait_for_scheduler(client: Any) -> None:
    """Wait as long as the client looks for a scheduler that does not answer; then it is closed."""
    while client.status == "connecting":
        sleep(EVERY)
    if client.status != "running":
        raise InputError(GONE)


@contextmanager
def _in_words(client: Any) -> Iterator[None]:
    """What fails for the cluster's sake is said in a sentence; errors of the work are raised as they are."""
    try:
        yield
    except (InputError, CancelledError):
        raise
    except Exception as error:
        _wait_for_scheduler(client)
        if (said := _said(error)) is not None:
            raise InputError(said) from error
        check_versions(client)
        raise


def _said(error: Exception) -> str | None:
    """An error of Dask as a sentence; errors have their names since several versions of Dask."""
    match type(error).__name__:
        case "KilledWorker":
            died = f"{counted(getattr(error, 'allowed_failures', 0) + 1, 'worker')} died at the same part of the work"
            return f"{died}, mostly for want of memory: give workers more of it, or divide the table into more parts"
        case "NoWorkerError" | "NoValidWorkerError":
            return "no worker has come to the cluster in the time that it allows: start workers, and repeat the call"
        case "TimeoutError" if str(error) == "No valid workers found":
            return "the cluster has no workers: start some, and repeat the call"
    return None


# Workers and the caller have the same sidelight.


def check_versions(client: Any) -> None:
    """Refuse workers that have another version of sidelight, or none."""
    _wait_for_scheduler(client)
    try:
        versions = client.run(_version_finder(), on_error="return")
    except OSError as error:
        raise InputError(GONE) from error
    ours = _version_finder()()
    for worker, theirs in versions.items():
        if isinstance(theirs, str) and theirs != ours:  # one that has ended meanwhile has none
            has = f"sidelight {theirs}" if theirs else "no sidelight"
            what = f"the worker {worker} has {has}, and this is sidelight {ours}"
            raise InputError(f"{what}: install sidelight {ours} there too, and restart the worker")


def _version_finder() -> Callable[[], str]:
    """A function that is sent whole, also to workers without sidelight."""

    def version() -> str:
        try:
            from sidelight import __version__
        except ImportError:
            return ""
        return __version__

    return version
