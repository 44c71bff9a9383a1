"""Conditional-independence tests, one per file: statistics only, no counter and no cache.

``TABLE_TESTS`` has one line for each value of ``test=``.
"""

from functools import partial

from sidelight.families.base import BoundaryChoice, CITest
from sidelight.families.data import TableTest, TestData
from sidelight.families.discrete.statistics import DiscreteStatistics
from sidelight.families.discrete.test import ChiSquare, Contingency, GSquare, MomentChiSquare
from sidelight.families.gaussian.incomplete import EmFisherZ, IncompleteStatistics, PairwiseFisherZ
from sidelight.families.gaussian.kernel_test import IncompleteKernelStatistics, KernelStatistics, KernelTest
from sidelight.families.gaussian.test import FisherZ, GaussianStatistics
from sidelight.families.mixed.incomplete import IncompleteMixedStatistics
from sidelight.families.mixed.statistics import MixedStatistics
from sidelight.families.mixed.test import DegenerateGaussian
from sidelight.families.oracle import DSeparation
from sidelight.families.user import FunctionTest, Remembered
from sidelight.kinds.category import Category
from sidelight.kinds.number import Number

WITHOUT_EM = ("error", "drop", "pairwise")


def _discrete(kind: type[Contingency]) -> TableTest:
    return TableTest(Category(), partial(DiscreteStatistics, kind), missing=WITHOUT_EM, in_batches=True)


TABLE_TESTS = {
    "fisher-z": TableTest(
        Number(),
        GaussianStatistics,
        IncompleteStatistics,
        in_batches=True,
        correlations=("pearson", "normal-scores"),
        missing=("error", "drop", "pairwise", "em"),
        within_groups=True,
    ),
    "kernel": TableTest(Number(), KernelStatistics, IncompleteKernelStatistics, missing=WITHOUT_EM, weights=False),
    "mixed": TableTest(
        None, MixedStatistics, IncompleteMixedStatistics, in_batches=True, missing=WITHOUT_EM, within_groups=True
    ),
    "chi2-moments": _discrete(MomentChiSquare),
    "g2": _discrete(GSquare),
    "chi2": _discrete(ChiSquare),
}

__all__ = [
    "TABLE_TESTS",
    "BoundaryChoice",
    "CITest",
    "ChiSquare",
    "DSeparation",
    "DegenerateGaussian",
    "EmFisherZ",
    "FisherZ",
    "FunctionTest",
    "GSquare",
    "KernelTest",
    "MomentChiSquare",
    "PairwiseFisherZ",
    "Remembered",
    "TableTest",
    "TestData",
]
