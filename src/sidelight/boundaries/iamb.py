"""IAMB and its variants (Tsamardinos, Aliferis & Statnikov 2003; Yaramakala & Margaritis 2005).

All grow a boundary by the most dependent variables and shrink it. They condition on the boundary found so far, never on
everything else, so they work with fewer samples than variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sidelight.boundaries.search import Blocks, not_later, outside, search_each, shrink, symmetric
from sidelight.interview import Interview


def iamb(blocks: Blocks, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Add the most dependent variable as long as there is one, then shrink."""
    pools = not_later(blocks)
    grown = ask.grown({x: ask.known_neighbours(x, pools[x]) for x in range(len(pools))}, pools, n_jobs)
    if grown is None:
        return search_each(_grow_then_shrink, blocks, ask, n_jobs)
    return symmetric([{*shrink(x, members, ask)} for x, members in grown.items()], pools)


def inter_iamb(blocks: Blocks, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Shrink after every addition, which keeps the conditioning sets small."""
    return search_each(grow_and_shrink_by_turns, blocks, ask, n_jobs)


def fast_iamb(blocks: Blocks, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Add all dependent variables at once, strongest first, then shrink; again until nothing is added."""
    return search_each(_grow_at_once_and_shrink, blocks, ask, n_jobs)


def _grow_then_shrink(x: int, variables: Sequence[int], ask: Interview) -> list[int]:
    return grow_from(x, ask.known_neighbours(x, variables), variables, ask)


def grow_from(x: int, start: Iterable[int], variables: Sequence[int], ask: Interview) -> list[int]:
    """IAMB for one variable, from members that were found before."""
    members = list(start)
    candidates = outside(x, members, variables)
    while (best := ask.most_dependent(x, candidates, members)) is not None:
        members.append(best)
        candidates.remove(best)
    return shrink(x, members, ask)


def grow_some(
    boundaries: Sequence[set[int]], start: Mapping[int, Iterable[int]], ask: Interview, blocks: Blocks
) -> list[set[int]]:
    """The boundaries, with those of some variables found anew, each from its start; symmetric within a block."""
    pools = not_later(blocks)
    grown = ask.grown({x: list(members) for x, members in start.items()}, pools)
    if grown is None:
        found = {x: grow_from(x, members, pools[x].tolist(), ask) for x, members in sorted(start.items())}
    else:
        found = {x: shrink(x, members, ask) for x, members in grown.items()}
    members = [set(found[x]) if x in found else boundary - found.keys() for x, boundary in enumerate(boundaries)]
    return symmetric(members, pools)


def grow_and_shrink_by_turns(x: int, variables: Sequence[int], ask: Interview) -> list[int]:
    """Inter-IAMB for one variable, among some."""
    members: list[int] = []
    tried: set[frozenset[int]] = set()  # on data, adding and dropping could go round in circles
    while frozenset(members) not in tried:
        tried.add(frozenset(members))
        best = ask.most_dependent(x, outside(x, members, variables), members)
        if best is not None:
            members = shrink(x, [*members, best], ask)
    return members


def _grow_at_once_and_shrink(x: int, variables: Sequence[int], ask: Interview) -> list[int]:
    members: list[int] = []
    tried: set[frozenset[int]] = set()
    while frozenset(members) not in tried:
        tried.add(frozenset(members))
        dependent = ask.all_dependent(x, outside(x, members, variables), members)
        members = shrink(x, [*members, *dependent], ask)
    return members
