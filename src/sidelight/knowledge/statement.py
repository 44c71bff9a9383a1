"""A statement, one thing that is known of the structure, and ``Known``, all that is known together.

Also the checks of what users write in a statement: names, pairs and groups of names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain

import networkx as nx

from sidelight.errors import InputError
from sidelight.knowledge.facts import Columns, Facts, is_pattern
from sidelight.side_information import AllBounds, SideInformation, parse_side
from sidelight.text.message import must_be

NamePair = tuple[Hashable, Hashable]
Groups = tuple[tuple[Hashable, ...], ...]
SHOWN = 12  # names or pairs in the text of one statement


class Statement(ABC):
    """One thing that is known of the structure. ``&`` combines it with others, and with bounds."""

    @abstractmethod
    def names(self) -> Iterator[Hashable]:
        """Every name that the statement mentions."""

    @abstractmethod
    def facts(self, columns: Columns) -> Facts:
        """What it says, by position in the names of the columns."""

    def pieces(self) -> tuple[Statement, ...]:
        """The smallest statements that together say the same."""
        return (self,)

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
        from sidelight.knowledge.files import as_dict  # which needs every kind of statement, and so this module

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


class ShapeError(InputError):
    """Something that no statement can be made of, with the reason apart, so that files can show their own example."""

    def __init__(self, kind: str, reason: str, example: str) -> None:
        super().__init__(f"{kind}: {reason}; give for example {example}")
        self.reason = reason


@dataclass(frozen=True)
class Shape:
    """Checks for one kind of statement, each with an example of what would be accepted."""

    kind: str
    example: str

    def error(self, reason: str) -> ShapeError:
        """The error for the reason."""
        return ShapeError(self.kind, reason, self.example)

    def name(self, name: object) -> Hashable:
        """The name, if a variable can have it."""
        if name is None or name == "" or not _has_hash(name):
            raise self.error(f"{name!r} is not the name of a variable")
        return name

    def names(self, names: object) -> tuple[Hashable, ...]:
        """The names, each once."""
        if not _is_collection(names):
            raise self.error(f"{names!r} is not a list of names")
        return tuple(dict.fromkeys(self.name(name) for name in _in_order(names)))

    def pair(self, pair: object) -> NamePair:
        """The pair, if it has two names that differ."""
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise self.error(f"{pair!r} is not a pair of two names")
        first, second = self.name(pair[0]), self.name(pair[1])
        if first == second and not is_pattern(first):
            raise self.error(f"the pair {pair!r} has one name twice")
        return first, second

    def pairs(self, pairs: object) -> tuple[NamePair, ...]:
        """The pairs, each once."""
        if not _is_collection(pairs):
            raise self.error(f"{pairs!r} is not a list of pairs")
        return tuple(dict.fromkeys(map(self.pair, _in_order(pairs))))

    def groups(self, groups: Sequence[object]) -> Groups:
        """Each group, or single name, as a tuple of names, if there is a name and none is in two."""
        checked = tuple(self.names(group if _is_collection(group) else [group]) for group in groups)
        seen: set[Hashable] = set()
        for name in chain.from_iterable(checked):
            if name in seen:
                raise self.error(f"{name!r} stands in two places")
            seen.add(name)
        if not seen:
            raise self.error("at least one name is needed")
        return checked

    def check_acyclic(self, arrows: Iterable[NamePair]) -> None:
        """Raise if the arrows make a directed cycle."""
        graph = nx.DiGraph([arrow for arrow in arrows if arrow[0] != arrow[1]])  # a pattern may stand on both sides
        if not nx.is_directed_acyclic_graph(graph):
            cycle = [tail for tail, _ in nx.find_cycle(graph)]
            path = " → ".join(map(str, [*cycle, cycle[0]]))
            raise self.error(f"the arrows make a directed cycle, {path}")


def some(items: Collection[object], separator: str = ", ") -> str:
    """The items as text; of many, the first ones and how many more there are."""
    texts = [str(item) for item in items]
    more = [f"… {len(texts) - SHOWN} more"] if len(texts) > SHOWN else []
    return separator.join(texts[:SHOWN] + more)


def _has_hash(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_collection(value: object) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str | bytes | dict)


def _in_order(items: object) -> list[object]:
    """The items as they come; those of a set sorted, since its order is not the same on every run."""
    assert isinstance(items, Collection)
    return (
        sorted(items, key=lambda item: (str(type(item)), str(item))) if isinstance(items, set | frozenset) else [*items]
    )
