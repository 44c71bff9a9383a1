"""Numba kernels that several folders use: arrays in, arrays out. Imported on first use, compiled and kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# The share of a variable's variance below which it counts as fully determined by others: above what rounding leaves
# of an exact combination, below what the strong effects of the paper's simulated data leave.
DETERMINED = 1e-14
# Below this pivot, an inverse has lost so many digits that leaving members out of it is not as good as inverting anew.
WELL_CONDITIONED = 1e-8

_listener: Callable[[str], None] | None = None


@contextmanager
def compiling_announced(say: Callable[[str], None]) -> Iterator[None]:
    """Within the block, call the function with a sentence when kernels are compiled; once at most."""
    global _listener
    _listener = say
    try:
        yield
    finally:
        _listener = None


def announce_compiling(sentence: str) -> None:
    """Hand on the sentence if somebody asked for it, the first time only."""
    global _listener
    say, _listener = _listener, None
    if say is not None:
        say(sentence)
