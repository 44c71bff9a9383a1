"""The ``sidelight`` command: parse, one library call, print."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

import sidelight as sl
from sidelight.data import networks
from sidelight.report import terminal

app = typer.Typer(add_completion=False, no_args_is_help=True, help=sl.__doc__)


@app.callback()
def main() -> None:
    """Keep the commands' names even while there is only one."""


@app.command()
def demo(
    network: Annotated[str, typer.Option(help="A bundled network whose structure answers the questions.")] = "asia",
) -> None:
    """Learn a well-known network back from its own independences, and show what was learned."""
    console = Console()
    try:
        truth = networks.load(network)
    except sl.InputError as error:
        Console(stderr=True).print(f"sidelight: {error}", style="red", highlight=False)
        raise typer.Exit(2) from error
    learned = sl.learn(sl.DSeparation(truth), side=sl.DiamondFree())
    terminal.show(learned, console, title=f"{network}, learned from its independences")
    same = {frozenset(e) for e in learned.skeleton.edges} == {frozenset(e) for e in truth.edges}
    console.print(
        f"  The true network has {truth.number_of_edges()} edges; the learned ones are "
        f"{'exactly these' if same else 'not the same'}."
    )
