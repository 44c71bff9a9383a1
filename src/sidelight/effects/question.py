"""One question about an effect, by position: which causes are set to what, and what a graph says of the target then.

Many graphs lead to the same adjustment set; each is estimated once.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Literal, get_args

import numpy as np

from sidelight.effects.adjustment import Given, is_valid, minimal_set, optimal_set
from sidelight.effects.linear import NONE, Contrast, LinearEstimator, cause_does_not_vary
from sidelight.effects.paths import possibly_between
from sidelight.effects.reading import Estimator
from sidelight.effects.standardised import RowsEstimator, Setting
from sidelight.errors import InputError
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.kinds.base import ModelVariable
from sidelight.orientation.essential import extend_to_dag
from sidelight.text.message import Message, Option, OptionName, must_be

Adjustment = Literal["optimal", "minimal", "parents"]
ADJUSTMENTS = get_args(Adjustment)
SHOWN = 8  # categories


@dataclass(frozen=True)
class Answer:
    """What one graph says: the contrast and its interval, and what was adjusted for.

    ``given`` is None where nothing can be adjusted for: the effect is 0, or comes from several regressions.
    """

    contrast: Contrast
    low: float
    high: float
    given: Given | None
    is_zero: bool = False


@dataclass(frozen=True, eq=False)
class Asked:
    """Causes, target and what changes; with what is estimated."""

    causes: tuple[int, ...]
    target: int
    estimator: Estimator
    changes: tuple[tuple[float | int, float | int], ...]  # of each cause, from and to, encoded
    adjustment: Adjustment
    level: float
    _known: dict[object, Contrast] = field(default_factory=dict)

    def answer(self, graph: PartialDag) -> Answer:
        """What a graph that identifies the effect says of it."""
        if not possibly_between(graph, self.causes, self.target):
            return self._of_nothing(graph)
        given = self._given(graph)
        if given is None:
            return self._answer(self._along(graph), None)
        return self._answer(self.estimate(given), given)

    def estimate(self, given: Given) -> Contrast:
        """The contrast with this adjustment."""
        if given not in self._known:
            self._known[given] = self._adjusted(given)
        return self._known[given]

    def without(self, given: Given) -> dict[int, float]:
        """The contrast when one of what is given is left out, for each."""
        if isinstance(self.estimator, LinearEstimator):
            return self.estimator.without(self.causes, self.target, given, self._raised)
        return self.estimator.without(self.causes, self.target, given, self.settings)

    def placebo(self, given: Given, n_times: int) -> list[float]:
        """The contrast with the values of the cause permuted over the rows, some times."""
        if isinstance(self.estimator, LinearEstimator):
            return self.estimator.placebo(self.causes[0], self.target, given, self._raised, n_times)
        return self.estimator.placebo(self.causes[0], self.target, given, self.settings, n_times)

    @property
    def settings(self) -> tuple[Setting, Setting]:
        """The values of the causes before and after."""
        first, last = zip(*self.changes, strict=True)
        return dict(zip(self.causes, first, strict=True)), dict(zip(self.causes, last, strict=True))

    @property
    def _raised(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([last - first for first, last in self.changes], dtype=np.float64)

    def _of_nothing(self, graph: PartialDag) -> Answer:
        """No effect; where a regression can show that, its interval says how sure the data are of it."""
        parents = frozenset(graph.parents[self.causes[0]])
        if len(self.causes) > 1 or self.target in parents:
            return Answer(NONE, 0.0, 0.0, None, is_zero=True)
        low, high = self.estimate(parents).total.interval(self.level)
        return Answer(NONE, min(low, 0.0), max(high, 0.0), parents, is_zero=True)

    def _given(self, graph: PartialDag) -> Given | None:
        if len(self.causes) == 1 and self.adjustment == "parents":
            return frozenset(graph.parents[self.causes[0]])
        best = optimal_set(graph, self.causes, self.target)
        if len(self.causes) == 1 and self.adjustment == "optimal":
            return best
        dag = a_member(graph)
        if self.adjustment == "minimal":
            return minimal_set(graph, dag, self.causes, self.target)
        if is_valid(graph, dag, self.causes, self.target, best):
            return best
        return minimal_set(graph, dag, self.causes, self.target)

    def _adjusted(self, given: Given) -> Contrast:
        if isinstance(self.estimator, LinearEstimator):
            return self.estimator.adjusted(self.causes, self.target, given, self._raised)
        return self.estimator.adjusted(self.causes, self.target, given, self.settings)

    def _along(self, graph: PartialDag) -> Contrast:
        dag = a_member(graph)
        if isinstance(self.estimator, RowsEstimator):
            raise InputError(
                "no adjustment set gives the effect of these causes together, and with categories among the columns "
                "only a fitted network does: use net.fit(data).do({…}, target)"
            )
        key = dag.parents
        if key not in self._known:
            self._known[key] = self.estimator.along(dag, self.causes, self.target, self._raised)
        return self._known[key]

    def _answer(self, contrast: Contrast, given: Given | None) -> Answer:
        return Answer(contrast, *contrast.total.interval(self.level), given)


def a_member(graph: PartialDag) -> Dag:
    """One DAG of the class."""
    return Dag(tuple(range(len(graph))), tuple(extend_to_dag(graph)))


# From what a user says to a question.


def changes_of(
    estimator: Estimator, names: Sequence[Hashable], causes: Sequence[int], values: object
) -> tuple[tuple[float | int, float | int], ...]:
    """For each cause the value before and after: as given, else a unit more, or the second of two categories."""
    given = _by_cause(names, causes, values)
    return tuple(_change(estimator, names[x], x, given.get(names[x])) for x in causes)


def _by_cause(names: Sequence[Hashable], causes: Sequence[int], values: object) -> Mapping[Hashable, object]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        if len(causes) > 1:
            raise InputError(must_be("values", "a dict with two values for each cause", values))
        return {names[causes[0]]: values}
    written = {str(names[x]): names[x] for x in causes}
    unknown = next((name for name in values if str(name) not in written), None)
    if unknown is not None:
        among = f": {unknown!r} is none of the causes {', '.join(map(repr, written))}"
        raise InputError(Message(OptionName("values"), among))
    return {written[str(name)]: value for name, value in values.items()}


def _change(estimator: Estimator, name: Hashable, x: int, value: object) -> tuple[float | int, float | int]:
    """The values before and after, encoded."""
    pair = None if value is None else _pair(name, value)
    kind = None if isinstance(estimator, LinearEstimator) else estimator.variables[x].kind
    if isinstance(estimator, RowsEstimator) and not estimator.varies(x):
        raise cause_does_not_vary(name)
    if pair is not None:
        first, last = (_encoded(estimator, name, x, each) for each in pair)
    elif kind is None:
        first, last = 0.0, 1.0
    elif not kind.is_coded:
        assert isinstance(estimator, RowsEstimator)
        first = float(np.nanmean(estimator.sample.columns[name]))
        last = first + 1.0
    else:
        first, last = _two_categories(estimator, name, x)
    if first == last:
        raise InputError(Message(OptionName("values"), f": {str(name)!r} is compared with itself"))
    return first, last


def _two_categories(estimator: Estimator, name: Hashable, x: int) -> tuple[int, int]:
    assert isinstance(estimator, RowsEstimator)
    categories = estimator.variables[x].categories
    if len(categories) > 2:
        what = f"{str(name)!r} has {len(categories)} categories ({_some(categories)}); say which two are compared: "
        raise InputError(Message(what, Option("values", list(categories[:2]))))
    return 0, 1


def _some(categories: Sequence[object]) -> str:
    return ", ".join(map(repr, categories[:SHOWN])) + ", …" * (len(categories) > SHOWN)


def asked_category(variable: ModelVariable, outcome: object) -> int:
    """The category of an outcome whose probability is asked: the second of two, unless another one is given."""
    if len(variable.categories) < 2:
        raise does_not_vary(variable.name)
    if outcome is not None:
        return _code_of(variable, outcome, "outcome")
    if len(variable.categories) > 2:
        shown = f"{len(variable.categories)} categories ({_some(variable.categories)})"
        what = f"{str(variable.name)!r} has {shown}; say of which one the probability is asked: "
        raise InputError(Message(what, Option("outcome", str(variable.categories[0]))))
    return 1


def _code_of(variable: ModelVariable, value: object, option: str) -> int:
    try:
        return int(variable.kind.encoded_value(variable, value))
    except InputError:
        there = f"{str(variable.name)!r} has no category {value!r}; it has {_some(variable.categories)}"
        raise InputError(Message(OptionName(option), ": ", there)) from None


def does_not_vary(name: Hashable) -> InputError:
    """What to say of an outcome that is the same in all rows."""
    return InputError(f"column {str(name)!r} does not vary, so nothing has an effect on it that the data could show")


def _pair(name: Hashable, value: object) -> Sequence[object]:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
        raise InputError(must_be("values", f"two values of {str(name)!r}, before and after", value))
    return value


def _encoded(estimator: Estimator, name: Hashable, x: int, value: object) -> float | int:
    if isinstance(estimator, RowsEstimator) and estimator.variables[x].kind.is_coded:
        return _code_of(estimator.variables[x], value, "values")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = nan
    if isinstance(value, bool) or not isfinite(number):
        raise InputError(Message(OptionName("values"), f": {str(name)!r} is a number; got {value!r}"))
    return number
