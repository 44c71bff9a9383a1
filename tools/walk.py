"""Print the modules whose functions run in ``sl.learn("newborns.csv")``, in the order in which they are first entered.

    python tools/walk.py

Kernels are counted apart: they are arrays in, arrays out. So are the doctor's examinations, a file for each kind of
finding, which ``doctor/whole.py`` and the tests call.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import sidelight as sl
from sidelight.examples import example

PACKAGE = Path(sl.__file__).parent
APART, EXAMINATIONS = ("kernels", "doctor"), "doctor/whole.py"


def modules_entered(table: Path) -> list[str]:
    """The modules of the package, by path, in which a function runs while a table is learned from."""
    entered: dict[str, None] = {}

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and frame.f_code.co_name != "<module>" and path.is_relative_to(PACKAGE):
            entered[str(path.relative_to(PACKAGE))] = None

    sys.setprofile(note)
    try:
        sl.learn(table)
    finally:
        sys.setprofile(None)
    return list(entered)


if __name__ == "__main__":
    table = example("newborns")
    sl.learn(table)  # kernels are compiled or loaded once
    modules = modules_entered(table)
    walk = [module for module in modules if not module.startswith(APART) or module == EXAMINATIONS]
    print("\n".join(f"{number:3}  {module}" for number, module in enumerate(walk, 1)))
    print(f"{len(walk)} modules, and {len(modules) - len(walk)} of kernels/ and doctor/")
