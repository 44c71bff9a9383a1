"""Markov boundaries that the user already has."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from sidelight.errors import InputError


def given_boundaries(names: Sequence[Hashable], boundaries: Mapping[Hashable, Iterable[Hashable]]) -> list[set[int]]:
    """Turn a mapping from each name to the names in its boundary into sets of indices, checked for symmetry."""
    index = {name: i for i, name in enumerate(names)}
    for name in boundaries:
        _known(name, index, "boundaries")
    result = []
    for name in names:
        if name not in boundaries:
            raise InputError(f"boundaries: {name!r} has no entry; give an empty one if its boundary is empty")
        members = boundaries[name]
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise InputError(f"boundaries: the entry of {name!r} is {members!r}, not a collection of names")
        result.append({_known(member, index, f"the boundary of {name!r}") for member in members})
    _check_symmetry(names, result)
    return result


def _known(name: Hashable, index: Mapping[Hashable, int], where: str) -> int:
    if not isinstance(name, Hashable) or name not in index:
        raise InputError(f"{where}: there is no variable named {name!r}")
    return index[name]


def _check_symmetry(names: Sequence[Hashable], boundaries: list[set[int]]) -> None:
    for x, members in enumerate(boundaries):
        if x in members:
            raise InputError(f"boundaries: {names[x]!r} is listed in its own boundary")
        for y in sorted(members):
            if x not in boundaries[y]:
                raise InputError(
                    f"boundaries are not symmetric: {names[y]!r} is in the boundary of {names[x]!r}, "
                    f"but {names[x]!r} is not in the boundary of {names[y]!r}"
                )
