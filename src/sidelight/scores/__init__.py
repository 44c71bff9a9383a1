"""Scores of structures from sufficient statistics: a sum over the variables, each with its parents."""

from sidelight.scores.base import FoundParents, Score
from sidelight.scores.gaussian import GaussianBic

__all__ = ["FoundParents", "GaussianBic", "Score"]
