"""How strong a hidden cause would have to be to explain an effect away, and what an effect of nothing looks like.

Cinelli & Hazlett (2020) for regressions: partial R² and robustness values. VanderWeele & Ding (2017) for risk ratios:
the E-value.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from sidelight.effects.linear import NORMAL, Estimated, quantile


@dataclass(frozen=True)
class Robustness:
    """Of a coefficient: what share of the variance that is left a hidden cause would have to explain.

    Attributes:
        partial_r2: the share of what the adjustment leaves of the outcome that the cause explains.
        value: a hidden cause that explains this share of both cause and outcome would bring the effect to 0.
        value_of_interval: the same for bringing an end of the interval to 0; 0 if it has 0 within.
    """

    partial_r2: float
    value: float
    value_of_interval: float


def robustness(estimate: Estimated, level: float) -> Robustness | None:
    """The figures of a coefficient; None where there is no error to compare it with."""
    if not estimate.error or estimate.freedom in (NORMAL,) or estimate.freedom <= 1:
        return None
    t = abs(estimate.value) / estimate.error
    f = t / sqrt(estimate.freedom)
    needed = quantile(0.5 + level / 2, estimate.freedom - 1) / sqrt(estimate.freedom - 1)
    return Robustness(t * t / (t * t + estimate.freedom), _robustness_value(f), _robustness_value(max(0.0, f - needed)))


def _robustness_value(f: float) -> float:
    return 0.5 * (sqrt(f**4 + 4 * f * f) - f * f)


def e_value(risk_ratio: float) -> float:
    """How strongly, as risk ratios, a hidden cause would have to go with both to explain a risk ratio away."""
    ratio = max(risk_ratio, 1 / risk_ratio)
    return ratio + sqrt(ratio * (ratio - 1))


def e_value_of_interval(low: float, high: float) -> float:
    """The same for the end of the interval that is nearer to 1; 1 if it has 1 within."""
    return 1.0 if low <= 1 <= high else e_value(low if low > 1 else high)
