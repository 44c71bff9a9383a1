"""Where the ``sidelight`` command begins: signals are handled before anything that takes time is imported."""

from __future__ import annotations

import atexit
import os
import sys

from sidelight.cli import signals


def main() -> None:
    """Run the command, and end with its exit code."""
    try:
        signals.listen()
        code = _run()
    except KeyboardInterrupt:
        _print_error("stopped")
        code = signals.exit_code()
    signals.stop_listening()
    code = _flushed(code)
    if signals.was_stopped():  # Python itself may end with another code after an interrupt that was handled
        atexit._run_exitfuncs()
        os._exit(code)
    sys.exit(code)


def _run() -> int:
    from sidelight.cli.main import app

    try:
        app()
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
        signals.discard_output()
        if isinstance(error, BrokenPipeError):
            return signals.BROKEN_PIPE
        _print_error(f"cannot write to standard output: {error.strerror}")
        return 2
    return code


def _print_error(message: str) -> None:
    print(f"sidelight: {message}", file=sys.stderr)
