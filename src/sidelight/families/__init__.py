"""Conditional-independence tests, one per file: statistics only, no counter and no cache.

``TABLE_TESTS`` has one line for each value of ``test=``.
"""

from functools import partial

from sidelight.families.base import BoundaryChoice, CITest
from sidelight.families.discrete import test as discrete
from sidelight.families.discrete.test import ChiSquare, Contingency, GSquare, MomentChiSquare
from sidelight.families.gaussian import kernel_test as kernel
from sidelight.families.gaussian import pairwise
from sidelight.families.gaussian import test as fisher_z
from sidelight.families.gaussian.em_test import EmFisherZ
from sidelight.families.gaussian.kernel_test import KernelTest
from sidelight.families.gaussian.pairwise import PairwiseFisherZ
from sidelight.families.gaussian.test import FisherZ
from sidelight.families.mixed import incomplete as pairwise_mixed
from sidelight.families.mixed import test as mixed
from sidelight.families.mixed.test import DegenerateGaussian
from sidelight.families.oracle import DSeparation
from sidelight.families.table_test import TableTest, TestData
from sidelight.families.user import FunctionTest, Remembered

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
