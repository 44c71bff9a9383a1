"""What ``stability`` can be given beside what ``learn`` can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, fields
from math import inf
from numbers import Integral, Real
from pathlib import Path
from typing import get_args

from sidelight.certainty.levels import checked_alphas
from sidelight.errors import InputError
from sidelight.families.options import check_choice, option
from sidelight.options import Given, Options
from sidelight.result.certainty import Method
from sidelight.result.settings import RESAMPLES
from sidelight.text.message import Message, Option, OptionName, must_be

PAIRS: Method = "complementary-pairs"


@dataclass(frozen=True)
class StabilityOptions(Options):
    """How resamples are drawn, and how a network is learned from each."""

    _: KW_ONLY
    resamples: int = option(RESAMPLES, "How many networks are learned, each from rows drawn anew.")
    method: str = option(
        "bootstrap",
        'How rows are drawn: "bootstrap" (as many as there are, with replacement), "subsample" (a half of them, '
        'without), or "complementary-pairs" (halves two by two that share no row, for which the expected number of '
        "false edges has a bound).",
        "How rows are drawn for resamples: bootstrap, subsample (a half) or complementary-pairs.",
    )
    seed: int = option(0, "Of the drawing; the same seed gives the same shares, for any number of workers.")
    max_false_edges: float | None = option(
        None,
        "How many false edges the consensus may be expected to have at most; chooses the threshold. It needs "
        'method="complementary-pairs".',
        "Expected number of false edges in the consensus, at most; needs complementary pairs.",
    )
    alphas: Sequence[float] | None = option(
        None,
        "Significance levels to compare beside, two or more: the network's ``levels`` hold the edges at each.",
        kept=False,
    )
    records: str | Path | None = option(
        None,
        "A file that keeps what is done: the same call goes on from there after an interruption.",
        kept=False,
    )
    n_jobs: int = option(
        -1, "How many workers learn from resamples; -1 for all cores. The result is the same.", kept=False
    )

    def checked_resampling(self) -> Options:
        """The options of ``learn`` alone; an ``InputError`` names what is wrong with the others."""
        _check_whole("resamples", self.resamples, 2, "a number of resamples, 2 or more")
        _check_whole("seed", self.seed, 0, "a whole number, 0 or more")
        check_choice("method", self.method, get_args(Method))
        if self.method == PAIRS and self.resamples % 2:
            even = (OptionName("resamples"), " must be even with ", Option("method", PAIRS))
            raise InputError(Message(*even, f"; got {self.resamples}"))
        most = self.max_false_edges
        if most is not None and not (isinstance(most, Real) and 0 < float(most) < inf):
            raise InputError(must_be("max_false_edges", "a number above 0, such as 1", most))
        if most is not None and self.method != PAIRS:
            raise InputError(Message(Option("max_false_edges"), " needs ", Option("method", PAIRS)))
        if self.alphas is not None:
            checked_alphas(self.alphas)
        return Options(**{field.name: getattr(self, field.name) for field in fields(Options)}).checked()

    def resampling(self) -> dict[str, Given]:
        """The options of the drawing that differ from their defaults."""
        of_learning = {field.name for field in fields(Options)}
        return {name: value for name, value in self.given().items() if name not in of_learning}


def _check_whole(name: str, value: object, least: int, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise InputError(must_be(name, what, value))
