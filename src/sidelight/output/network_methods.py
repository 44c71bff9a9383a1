"""What the methods of a ``Network`` that show or convert it call: its one door to this folder."""

from sidelight.output.conversions import to_causallearn, to_igraph, to_pgmpy
from sidelight.output.formats import write
from sidelight.output.pictures.figure import plot
from sidelight.output.report.html import write_report
from sidelight.output.report.notebook import to_notebook

__all__ = ["plot", "to_causallearn", "to_igraph", "to_notebook", "to_pgmpy", "write", "write_report"]
