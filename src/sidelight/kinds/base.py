"""What a kind of column is: its words, the rule that chooses it, and what its columns are in tests and in networks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.column_options import Said
from sidelight.tables.table import Table, categories_in, category_text
from sidelight.text.message import Message, Option, OptionName

if TYPE_CHECKING:
    from sidelight.kinds.types import ColumnSeen

FEW_VALUES = 10
LONGEST_VALUE = 40  # letters
Values = NDArray[np.float64]
Codes = NDArray[np.int64]
Columns = Mapping[Hashable, NDArray[Any]]  # by name: values of numbers, codes of categories


@dataclass(frozen=True)
class Kind(ABC):
    """What a column can be said to be; all kinds but that of ignored columns are a ``UsedKind``.

    Kinds have no state, so that copies from other processes are equal.

    Attributes:
        name: its word in ``types=``.
        nouns: for one such column, and for several.
        is_used: False if such columns take no part.
        is_coded: True if its values are categories, which stand as codes within the library.
        is_ordered: True if these have an order, which may be given in place of the name.
    """

    name: ClassVar[str]
    nouns: ClassVar[tuple[str, str]]
    is_used: ClassVar[bool] = True
    is_coded: ClassVar[bool] = False
    is_ordered: ClassVar[bool] = False

    @abstractmethod
    def reason(self, column: ColumnSeen) -> str:
        """Why the rule takes a column as this kind; empty if it does not."""

    def values(self, table: Table, name: Hashable, order: tuple[str, ...]) -> Values | None:
        """The cells of a column that was said to be of this kind, as numbers; None if they stay as they are."""
        return None

    def order(self, table: Table, name: Hashable, said: Said | None) -> tuple[str, ...]:
        """Of an ordered kind: the categories from the lowest to the highest; empty if they are ordered as numbers."""
        raise NotImplementedError

    def whole_order(self, table: Table, name: Hashable) -> tuple[str, ...]:
        """The same where it is that of numbers, written out."""
        raise NotImplementedError

    def in_words(self, order: tuple[str, ...]) -> str:
        """``category``; ``ordinal: low < high``."""
        return f"{self.name}: {' < '.join(order)}" if order else self.name


class Ignore(Kind):
    """A column that takes no part, since a user said so."""

    name = "ignore"
    nouns = ("ignored", "ignored")
    is_used = False

    def reason(self, column: ColumnSeen) -> str:
        return ""


class UsedKind(Kind):
    """A kind whose columns take part in tests, and are variables of fitted networks.

    ``posterior`` is the class for a variable of this kind given all others.
    """

    posterior: ClassVar[type[Posterior]]

    @abstractmethod
    def block(self, table: Table, name: Hashable, weights: Values | None) -> tuple[NDArray[np.integer] | int, Block]:
        """The codes of a complete column, 0 for a number, and how it stands in a mixed table."""

    @abstractmethod
    def encoded(self, variable: ModelVariable, table: Table) -> NDArray[Any]:
        """The variable's column of a table: numbers, NaN if missing, or positions of categories, −1 if missing."""

    @abstractmethod
    def encoded_value(self, variable: ModelVariable, value: object) -> float | int:
        """The same for one value that the variable is set to."""

    @abstractmethod
    def indicators(self, variable: ModelVariable, column: NDArray[Any]) -> Values:
        """What stands for an encoded column in a regression, rows by ``variable.width``."""

    def scored(self, variable: ModelVariable, table: Table, weights: Values | None) -> ModelVariable:
        """The variable with its scores, if it has an order."""
        return variable

    @abstractmethod
    def conditional(self, variable: ModelVariable, parents: Variables, sample: Sample, prior: float) -> Conditional:
        """The distribution of the variable given its parents, fitted; a category has a prior of so many rows."""


class Block(NamedTuple):
    """How a column stands in a mixed table: as a number, or as the same columns wherever it has the same code.

    Attributes:
        lookup: for each code the values of the columns; a number has one code and one column, and stands for itself.
        tested: how many columns, from the first on, are what is tested of it and what scores see of it.
        is_scaled: True if the first column is standardised.
        categories: what the codes stand for, unless they have an order.
    """

    lookup: Values
    tested: int
    is_scaled: bool
    categories: tuple[object, ...] = ()


# Variables of fitted networks, and their distributions.


@dataclass(frozen=True)
class ModelVariable:
    """A variable of a fitted network: its name, its kind, and the values that its codes stand for, if it is coded.

    ``scores`` are what ordered categories are in regressions, 0 for the first.
    """

    name: Hashable
    kind: UsedKind
    categories: tuple[object, ...] = ()
    scores: tuple[float, ...] = ()

    @staticmethod
    def of(
        name: Hashable, kind: UsedKind, table: Table, order: Sequence[object] = (), weights: Values | None = None
    ) -> ModelVariable:
        """A variable with the categories that its column has, sorted, or in this order."""
        if not kind.is_coded:
            return ModelVariable(name, kind)
        categories = categories_in(table, name)[0]
        if not categories:
            raise only_missing(name)
        if order:
            place = {category_text(category, "text"): i for i, category in enumerate(order)}
            known = (category for category in categories if category_text(category, table.kinds[name]) in place)
            in_order = sorted(known, key=lambda category: place[category_text(category, table.kinds[name])])
            categories = (*in_order, *(category for category in categories if category not in in_order))
        return kind.scored(ModelVariable(name, kind, categories), table, weights)

    @property
    def width(self) -> int:
        """How many columns it takes in a regression: 1, or one for each category but the first."""
        return len(self.categories) - 1 if self.kind.is_coded and not self.scores else 1

    def effects(self, slopes: Values) -> float | dict[object, float]:
        """What it adds in a regression with these slopes: that of a number; what each category adds to the first."""
        if not self.kind.is_coded:
            return float(slopes[0])
        added = [slopes[0] * score for score in self.scores] if self.scores else [0.0, *slopes.tolist()]
        return dict(zip(self.categories, map(float, added), strict=True))

    def encoded(self, table: Table) -> NDArray[Any]:
        """Its column of a table, as numbers or codes."""
        return self.kind.encoded(self, table)

    def missing(self, column: NDArray[Any]) -> NDArray[np.bool_]:
        """Where an encoded column lacks a value."""
        return np.asarray(column < 0 if self.kind.is_coded else np.isnan(column))

    def decoded(self, column: NDArray[Any]) -> NDArray[Any]:
        """An encoded column with the values that the data had."""
        return np.array(self.categories)[column] if self.kind.is_coded else column

    @cached_property
    def positions(self) -> dict[object, int]:
        """Where each category is, as it is and as text."""
        texts: dict[object, int] = {str(category): i for i, category in enumerate(self.categories)}
        return texts | {category: i for i, category in enumerate(self.categories)}


Variables = tuple[ModelVariable, ...]


@dataclass(frozen=True)
class Sample:
    """Encoded columns, complete unless it ``has_gaps``, and how many samples each row stands for.

    ``parameter_cost`` is what a parameter costs, in nats, where a table and a regression are both possible; where it is
    0 there are tables.
    """

    columns: Columns
    weights: Values | None
    has_gaps: bool = False
    parameter_cost: float = 0.0

    @staticmethod
    def of(variables: Sequence[ModelVariable], table: Table, weights: Values | None) -> Sample:
        """The columns of these variables."""
        columns = {variable.name: variable.encoded(table) for variable in variables}
        return Sample(columns, weights, bool(table.incomplete))

    @property
    def matrix(self) -> NDArray[Any]:
        """Rows by columns."""
        return np.column_stack(list(self.columns.values()))

    @cached_property
    def counts(self) -> Values:
        """How many samples each row stands for, written out."""
        return np.ones(len(next(iter(self.columns.values())))) if self.weights is None else self.weights

    @property
    def count(self) -> float:
        """The number of rows, or the sum of their weights."""
        return float(self.counts.sum())


class GaussianFactor(NamedTuple):
    """exp(−½ precision · x² + pull · x), up to a factor, as a function of one variable's value x in each row."""

    precision: float
    pull: Values


class Conditional(ABC):
    """The distribution of a variable given its parents."""

    variable: ModelVariable
    parents: Variables

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """The number of free parameters."""

    @abstractmethod
    def log_densities(self, columns: Columns) -> Values:
        """For each row, the logarithm of the density or the probability of its own value given its parents'."""

    def expected(self, columns: Columns, n_rows: int) -> Values:
        """The mean of each row, of a number."""
        raise NotImplementedError

    @abstractmethod
    def draw(self, columns: Columns, n_rows: int, rng: np.random.Generator) -> NDArray[Any]:
        """A value for each row, given the columns of the parents."""

    @abstractmethod
    def in_words(self) -> str:
        """One line."""

    def gaussian_in(self, name: Hashable, columns: Columns) -> GaussianFactor | None:
        """What the density is as a function of one of its numbers, if that is Gaussian."""
        return None

    def steepness(self, name: Hashable) -> float:
        """How steep the logarithm of the density can be in a number in which it is not Gaussian."""
        return 0.0


class Posterior(ABC):
    """A variable given all others of a row: its own conditional times those of its children."""

    @abstractmethod
    def __init__(self, variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int) -> None:
        """The conditionals that the variable stands in are ``factors``, the other columns ``given``."""

    @abstractmethod
    def predicted(self) -> NDArray[Any]:
        """One encoded value for each row: the mean of a number, the most probable category."""

    @abstractmethod
    def drawn(self, rng: np.random.Generator) -> NDArray[Any]:
        """An encoded value for each row, drawn from the distribution."""


def log_product(factors: Sequence[Conditional], columns: Columns) -> Values:
    """The logarithm of the product of densities, for each row."""
    return np.asarray(np.sum([factor.log_densities(columns) for factor in factors], axis=0))


def design(parents: Sequence[ModelVariable], columns: Columns, n_rows: int) -> Values:
    """The columns of a regression on these variables, without a constant."""
    found = (parent.kind.indicators(parent, columns[parent.name]) for parent in parents)
    return np.hstack([np.empty((n_rows, 0)), *found])


def drawn_codes(probabilities: Values, rng: np.random.Generator) -> Codes:
    """A category for each row of probabilities."""
    bounds = np.cumsum(probabilities, axis=1)
    codes: Codes = (rng.random(len(bounds))[:, None] >= bounds).sum(axis=1)
    return codes.clip(max=probabilities.shape[1] - 1)  # the last sum may be rounded to less than 1


def only_missing(name: Hashable) -> InputError:
    """What to say of a column without values."""
    return InputError(Message(f"column {str(name)!r} has missing values only; drop it: ", Option("drop", [name])))


def unfit(name: Hashable, what: str) -> InputError:
    """What to say of a column that cannot be what it was said to be."""
    return InputError(Message(OptionName("types"), f": column {str(name)!r} {what}"))
