"""Checks of what users write as names, pairs and groups of names; and how many of them a text shows."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import networkx as nx

from sidelight.errors import InputError
from sidelight.knowledge.facts import is_pattern

NamePair = tuple[Hashable, Hashable]
Groups = tuple[tuple[Hashable, ...], ...]
SHOWN = 12  # names or pairs in the text of one statement


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
