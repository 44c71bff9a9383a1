"""Draw docs/pictures/architecture.svg: the folders of the package and the way of the data through them."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from pathlib import Path

TARGET = Path(__file__).parent.parent / "docs" / "pictures" / "architecture.svg"
WIDTH, HEIGHT, BOX, LINE = 1320, 500, (136, 46), 92
INK, SOFT, FRAME, GROUND = "#1f2933", "#52606d", "#9aa5b1", "#ffffff"

# Each row: its label, the y of its boxes, and (x, folder, a word on it).
ROWS = [
    (
        "1 read",
        40,
        [
            (150, "sources", "batches of rows"),
            (320, "tables", "cells, all rows"),
            (490, "kinds", "what a column is"),
            (660, "families", "statistics, tests"),
        ],
    ),
    (
        "2 boundaries · 3 skeleton",
        152,
        [
            (150, "interview", "decides, counts"),
            (320, "boundaries", "Markov boundaries"),
            (490, "learners", "RSL and others"),
            (660, "search", "by score"),
        ],
    ),
    (
        "4 directions, search · 5 assess",
        264,
        [
            (150, "orientation", "essential graph"),
            (320, "consistency", "held to the data"),
            (490, "result", "evidence, warnings"),
            (660, "network.py", "what was learned"),
        ],
    ),
    (
        "use",
        376,
        [
            (150, "explain", "why, audit"),
            (320, "evaluate", "beside the truth"),
            (490, "fit", "parameters"),
            (660, "certainty", "resamples, levels"),
            (830, "effects", "x on y, how sure"),
            (1000, "output", "files, report"),
            (1170, "cli", "the command"),
        ],
    ),
]
BESIDE = [
    (1000, 264, "files", "whole or not at all"),
    (1170, 264, "runs", "in parallel, kept"),
    (1000, 152, "doctor", "findings, cures"),
    (1000, 436, "simulation", "known, random"),
    (1170, 152, "learning", "learn: the phases"),
    (1000, 40, "knowledge", "tiers, arrows"),
    (1170, 40, "side_information", "bounds"),
    (830, 40, "text", "names, messages"),
    (830, 152, "kernels", "numba"),
    (830, 264, "graphs", "values"),
    (1170, 436, "examples", "bundled tables"),
]
TURNS = [((660, 40), (150, 152)), ((660, 152), (150, 264)), ((660, 264), (150, 376))]


def box(x: int, y: int, name: str, note: str, dashed: bool = False) -> str:
    """A folder with a word on it; those beside the way have a dashed frame."""
    width, height = BOX
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{GROUND}" stroke="{FRAME}"{dash}/>'
        f'<text x="{x + width / 2}" y="{y + 20}" class="name">{escape(name)}</text>'
        f'<text x="{x + width / 2}" y="{y + 36}" class="note">{escape(note)}</text>'
    )


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A straight arrow."""
    return f'<path d="M{x1} {y1} L{x2} {y2}" class="arrow" marker-end="url(#head)"/>'


def turn(start: tuple[int, int], end: tuple[int, int]) -> str:
    """From the end of one row to the beginning of the next."""
    (x1, y1), (x2, y2) = start, end
    x1, y1, x2 = x1 + BOX[0] // 2, y1 + BOX[1], x2 + BOX[0] // 2
    middle = y1 + (y2 - y1) // 2
    return f'<path d="M{x1} {y1} L{x1} {middle} L{x2} {middle} L{x2} {y2 - 2}" class="arrow" marker-end="url(#head)"/>'


def picture() -> str:
    """All of it."""
    parts = []
    for label, y, boxes in ROWS:
        parts.append(f'<text x="14" y="{y + 20}" class="row">{escape(label.split(" · ")[0])}</text>')
        parts += [f'<text x="14" y="{y + 38}" class="row">{escape(rest)}</text>' for rest in label.split(" · ")[1:]]
        parts += [box(x, y, name, note) for x, name, note in boxes]
        if label != "use":
            ends = pairwise(boxes)
            parts += [arrow(a[0] + BOX[0], y + BOX[1] / 2, b[0] - 2, y + BOX[1] / 2) for a, b in ends]
    parts += [box(x, y, name, note, dashed=True) for x, y, name, note in BESIDE]
    parts += [turn(start, end) for start, end in TURNS]
    style = (
        f".name{{font:600 14px system-ui,sans-serif;fill:{INK};text-anchor:middle}}"
        f".note{{font:11px system-ui,sans-serif;fill:{SOFT};text-anchor:middle}}"
        f".row{{font:12px system-ui,sans-serif;fill:{SOFT}}}"
        f".arrow{{fill:none;stroke:{SOFT};stroke-width:1.4}}"
    )
    head = (
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{SOFT}"/></marker>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        "<title>The folders of sidelight and the way of the data through them</title>"
        f"<defs>{head}</defs><style>{style}</style>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>{"".join(parts)}</svg>\n'
    )


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
