"""``Effect``: what is known of the effect of one or several causes, as data and in words."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import Any, Literal

from sidelight.effects.sensitivity import Robustness
from sidelight.text.sentences import counted, listed

Edge = tuple[Hashable, Hashable]
Interval = tuple[float, float]
UNKNOWN: Interval = (float("-inf"), float("inf"))
SHOWN = 8  # of possible effects, and of variables whose omission matters


@dataclass(frozen=True)
class Ratio:
    """A risk ratio or an odds ratio with its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"


@dataclass(frozen=True)
class PossibleEffect:
    """The effect in those DAGs of the class that have the assumed directions.

    Attributes:
        value: how much the outcome changes when the causes go from their first value to the second.
        low, high: its interval, given this graph.
        adjustment_set: what was adjusted for; None where nothing can be: no effect, or several regressions.
        assumed: the directions (tail, head) under which this is the effect; empty if it is identified.
        standardised: in standard deviations of the outcome for one of the cause; None for categories.
        by_cause: of several causes, the part of each with its interval; of numbers only.
        risk_ratio, odds_ratio: of the probability of a category.
        assumed_marks: where causes may be hidden, what is assumed of the cause's neighbours, in words.
    """

    value: float
    low: float
    high: float
    adjustment_set: tuple[Hashable, ...] | None
    assumed: tuple[Edge, ...] = ()
    standardised: float | None = None
    by_cause: Mapping[Hashable, tuple[float, float, float]] | None = None
    risk_ratio: Ratio | None = None
    odds_ratio: Ratio | None = None
    assumed_marks: tuple[str, ...] = ()

    def in_words(self) -> str:
        """One line."""
        if self.adjustment_set is None:
            how = "no path" if self.value == self.low == self.high == 0 else "from several regressions"
        else:
            how = f"adjusting for {listed(self.adjustment_set)}" if self.adjustment_set else "adjusting for nothing"
        assumed = [*(f"{tail} → {head}" for tail, head in self.assumed), *self.assumed_marks]
        if_so = f" if {listed(assumed)}" if assumed else ""
        return f"{figure(self.value)} ({figure(self.low)} to {figure(self.high)}), {how}{if_so}"


@dataclass(frozen=True)
class OpenQuestion:
    """The edge whose direction would settle most, and how many possible effects remain either way."""

    edge: Edge
    if_forward: int
    if_backward: int
    n_effects: int

    def __str__(self) -> str:
        a, b = self.edge
        left = [self.n_effects - self.if_forward, self.n_effects - self.if_backward]
        goes = str(left[0]) if left[0] == left[1] else f"{min(left)} or {max(left)}"
        return f"If you knew whether {a} → {b} or {b} → {a}, {goes} of {self.n_effects} possible effects would go."


@dataclass(frozen=True)
class Sensitivity:
    """How much hidden causes, chance and single variables matter to an identified effect of one cause.

    Attributes:
        robustness: of a coefficient: partial R² and robustness values (Cinelli & Hazlett 2020).
        e_value, e_value_of_interval: of a risk ratio (VanderWeele & Ding 2017).
        without: the effect when a variable is left out of the adjustment set, the largest change first.
        placebo: the effects of the cause with its values permuted over the rows; empty if that was not asked for.
        placebo_from: "rows", or "correlations" where no rows are at hand: those of a permuted cause are then drawn.
    """

    robustness: Robustness | None = None
    e_value: float | None = None
    e_value_of_interval: float | None = None
    without: Mapping[Hashable, float] | None = None
    placebo: tuple[float, ...] = ()
    placebo_from: Literal["rows", "correlations"] = "rows"


@dataclass(frozen=True, repr=False)
class Effect:
    """The effect of causes on an outcome, as far as the graph and the data tell.

    Attributes:
        causes: the variables that are set.
        on: the outcome.
        identified: True if all DAGs of the class agree on the formula of the effect.
        adjustment_set: what was adjusted for, if the effect is identified and comes by adjustment.
        estimates: the possible effects, one if it is identified.
        interval: from the lowest to the highest end of their intervals: over the class.
        given_one_graph: the interval if ``to_dag()`` were the truth; too narrow wherever the class leaves effects open.
        with_resamples: over the graphs of resamples and their classes; None for a network without resamples.
        level: of each interval.
        unit: what is compared with what.
        because: why it is identified or not.
        question: the one edge whose direction would settle most; None if there is nothing to settle.
        sensitivity: for an identified effect of one cause.
        doubts: what limits trust in this effect.
        n_rows: how many rows it was estimated from.
        unidentified: where causes may be hidden, the cases in which no adjustment gives the effect, in words; the
            interval is then infinite.
        hidden: True where causes may be hidden.
    """

    causes: tuple[Hashable, ...]
    on: Hashable
    identified: bool
    adjustment_set: tuple[Hashable, ...] | None
    estimates: tuple[PossibleEffect, ...]
    interval: Interval
    given_one_graph: Interval
    with_resamples: Interval | None
    level: float
    unit: str
    because: str
    question: OpenQuestion | None
    sensitivity: Sensitivity
    doubts: tuple[str, ...]
    n_rows: float
    unidentified: tuple[str, ...] = ()
    hidden: bool = False

    @property
    def value(self) -> float | None:
        """The effect, if it is identified."""
        return self.estimates[0].value if len(self.estimates) == 1 and not self.unidentified else None

    @property
    def least(self) -> float:
        """The smallest absolute value in the widest interval that is there."""
        low, high = self.with_resamples or self.interval
        return 0.0 if low <= 0 <= high else min(abs(low), abs(high))

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of it in words."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        yield f"Effect of {listed(self.causes)} on {self.on}: {self.unit}."
        yield self.because
        if len(self.estimates) == 1 and not self.unidentified:
            yield f"Estimate {self.estimates[0].in_words()}."
        elif self.estimates:
            yield f"{counted(len(self.estimates), 'possible effect')}:"
            yield from (f"  {estimate.in_words()}" for estimate in self.estimates[:SHOWN])
            if len(self.estimates) > SHOWN:
                yield f"  … and {len(self.estimates) - SHOWN} more"
        yield from self.unidentified
        yield from self._ratios()
        yield from self._intervals()
        if self.question is not None:
            yield str(self.question)
        yield from sensitivity_in_words(self)
        yield from self.doubts

    def _intervals(self) -> Iterator[str]:
        if self.hidden:
            shown = [] if self.unidentified else [f"over all models of the PAG {_range(self.interval)}"]
            if self.with_resamples is not None and not self.unidentified:
                shown.append(f"over resamples and their PAGs {_range(self.with_resamples)}")
            yield from [f"{self.level:.0%} intervals: {'; '.join(shown)}."] * bool(shown)
            return
        shown = [f"over the equivalence class {_range(self.interval)}"]
        if self.with_resamples is not None:
            shown.append(f"over resamples and their classes {_range(self.with_resamples)}")
        shown.append(f"given one graph {_range(self.given_one_graph)}")
        yield f"{self.level:.0%} intervals: {'; '.join(shown)}."

    def _ratios(self) -> Iterator[str]:
        if not self.estimates or self.unidentified:
            return
        estimate = self.estimates[0]
        if len(self.estimates) == 1 and estimate.risk_ratio is not None and estimate.odds_ratio is not None:
            yield f"Risk ratio {estimate.risk_ratio}, odds ratio {estimate.odds_ratio}."
        if len(self.estimates) == 1 and estimate.standardised is not None:
            yield f"In standard deviations of both: {figure(estimate.standardised)}."
        for name, part in (estimate.by_cause or {}).items() if len(self.causes) > 1 else ():
            yield f"  of which {name}: {figure(part[0])} ({figure(part[1])} to {figure(part[2])})"

    def as_dict(self) -> dict[str, Any]:
        """All of it as data that JSON can hold."""
        return {
            "causes": list(map(str, self.causes)),
            "on": str(self.on),
            "identified": self.identified,
            "adjustment_set": None if self.adjustment_set is None else list(map(str, self.adjustment_set)),
            "estimates": [_plain_estimate(estimate) for estimate in self.estimates],
            "interval": None if self.unidentified else list(self.interval),
            "given_one_graph": None if self.unidentified else list(self.given_one_graph),
            "with_resamples": None if self.with_resamples in (None, UNKNOWN) else list(self.with_resamples or ()),
            "level": self.level,
            "unit": self.unit,
            "because": self.because,
            "question": None if self.question is None else _plain_question(self.question),
            "sensitivity": _plain_sensitivity(self.sensitivity),
            "doubts": list(self.doubts),
            "n_rows": self.n_rows,
            **({"unidentified": list(self.unidentified)} if self.hidden else {}),
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks."""
        return "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)


def figure(value: float) -> str:
    """A number with three digits, all of them before the point, and a proper minus."""
    if not isfinite(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.3g}"
    return text.replace("-", "−")


def _range(interval: Interval) -> str:
    return f"{figure(interval[0])} to {figure(interval[1])}"


def sensitivity_in_words(effect: Effect) -> Iterator[str]:
    """What hidden causes, single variables and chance would do to the effect."""
    found = effect.sensitivity
    if found.robustness is not None:
        r = found.robustness
        yield (
            f"The cause explains {r.partial_r2:.1%} of what the adjustment leaves of {effect.on} (partial R²). "
            f"A hidden common cause that explains {r.value:.1%} of what is left of both would bring the estimate to 0"
            + (f", one with {r.value_of_interval:.1%} an end of its interval." if r.value_of_interval else ".")
        )
    if found.e_value is not None and found.e_value_of_interval is not None:
        yield (
            f"E-value {found.e_value:.3g} (of the interval {found.e_value_of_interval:.3g}): a hidden common cause "
            "would have to go with both by risk ratios of that size to explain the effect away."
        )
    if found.without:
        shown = [f"{name} {figure(value)}" for name, value in list(found.without.items())[:3]]
        yield f"Without one of the variables adjusted for, the largest change first: {', '.join(shown)}."
    if found.placebo:
        reach, times = figure(max(map(abs, found.placebo))), counted(len(found.placebo), "time")
        if found.placebo_from == "rows":
            yield f"With the cause permuted over the rows ({times}), at most {reach} in size."
        else:
            yield f"With correlations drawn as those of a permuted cause ({times}), at most {reach} in size."


def _plain_estimate(estimate: PossibleEffect) -> dict[str, Any]:
    ratios = {"risk_ratio": estimate.risk_ratio, "odds_ratio": estimate.odds_ratio}
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "adjustment_set": None if estimate.adjustment_set is None else list(map(str, estimate.adjustment_set)),
        "assumed": [[str(tail), str(head)] for tail, head in estimate.assumed],
        **({"assumed_marks": list(estimate.assumed_marks)} if estimate.assumed_marks else {}),
        "standardised": estimate.standardised,
        "by_cause": None if estimate.by_cause is None else {str(k): list(v) for k, v in estimate.by_cause.items()},
        **{name: None if ratio is None else vars(ratio) for name, ratio in ratios.items()},
    }


def _plain_question(question: OpenQuestion) -> dict[str, Any]:
    return {**vars(question), "edge": list(map(str, question.edge))}


def _plain_sensitivity(found: Sensitivity) -> dict[str, Any]:
    return {
        "robustness": None if found.robustness is None else vars(found.robustness),
        "e_value": found.e_value,
        "e_value_of_interval": found.e_value_of_interval,
        "without": {str(name): value for name, value in (found.without or {}).items()},
        "placebo": list(found.placebo),
        "placebo_from": found.placebo_from,
    }
