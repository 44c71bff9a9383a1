"""Print the modules whose functions run while the bundled tables are learned from, in the order of their first call.

    python tools/walk.py

Everything counts: kernels, the doctor, and modules that are entered once. A line marks where the first Markov boundary
is looked for: what stands above it is the way from a table to a test.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import sidelight as sl
from sidelight.examples import example

PACKAGE = Path(sl.__file__).parent
TABLES = {
    "newborns": partial(sl.learn, example("newborns")),
    "penguins": partial(sl.learn, example("penguins"), missing="drop"),
}


def modules_entered(learn: Callable[[], object]) -> list[str]:
    """The modules of the package, by path, in which a function runs."""
    entered: dict[str, None] = {}

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and frame.f_code.co_name != "<module>" and path.startswith(f"{PACKAGE}/"):
            entered[path[len(str(PACKAGE)) + 1 :]] = None

    sys.setprofile(note)
    try:
        learn()
    finally:
        sys.setprofile(None)
    return list(entered)


def printed(name: str, learn: Callable[[], object]) -> None:
    """The modules of one table, and how many there are before the first boundary."""
    learn()  # kernels are compiled or loaded once
    modules = modules_entered(learn)
    before = next(i for i, module in enumerate(modules) if module.startswith("boundaries/"))
    print(f"{name}: {before} modules before the first boundary, {len(modules)} in all")
    for number, module in enumerate(modules, 1):
        if number == before + 1:
            print("     ---")
        print(f"{number:3}  {module}")


if __name__ == "__main__":
    for name, learn in TABLES.items():
        printed(name, learn)
