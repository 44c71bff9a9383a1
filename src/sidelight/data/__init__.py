"""Tables: reading them, their columns as values or codes, files; and the bundled example."""

from importlib import resources
from pathlib import Path

from sidelight.errors import InputError


def example(name: str) -> Path:
    """The path of a table that comes with the package; there is "newborns", simulated from the network *child*."""
    path = Path(str(resources.files("sidelight.data").joinpath("examples", f"{name}.csv")))
    if not path.exists():
        known = ", ".join(sorted(repr(p.stem) for p in path.parent.glob("*.csv")))
        raise InputError(f"there is no example named {name!r}; there is {known}")
    return path
