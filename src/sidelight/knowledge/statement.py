"""A statement, one thing that is known of the structure, and ``Known``, all that is known together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

from sidelight.errors import InputError
from sidelight.knowledge.facts import Columns, Facts
from sidelight.side_information import AllBounds, SideInformation, parse_side
from sidelight.text.message import must_be


class Statement(ABC):
    """One thing that is known of the structure. ``&`` combines it with others, and with bounds."""

    @abstractmethod
    def names(self) -> Iterator[Hashable]:
        """Every name that the statement mentions."""

    @abstractmethod
    def facts(self, columns: Columns) -> Facts:
        """What it says, by position in the names of the columns."""

    @abstractmethod
    def pieces(self) -> tuple[Statement, ...]:
        """The smallest statements that together say the same."""

    @abstractmethod
    def __str__(self) -> str: ...

    def __and__(self, other: object) -> Known:
        return known(self) & other

    def __rand__(self, other: object) -> Known:
        return other & known(self) if isinstance(other, SideInformation) else NotImplemented


@dataclass(frozen=True, eq=False)
class Known:
    """All that is known of the structure: bounds, such as ``DiamondFree()``, and statements.

    Two are equal when they say the same, whatever the order, and whether one statement lists two arrows or two do.
    """

    bounds: tuple[SideInformation, ...] = ()
    statements: tuple[Statement, ...] = ()

    def __post_init__(self) -> None:
        single = [each for bound in self.bounds for each in bound.each()]
        object.__setattr__(self, "bounds", tuple(dict.fromkeys(single)))
        object.__setattr__(self, "statements", tuple(dict.fromkeys(self.statements)))

    def __and__(self, other: object) -> Known:
        if not isinstance(other, Statement | SideInformation | Known):
            return NotImplemented
        more = known(other)
        return Known(self.bounds + more.bounds, self.statements + more.statements)

    def __bool__(self) -> bool:
        """True when anything is known."""
        return bool(self.bounds or self.statements)

    def __eq__(self, other: object) -> bool:
        return self._content() == other._content() if isinstance(other, Known) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._content())

    def __str__(self) -> str:
        return "; ".join(map(str, [*self.bounds, *self.statements])) or "nothing"

    @property
    def side(self) -> SideInformation | None:
        """The bounds as one value; None without any."""
        return AllBounds(self.bounds) if len(self.bounds) > 1 else next(iter(self.bounds), None)

    def pieces(self) -> tuple[Statement, ...]:
        """The smallest statements that together say the same, each once."""
        return tuple(dict.fromkeys(piece for statement in self.statements for piece in statement.pieces()))

    def as_dict(self) -> dict[str, object]:
        """A plain dictionary, in the form of the files that ``read_knowledge`` reads."""
        from sidelight.knowledge.plain import as_dict  # which needs every kind of statement, and so this module

        return as_dict(self)

    def _content(self) -> tuple[frozenset[SideInformation], frozenset[Statement]]:
        return frozenset(self.bounds), frozenset(self.pieces())


def known(value: object) -> Known:
    """All that the value says: None, a bound, a statement, words such as ``"diamond-free"``, or a list of these."""
    if value is None or isinstance(value, str):
        side = None if value is None else parse_side(value)
        return Known() if side is None else Known((side,))
    if isinstance(value, Known):
        return value
    if isinstance(value, SideInformation):
        return Known((value,))
    if isinstance(value, Statement):
        return Known((), (value,))
    if isinstance(value, Collection) and not isinstance(value, Mapping | bytes):
        return reduce(lambda before, item: before & known(item), value, Known())
    kinds = 'DiamondFree() or another bound, a statement such as Required(("a", "b")), a word such as "diamond-free"'
    raise InputError(must_be("side", f"{kinds}, or several of them joined by &", value))
