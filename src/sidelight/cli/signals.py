"""Ctrl-C and SIGTERM end a command in the same way: nothing is half written, and the exit code says which it was.

Python handles a signal between two of its own instructions, which can take minutes within a kernel, and code in C may
swallow the exception. A thread therefore watches: a command that does not notice a signal in time is ended from there,
without its unfinished files, and a signal whose exception is gone before anybody handled it comes again.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import weakref
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM)
PATIENCE = 1.0  # seconds until a command that does not notice a signal is ended
LOST = 0.1  # seconds between two looks whether the exception is still on its way
BROKEN_PIPE = 141  # what a shell reports of a program that SIGPIPE has ended
SHOW_CURSOR = b"\x1b[?25h"
_noticed, _handled = threading.Event(), threading.Event()
_received: int | None = None
_on_its_way: weakref.ref[KeyboardInterrupt] | None = None
_listens = 0  # the process, so that one that is forked from it does not take its signals for its own


def exit_code() -> int:
    """What a shell reports of a program that the last signal has ended: 130 for Ctrl-C, 143 for SIGTERM.

    Whoever asks for it handles the signal, which then need not come again.
    """
    handled()
    return 128 + (_received or signal.SIGINT)


def handled() -> None:
    """What the last signal asked for is done from now on, and it need not come again."""
    _handled.set()


def was_stopped() -> bool:
    """Whether a signal has come."""
    return _received is not None


def listen() -> None:
    """From now on SIGTERM raises ``KeyboardInterrupt`` as Ctrl-C does, and a signal is noticed also within kernels."""
    global _listens
    _listens = os.getpid()
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    sys.unraisablehook = _without_signals
    threading.Thread(target=_watch, args=(reading,), daemon=True).start()


def stop_listening() -> None:
    """What has to be done is done: a signal that comes now changes nothing."""
    signal.set_wakeup_fd(-1)
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)


def show_cursor() -> None:
    """Show the cursor of the terminal again: a signal may come just after progress has hidden it."""
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        os.write(sys.stderr.fileno(), SHOW_CURSOR)


def give_up_output(error: OSError) -> int:
    """Let what is printed from now on go nowhere, since its reader is gone or its disk full; return the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    print(f"sidelight: cannot write to standard output: {error.strerror}", file=sys.stderr)
    return 2


def _stop(number: int, frame: FrameType | None) -> None:
    global _received
    if os.getpid() != _listens:  # a worker that has just been forked
        os._exit(128 + number)
    _received = number
    raise _interrupt()


class _Interrupt(KeyboardInterrupt):
    """One that can be watched without being kept alive."""


def _interrupt() -> _Interrupt:
    global _on_its_way
    interrupt = _Interrupt()
    _on_its_way = weakref.ref(interrupt)
    _noticed.set()
    return interrupt


def _without_signals(ignored: sys.UnraisableHookArgs) -> None:
    """An exception in a finalizer is printed and goes nowhere; a signal that arrived there comes again instead."""
    if not issubclass(ignored.exc_type, _Interrupt):
        sys.__unraisablehook__(ignored)


def _watch(reading: int) -> None:
    while True:
        number = os.read(reading, 1)[0]
        if number in STOPPING and not _noticed.wait(PATIENCE):
            _end(number)
        _noticed.clear()
        while number in STOPPING and not _handled.wait(LOST):
            if _on_its_way is not None and _on_its_way() is None:
                os.kill(os.getpid(), number)
                break


def _end(number: int) -> None:
    """End the process from this thread, while the main one computes."""
    if files := sys.modules.get("sidelight.files.writing"):
        files.remove_unfinished()
    show_cursor()
    os.write(sys.stderr.fileno(), b"sidelight: stopped\n")
    os._exit(128 + number)
