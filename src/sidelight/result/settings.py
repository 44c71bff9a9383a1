"""What a network was learned with, as values; and the call and the command that learn it again.

Text is made from settings, never the other way round. An option that is only kept as it was given needs no line here:
``given`` has it, and text, files and reports follow from the fields of ``Options``.
"""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from sidelight.knowledge import Constraints, Known, constraints_of
from sidelight.knowledge.constraints import with_settings
from sidelight.knowledge.time import TimeOrder, constraints_over_time
from sidelight.options import Given, Options, kept_options
from sidelight.side_information import SideInformation
from sidelight.text.message import Option, assignments, comma_separated

NOTHING = Known()
RESAMPLES = 200  # unless the user says otherwise
ORACLE = "d-separation"  # the name of the test that is never wrong
# What reports call each setting; ordered categories are what the types of columns came to.
LABELS = {
    **{f.name: f.metadata["label"] or f.name.replace("_", " ").capitalize() for f in kept_options(Options)},
    "ordinal": "Ordered categories",
}


@dataclass(frozen=True)
class Settings:
    """What a network was learned with. An attribute is None where it does not apply.

    Attributes:
        learner: the algorithm.
        alpha: the significance level.
        test: the independence test, as ``test=`` names it; "d-separation", "function" or the class of a test of yours.
        boundaries: how Markov boundaries were found; "given" or "none".
        boundary_alpha: the significance level for finding them.
        regrown: whether some were grown again, since the data refuted separating sets that rested on them.
        score: what a search maximised; ``penalty`` is what a parameter costs, if it was given.
        side: the bound on the structure that was assumed.
        known: what was known of variables, arrows and paths.
        experiments: the variables that were set together, rather than observed, in some of the rows.
        time_order: which variables are values of earlier waves, where rows were taken in the order of time.
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
        consensus: the same for the consensus of resamples; None if the network is not one.
    """

    learner: str
    alpha: float
    test: str
    boundaries: str
    boundary_alpha: float | None = None
    regrown: bool = False
    score: str | None = None
    penalty: float | None = None
    side: SideInformation | None = None
    known: Known = NOTHING
    experiments: tuple[tuple[Hashable, ...], ...] = ()
    time_order: TimeOrder | None = None
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
    consensus: Mapping[str, Given] | None = None

    @property
    def is_oracle(self) -> bool:
        """True when the answers came from a known graph."""
        return self.test == ORACLE

    def constraints(self, names: Sequence[Hashable], hidden: bool = False) -> Constraints | None:
        """What was known of these variables, and what experiments tell, by position; None if nothing."""
        place = {str(name): i for i, name in enumerate(names)}
        settings = [frozenset(place[str(name)] for name in setting) for setting in self.experiments]
        if self.time_order is not None:
            return constraints_over_time(self.known, self.time_order, names, hidden)
        known = constraints_of(self.known, names, hidden) if self.known else None
        return with_settings(known, names, settings)

    def learner_in_words(self) -> str:
        """The algorithm; of a consensus, the one that learned from the resamples."""
        return self.learner if self.consensus is None else f"{self.learner}, consensus of resamples"

    def boundaries_in_words(self) -> str:
        """How Markov boundaries were found."""
        return f"{self.boundaries}, regrown" if self.regrown else self.boundaries

    def as_text(self) -> dict[str, str]:
        """The settings that apply, by the names of their options, as texts to show; ``LABELS`` has words for the names.

        What an option came to where there is a field for it, else what it was given.
        """
        values = {name: getattr(self, name, self.given.get(name)) for name in LABELS}
        values |= {
            "side": self.side or "none",
            "knowledge": self.known or None,
            "learner": self.learner_in_words(),
            "boundaries": self.boundaries_in_words(),
            "missing": self.missing if self.missing != "error" else None,
            "weights": self._weights_as_text(),
        }
        shown = {name: _in_words(value) for name, value in values.items()}
        return {name: text for name, text in shown.items() if text}

    def _weights_as_text(self) -> str | None:
        if not self.weighted:
            return None
        return "one number for each row" if self.weights_column is None else f"column {str(self.weights_column)!r}"

    def python_call(self) -> str:
        """The call in Python; what cannot be kept is an ellipsis."""
        source = repr(self.table) if self.table else "data"
        if self.resampling is None:
            return f"sl.learn({_arguments(self.given, source)})"
        made = f"sl.stability({_arguments({**self.given, **self.resampling}, source)})"
        return f"{made}.network" if self.consensus is None else f"{made}.consensus({_arguments(self.consensus)})"

    def command(self) -> str:
        """The same on the command line; empty where it cannot be given there, as for a consensus."""
        if not self.table or None in self.given.values() or self.consensus is not None:
            return ""
        table = f"./{self.table}" if self.table.startswith("-") else self.table
        drawing = {"resamples": 0} if self.resampling is None else {"resamples": RESAMPLES, **self.resampling}
        given = {**self.given, **drawing}
        options = (Option(name, value).in_command() for name, value in given.items())
        return " ".join(["sidelight", "learn", shlex.quote(table), *options])


def _in_words(value: object) -> str:
    """A setting to show; nothing where it does not apply."""
    if value is None or isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, Mapping):
        return assignments(value)
    if isinstance(value, tuple):
        return comma_separated(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _arguments(options: Mapping[str, Given], *first: str) -> str:
    return ", ".join([*first, *(f"{name}={_as_python(value)}" for name, value in options.items())])


def _as_python(value: Given) -> str:
    if value is None:
        return "…"
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
