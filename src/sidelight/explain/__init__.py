"""A network's evidence in words that a domain expert understands, and as data."""

from sidelight.explain.pair import Explanation, explain

__all__ = ["Explanation", "explain"]
