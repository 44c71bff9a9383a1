"""A network as a static SVG picture, for files and notebooks; it follows the reader's light or dark preference."""

from __future__ import annotations

from hashlib import sha256
from html import escape

from sidelight.network import Network
from sidelight.output.pictures.curves import pieces
from sidelight.output.pictures.layout import NODE_HEIGHT, Layout, Point, lay_out
from sidelight.text.sentences import counted
from sidelight.text.visible import visible

MARGIN = 12.0
# Every picture has an id of its own: in a notebook many stand in one page, where styles and ids hold for all of it.
STYLE = """
.sidelight text{font:13px system-ui,sans-serif;fill:#17202b;text-anchor:middle;dominant-baseline:central}
.sidelight rect{fill:#fff;stroke:#5b6b7d;stroke-width:1.2}
.sidelight path{fill:none;stroke:#5b6b7d;stroke-width:1.4}
.sidelight .undirected{stroke:#b3591a}
.sidelight marker path{fill:#5b6b7d;stroke:none}
@media(prefers-color-scheme:dark){.sidelight text{fill:#e8edf3}.sidelight rect{fill:#1d2632;stroke:#8fa1b5}
.sidelight path{stroke:#8fa1b5}.sidelight .undirected{stroke:#f0a35e}.sidelight marker path{fill:#8fa1b5}}
"""


def to_svg(network: Network) -> str:
    """The essential graph: arrows for directed edges, plain lines for the others."""
    layout = lay_out(network)
    width, height = layout.size[0] + 2 * MARGIN, layout.size[1] + 2 * MARGIN
    summary = f"{counted(len(network.names), 'variable')}, {counted(len(layout.routes), 'edge')}"
    own = _own_id(network)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" id="{own}" role="img" aria-label="{summary}" '
            f'viewBox="{-MARGIN:g} {-MARGIN:g} {width:g} {height:g}" width="{width:g}" height="{height:g}" '
            'style="max-width:100%;height:auto">',
            f"<style>{STYLE.replace('.sidelight', f'#{own}')}</style>",
            f'<defs><marker id="{own}-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            'orient="auto-start-reverse"><path d="M0 1 10 5 0 9z"/></marker></defs>',
            *_edges(network, layout, own),
            *_nodes(network, layout),
            "</svg>\n",
        ]
    )


def _own_id(network: Network) -> str:
    """The same for the same graph, so that a file that is written again does not change."""
    graph = repr((network.names, network.directed_edges, network.undirected_edges))
    return f"sidelight-{sha256(graph.encode(errors='surrogatepass')).hexdigest()[:12]}"


def _edges(network: Network, layout: Layout, own: str) -> list[str]:
    directed = set(network.by_position.graph.directed_edges())
    return [
        _edge(route, layout.across, f"{own}-arrow" if edge in directed else "") for edge, route in layout.routes.items()
    ]


def _edge(route: list[Point], across: bool, arrow: str) -> str:
    steps = " ".join("C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in piece) for piece in pieces(route, across))
    kind = f'marker-end="url(#{arrow})"' if arrow else 'class="undirected"'
    return f'<path {kind} d="M{route[0][0]:.1f},{route[0][1]:.1f} {steps}"/>'


def _nodes(network: Network, layout: Layout) -> list[str]:
    return [
        f'<g><title>{escape(visible(str(name)))}</title><rect x="{x - width / 2:.1f}" y="{y - NODE_HEIGHT / 2:.1f}" '
        f'width="{width:.1f}" height="{NODE_HEIGHT:g}" rx="8"/><text x="{x:.1f}" y="{y:.1f}">{escape(text)}</text></g>'
        for name, (x, y), width, text in zip(network.names, layout.centres, layout.widths, layout.labels, strict=True)
    ]
