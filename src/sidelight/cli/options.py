"""The options of ``learn`` as options of commands: name, default and help come from the fields of ``Options``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from sidelight.certainty.resamples import StabilityOptions
from sidelight.cli.shared import as_file, as_typed, names_in
from sidelight.options import AUTO, Options

Data = Annotated[
    Path,
    typer.Argument(
        help="A CSV, TSV, Parquet or Feather file, one of Excel, Stata, SPSS, SAS or R, a folder, or - for standard "
        "input.",
        callback=as_file,
    ),
]
_FIELDS = {field.name: field for field in fields(Options)}
FIELDS: dict[str, Field[Any]] = {name: _FIELDS[name] for name in signature(Options).parameters}  # the main ones first
LISTS = ("columns", "drop", "discrete", "dates")  # comma-separated names
# The types that the command line has, as the fields of the options have them; everything else is a text there.
TYPES = {name: kind for name, kind in get_type_hints(Options).items() if kind in (int, float, int | None, float | None)}
SWITCHES = [name for name, kind in get_type_hints(Options).items() if kind == bool | None]  # on, off, or not given
NOT_FOR_COMMANDS = ("names", "progress")  # they are for arrays, and for Python
RESAMPLING: dict[str, str] = {field.name: field.metadata["command"] for field in fields(StabilityOptions)}  # their help


def takes_options(*names: str, unset: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take these options of ``learn``; its parameter ``options`` receives those that were given.

    With ``unset`` no option has a default: what is not given is left out.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(signature(command, eval_str=True).parameters.values())
        place = [parameter.name for parameter in own].index("options")
        parameters = [*own[:place], *(_parameter(FIELDS[name], unset) for name in names), *own[place + 1 :]]

        @wraps(command)
        def call(**arguments: Any) -> None:
            given = {name: _parsed(name, arguments.pop(name)) for name in names}
            command(**arguments, options={name: value for name, value in given.items() if value is not None})

        call.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return call

    return decorate


def _parameter(field: Field[Any], unset: bool) -> Parameter:
    kind: Any = TYPES.get(field.name, str)
    default = field.default
    if unset or (default is None and kind is str):
        kind, default = kind | None, None
    if field.name == "side":
        default = "none"
    if field.name == "resamples":
        default = AUTO
    if field.name == "n_jobs":  # more than one only for resamples, unless the user says so
        kind, default = int | None, None
    flag = [f"--{field.name}"] if field.default is False else []  # a switch that is off by default
    kind = bool if flag else kind
    if field.name in SWITCHES or field.default is True:
        kind, flag = bool | None, [f"--{field.name}/--no-{field.name}"]
        default = None
    annotation = Annotated[kind, typer.Option(*flag, help=field.metadata["command"])]
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _parsed(name: str, value: Any) -> Any:
    """The value as ``learn`` takes it; None where nothing was given."""
    if name in LISTS:
        return None if value is None else names_in(value)
    if name == "weights":
        return as_typed(value) if value else None
    return value
