"""Scores of structures from sufficient statistics: a sum over the variables, each with its parents."""

from sidelight.scores.base import EBIC, FoundParents, Score
from sidelight.scores.blocks import BlockBic
from sidelight.scores.discrete import BayesianDirichlet, DiscreteBic, DiscreteRows, QuotientNml
from sidelight.scores.gaussian import GaussianBic

__all__ = [
    "EBIC",
    "BayesianDirichlet",
    "BlockBic",
    "DiscreteBic",
    "DiscreteRows",
    "FoundParents",
    "GaussianBic",
    "QuotientNml",
    "Score",
]
