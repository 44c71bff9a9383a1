"""Direct effects: the coefficient of a parent in the regression of a number on all of its parents."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from sidelight.effects.asking import check_choices, positions_of
from sidelight.effects.linear import NONE, LinearEstimator
from sidelight.effects.possible import possible_parents
from sidelight.effects.reading import estimator_for
from sidelight.effects.value import figure
from sidelight.effects.wording import ASSUMES
from sidelight.errors import InputError
from sidelight.network import Network


@dataclass(frozen=True, repr=False)
class DirectEffect:
    """What a unit more of a variable does to another one while all other parents of that are held fixed.

    Attributes:
        cause, on: the variables.
        values: the possible coefficients, one for each set of parents that the outcome may have; 0 where the cause is
            none of them.
        low, high: the interval over the class.
        level: of the interval.
    """

    cause: Hashable
    on: Hashable
    values: tuple[float, ...]
    low: float
    high: float
    level: float

    def __str__(self) -> str:
        values = " or ".join(map(figure, self.values))
        how = f"{ASSUMES} and linear effects"
        interval = f"{self.level:.0%} interval over the equivalence class {figure(self.low)} to {figure(self.high)}"
        return f"Direct effect of {self.cause} on {self.on}, per unit: {values}; {interval}. {how}."

    __repr__ = __str__


def direct_effect(
    network: Network, cause: Hashable, on: Hashable, data: object = None, *, level: float = 0.95
) -> DirectEffect:
    """The coefficient of a cause; ``Network.direct_effect`` says what the arguments are."""
    (x,), target = positions_of(network, [cause], on)
    check_choices("parents", level)
    estimator, _ = estimator_for(network, data)
    if not isinstance(estimator, LinearEstimator):
        raise InputError("direct effects are coefficients, for tables of numbers; for others, fit the network: net.fit")
    found = []
    for parents in possible_parents(network.by_position.graph, target):
        rest, unit = sorted(parents - {x}), np.ones(1)
        found.append(estimator.adjusted([x], target, rest, unit) if x in parents else NONE)
    intervals = [contrast.total.interval(float(level)) for contrast in found]
    values = tuple(dict.fromkeys(contrast.total.value for contrast in found))
    low, high = min(low for low, _ in intervals), max(high for _, high in intervals)
    return DirectEffect(network.names[x], network.names[target], values, low, high, float(level))
