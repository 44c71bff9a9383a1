"""Conditional-independence tests, one per file: statistics only, no counter and no cache."""

from sidelight.independence.base import CITest
from sidelight.independence.d_separation import DSeparation
from sidelight.independence.fisher_z import FisherZ

__all__ = ["CITest", "DSeparation", "FisherZ"]
