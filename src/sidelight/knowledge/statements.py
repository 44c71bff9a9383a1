"""What is known of single variables, arrows and paths beforehand, as values; ``&`` combines them.

A name may be a pattern of the shell, such as ``"lab_*"``, unless a column has that very name.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Self

import networkx as nx
import numpy as np

from sidelight.errors import InputError
from sidelight.knowledge.facts import Columns, Facts, Pair, Positions, Rectangle
from sidelight.knowledge.statement import Groups, NamePair, Shape, Statement, some

REST = "*"  # in tiers and orders


@dataclass(frozen=True, init=False, repr=False)
class PairStatement(Statement):
    """A statement about pairs of variables."""

    pairs: tuple[NamePair, ...]
    word: ClassVar[str]
    sign: ClassVar[str]

    def __init__(self, *pairs: NamePair) -> None:
        kind = type(self).__name__
        shape = Shape(kind, f'{kind}(("smoking", "cancer"))')
        if not pairs:
            raise shape.error("at least one pair of names is needed")
        object.__setattr__(self, "pairs", shape.pairs(pairs))

    def names(self) -> Iterator[Hashable]:
        return chain.from_iterable(self.pairs)

    def pieces(self) -> tuple[Statement, ...]:
        return tuple(type(self)(pair) for pair in self.pairs)

    def positions(self, columns: Columns) -> tuple[Pair, ...]:
        """All pairs by position."""
        return tuple(chain.from_iterable(map(columns.pairs, self.pairs)))

    def areas(self, columns: Columns) -> list[Rectangle]:
        """All pairs as rectangles, since patterns may stand for very many."""
        return [columns.rectangle(pair) for pair in self.pairs]

    def __str__(self) -> str:
        return f"{self.word}: {some([f'{a} {self.sign} {b}' for a, b in self.pairs])}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.pairs))})"


class Required(PairStatement):
    """Each arrow (cause, effect) is in the graph."""

    word, sign = "required", "→"

    def facts(self, columns: Columns) -> Facts:
        return Facts(required=self.positions(columns))


class Forbidden(PairStatement):
    """None of the arrows (cause, effect) is in the graph."""

    word, sign = "forbidden", "→"

    def facts(self, columns: Columns) -> Facts:
        return Facts(forbidden=tuple(self.areas(columns)))


class Edge(PairStatement):
    """The two variables of each pair are adjacent; the direction is not known."""

    word, sign = "adjacent", "–"

    def facts(self, columns: Columns) -> Facts:
        return Facts(adjacent=self.positions(columns))


class NoEdge(PairStatement):
    """The two variables of each pair are not adjacent."""

    word, sign = "not adjacent", "–"

    def facts(self, columns: Columns) -> Facts:
        areas = self.areas(columns)
        return Facts(forbidden=tuple(chain.from_iterable(((a, b), (b, a)) for a, b in areas)), apart=tuple(areas))


class Ancestor(PairStatement):
    """A directed path leads from the first variable of each pair to the second."""

    word, sign = "ancestor", "⇝"

    def facts(self, columns: Columns) -> Facts:
        return Facts(ancestors=self.positions(columns))


class NotAncestor(PairStatement):
    """No directed path leads from the first variable of each pair to the second."""

    word, sign = "no ancestor", "⇝"

    def facts(self, columns: Columns) -> Facts:
        return Facts(not_ancestors=tuple(self.areas(columns)))


class NoHiddenCause(PairStatement):
    """No hidden variable is a cause of both variables of a pair; says something only where causes may be hidden.

    If the two are adjacent, one of them is a cause of the other.
    """

    word, sign = "no hidden cause of", "and"

    def facts(self, columns: Columns) -> Facts:
        return Facts(unconfounded=self.positions(columns))


@dataclass(frozen=True, init=False, repr=False)
class NameStatement(Statement):
    """A statement about single variables."""

    variables: tuple[Hashable, ...]
    word: ClassVar[str]

    def __init__(self, *variables: Hashable) -> None:
        kind = type(self).__name__
        shape = Shape(kind, f'{kind}("age", "sex")')
        if not variables:
            raise shape.error("at least one name is needed")
        object.__setattr__(self, "variables", shape.names(variables))

    def names(self) -> Iterator[Hashable]:
        return iter(self.variables)

    def pieces(self) -> tuple[Statement, ...]:
        return tuple(type(self)(name) for name in self.variables)

    def __str__(self) -> str:
        return f"{self.word}: {some(self.variables)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.variables))})"


class Roots(NameStatement):
    """The variables have no causes: no arrow leads into them."""

    word = "roots"

    def facts(self, columns: Columns) -> Facts:
        return Facts(forbidden=((columns.everything, columns.union(self.variables)),))


class Leaves(NameStatement):
    """The variables have no effects: no arrow leads out of them."""

    word = "leaves"

    def facts(self, columns: Columns) -> Facts:
        return Facts(forbidden=((columns.union(self.variables), columns.everything),))


@dataclass(frozen=True, init=False, repr=False)
class Tiers(Statement):
    """A variable of a later tier is no cause, direct or indirect, of one in an earlier tier.

    Args:
        tiers: each a collection of names, or one name.
        isolated: variables of one tier are not adjacent.
        next_only: a variable is a direct cause only of variables in its own tier and the next one.
    """

    tiers: Groups
    isolated: bool
    next_only: bool

    def __init__(
        self, *tiers: Hashable | Collection[Hashable], isolated: bool = False, next_only: bool = False
    ) -> None:
        for option, value in (("isolated", isolated), ("next_only", next_only)):
            if not isinstance(value, bool):
                raise InputError(f"{option} of Tiers must be True or False; got {value!r}")
            object.__setattr__(self, option, value)
        shape = Shape("Tiers", 'Tiers(["age", "sex"], ["smoking"], ["cancer"])')
        object.__setattr__(self, "tiers", shape.groups(tiers))

    def names(self) -> Iterator[Hashable]:
        return chain.from_iterable(self.tiers)

    def facts(self, columns: Columns) -> Facts:
        tiers = _disjoint(self.tiers, columns, self)
        backwards = _from_later_to_earlier(tiers)
        within = [(tier, tier) for tier in tiers] if self.isolated else []
        jumping = _over_the_next(tiers) if self.next_only else []
        return Facts(
            forbidden=(*backwards, *within, *jumping),
            not_ancestors=_unless_implied(backwards, tiers, columns),
            apart=tuple(within),
        )

    def __str__(self) -> str:
        options = [word for word, on in (("isolated", self.isolated), ("next only", self.next_only)) if on]
        return f"tiers: {' | '.join(map(some, self.tiers))}" + (f" ({', '.join(options)})" if options else "")

    def __repr__(self) -> str:
        options = [f"{option}=True" for option in ("isolated", "next_only") if getattr(self, option)]
        return f"Tiers({', '.join([*(repr(list(tier)) for tier in self.tiers), *options])})"


@dataclass(frozen=True, init=False, repr=False)
class Order(Statement):
    """No variable is an effect, direct or indirect, of one that comes after it; a group stands for one place."""

    groups: Groups

    def __init__(self, *groups: Hashable | Collection[Hashable]) -> None:
        shape = Shape("Order", 'Order("age", ["smoking", "diet"], "cancer")')
        object.__setattr__(self, "groups", shape.groups(groups))

    def names(self) -> Iterator[Hashable]:
        return chain.from_iterable(self.groups)

    def facts(self, columns: Columns) -> Facts:
        groups = _disjoint(self.groups, columns, self)
        backwards = _from_later_to_earlier(groups)
        return Facts(forbidden=tuple(backwards), not_ancestors=_unless_implied(backwards, groups, columns))

    def __str__(self) -> str:
        return f"order: {some([g[0] if len(g) == 1 else f'({some(g)})' for g in self.groups], ' < ')}"

    def __repr__(self) -> str:
        return f"Order({', '.join(repr(g[0] if len(g) == 1 else list(g)) for g in self.groups)})"


@dataclass(frozen=True, init=False, repr=False)
class Part(Statement):
    """A known DAG on some of the variables: among those that it mentions, exactly these arrows are there."""

    arrows: tuple[NamePair, ...]
    variables: tuple[Hashable, ...]

    def __init__(self, arrows: Collection[NamePair], variables: Collection[Hashable] = ()) -> None:
        shape = Shape("Part", 'Part([("smoking", "cancer")], variables=["age"])')
        object.__setattr__(self, "arrows", shape.pairs(arrows))
        object.__setattr__(self, "variables", shape.names(variables))
        if not self.arrows and not self.variables:
            raise shape.error("an arrow or a variable is needed")
        shape.check_acyclic(self.arrows)

    @classmethod
    def of(cls, graph: nx.DiGraph) -> Self:
        """The whole graph as a known part, its isolated variables included."""
        if not isinstance(graph, nx.DiGraph) or graph.is_multigraph():
            raise InputError(f"Part.of needs a networkx.DiGraph; got a {type(graph).__name__}")
        return cls(list(graph.edges), [name for name in graph if graph.degree(name) == 0])

    def names(self) -> Iterator[Hashable]:
        return chain(chain.from_iterable(self.arrows), self.variables)

    def facts(self, columns: Columns) -> Facts:
        required = tuple(chain.from_iterable(map(columns.pairs, self.arrows)))
        mentioned = columns.union(self.names())
        effects: dict[int, list[int]] = {cause: [] for cause in mentioned.tolist()}
        for cause, effect in required:
            effects[cause].append(effect)
        forbidden = [(np.array([cause]), np.setdiff1d(mentioned, known)) for cause, known in effects.items()]
        return Facts(required=required, forbidden=tuple(forbidden))

    def __str__(self) -> str:
        return f"part: {some([*(f'{a} → {b}' for a, b in self.arrows), *self.variables])}"

    def __repr__(self) -> str:
        return f"Part({list(self.arrows)!r}{f', {list(self.variables)!r}' if self.variables else ''})"


def _disjoint(groups: Iterable[Iterable[Hashable]], columns: Columns, statement: Statement) -> list[Positions]:
    """The positions of each group, if no variable is in two; patterns make that possible.

    The pattern ``*`` stands for all columns that no other group names.
    """
    listed = [tuple(group) for group in groups]
    named = columns.union(name for group in listed for name in group if name != REST)
    rest = np.setdiff1d(columns.everything, named)
    own = [columns.union(name for name in group if name != REST or REST in columns.index) for group in listed]
    positions = [np.union1d(found, rest) if REST in group else found for found, group in zip(own, listed, strict=True)]
    column, times = np.unique(np.concatenate(positions), return_counts=True)
    twice = [repr(columns.names[i]) for i in column[times > 1]]
    if twice:
        raise InputError(f"{', '.join(twice)} must stand in one place only, not in two of '{statement}'")
    return positions


def _from_later_to_earlier(groups: Sequence[Positions]) -> list[Rectangle]:
    everything, ends = np.concatenate(groups), np.cumsum([len(group) for group in groups])
    return [(everything[end:], group) for group, end in zip(groups, ends, strict=True) if len(everything) > end]


def _over_the_next(groups: Sequence[Positions]) -> list[Rectangle]:
    everything, ends = np.concatenate(groups), np.cumsum([len(group) for group in groups])
    return [(group, everything[end:]) for group, end in zip(groups, ends[1:], strict=False)]


def _unless_implied(backwards: list[Rectangle], groups: Sequence[Positions], columns: Columns) -> tuple[Rectangle, ...]:
    """The paths that the groups exclude; none when every variable is in a group: no path leads back without an arrow
    that leads back."""
    return () if sum(map(len, groups)) == len(columns.names) else tuple(backwards)
