"""A network as a static SVG picture, for files and notebooks; it follows the reader's light or dark preference."""

from __future__ import annotations

from hashlib import sha256
from html import escape

from sidelight.graphs.marks import TAIL, MarkedEdge
from sidelight.network import Network
from sidelight.output.pictures.curves import Point, pieces
from sidelight.output.pictures.labels import LINE_HEIGHT
from sidelight.output.pictures.layers import Edge
from sidelight.output.pictures.layout import Layout
from sidelight.output.pictures.sizes import LETTERS, Size, sizes
from sidelight.output.pictures.strokes import DASHES, LEGEND_LETTERS, Stroke, strokes, with_legend
from sidelight.result.evidence import quick_strengths
from sidelight.text.sentences import counted
from sidelight.text.visible import visible

MARGIN = 12.0
UNDIRECTED = 'class="undirected"'
MOST_TO_DRAW = 100  # variables; in a notebook, a still picture of more cannot be read
# Every picture has an id of its own: in a notebook many stand in one page, where styles and ids hold for all of it.
STYLE = """
.sidelight text{font:13px system-ui,sans-serif;fill:#17202b;text-anchor:middle;dominant-baseline:central}
.sidelight rect{fill:#fff;stroke:#5b6b7d;stroke-width:1.2}
.sidelight .paper{stroke:none}
.sidelight path{fill:none;stroke:#5b6b7d;stroke-width:1.4}
.sidelight .undirected{stroke:#b3591a}
.sidelight marker path{fill:#5b6b7d;stroke:none}
.sidelight marker circle{fill:#fff;stroke:#5b6b7d;stroke-width:1.6}
@media(prefers-color-scheme:dark){.sidelight text{fill:#e8edf3}.sidelight rect{fill:#1d2632;stroke:#8fa1b5}
.sidelight .paper{fill:#121a24}
.sidelight path{stroke:#8fa1b5}.sidelight .undirected{stroke:#f0a35e}.sidelight marker path{fill:#8fa1b5}
.sidelight marker circle{fill:#1d2632;stroke:#8fa1b5}}
"""
# A circle touches the node; the line is hidden behind it.
CIRCLE_MARKER = (
    '<marker id="{own}-circle" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
    'orient="auto-start-reverse"><circle cx="5" cy="5" r="3.5"/></marker>'
)
# Okabe and Ito's blue and vermilion, which colour-blind readers tell apart.
STYLE_WITH_WIDTHS = f"""{STYLE}.sidelight .head{{fill:#5b6b7d;stroke-width:.8;stroke-linejoin:round}}
.sidelight .positive path{{stroke:#0072b2}}.sidelight .negative path{{stroke:#c44e00}}
.sidelight .positive .head,.sidelight .size.positive{{fill:#0072b2}}
.sidelight .negative .head,.sidelight .size.negative{{fill:#c44e00}}
.sidelight .size{{font-size:{LETTERS:g}px}}
.sidelight .legend{{font-size:{LEGEND_LETTERS:g}px;fill:#5b6b7d;text-anchor:start}}
@media(prefers-color-scheme:dark){{.sidelight .head{{fill:#8fa1b5}}.sidelight .legend{{fill:#8fa1b5}}
.sidelight .positive path{{stroke:#63b8ee}}.sidelight .negative path{{stroke:#f2a45c}}
.sidelight .positive .head,.sidelight .size.positive{{fill:#63b8ee}}
.sidelight .negative .head,.sidelight .size.negative{{fill:#f2a45c}}}}
"""
OF_SIGN = {1: "positive", -1: "negative"}


def to_svg(network: Network) -> str:
    """The essential graph: arrows for directed edges, plain lines for the others.

    Lines show effect sizes; with resamples, lines and arrowheads show how often the edges and directions were found.
    """
    layout, words = with_legend(network)
    width, height = layout.size[0] + 2 * MARGIN, layout.size[1] + 2 * MARGIN
    summary = f"{counted(len(network.names), 'variable')}, {counted(len(layout.routes), 'edge')}"
    own, style = _own_id(network), STYLE_WITH_WIDTHS if words else STYLE
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" id="{own}" role="img" aria-label="{summary}" '
            f'viewBox="{-MARGIN:g} {-MARGIN:g} {width:g} {height:g}" width="{width:g}" height="{height:g}" '
            'style="max-width:100%;height:auto">',
            f"<style>{style.replace('.sidelight', f'#{own}')}</style>",
            f'<defs><marker id="{own}-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            'orient="auto-start-reverse"><path d="M0 1 10 5 0 9z"/></marker>'
            + (CIRCLE_MARKER.format(own=own) if network.is_pag else "")
            + "</defs>",
            f'<rect class="paper" x="{-MARGIN:g}" y="{-MARGIN:g}" width="{width:g}" height="{height:g}"/>',
            *_edges(network, layout, own),
            *_nodes(network, layout),
            *(f'<text class="legend" x="0" y="{y:.1f}">{escape(text)}</text>' for y, text in words),
            "</svg>\n",
        ]
    )


def _own_id(network: Network) -> str:
    """The same for the same picture, so that a file that is written again does not change."""
    graph = repr((network.names, network.edges))
    if network.shares is not None:
        graph += repr((network.shares.n_resamples, sorted(network.shares.counts.items())))
    else:
        graph += repr([str(effect) for effect in quick_strengths(network.edge_strengths).values()])
    return f"sidelight-{sha256(graph.encode(errors='surrogatepass')).hexdigest()[:12]}"


def _edges(network: Network, layout: Layout, own: str) -> list[str]:
    marks, across, drawn = network.by_position.marks, layout.across, strokes(network, layout)
    if not drawn:
        return [_edge(route, across, marks.edge(*edge), own) for edge, route in layout.routes.items()]
    directed, numbers = set(network.by_position.graph.directed_edges()), sizes(drawn, layout)
    plain = "" if any(stroke.sign for stroke in drawn.values()) else UNDIRECTED
    lines = [
        f"<g{_class_of(stroke)}><title>{_title(network, edge, edge in directed, stroke.words)}</title>"
        f"{_edge_with_width(stroke, across, plain)}</g>"
        for edge, stroke in drawn.items()
    ]
    return lines + [_number(drawn[edge], size) for edge, size in numbers.items()]


def _class_of(stroke: Stroke) -> str:
    return f' class="{OF_SIGN[stroke.sign]}"' if stroke.sign else ""


def _number(stroke: Stroke, size: Size) -> str:
    (x, y), (width, height) = size.at, size.extent
    box = f'x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:g}"'
    kind = f"size {OF_SIGN.get(stroke.sign, '')}".strip()
    return f'<rect class="paper" {box}/><text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(size.text)}</text>'


def _edge(route: list[Point], across: bool, edge: MarkedEdge, own: str) -> str:
    ends = {"start": edge.at_a, "end": edge.at_b}
    kinds = [f'marker-{end}="url(#{own}-{mark})"' for end, mark in ends.items() if mark != TAIL]
    return f'<path {" ".join(kinds) or UNDIRECTED} d="{_curve(route, across)}"/>'


def _edge_with_width(drawn: Stroke, across: bool, undirected: str) -> str:
    kind = f"{undirected} " if undirected and not drawn.head else ""
    dashes = f'stroke-dasharray="{DASHES[0]:g} {DASHES[1]:g}" ' if drawn.dashed else ""
    line = f'<path {kind}{dashes}style="stroke-width:{drawn.width:.2f}" d="{_curve(drawn.line, across)}"/>'
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in drawn.head)
    return line + (f'<path class="head" style="fill-opacity:{drawn.opacity:.2f}" d="M{corners}z"/>' if corners else "")


def _title(network: Network, edge: Edge, directed: bool, words: str) -> str:
    """What a pointer over the edge shows."""
    spoken = network.by_position.edge_tests.short_names
    return escape(visible(f"{spoken[edge[0]]} {'→' if directed else '—'} {spoken[edge[1]]}. {words}"))


def _curve(route: list[Point], across: bool) -> str:
    steps = " ".join("C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in piece) for piece in pieces(route, across))
    return f"M{route[0][0]:.1f},{route[0][1]:.1f} {steps}"


def _nodes(network: Network, layout: Layout) -> list[str]:
    labels = layout.labels
    high = labels.height
    return [
        f'<g><title>{escape(visible(str(name)))}</title><rect x="{x - width / 2:.1f}" y="{y - high / 2:.1f}" '
        f'width="{width:.1f}" height="{high:g}" rx="8"/>{_lines(x, y, lines)}</g>'
        for name, (x, y), width, lines in zip(network.names, layout.centres, labels.widths, labels.lines, strict=True)
    ]


def _lines(x: float, y: float, lines: list[str]) -> str:
    first = y - LINE_HEIGHT * (len(lines) - 1) / 2
    return "".join(
        f'<text x="{x:.1f}" y="{first + i * LINE_HEIGHT:.1f}">{escape(line)}</text>' for i, line in enumerate(lines)
    )


def to_notebook(network: Network) -> str:
    """A picture of the graph, and below it what it rests on: a fragment of HTML, every name in it escaped."""
    picture = "<p>too large for a still picture: net.report('report.html') shows all of it</p>"
    if len(network.names) <= MOST_TO_DRAW:
        picture = f"<div style='overflow:auto;max-height:40em'>{to_svg(network)}</div>"
    lines = [
        f"{network.counts_in_words()}; {counted(network.n_tests, 'test')}",
        *[network.trust] * bool(network.trust),
        str(network.certificate),
        *map("warning: {}".format, network.warnings),
    ]
    text = "".join(f"<p style='margin:.3em 0'>{escape(visible(line))}</p>" for line in lines)
    return f"<div>{picture}{text}</div>"
