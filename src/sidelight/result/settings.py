"""How a network was learned, in words that can be run again: the Python call and the command."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from numbers import Integral, Real
from pathlib import Path

from sidelight.independence.options import with_commas
from sidelight.side_information import SideInformation, side_in_words

Option = str | float | int | tuple[str, ...] | None
UNSEEN = ("source", "progress", "n_jobs")  # the source is told by its name; the others do not change the result


@dataclass(frozen=True)
class Recipe:
    """The file that was learned from ("" when it was no file) and the options that differ from the defaults.

    An option that is not text, a number or a list of names is None: it cannot be told.
    """

    table: str = ""
    options: Mapping[str, Option] = field(default_factory=dict)

    @staticmethod
    def of(function: Callable[..., object], arguments: Mapping[str, object]) -> Recipe:
        """The recipe of a call of ``function`` with these arguments, the first of which is the source."""
        source = arguments["source"]
        table = Path(source).name if isinstance(source, str | Path) else ""
        defaults = {name: parameter.default for name, parameter in signature(function).parameters.items()}
        given = {name: arguments[name] for name in defaults if name not in UNSEEN}
        told = {name: _option(value) for name, value in given.items() if value is not defaults[name]}
        return Recipe(table, {name: value for name, value in told.items() if value is None or value != defaults[name]})

    def python(self) -> str:
        """The call in Python; what cannot be told is an ellipsis."""
        told = [f"{name}={_as_python(value)}" for name, value in self.options.items()]
        return f"sl.learn({', '.join([repr(self.table) if self.table else 'data', *told])})"

    def command(self) -> str:
        """The same on the command line, or nothing when it cannot be said there."""
        if not self.table or None in self.options.values():
            return ""
        table = f"./{self.table}" if self.table.startswith("-") else self.table
        return shlex.join(["sidelight", "learn", table, *(w for o in self.options.items() for w in _flag(*o))])


def _option(value: object) -> Option:
    if isinstance(value, str):
        return value
    if isinstance(value, Real) and not isinstance(value, bool):
        return int(value) if isinstance(value, Integral) else float(value)
    if isinstance(value, SideInformation):
        return side_in_words(value)
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return tuple(value)
    return None


def _as_python(value: Option) -> str:
    if value is None:
        return "…"
    return repr(list(value)) if isinstance(value, tuple) else repr(value)


def _flag(name: str, value: Option) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    text = with_commas(value) if isinstance(value, tuple) else str(value)
    return [f"{flag}={text}"] if text.startswith("-") else [flag, text]
