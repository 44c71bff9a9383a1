"""How a test is built from a table, and which options go with it: one entry for each value of ``test=``."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Literal

from sidelight.data.rows import Weights
from sidelight.data.table import Table
from sidelight.doctor.findings import Diagnosis
from sidelight.independence.base import CITest
from sidelight.sufficient.correlation import Summaries, n_whole

Tick = Callable[[], None]


@dataclass(frozen=True)
class TestData:
    """What a test is built from: a table as it was read, and how its columns are to be taken."""

    __test__ = False  # not a test of the test suite

    table: Table
    discrete: tuple[Hashable, ...]
    ordinal: tuple[Hashable, ...]  # ordered categories, which the table has as positions in their order
    weights: Weights | None
    missing: str
    correlation: str
    tick: Tick
    has_gaps: bool = False  # that are an error: no test can be built, and the rest is examined
    summaries: Summaries = field(default_factory=Summaries)  # what the doctor has computed before

    @property
    def n_samples(self) -> int:
        """How many rows count: those of the table, or the sum of their weights."""
        return self.table.n_rows if self.weights is None else n_whole(self.weights.sum())


Columns = Literal["numbers", "discrete", "both"]
Built = tuple[CITest | None, Diagnosis]  # no test where the diagnosis has errors


@dataclass(frozen=True)
class TableTest:
    """A value of ``test=``: how the test is built, and which values of other options it accepts.

    ``build`` has the doctor examine the table, ``make`` has not; those ``with_gaps`` are for ``missing="pairwise"`` and
    ``"em"`` where that takes another way.
    """

    columns: Columns
    build: Callable[[TestData], Built]
    make: Callable[[TestData], CITest]
    build_with_gaps: Callable[[TestData], Built] | None = None
    make_with_gaps: Callable[[TestData], CITest] | None = None
    correlations: tuple[str, ...] = ("pearson",)
    missing: tuple[str, ...] = ("error", "drop")
    weights: bool = True
