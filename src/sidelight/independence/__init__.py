"""Conditional-independence tests, one per file: statistics only, no counter and no cache.

``TABLE_TESTS`` has one line for each value of ``test=``.
"""

from functools import partial

from sidelight.independence import discrete, fisher_z, kernel, mixed, pairwise, pairwise_mixed
from sidelight.independence.base import BoundaryChoice, CITest
from sidelight.independence.custom import FunctionTest, Remembered
from sidelight.independence.d_separation import DSeparation
from sidelight.independence.discrete import ChiSquare, Contingency, GSquare, MomentChiSquare
from sidelight.independence.em import EmFisherZ
from sidelight.independence.fisher_z import FisherZ
from sidelight.independence.kernel import KernelTest
from sidelight.independence.mixed import DegenerateGaussian
from sidelight.independence.pairwise import PairwiseFisherZ
from sidelight.independence.table_test import TableTest, TestData

WITHOUT_EM = ("error", "drop", "pairwise")


def _discrete(kind: type[Contingency]) -> TableTest:
    build, make = partial(discrete.build, kind), partial(discrete.make, kind)
    return TableTest("discrete", build, make, missing=WITHOUT_EM, in_batches=True)


TABLE_TESTS = {
    "fisher-z": TableTest(
        "numbers",
        fisher_z.build,
        fisher_z.make,
        pairwise.build,
        pairwise.make,
        in_batches=True,
        correlations=("pearson", "normal-scores"),
        missing=("error", "drop", "pairwise", "em"),
    ),
    "kernel": TableTest(
        "numbers",
        kernel.build,
        kernel.make,
        kernel.build_with_gaps,
        kernel.make_with_gaps,
        missing=WITHOUT_EM,
        weights=False,
    ),
    "mixed": TableTest(
        "both",
        mixed.build,
        mixed.make,
        pairwise_mixed.build,
        pairwise_mixed.make,
        in_batches=True,
        missing=WITHOUT_EM,
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
