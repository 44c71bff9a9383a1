"""How a table is to be read and tested, and what of it the settings of a network tell."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sidelight.errors import InputError
from sidelight.independence import ChiSquare, CITest, GSquare, MomentChiSquare
from sidelight.sufficient.rank_correlation import KINDS
from sidelight.text.message import comma_separated

DISCRETE_TESTS = {"chi2-moments": MomentChiSquare, "g2": GSquare, "chi2": ChiSquare}
TESTS = ("auto", "fisher-z", "kernel", "mixed", *DISCRETE_TESTS)
MISSING = ("error", "drop", "pairwise", "em")
# What to ask for to get a test again, by the name that settings have for it.
OPTION_OF_TEST = {
    "FisherZ": "fisher-z",
    "PairwiseFisherZ": "fisher-z",
    "KernelTest": "kernel",
    "DegenerateGaussian": "mixed",
    **{test.__name__: option for option, test in DISCRETE_TESTS.items()},
}

Function = Callable[[Any, Any, list[Any], Any], float]
with_commas = comma_separated


@dataclass(frozen=True)
class DataOptions:
    """How a table is to be read and tested."""

    names: Sequence[Hashable] | None = None
    columns: Iterable[Hashable] | None = None
    drop: Iterable[Hashable] | None = None
    correlation: str = "pearson"
    test: str | Function = "auto"
    discrete: Iterable[Hashable] | None = None
    missing: str = "error"
    weights: object = None

    def check(self) -> None:
        """Raise when an option is none of those that there are."""
        for option, value, accepted in (
            ("correlation", self.correlation, KINDS),
            ("test", self.test if not callable(self.test) else "auto", TESTS),
            ("missing", self.missing, MISSING),
        ):
            if not isinstance(value, str) or value not in accepted:
                raise InputError(f"{option}={value!r}: there are {', '.join(map(repr, accepted))}")

    def settings(self, test: CITest, discrete: Iterable[Hashable]) -> dict[str, str]:
        """What matters to this test, in the words of the options; ``discrete`` are the columns that were taken so."""
        kind = OPTION_OF_TEST.get(type(test).__name__)
        told = {
            "correlation": self.correlation if kind == "fisher-z" else None,
            "discrete": with_commas(discrete) if kind == "mixed" else None,
            "missing": self.missing if self.missing != "error" else None,
            "weights": _weights_in_words(self.weights) if self.weights is not None else None,
        }
        return {name: value for name, value in told.items() if value is not None}


def is_column_name(weights: object) -> bool:
    """True for weights that are in a column; False for one number for each row, and for none."""
    return isinstance(weights, Hashable) and not isinstance(weights, tuple) and weights is not None


def _weights_in_words(weights: object) -> str:
    return f"column {str(weights)!r}" if is_column_name(weights) else "a number for each row"


def between_commas(text: str) -> list[str]:
    """The names that ``with_commas`` wrote."""
    try:
        return next(csv.reader(io.StringIO(text, newline="")), [])
    except csv.Error as error:
        raise InputError(f"{text[:50]!r} … is no list of names with commas between: {error}") from error
