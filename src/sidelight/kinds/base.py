"""What a kind of column is: its words, the rule that chooses it, and what its columns are in tests and in networks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.coding import as_in_data, code_columns
from sidelight.tables.table import HEAD, Table, all_whole
from sidelight.tables.table import Kind as Storage
from sidelight.tables.type_option import Said
from sidelight.text.message import Message, Option, OptionName

if TYPE_CHECKING:
    from sidelight.kinds.conditional import Columns, Conditional, Posterior, Sample

FEW_VALUES = 10
OCCURRENCES = 2  # of each value, on average: few rows have few values, whatever these are

LONGEST_VALUE = 40  # letters
Values = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class ColumnSeen:
    """A column as the rule looks at it: as it was read, and once for all kinds."""

    table: Table
    name: Hashable

    @property
    def storage(self) -> Storage:
        """What the table keeps it as."""
        return self.table.kinds[self.name]

    @property
    def is_text(self) -> bool:
        """True if the table does not have it as numbers."""
        return self.name in self.table.texts

    @property
    def is_ordered(self) -> bool:
        """True if a data frame says that its values are ordered categories."""
        return self.name in self.table.orders

    @cached_property
    def why_no_categories(self) -> str:
        """Why a column of numbers is not taken as categories; empty if it is."""
        column: NDArray[Any] = self.table.column(self.name)
        if not all_whole(column):
            return "not all whole"
        present = column[np.isfinite(column)]
        n_values = len(np.unique(present[:HEAD]))
        if n_values <= FEW_VALUES:
            n_values = len(np.unique(present))
        if n_values > FEW_VALUES:
            return f"whole, over {FEW_VALUES} values"
        if n_values < 2:  # a constant is no reason to test all other columns as a mixed table
            return "one value" if n_values else "no values"
        return "whole, values hardly repeat" if len(present) < OCCURRENCES * n_values else ""


class Kind(ABC):
    """What a column can be said to be; all kinds but that of ignored columns are a ``UsedKind``.

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
        """The categories from the lowest to the highest, if they have an order other than that of numbers."""
        return ()

    def whole_order(self, table: Table, name: Hashable) -> tuple[str, ...]:
        """The same where it is that of numbers, written out."""
        return ()

    def in_words(self, order: tuple[str, ...]) -> str:
        """``category``; ``ordinal: low < high``."""
        return f"{self.name}: {' < '.join(order)}" if order else self.name

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)  # kinds have no state, and copies come from other processes

    def __hash__(self) -> int:
        return hash(type(self))


class Ignore(Kind):
    """A column that takes no part, since a user said so."""

    name = "ignore"
    nouns = ("ignored", "ignored")
    is_used = False

    def reason(self, column: ColumnSeen) -> str:
        return ""


class UsedKind(Kind):
    """A kind whose columns take part in tests, and are variables of fitted networks."""

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

    @abstractmethod
    def conditional(
        self,
        variable: ModelVariable,
        parents: tuple[ModelVariable, ...],
        sample: Sample,
        equivalent_sample_size: float,
    ) -> Conditional:
        """The distribution of the variable given its parents, fitted to a sample."""

    @abstractmethod
    def posterior(
        self, variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int
    ) -> Posterior:
        """The variable given all others, by the conditionals that it stands in."""


@dataclass(frozen=True)
class Block:
    """How a column stands in a mixed table: as a number, or as the same columns wherever it has the same code.

    Attributes:
        lookup: for each code the values of the columns; None for a number, which stands for itself.
        tested: how many columns, from the first on, are what is tested of it and what scores see of it.
        is_scaled: True if the first column is standardised.
        categories: what the codes stand for, unless they have an order.
    """

    lookup: Values | None
    tested: int
    is_scaled: bool
    categories: tuple[object, ...] = ()

    @property
    def width(self) -> int:
        """The number of columns."""
        return 1 if self.lookup is None else self.lookup.shape[1]

    @property
    def n_categories(self) -> int:
        """How many codes there are; 1 for a number."""
        return 1 if self.lookup is None else len(self.lookup)


@dataclass(frozen=True)
class ModelVariable:
    """A variable of a fitted network: its name, its kind, and the values that its codes stand for, if it is coded."""

    name: Hashable
    kind: UsedKind
    categories: tuple[object, ...] = ()

    @staticmethod
    def of(name: Hashable, kind: UsedKind, table: Table) -> ModelVariable:
        """A variable with the categories that its column has, sorted."""
        if not kind.is_coded:
            return ModelVariable(name, kind)
        categories = categories_in(table, name)[0]
        if not categories:
            raise only_missing(name)
        return ModelVariable(name, kind, categories)

    @property
    def width(self) -> int:
        """How many columns it takes in a regression: 1, or one for each category but the first."""
        return len(self.categories) - 1 if self.kind.is_coded else 1

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


def categories_in(table: Table, name: Hashable) -> tuple[tuple[object, ...], NDArray[np.integer]]:
    """The different values of a column, sorted, and which of them each row has, −1 for none."""
    coded = code_columns([name], [table.cells(name)])
    return tuple(as_in_data(value, table.kinds[name]) for value in coded.categories[0]), coded.codes[:, 0]


def only_missing(name: Hashable) -> InputError:
    """What to say of a column without values."""
    return InputError(Message(f"column {str(name)!r} has missing values only; drop it: ", Option("drop", [name])))


def unfit(name: Hashable, what: str) -> InputError:
    """What to say of a column that cannot be what it was said to be."""
    return InputError(Message(OptionName("types"), f": column {str(name)!r} {what}"))
