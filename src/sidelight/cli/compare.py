"""``sidelight compare``: a learned graph compared with the true one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import networkx as nx
import typer
from rich.console import Console

from sidelight.cli.shared import say_json, user_errors
from sidelight.errors import InputError
from sidelight.evaluate.comparison import compare as compare_graphs
from sidelight.network import Network
from sidelight.output import formats, terminal
from sidelight.simulation import networks

GRAPHS = f"A file ({', '.join(formats.READERS)}), or the name of a bundled network."


def compare(
    learned: Annotated[str, typer.Argument(help=GRAPHS)],
    truth: Annotated[str, typer.Argument(help=GRAPHS)],
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; only set the exit code.")] = False,
) -> None:
    """Compare a learned graph with the true one. Exit code 1 if they differ."""
    with user_errors():
        found = compare_graphs(_graph(learned), _graph(truth))
        if as_json:
            say_json(json.dumps(found.as_dict(), indent=1, ensure_ascii=False))
        elif not quiet:
            terminal.show_comparison(found, Console(), learned, truth)
        if not found.same:
            raise typer.Exit(1)


def _graph(text: str) -> Network | nx.DiGraph:
    path = Path(text)
    if not path.exists() and text in networks.available():
        return networks.load(text)
    if not path.exists() and not path.suffix:
        raise InputError(
            f"there is no file {text!r}, and no bundled network of that name (sidelight networks lists them)"
        )
    return formats.read(path)
