"""Separating sets as JSON has them, and back.

A pair that is not adjacent is separated by the boundary that the one removed first had then (``removals``), without the
other and without what ``left_out`` names for the pair; or by what ``explicit_sets`` names for it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import msgspec

from sidelight.graphs.separating_sets import Pair as Positions
from sidelight.graphs.separating_sets import SeparatingSets, Skeleton, ordered
from sidelight.network import Network
from sidelight.output.formats.document import FieldError, Name, Pair, plain


class RemovalRecord(msgspec.Struct):
    """A variable and the boundary that it had when it was removed."""

    removed: Name
    boundary: tuple[Name, ...]


class SetRecord(msgspec.Struct):
    """A pair, and a set for it."""

    pair: Pair
    set: tuple[Name, ...]
    replaced: bool = False  # True when it took the place of a set that failed


def write_sets(network: Network) -> dict[str, list[Any]]:
    """The three fields that the sets are made of, and the pairs whose set does not separate in the data."""
    text = [plain(name) for name in network.names]

    def named(entries: list[tuple[Positions, list[int]]]) -> list[dict[str, Any]]:
        return [{"pair": [text[a], text[b]], "set": [text[z] for z in members]} for (a, b), members in entries]

    removals, left_out, explicit = network.separating_sets.parts()
    return {
        "removals": [{"removed": text[x], "boundary": [text[y] for y in members]} for x, members in removals],
        "left_out": named(left_out),
        "explicit_sets": [
            {**entry, "replaced": pair in network.separating_sets.replaced}
            for (pair, _), entry in zip(explicit, named(explicit), strict=True)
        ],
        "failed_sets": [[text[a], text[b]] for a, b in sorted(network.separating_sets.failed)],
    }


def read_sets(
    names: tuple[Hashable, ...],
    adjacency: list[set[int]],
    removals: tuple[RemovalRecord, ...],
    left_out: tuple[SetRecord, ...],
    explicit: tuple[SetRecord, ...],
    failed: tuple[Pair, ...],
) -> SeparatingSets:
    """The sets of a graph with these neighbours."""
    position = {name: i for i, name in enumerate(names)}
    boundaries = _boundaries(removals, position)
    given = {pair: frozenset(members) for pair, members in _sets("explicit_sets", explicit, position).items()}
    left = _sets("left_out", left_out, position)
    replaced = {ordered(*(position[name] for name in record.pair)) for record in explicit if record.replaced}
    same = next((a for a, b in failed if a == b), None)
    if same is not None:
        raise FieldError("failed_sets", f"two different variables are expected, not {same!r} twice")
    unreliable = {ordered(position[a], position[b]) for a, b in failed}
    skeleton = Skeleton(adjacency, list(boundaries), boundaries, left, given, replaced, unreliable)
    return SeparatingSets(names, skeleton)


def _boundaries(removals: tuple[RemovalRecord, ...], position: Mapping[Hashable, int]) -> dict[int, frozenset[int]]:
    """The boundary of each variable at its removal, in the order of removal."""
    found: dict[int, frozenset[int]] = {}
    for record in removals:
        if position[record.removed] in found:
            raise FieldError("removals", f"{record.removed!r} is removed twice")
        if record.removed in record.boundary:
            raise FieldError("removals", f"{record.removed!r} is in its own boundary")
        found[position[record.removed]] = frozenset(position[y] for y in record.boundary)
    lost = next((name for name, i in position.items() if i not in found), None)
    if lost is not None:
        raise FieldError("removals", f"{lost!r} is missing")
    return found


def _sets(
    field: str, records: tuple[SetRecord, ...], position: Mapping[Hashable, int]
) -> dict[Positions, tuple[int, ...]]:
    found: dict[Positions, tuple[int, ...]] = {}
    for record in records:
        a, b = record.pair
        pair = ordered(position[a], position[b])
        if a == b:
            raise FieldError(field, f"two different variables are expected, not {a!r} twice")
        if {a, b} & set(record.set):
            raise FieldError(field, f"the set for {a!r} and {b!r} holds one of the two")
        if pair in found:
            raise FieldError(field, f"{a!r} and {b!r} have two sets")
        found[pair] = tuple(position[z] for z in record.set)
    return found
