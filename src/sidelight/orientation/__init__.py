"""From a skeleton with separating sets to an essential graph."""

from sidelight.orientation.essential import Orientation, essential_graph, essential_graph_of, orient

__all__ = ["Orientation", "essential_graph", "essential_graph_of", "orient"]
