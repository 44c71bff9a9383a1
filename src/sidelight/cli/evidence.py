"""``sidelight explain`` and ``sidelight audit``: what a network rests on, and whether it holds in these data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.data_options import Correlation, Data, Discrete, Missing, Test, Weights
from sidelight.cli.shared import names_in, say, user_errors
from sidelight.output.command_words import in_command_words
from sidelight.output.formats.network_json import read

NetworkFile = Annotated[Path, typer.Argument(help="A network that sidelight learn has written, NAME.json.")]


def explain(
    network: NetworkFile,
    a: Annotated[str, typer.Argument(help="A variable.")],
    b: Annotated[str, typer.Argument(help="Another variable.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the first sentence only.")] = False,
) -> None:
    """Say why two variables are joined or not, and why the edge points as it does."""
    with user_errors():
        explanation = read(network).explain(a, b)
        if as_json:
            say(json.dumps(explanation.as_dict(), indent=1, ensure_ascii=False))
        else:
            say(explanation.sentences[0] if quiet else str(explanation))


def audit(
    network: NetworkFile,
    data: Data,
    alpha: Annotated[
        float | None, typer.Option(help="The level; for missing edges it is divided by their number.")
    ] = None,
    correlation: Correlation = "",
    test: Test = "",
    discrete: Discrete = "",
    missing: Missing = "",
    weights: Weights = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what does not hold.")] = False,
) -> None:
    """Test a network on the same or on other data and list what does not hold. Exit code 1 if something does not.

    Options that are not given are as they were when the network was learned.
    """
    with user_errors():
        result = read(network).audit(
            data,
            alpha,
            correlation=correlation or None,
            test=test or None,
            discrete=names_in(discrete),
            missing=missing or None,
            weights=weights or None,
        )
        if as_json:
            say(json.dumps(result.facts, indent=1, ensure_ascii=False))
        else:
            shown = replace(result, warnings=tuple(map(in_command_words, result.warnings)))
            for sentence in map(shown.in_words, shown.failures) if quiet else shown.sentences:
                say(sentence)
        if not result.holds:
            raise typer.Exit(1)
