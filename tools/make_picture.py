"""Draw the README's picture: what `sidelight learn` prints for the bundled example, as SVG.

python tools/make_picture.py
"""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

import sidelight as sl
from sidelight.report import terminal

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "src" / "sidelight" / "data" / "examples" / "newborns.csv"


def main() -> None:
    console = Console(record=True, width=92, file=io.StringIO(), force_terminal=True)
    console.print("[bold]$ sidelight learn newborns.csv --side diamond-free[/bold]")
    sl.learn(EXAMPLE, sl.DiamondFree())  # warm, so that the seconds are those of a second call
    terminal.show(sl.learn(EXAMPLE, sl.DiamondFree()), console, title="learned from newborns.csv")
    (ROOT / "docs" / "learn.svg").write_text(console.export_svg(title="sidelight"))


if __name__ == "__main__":
    main()
