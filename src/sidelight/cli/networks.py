"""``sidelight networks``: the bundled structures."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from sidelight.cli.shared import user_errors
from sidelight.graphs.properties import summary
from sidelight.output import terminal
from sidelight.simulation.networks import available, load, with_tables


def networks(
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the names only.")] = False,
) -> None:
    """List the bundled structures, with the properties that make them easy or hard to learn."""
    with user_errors():
        if quiet:
            print("\n".join(available()))
            return
        rows = {name: summary(load(name)) for name in available()}
        if as_json:
            print(json.dumps(rows, indent=1))
        else:
            terminal.show_networks(rows, frozenset(with_tables()), Console())
