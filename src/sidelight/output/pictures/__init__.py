"""Pictures of a network: where everything stands, as SVG, and with matplotlib."""

from sidelight.output.pictures.layout import Layout, lay_out

__all__ = ["Layout", "lay_out"]
