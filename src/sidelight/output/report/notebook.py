"""A network in a notebook: a still picture of the graph, and below it what it rests on."""

from __future__ import annotations

from html import escape

from sidelight.network import Network
from sidelight.output.pictures.svg import to_svg
from sidelight.text.sentences import counted
from sidelight.text.visible import visible

MOST_TO_DRAW = 100  # variables; a still picture of more cannot be read


def to_notebook(network: Network) -> str:
    """A fragment of HTML; every name in it is escaped."""
    lines = [
        f"{network.counts_in_words()}; {counted(network.n_tests, 'test')}",
        *[network.trust] * bool(network.trust),
        str(network.certificate),
        *map("warning: {}".format, network.warnings),
    ]
    text = "".join(f"<p style='margin:.3em 0'>{escape(visible(line))}</p>" for line in lines)
    return f"<div>{_picture(network)}{text}</div>"


def _picture(network: Network) -> str:
    if len(network.names) > MOST_TO_DRAW:
        return "<p>too large for a still picture: net.report('report.html') shows all of it</p>"
    return f"<div style='overflow:auto;max-height:40em'>{to_svg(network)}</div>"
