"""A network as a matplotlib figure: on axes of the user's, or as a PNG or PDF file."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.graphs.marks import ARROW, CIRCLE, TAIL
from sidelight.network import Network
from sidelight.output.pictures.curves import Point, pieces
from sidelight.output.pictures.labels import LINE_HEIGHT
from sidelight.output.pictures.layers import Edge
from sidelight.output.pictures.layout import Layout
from sidelight.output.pictures.sizes import LETTERS, sizes
from sidelight.output.pictures.strokes import DASHES, LEGEND_LETTERS, Stroke, strokes, with_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

MARGIN = 14.0
POINTS_PER_UNIT = 0.75  # so that a label of 13 units is set in letters of about 10 points
RADIUS = 3.5  # of a circle at the end of an edge
LARGEST_SIDE = 28.0  # inches
DOTS = 300  # per inch, as journals want them
INK, UNDIRECTED, PAPER = "#4a5868", "#b3591a", "#ffffff"
OF_SIGN = {1: "#0072b2", -1: "#c44e00", 0: INK}


def plot(network: Network, ax: Axes | None = None) -> Axes:
    """Draw the essential graph on the axes, new ones if there are none, and return them.

    Lines show effect sizes; with resamples, lines and arrowheads show how often the edges and directions were found.
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise InputError(
            "a picture needs matplotlib: pip install 'sidelight[plot]' (or write .svg, which needs nothing)"
        ) from error
    layout, words = with_legend(network)
    if ax is None:
        ax = pyplot.figure(figsize=_inches(layout)).add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(-MARGIN, layout.size[0] + MARGIN), ylim=(layout.size[1] + MARGIN, -MARGIN), aspect="equal")
    ax.set_axis_off()
    letters = _letters(layout, ax)
    drawn = strokes(network, layout)
    if drawn:
        _draw_edges_with_widths(drawn, layout, ax, letters / 12)
        _draw_sizes(drawn, layout, ax, letters)
    else:
        _draw_edges(network, layout, ax, letters / 12)
    _draw_nodes(layout, ax, letters)
    for y, text in words:
        ax.text(0, y, text, va="center", size=letters * LEGEND_LETTERS / 13, color=INK)
    return ax


def to_picture(network: Network, kind: str) -> bytes:
    """The bytes of a ``png`` or ``pdf`` file."""
    axes = plot(network)
    from matplotlib import pyplot

    content = BytesIO()
    with warnings.catch_warnings():
        # A letter that the font lacks is drawn as an empty box, which says enough.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        try:
            axes.figure.savefig(content, format=kind, dpi=DOTS)  # type: ignore[union-attr]
        finally:
            pyplot.close(axes.figure)  # type: ignore[arg-type]
    return content.getvalue()


def _inches(layout: Layout) -> tuple[float, float]:
    width, height = ((side + 2 * MARGIN) * POINTS_PER_UNIT / 72 for side in layout.size)
    shrunk = min(1.0, LARGEST_SIDE / max(width, height))
    return max(1.0, width * shrunk), max(1.0, height * shrunk)


def _letters(layout: Layout, ax: Axes) -> float:
    """The size of letters, in points, that fits the nodes at the scale of these axes."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    box = ax.get_position()
    width, height = box.width * figure.get_figwidth() * 72, box.height * figure.get_figheight() * 72
    scale = min(width / (layout.size[0] + 2 * MARGIN), height / (layout.size[1] + 2 * MARGIN))
    return max(0.5, 12.0 * scale)


def _draw_edges(network: Network, layout: Layout, ax: Axes, scale: float) -> None:
    from matplotlib.patches import Circle, FancyArrowPatch

    marks = network.by_position.marks
    for (a, b), route in layout.routes.items():
        path, edge = _curve(route, layout.across), marks.edge(a, b)
        style = f"{'<|' * (edge.at_a == ARROW)}-{'|>' * (edge.at_b == ARROW)}"
        colour = UNDIRECTED if edge.at_a == edge.at_b == TAIL else INK
        ax.add_patch(
            FancyArrowPatch(
                path=path, arrowstyle=style, mutation_scale=13 * scale, lw=1.3 * scale, color=colour, fill=style != "-"
            )
        )
        for end, mark, way in ((route[0], edge.at_a, 1), (route[-1], edge.at_b, -1)):
            if mark == CIRCLE:
                x, y = (end[0] + way * RADIUS, end[1]) if layout.across else (end[0], end[1] + way * RADIUS)
                ax.add_patch(Circle((x, y), RADIUS, fc=PAPER, ec=INK, lw=1.3 * scale, zorder=3))


def _draw_edges_with_widths(drawn: dict[Edge, Stroke], layout: Layout, ax: Axes, scale: float) -> None:
    from matplotlib.patches import PathPatch, Polygon

    plain = INK if any(stroke.sign for stroke in drawn.values()) else UNDIRECTED
    for stroke in drawn.values():
        colour = OF_SIGN[stroke.sign] if stroke.sign or stroke.head else plain
        path = _curve(stroke.line, layout.across)
        ax.add_patch(
            PathPatch(path, fill=False, ec=colour, lw=stroke.width * scale, capstyle="butt", ls=_style(stroke))
        )
        if stroke.head:
            ax.add_patch(Polygon(stroke.head, fc=(colour, stroke.opacity), ec=colour, lw=0.8 * scale))


def _draw_sizes(drawn: dict[Edge, Stroke], layout: Layout, ax: Axes, letters: float) -> None:
    box = {"fc": PAPER, "ec": "none", "pad": 0.6 * letters / 12}
    for edge, size in sizes(drawn, layout).items():
        how = {"ha": "center", "va": "center", "size": letters * LETTERS / 13, "color": OF_SIGN[drawn[edge].sign]}
        ax.text(*size.at, size.text, **how, bbox=box, zorder=2.5)  # type: ignore[arg-type]


def _style(stroke: Stroke) -> str | tuple[float, tuple[float, float]]:
    """Dashes are in units of the line's width."""
    return (0.0, (DASHES[0] / stroke.width, DASHES[1] / stroke.width)) if stroke.dashed else "-"


def _curve(route: list[Point], across: bool) -> Path:
    from matplotlib.path import Path

    points = [route[0], *(point for piece in pieces(route, across) for point in piece)]
    return Path(points, [Path.MOVETO, *[Path.CURVE4] * (len(points) - 1)])


def _draw_nodes(layout: Layout, ax: Axes, letters: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    labels = layout.labels
    for (x, y), width, lines in zip(layout.centres, labels.widths, labels.lines, strict=True):
        corner = (x - width / 2 + 8, y - labels.height / 2 + 8)
        box = FancyBboxPatch(
            corner, width - 16, labels.height - 16, "round,pad=8", fc=PAPER, ec=INK, lw=letters / 12, zorder=3
        )
        ax.add_patch(box)
        for i, line in enumerate(lines):
            down = LINE_HEIGHT * (i - (len(lines) - 1) / 2)
            # A dollar sign in a name does not begin a formula.
            ax.text(x, y + down, line, ha="center", va="center", size=letters, zorder=4, parse_math=False)
