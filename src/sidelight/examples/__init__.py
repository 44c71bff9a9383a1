"""Tables: reading them, their columns as values or codes, their rows; files; and the bundled examples."""

from importlib import resources
from pathlib import Path

from sidelight.errors import InputError


def example(name: str) -> Path:
    """The path of a bundled table: "penguins", measured (CC0), or "newborns", simulated from the network *child*."""
    path = Path(str(resources.files("sidelight.examples").joinpath(f"{name}.csv")))
    if not path.exists():
        known = ", ".join(sorted(repr(p.stem) for p in path.parent.glob("*.csv")))
        raise InputError(f"the name of an example must be one of {known}; got {name!r}")
    return path
