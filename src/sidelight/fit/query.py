"""A variable given values of some others: exactly where the model allows it, else by simulation with its error.

Only the ancestors of the variable and of the evidence matter. If all of these are numbers, their joint normal
distribution is conditioned; if all have tables, the others are summed out (variable elimination, in the order that
opt_einsum finds). Otherwise rows are drawn from parents to children and weighted by the likelihood of the evidence
(Fung & Chang 1989; Shachter & Peot 1989).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.kinds.base import Columns, Conditional, ModelVariable, Values
from sidelight.kinds.category import TableNode
from sidelight.kinds.number import LinearGaussianNode

LARGEST = 1e8  # cells of a table on the way; beyond, rows are drawn
ROWS_AT_ONCE, MOST_ROWS = 20_000, 2_000_000
PRECISE = 0.005  # the standard error of a probability, or of a mean in standard deviations, which suffices
FEWEST = 500  # rows that the weights are worth, before an answer is given
Evidence = Mapping[Hashable, float | int]
CONDITIONED, ELIMINATED, SIMULATED = "conditioning", "variable elimination", "simulation"


@dataclass(frozen=True)
class QueryAnswer:
    """The distribution of a variable given others.

    Attributes:
        target: the variable.
        given: the evidence.
        mean, spread: of a number, with the standard deviation; None for categories.
        probabilities: of categories; empty for a number.
        method: "conditioning" or "variable elimination", which are exact, or "simulation".
        errors: the standard error of simulation of the mean, or of the probability of each category.
        n_rows: how many rows were simulated; 0 where the answer is exact.
    """

    target: Hashable
    given: Mapping[Hashable, object]
    mean: float | None
    spread: float | None
    probabilities: Mapping[object, float]
    method: str
    errors: Mapping[object, float] = field(default_factory=dict)
    n_rows: int = 0

    @property
    def is_exact(self) -> bool:
        """True unless it was simulated."""
        return self.method != SIMULATED

    def __str__(self) -> str:
        evidence = ", ".join(f"{name} = {value}" for name, value in self.given.items())
        numbers = [f"{name} {share:.3f}{self._error(name, '.2g')}" for name, share in self.probabilities.items()]
        if self.mean is not None:
            numbers = [f"mean {self.mean:.4g}{self._error('mean', '.2g')}", f"standard deviation {self.spread:.4g}"]
        how = f"exact, by {self.method}" if self.is_exact else f"{self.n_rows} simulated rows"
        return f"{self.target}{f' given {evidence}' * bool(evidence)}: {'; '.join(numbers)} ({how})"

    __repr__ = __str__

    def _error(self, name: object, form: str) -> str:
        return f" ± {self.errors[name]:{form}}" if name in self.errors else ""


def answered(
    target: ModelVariable,
    order: Sequence[Conditional],
    given: Mapping[Hashable, object],
    held: Evidence,
    rng: np.random.Generator,
) -> QueryAnswer:
    """The answer from the conditionals of the ancestors, parents first; ``held`` is the evidence, encoded."""
    if target.name in held:
        raise InputError(f"{str(target.name)!r} is the variable asked for, and cannot be given")
    if all(isinstance(node, LinearGaussianNode) for node in order):
        return _conditioned(target, [node for node in order if isinstance(node, LinearGaussianNode)], given, held)
    tables = [node for node in order if isinstance(node, TableNode)]
    exact = _eliminated(target, tables, held) if len(tables) == len(order) else None
    if exact is None:
        return _simulated(target, order, given, held, rng)
    return QueryAnswer(target.name, dict(given), None, None, _by_category(target, exact), ELIMINATED)


def _by_category(target: ModelVariable, shares: NDArray[np.float64]) -> dict[object, float]:
    return dict(zip(target.categories, shares.tolist(), strict=True))


# Numbers.


def _conditioned(
    target: ModelVariable, order: Sequence[LinearGaussianNode], given: Mapping[Hashable, object], held: Evidence
) -> QueryAnswer:
    """The mean and the variance of one of several variables with a joint normal distribution, given others."""
    place = {node.variable.name: i for i, node in enumerate(order)}
    means, effects = np.zeros(len(order)), np.zeros((len(order), len(order)))  # of each noise on each variable
    for i, node in enumerate(order):
        parents = [place[parent.name] for parent in node.parents]
        means[i] = node.intercept + node.slopes @ means[parents]
        effects[i] = node.slopes @ effects[parents]
        effects[i, i] = node.noise
    own, known = effects[place[target.name]], [place[name] for name in held]
    # By regression of the noises, whose scales may differ much, rather than by the inverse of a covariance.
    scale = np.sqrt(np.square(effects[known]).sum(axis=1, keepdims=True))
    basis = effects[known] / scale
    weights = np.linalg.lstsq(basis.T, own, rcond=None)[0]
    surprise = (np.array([float(held[name]) for name in held]) - means[known]) / scale.ravel()
    left = own - weights @ basis
    mean = float(means[place[target.name]] + weights @ surprise)
    return QueryAnswer(target.name, dict(given), mean, float(np.sqrt(left @ left)), {}, CONDITIONED)


# Tables.


def _eliminated(target: ModelVariable, order: Sequence[TableNode], held: Evidence) -> Values | None:
    """The probabilities of the categories; None where the tables on the way would be too large."""
    import opt_einsum

    symbols: dict[Hashable, int] = {}
    numbers = count()
    operands: list[object] = []
    for node in order:
        members = (*node.parents, node.variable)
        at: Any = tuple(held.get(member.name, slice(None)) for member in members)
        free = [member.name for member in members if member.name not in held]
        for name in free:
            symbols.setdefault(name, next(numbers))
        operands += [node.probabilities[at], [symbols[name] for name in free]]
    operands.append([symbols[target.name]])
    path, told = opt_einsum.contract_path(*operands, optimize="auto")
    if float(told.largest_intermediate) > LARGEST:
        return None
    joint = np.asarray(opt_einsum.contract(*operands, optimize=path), dtype=np.float64)
    if not joint.sum() > 0:
        raise _impossible(held)
    return np.asarray(joint / joint.sum())


def _impossible(held: Evidence) -> InputError:
    names = ", ".join(map(str, held))
    return InputError(f"the evidence ({names}) has probability 0; fit with an equivalent_sample_size larger than 0")


# Both.


def _simulated(
    target: ModelVariable,
    order: Sequence[Conditional],
    given: Mapping[Hashable, object],
    held: Evidence,
    rng: np.random.Generator,
) -> QueryAnswer:
    """Rows that are drawn until they are enough, each weighted by the likelihood of the evidence."""
    values, logs = np.empty(0), np.empty(0)
    while True:
        columns, weights = _weighted_rows(order, held, rng)
        values = np.concatenate([values, np.asarray(columns[target.name], dtype=np.float64)])
        logs = np.concatenate([logs, weights])
        found = _estimated(target, given, values, logs, held)
        if found is not None:
            return found


def _weighted_rows(order: Sequence[Conditional], held: Evidence, rng: np.random.Generator) -> tuple[Columns, Values]:
    columns: dict[Hashable, NDArray[np.generic]] = {}
    weights = np.zeros(ROWS_AT_ONCE)
    for node in order:
        name = node.variable.name
        if name in held:
            columns[name] = np.full(ROWS_AT_ONCE, held[name])
            weights += node.log_densities(columns)
        else:
            columns[name] = node.draw(columns, ROWS_AT_ONCE, rng)
    return columns, weights


def _estimated(
    target: ModelVariable, given: Mapping[Hashable, object], values: Values, logs: Values, held: Evidence
) -> QueryAnswer | None:
    """The answer that rows with these weights give; None if more are needed."""
    is_last = len(values) >= MOST_ROWS
    if np.isneginf(logs.max()):
        if is_last:
            raise _impossible(held)
        return None
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    worth = 1 / float(weights @ weights)
    if worth < FEWEST and not is_last:
        return None
    if worth < FEWEST:
        raise InputError(f"the evidence is too improbable to simulate: {len(values):,} rows are worth {worth:.0f}")
    if not target.kind.is_coded:
        mean = float(weights @ values)
        spread = float(np.sqrt(weights @ np.square(values - mean)))
        error = float(np.sqrt(np.square(weights) @ np.square(values - mean)))
        enough = is_last or error <= PRECISE * spread
        answer = QueryAnswer(target.name, dict(given), mean, spread, {}, SIMULATED, {"mean": error}, len(values))
        return answer if enough else None
    shares: Values = np.bincount(values.astype(np.int64), weights, len(target.categories)).astype(np.float64)
    squares = [np.square(weights) @ np.square((values == code) - share) for code, share in enumerate(shares)]
    errors = np.sqrt(np.array(squares))
    if not is_last and errors.max() > PRECISE:
        return None
    both = _by_category(target, shares), SIMULATED, _by_category(target, errors)
    return QueryAnswer(target.name, dict(given), None, None, *both, len(values))
