"""``sidelight effect``: what setting a variable does to another one, by a network and a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sidelight.cli.evidence import NetworkFile
from sidelight.cli.options import Data
from sidelight.cli.shared import as_typed, names_in, say, say_json, user_errors
from sidelight.errors import InputError
from sidelight.network import Network
from sidelight.output.formats.network_json import read
from sidelight.text.message import Message, Option, OptionName, in_command_words


def effect(
    network: NetworkFile,
    data: Data,
    *,
    cause: Annotated[str | None, typer.Option(help="The variable that is set; several with commas between.")] = None,
    on: Annotated[str | None, typer.Option(help="The outcome.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All causes of the outcome; without --on all pairs of numbers.")
    ] = False,
    values: Annotated[
        str | None, typer.Option(help="Two values of the cause, before and after, with a comma between.")
    ] = None,
    outcome: Annotated[str | None, typer.Option(help="The category of the outcome whose probability is asked.")] = None,
    adjustment: Annotated[str, typer.Option(help="optimal (smallest variance), minimal or parents.")] = "optimal",
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    placebo: Annotated[int, typer.Option(help="Permute the cause over the rows as many times, for comparison.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the interval over the class only.")] = False,
) -> None:
    """Say what setting a variable does to another one: identified or not, how large, how sure."""
    with user_errors():
        asked: dict[str, Any] = {"level": level}
        found: Any
        if every:
            _refuse({"cause": cause, "values": values, "placebo": placebo or None})
            found = _all(read(network), data, on, {**asked, "outcome": outcome, "adjustment": adjustment})
        elif cause is None or on is None:
            two = (OptionName("cause"), " and ", OptionName("on"))
            raise InputError(Message("an effect is of one variable on another: give ", *two, ", or --all"))
        else:
            pair = None if values is None else tuple(names_in(values))
            asked |= {"values": pair, "outcome": outcome, "adjustment": adjustment, "placebo": placebo}
            net = read(network)
            found = net.effect(_causes(net, cause), as_typed(on), data, **asked)
        if as_json:
            say_json(found.as_dict())
        elif quiet and not every:
            say(f"{found.interval[0]:.6g} {found.interval[1]:.6g}")
        else:
            for sentence in found.sentences:
                say(in_command_words(sentence))


def _causes(network: Network, text: str) -> str | list[str]:
    """One cause, whatever its name has, or several with commas between."""
    name = as_typed(text)
    return name if name in map(str, network.names) else names_in(text)


def _all(network: Network, data: Path, on: str | None, asked: dict[str, Any]) -> object:
    if on is None:
        _refuse({"outcome": asked["outcome"]})
        return network.all_effects(data, level=asked["level"])
    return network.effects_on(as_typed(on), data, **asked)


def _refuse(options: dict[str, object]) -> None:
    for name, value in options.items():
        if value is not None:
            raise InputError(Message(Option(name, value), " goes with one cause, not with --all"))
