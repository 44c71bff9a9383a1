"""From what a graph says of an effect and an estimate of it to the figures that a user sees."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from sidelight.effects.linear import Estimated, LinearEstimator
from sidelight.effects.question import Answer, Asked
from sidelight.effects.sensitivity import e_value, e_value_of_interval, robustness
from sidelight.effects.value import Interval, PossibleEffect, Ratio, Sensitivity
from sidelight.effects.wording import named
from sidelight.network import Network


def possible_effect(network: Network, asked: Asked, answer: Answer, has_units: bool) -> PossibleEffect:
    """What one graph says of the effect."""
    contrast = answer.contrast
    by_cause = {
        network.names[x]: (part.value, *part.interval(asked.level))
        for x, part in zip(asked.causes, contrast.by_cause, strict=False)
    }
    return PossibleEffect(
        value=contrast.total.value,
        low=answer.low,
        high=answer.high,
        adjustment_set=None if answer.given is None else named(network, answer.given),
        standardised=_standardised(asked, contrast.total.value) if has_units else None,
        by_cause=by_cause if len(asked.causes) > 1 and by_cause else None,
        risk_ratio=_ratio(contrast.log_risk_ratio, asked.level),
        odds_ratio=_ratio(contrast.log_odds_ratio, asked.level),
    )


def _standardised(asked: Asked, value: float) -> float | None:
    if not isinstance(asked.estimator, LinearEstimator) or len(asked.causes) > 1:
        return None
    spreads, (first, last) = asked.estimator.spreads, asked.changes[0]
    return float(value / (last - first) * spreads[asked.causes[0]] / spreads[asked.target])


def _ratio(found: Estimated | None, level: float) -> Ratio | None:
    return None if found is None else Ratio(exp(found.value), *map(exp, found.interval(level)))


def hull(answers: Sequence[Answer]) -> Interval:
    """From the lowest to the highest end."""
    return min(answer.low for answer in answers), max(answer.high for answer in answers)


def sensitivity_of(network: Network, asked: Asked, answer: Answer, placebo: int) -> Sensitivity:
    """How much an identified effect of one cause depends on what is not known."""
    if answer.is_zero or answer.given is None or len(asked.causes) > 1:
        return Sensitivity()
    contrast = answer.contrast
    risk = _ratio(contrast.log_risk_ratio, asked.level)
    changed = asked.without(answer.given)
    order = sorted(changed, key=lambda v: (-abs(changed[v] - contrast.total.value), v))
    linear = isinstance(asked.estimator, LinearEstimator)
    return Sensitivity(
        robustness=robustness(contrast.total, asked.level) if linear else None,
        e_value=None if risk is None else e_value(risk.value),
        e_value_of_interval=None if risk is None else e_value_of_interval(risk.low, risk.high),
        without={network.names[v]: changed[v] for v in order},
        placebo=tuple(asked.placebo(answer.given, placebo)) if placebo else (),
        placebo_from="rows" if asked.estimator.has_rows else "correlations",
    )
