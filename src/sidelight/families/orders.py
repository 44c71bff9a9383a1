"""The search over orders for scores that take long to compute; a kernel of its own serves those that do not.

One variable at a time is moved to its best place (as in BOSS, Andrews et al. 2023). Its parents are chosen among the
candidates before it: the best one is added as long as the score rises, then the worst dropped as long as it rises.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from sidelight.families.score import LEAST_GAIN, FoundParents, Score, Space, Tick

Choice = tuple[float, frozenset[int]]


def search_orders(
    score: Score,
    order: Sequence[int],
    space: Space,
    moving: Collection[int] | None = None,
    tick: Tick = lambda: None,
) -> FoundParents:
    """Move one variable at a time to its best place, until no move raises the score."""
    places, position, near = list(order), {v: i for i, v in enumerate(order)}, space.near

    @cache
    def choose(v: int, allowed: frozenset[int]) -> Choice:
        possible = frozenset(y for y in allowed if space.may(y, v))
        return choose_parents(score, v, possible, space.most_parents, possible & space.required(v))

    def before(v: int) -> frozenset[int]:
        return frozenset(y for y in near[v] if position[y] < position[v])

    waiting = set(places if moving is None else moving)
    while waiting:
        for x in list(places):
            if x not in waiting:
                continue
            waiting.discard(x)
            tick()
            others = sorted(near[x], key=position.__getitem__)
            now = sum(position[y] < position[x] for y in others)
            values = [choose(x, frozenset(others[:place]))[0] for place in range(len(others) + 1)]
            total = 0.0
            for place, y in enumerate(others, start=1):
                total += choose(y, before(y) - {x})[0] - choose(y, before(y) | {x})[0]
                values[place] += total
            first, last = _places(x, others, space)
            best = max(range(first, last + 1), key=values.__getitem__)  # the first among equals
            if values[best] <= values[now] + LEAST_GAIN:
                continue
            target = position[others[best]] if best < now else position[others[best - 1]]
            places.insert(target, places.pop(position[x]))
            position.update((v, i) for i, v in enumerate(places))
            waiting.update(others)
    chosen = [choose(v, before(v)) for v in range(len(places))]
    return FoundParents(tuple(parents for _, parents in chosen), sum(value for value, _ in chosen), places)


def _places(x: int, others: Sequence[int], space: Space) -> tuple[int, int]:
    """After how many of the others x may come at least, and at most: its required parents and children decide."""
    parents, children = space.required(x), space.required_of(x)
    first = max((i + 1 for i, y in enumerate(others) if y in parents), default=0)
    return first, next((i for i, y in enumerate(others) if y in children), len(others))


def choose_parents(
    score: Score, v: int, allowed: frozenset[int], most_parents: int, required: frozenset[int] = frozenset()
) -> Choice:
    """Grow from those required, then shrink: the score of v, and its parents."""
    value, parents, left = score.local(v, required), required, sorted(allowed - required)
    while left and len(parents) < most_parents:
        values = score.with_one_more(v, parents, left)
        best = max(range(len(left)), key=values.__getitem__)
        if values[best] <= value:
            break
        value, parents = values[best], parents | {left.pop(best)}
    while len(parents) > 1 and parents > required:
        without = {y: score.local(v, parents - {y}) for y in sorted(parents - required)}
        worst = max(without, key=without.__getitem__)
        if without[worst] < value:
            break
        value, parents = without[worst], parents - {worst}
    return value, parents
