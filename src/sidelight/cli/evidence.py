"""``sidelight explain`` and ``sidelight audit``: what a network rests on, and whether it holds in these data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sidelight.cli.options import Data, takes_options
from sidelight.cli.shared import as_typed, say, say_json, user_errors
from sidelight.output.formats.network_json import read
from sidelight.text.message import in_command_words

NetworkFile = Annotated[Path, typer.Argument(help="A network that sidelight learn has written, NAME.json.")]


def explain(
    network: NetworkFile,
    a: Annotated[str, typer.Argument(help="A variable.")],
    b: Annotated[str, typer.Argument(help="Another variable.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the first sentence only.")] = False,
) -> None:
    """Say why two variables are adjacent or not, and why the edge points as it does."""
    with user_errors():
        explanation = read(network).explain(as_typed(a), as_typed(b))
        if as_json:
            say_json(json.dumps(explanation.as_dict(), indent=1, ensure_ascii=False))
        else:
            say(explanation.sentences[0] if quiet else str(explanation))


@takes_options("alpha", "correlation", "test", "discrete", "types", "missing", "weights", unset=True)
def audit(
    network: NetworkFile,
    data: Data,
    *,
    options: dict[str, Any],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what does not hold.")] = False,
) -> None:
    """Test a network on the same or on other data and list what does not hold. Exit code 1 if something does not.

    Options that are not given are as they were when the network was learned.
    """
    with user_errors():
        result = read(network).audit(data, **options)
        if as_json:
            say_json(json.dumps(result.as_dict(), indent=1, ensure_ascii=False))
        else:
            for sentence in map(result.in_words, result.failures) if quiet else result.sentences:
                say(in_command_words(sentence))
        if not result.holds:
            raise typer.Exit(1)
