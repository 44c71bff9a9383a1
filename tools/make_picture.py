"""Draw the documentation's pictures: what `sidelight learn` prints, as SVG.

python tools/make_picture.py
"""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from sklearn.datasets import load_wine

import sidelight as sl
from sidelight.examples import example
from sidelight.output import terminal

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def draw(command: str, source: object, target: str, **options: object) -> None:
    console = Console(record=True, width=92, file=io.StringIO(), force_terminal=True)
    console.print(f"[bold]$ {command}[/bold]")
    options = {"resamples": "auto", **options}  # as the command does
    sl.learn(source, **options)  # warm, so that the seconds are those of a second call
    terminal.show(sl.learn(source, **options), console, title=f"learned from {command.split()[2]}")
    (PICTURES / target).write_text(console.export_svg(title="sidelight"))


def main() -> None:
    command = "sidelight learn newborns.csv --side diamond-free"
    draw(command, example("newborns"), "learn.svg", side=sl.DiamondFree())
    command = "sidelight learn penguins.csv --missing drop --types year=ordinal"
    draw(command, example("penguins"), "penguins.svg", types={"year": "ordinal"}, missing="drop")
    wines = load_wine(as_frame=True).frame.rename(columns={"target": "cultivar"})
    draw("sidelight learn wines.csv", wines, "wines.svg")


if __name__ == "__main__":
    main()
