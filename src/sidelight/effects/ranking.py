"""Effects of many causes: on one outcome, ranked by how large they are at least (Maathuis et al. 2009); all pairs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from sidelight.effects.asking import check_choices, listed_candidates, position_of, with_outcome
from sidelight.effects.estimates import hull
from sidelight.effects.linear import LinearEstimator, quantile
from sidelight.effects.paths import possible_ancestors, possible_descendants
from sidelight.effects.possible import possible_parents
from sidelight.effects.question import Adjustment, Asked, changes_of
from sidelight.effects.reading import Estimator, estimator_for
from sidelight.effects.value import figure
from sidelight.effects.wording import ASSUMES, doubts_of_source, too_few_rows
from sidelight.errors import InputError
from sidelight.network import Network
from sidelight.text.sentences import counted

SHOWN = 20  # causes, or pairs


@dataclass(frozen=True)
class RankedEffect:
    """The effect of one cause on one outcome, over the class.

    Attributes:
        cause, on: the variables.
        identified: True if all DAGs of the class agree on it.
        lowest, highest: among the possible effects.
        low, high: the interval over the class.
    """

    cause: Hashable
    on: Hashable
    identified: bool
    lowest: float
    highest: float
    low: float
    high: float

    @property
    def least(self) -> float:
        """The smallest absolute value in the interval, by which causes are ranked."""
        return 0.0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))

    def __str__(self) -> str:
        possible = figure(self.lowest)
        if self.lowest != self.highest:
            possible += f" to {figure(self.highest)}"
        return f"{self.cause} ⇝ {self.on}: {possible} ({figure(self.low)} to {figure(self.high)})"


@dataclass(frozen=True, repr=False)
class RankedEffects:
    """Effects from the one that is certainly largest to the one that may be nothing.

    Attributes:
        effects: ranked by the lower bound of the absolute value, then by the smallest possible effect.
        not_estimated: causes for which there is no number, with the reason.
        level: of the intervals.
        n_rows: how many rows they were estimated from.
        doubts: what limits trust in all of them.
    """

    effects: tuple[RankedEffect, ...]
    not_estimated: tuple[tuple[Hashable, str], ...]
    level: float
    n_rows: float
    doubts: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[RankedEffect]:
        return iter(self.effects)

    def __len__(self) -> int:
        return len(self.effects)

    def __getitem__(self, position: int) -> RankedEffect:
        return self.effects[position]

    def as_dict(self) -> dict[str, Any]:
        """All of it as data that JSON can hold."""
        return {
            "effects": [
                {**vars(effect), "cause": str(effect.cause), "on": str(effect.on), "least": effect.least}
                for effect in self.effects
            ],
            "not_estimated": [[str(name), why] for name, why in self.not_estimated],
            "level": self.level,
            "n_rows": self.n_rows,
            "doubts": list(self.doubts),
        }

    @property
    def sentences(self) -> tuple[str, ...]:
        """The first of them, a line each."""
        certain = sum(effect.least > 0 for effect in self.effects)
        if not self.effects and not self.not_estimated:
            return (f"No effects: in the learned class no path there can be causal. {ASSUMES}.", *self.doubts)
        found = counted(len(self.effects), "effect")
        head = f"{found}, {certain} with a {self.level:.0%} interval over the class that leaves out 0."
        more = [f"  … and {len(self.effects) - SHOWN} more"] if len(self.effects) > SHOWN else []
        skipped = [f"  {name}: not estimated; {why}" for name, why in self.not_estimated[:SHOWN]]
        shown = [f"  {effect}" for effect in self.effects[:SHOWN]]
        return (f"{head} {ASSUMES}.", *shown, *more, *skipped, *self.doubts)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks."""
        return "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)


def _ranked(found: list[RankedEffect]) -> tuple[RankedEffect, ...]:
    def size(effect: RankedEffect) -> float:
        return 0.0 if effect.lowest <= 0 <= effect.highest else min(abs(effect.lowest), abs(effect.highest))

    return tuple(sorted(found, key=lambda effect: (-effect.least, -size(effect))))


def effects_on(
    network: Network,
    on: Hashable,
    data: object = None,
    *,
    outcome: object = None,
    adjustment: Adjustment = "optimal",
    level: float = 0.95,
) -> RankedEffects:
    """The effects of all possible causes of a variable; ``Network.effects_on`` says what the arguments are."""
    target = position_of(network, on)
    check_choices(adjustment, level)
    estimator = with_outcome(estimator_for(network, data)[0], target, network.names[target], outcome)
    possible = possible_ancestors(network.by_position.graph, [target]) - {target}
    found: list[RankedEffect] = []
    skipped: list[tuple[Hashable, str]] = []
    for x in sorted(possible):
        try:
            found.append(_of_one(network, x, target, estimator, adjustment, float(level)))
        except InputError as error:
            skipped.append((network.names[x], str(error)))
    return _with_doubts(network, estimator, found, skipped, float(level))


def _of_one(
    network: Network, x: int, target: int, estimator: Estimator, adjustment: Adjustment, level: float
) -> RankedEffect:
    changes = changes_of(estimator, network.names, [x], None)
    asked = Asked((x,), target, estimator, changes, adjustment, level)
    candidates = listed_candidates(network.by_position.graph, asked, network.names)
    answers = [asked.answer(candidate.graph) for candidate in candidates]
    values = [answer.contrast.total.value for answer in answers]
    names = network.names
    return RankedEffect(names[x], names[target], len(answers) == 1, min(values), max(values), *hull(answers))


def all_effects(network: Network, data: object = None, *, level: float = 0.95) -> RankedEffects:
    """The effects of all pairs of numbers, adjusting for each set of parents that the cause may have.

    All outcomes of a cause and a set are regressed at once. Pairs without a possibly causal path are left out.
    """
    check_choices("parents", level)
    estimator, _ = estimator_for(network, data)
    if not isinstance(estimator, LinearEstimator):
        raise InputError("the effects of all pairs are for tables of numbers; for others ask for those on one outcome")
    found: list[RankedEffect] = []
    for x in range(len(network.names)):
        found += _of_cause(network, x, estimator, float(level))
    return _with_doubts(network, estimator, found, [], float(level))


def _with_doubts(
    network: Network,
    estimator: Estimator,
    found: list[RankedEffect],
    skipped: list[tuple[Hashable, str]],
    level: float,
) -> RankedEffects:
    doubts = (*too_few_rows(estimator), *doubts_of_source(network, estimator))
    return RankedEffects(_ranked(found), tuple(skipped), level, float(estimator.n_rows), doubts)


def _of_cause(network: Network, x: int, estimator: LinearEstimator, level: float) -> Iterator[RankedEffect]:
    graph, names = network.by_position.graph, network.names
    reached = sorted(possible_descendants(graph, [x]) - {x})
    if not reached:
        return
    each = []
    for parents in possible_parents(graph, x):
        values, errors, freedom = estimator.on_all(x, sorted(parents), reached)
        reach = quantile(0.5 + level / 2, freedom) * errors
        caused = [y not in parents for y in reached]  # what is a parent here is not an effect
        each.append(np.where(caused, (values, values - reach, values + reach), 0.0))
    stacked = np.array(each)
    lowest, highest = stacked[:, 0].min(axis=0), stacked[:, 0].max(axis=0)
    low, high = stacked[:, 1].min(axis=0), stacked[:, 2].max(axis=0)
    for i, y in enumerate(reached):
        figures = (float(lowest[i]), float(highest[i]), float(low[i]), float(high[i]))
        yield RankedEffect(names[x], names[y], len(each) == 1, *figures)
