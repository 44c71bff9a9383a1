"""Scores of structures from sufficient statistics: a sum over the variables, each with its parents."""

from sidelight.scores.base import EBIC, NOTHING_KNOWN, FoundParents, Score, Space
from sidelight.scores.blocks import BlockBic
from sidelight.scores.discrete import BayesianDirichlet, DiscreteBic, DiscreteRows, QuotientNml
from sidelight.scores.gaussian import GaussianBic

__all__ = [
    "EBIC",
    "NOTHING_KNOWN",
    "BayesianDirichlet",
    "BlockBic",
    "DiscreteBic",
    "DiscreteRows",
    "FoundParents",
    "GaussianBic",
    "QuotientNml",
    "Score",
    "Space",
]
