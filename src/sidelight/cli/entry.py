"""Where the ``sidelight`` command begins: signals are handled before anything that takes time is imported."""

from __future__ import annotations

import atexit
import os
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder

from sidelight.cli import signals

LEAST_ADDRESSES = 1_200_000 * 1024  # bytes of addresses that the libraries map before any row is read


def main(module: str = "sidelight.cli.main") -> None:
    """Run the ``app`` of a module, and end with its exit code."""
    _open_closed_streams()
    _check_addresses()
    sys.meta_path.insert(0, _WithoutPandas())
    try:
        signals.listen()
        code = _run(module)
    except BaseException as error:
        # Python itself raises another exception in the place of a signal's, such as one in __set_name__.
        if not isinstance(error, KeyboardInterrupt) and not signals.was_stopped():
            raise
        print("sidelight: stopped", file=sys.stderr)
        code = signals.exit_code()
    signals.stop_listening()
    code = _flushed(code)
    if signals.was_stopped():  # Python itself may end with another code after an interrupt that was handled
        signals.show_cursor()
        atexit._run_exitfuncs()
        os._exit(code)
    sys.exit(code)


def _open_closed_streams() -> None:
    """What goes to a stream that was closed (``>&-``) goes nowhere, and no file gets its number."""
    for name, flags, mode in (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_WRONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))


def _check_addresses() -> None:
    """End early where ``ulimit -v`` leaves too little: libraries that do not get their threads' stacks wait forever."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # Windows has no such limit
        return
    limit = getrlimit(RLIMIT_AS)[0]
    if limit != RLIM_INFINITY and limit < LEAST_ADDRESSES:
        needed, there = LEAST_ADDRESSES // 1024, limit // 1024
        print(f"sidelight: ulimit -v {there} is too little to start with; give {needed} or more", file=sys.stderr)
        sys.exit(2)


class _WithoutPandas(MetaPathFinder):
    """pyarrow imports pandas with its first array, if it is there, and commands do not need it for that.

    It takes half a second, and pyarrow swallows any exception that is raised meanwhile, even that of a signal. Other
    packages, such as the one behind the kernel test, get it.
    """

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Say to pyarrow that there is no such module."""
        if fullname == "pandas" and _importer().startswith(("pyarrow", "narwhals", "sidelight")):
            raise ModuleNotFoundError("No module named 'pandas' in commands", name=fullname)


def _importer() -> str:
    """The module that imports another; compiled code, such as pyarrow's, has the name of the module that calls it."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", ""))


def _run(module: str) -> int:
    try:
        import_module(module).app()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
        return signals.exit_code() if code and signals.was_stopped() else code  # typer has other codes for signals
    return 0


def _flushed(code: int) -> int:
    """The exit code when all that was printed has reached its reader; another one when it could not."""
    try:
        sys.stderr.flush()
        sys.stdout.flush()
    except OSError as error:
        return signals.give_up_output(error)
    return code
