"""Conditional-independence tests, one per file: statistics only, no counter and no cache."""

from sidelight.independence.base import CITest
from sidelight.independence.custom import FunctionTest, Remembered
from sidelight.independence.d_separation import DSeparation
from sidelight.independence.discrete import ChiSquare, Contingency, GSquare, MomentChiSquare
from sidelight.independence.fisher_z import FisherZ
from sidelight.independence.kernel import KernelTest
from sidelight.independence.mixed import DegenerateGaussian
from sidelight.independence.pairwise import PairwiseFisherZ

__all__ = [
    "CITest",
    "ChiSquare",
    "Contingency",
    "DSeparation",
    "DegenerateGaussian",
    "FisherZ",
    "FunctionTest",
    "GSquare",
    "KernelTest",
    "MomentChiSquare",
    "PairwiseFisherZ",
    "Remembered",
]
