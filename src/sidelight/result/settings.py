"""What a network was learned with, as values; and the call and the command that learn it again.

Text is made from settings, never the other way round.
"""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from sidelight.knowledge import Known
from sidelight.options import Given
from sidelight.side_information import SideInformation
from sidelight.text.message import Option, assignments, comma_separated

NOTHING = Known()
RESAMPLES = 200  # unless the user says otherwise
ORACLE = "d-separation"  # the name of the test that is never wrong


@dataclass(frozen=True)
class Settings:
    """What a network was learned with. An attribute is None where it does not apply.

    Attributes:
        learner: the algorithm.
        alpha: the significance level.
        test: the independence test, as ``test=`` names it; "d-separation", "function" or the class of a test of yours.
        boundaries: how Markov boundaries were found; "given" or "none".
        boundary_alpha: the significance level for finding them.
        score: what a search maximised; ``penalty`` is what a parameter costs, if it was given.
        side: the bound on the structure that was assumed.
        known: what was known of variables, arrows and paths.
        variant: of RSL.
        correlation: the kind of correlation, for tests on correlations.
        discrete: the columns that were taken as discrete beside others that were not.
        ordinal: the columns that were taken as ordered categories, if any.
        missing: what was done about missing values.
        missing_values: for columns, the values that stood for missing ones.
        dates: the columns of dates that were taken as numbers of days.
        weighted: whether rows had weights.
        weights_column: the column that they were in, if any.
        max_tests, max_conditioning: the limits.
        table: the name of the file, empty if the data came from none.
        given: the options that differ from their defaults, as they were given.
        resampling: the same for the drawing of resamples; None if there were none.
    """

    learner: str
    alpha: float
    test: str
    boundaries: str
    boundary_alpha: float | None = None
    score: str | None = None
    penalty: float | None = None
    side: SideInformation | None = None
    known: Known = NOTHING
    variant: str | None = None
    correlation: str | None = None
    discrete: tuple[Hashable, ...] | None = None
    ordinal: tuple[Hashable, ...] | None = None
    missing: str = "error"
    missing_values: Mapping[Hashable, tuple[object, ...]] = field(default_factory=dict)
    dates: tuple[Hashable, ...] = ()
    weighted: bool = False
    weights_column: Hashable | None = None
    max_tests: int | None = None
    max_conditioning: int | None = None
    table: str = field(default="", compare=False)
    given: Mapping[str, Given] = field(default_factory=dict, compare=False)
    resampling: Mapping[str, Given] | None = field(default=None, compare=False)

    @property
    def is_oracle(self) -> bool:
        """True when the answers came from a known graph."""
        return self.test == ORACLE

    def as_text(self) -> dict[str, str]:
        """The settings that apply, by name, as texts to show."""
        shown: dict[str, object] = {
            "side": self.side if self.side is not None else "none",
            "knowledge": self.known if self.known else None,
            "learner": self.learner,
            "variant": self.variant,
            "alpha": f"{self.alpha:g}",
            "test": self.test,
            "score": self.score,
            "penalty": None if self.penalty is None else f"{self.penalty:g}",
            "correlation": self.correlation,
            "discrete": None if self.discrete is None else comma_separated(self.discrete),
            "ordinal": None if self.ordinal is None else comma_separated(self.ordinal),
            "missing": self.missing if self.missing != "error" else None,
            "missing_values": assignments(self.missing_values) or None,
            "dates": comma_separated(self.dates) or None,
            "weights": self._weights_as_text(),
            "boundaries": self.boundaries,
            "boundary_alpha": None if self.boundary_alpha is None else f"{self.boundary_alpha:g}",
            "max_tests": self.max_tests,
            "max_conditioning": self.max_conditioning,
        }
        return {name: str(value) for name, value in shown.items() if value is not None}

    def _weights_as_text(self) -> str | None:
        if not self.weighted:
            return None
        return "one number for each row" if self.weights_column is None else f"column {str(self.weights_column)!r}"

    def python_call(self) -> str:
        """The call in Python; what cannot be kept is an ellipsis."""
        options = {**self.given, **(self.resampling or {})}
        given = [f"{name}={_as_python(value)}" for name, value in options.items()]
        arguments = ", ".join([repr(self.table) if self.table else "data", *given])
        return f"sl.learn({arguments})" if self.resampling is None else f"sl.stability({arguments}).network"

    def command(self) -> str:
        """The same on the command line, or nothing where it cannot be given there."""
        if not self.table or None in self.given.values():
            return ""
        table = f"./{self.table}" if self.table.startswith("-") else self.table
        drawing = {} if self.resampling is None else {"resamples": RESAMPLES, **self.resampling}
        given = {**self.given, **drawing}
        options = (Option(name, value).in_command() for name, value in given.items())
        return " ".join(["sidelight", "learn", shlex.quote(table), *options])


def _as_python(value: Given) -> str:
    if value is None:
        return "…"
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
