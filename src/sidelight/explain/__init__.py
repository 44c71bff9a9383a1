"""A network's evidence in sentences and as data."""

from sidelight.explain.pair import Explanation, explain

__all__ = ["Explanation", "explain"]
