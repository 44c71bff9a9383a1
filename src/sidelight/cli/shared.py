"""What all commands share: errors as one message, lists of names, progress on a terminal."""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TextIO

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from sidelight.certainty.resamples import RESAMPLES_WANTED
from sidelight.cli.signals import exit_code, give_up_output, handled
from sidelight.errors import AnswerError, InputError
from sidelight.kernels import compiling_announced
from sidelight.text.message import between_commas, in_command_words
from sidelight.text.sentences import listed
from sidelight.text.visible import ascii_json, visible_json, visible_lines

QUIET_SECONDS = 20  # without a terminal
STANDARD_INPUT, PARQUET = "-", b"PAR1"
NO_MEMORY = "there is not enough memory; use fewer columns (--columns) or a part of the rows"
PLAIN = str.maketrans({"→": "->", "←": "<-", "⇝": "~>", "≤": "<=", "–": "-", "—": "-", "−": "-"})


class Output(Console):
    """Standard output. A reader that is gone is an ``OSError``, from which every command has the same exit code."""

    def on_broken_pipe(self) -> None:
        """Pass the error on: rich would end the command with 1, which says that something does not hold."""
        raise


def announced(path: Path) -> Path:
    """The path; if it is a named pipe, say that nothing happens until another program writes to it."""
    is_pipe = False
    with suppress(OSError):  # a name that is too long is refused where the file is opened
        is_pipe = path.is_fifo()
    if is_pipe and not path.as_posix().startswith("/dev/"):  # such as the shell's own, from <(command)
        say(f"sidelight: waiting for another program to write to {str(path)!r}", sys.stderr)
    return path


def as_file(path: Path) -> Path:
    """The path; for ``-`` a copy of standard input, as a table is read more than once. It is removed at the end."""
    if str(path) != STANDARD_INPUT:
        return announced(path)
    folder = TemporaryDirectory(prefix="sidelight-")
    atexit.register(folder.cleanup)
    first = sys.stdin.buffer.read(len(PARQUET))
    copy = Path(folder.name) / f"standard-input{'.parquet' if first == PARQUET else '.csv'}"
    with copy.open("wb") as file:
        file.write(first)
        copyfileobj(sys.stdin.buffer, file)
    return copy


def names_in(text: str) -> list[str]:
    """Names with commas between, in double quotes where a name has a comma itself."""
    return between_commas(as_typed(text))


def as_typed(text: str) -> str:
    """A name from the command line: UTF-8 even where the locale knows ASCII only."""
    try:
        return os.fsencode(text).decode()
    except UnicodeError:
        return text


def say_json(content: object) -> None:
    """Print JSON, given as such or as data, escaped where the terminal's encoding lacks a character.

    Nothing in it acts on a terminal.
    """
    text = content if isinstance(content, str) else json.dumps(content, indent=1, ensure_ascii=False)
    text = visible_json(text.rstrip("\n"))
    print(text if _can_show(text, sys.stdout) else ascii_json(text))


def say(text: str, stream: TextIO | None = None) -> None:
    """Print text, with ASCII in place of arrows and the like where the terminal's encoding lacks them.

    Nothing in it acts on the terminal, whatever names it holds.
    """
    stream, text = stream or sys.stdout, visible_lines(text)
    print(text if _can_show(text, stream) else text.translate(PLAIN), file=stream)


def _can_show(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def user_errors(*targets: Path | None) -> Iterator[None]:
    """An unusable input ends with one message and exit code 2; Ctrl-C and SIGTERM end with no file half written.

    Args:
        targets: the files that the command writes; a command that is stopped says which of them it has written.
    """
    before = {path: _state(path) for path in targets if path is not None}
    try:
        yield
        sys.stdout.flush()
    except OSError as error:  # all others name a file by then: this is the output's
        raise typer.Exit(give_up_output(error)) from None
    except (InputError, AnswerError, MemoryError) as error:
        why = NO_MEMORY if isinstance(error, MemoryError) else in_command_words(str(error))
        say(f"sidelight: {why}", sys.stderr)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        written = [path for path, state in before.items() if _state(path) != state]
        what = f"{listed(written, quoted=True)} {'was' if len(written) == 1 else 'were'}" if written else "nothing was"
        say(f"sidelight: stopped; {what} written", sys.stderr)
        raise typer.Exit(exit_code()) from None


def _state(path: Path) -> tuple[int, int] | None:
    """What changes when a file is replaced: the file system knows it, whenever the signal came."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


@contextmanager
def phases(silent: bool) -> Iterator[Callable[[str, int], None]]:
    """Show phases and steps on a terminal, with the time that resamples will take still; nothing in a pipe."""
    console = Console(stderr=True)
    if silent or not console.is_terminal:
        yield _heed if silent else _in_lines()
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.fields[step]}"),
        TextColumn("{task.fields[tests]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar, compiling_announced(bar.console.print):
        task, wanted, left = bar.add_task("reading", total=None, step="", tests=""), 0, _time_left(0)

        def report(phase: str, done: int) -> None:
            nonlocal wanted, left
            _heed(phase, done)
            if phase == RESAMPLES_WANTED:
                wanted, left = done, _time_left(done)
            elif phase == "tests":
                bar.update(task, tests=f"{done:,} tests")
            elif phase == "resamples":
                bar.update(task, description=phase, step=f"{done} of {wanted}", tests=left(done))
            else:
                count = f"{done:,} rows" if phase == "reading" else f"{done:,}"
                bar.update(task, description=phase, step=count if done else "")

        yield report


def _in_lines() -> Callable[[str, int], None]:
    """A line now and then for where there is no terminal, such as the file of a batch system; none for short work."""
    started = last = perf_counter()

    def report(phase: str, done: int) -> None:
        nonlocal last
        _heed(phase, done)
        if (now := perf_counter()) - last > QUIET_SECONDS:
            last = now
            say(f"sidelight: {phase}{f' {done:,}' if done else ''}, after {now - started:.0f} s", sys.stderr)

    return report


def _heed(phase: str, done: int) -> None:
    if phase == "stopped":  # what is done is counted and written, which a signal that comes again would prevent
        handled()


def _time_left(total: int) -> Callable[[int], str]:
    """A function of how much is done, which says how long the rest will take; it is first called with 0."""
    started = 0.0

    def left(done: int) -> str:
        nonlocal started
        if done == 0:
            started = perf_counter()
            return ""
        seconds = (perf_counter() - started) / done * (total - done)
        return f"{round(seconds)} s left" if seconds < 120 else f"{round(seconds / 60)} min left"

    return left


@contextmanager
def steps(what: str, total: int, silent: bool) -> Iterator[Callable[[int], None]]:
    """Show a bar with the remaining time on a terminal, nothing in a pipe."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("elapsed"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=silent or not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)
