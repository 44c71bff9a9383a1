"""Exact search for few variables: the best of all DAGs, by dynamic programming (Silander and Myllymäki 2006).

Of every set of variables one is a sink, whose parents are the best within the rest; so the best DAG over a set follows
from those over the sets with one variable less. Arrows and edges that are known to be there, or not, and the largest
number of parents restrict the sets of parents; paths that are known are beyond it.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations
from math import inf

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.score import LEAST_GAIN, FoundParents, Parents, Score, Space, Tick
from sidelight.files.memory import in_words, most_memory
from sidelight.knowledge.constraints import Constraints
from sidelight.text.message import Message, Option

AT_ONCE = 1 << 16  # sets, between two of which progress is told and an interruption is noticed
BYTES = 8
MOST_SCORED = 1_000_000  # sets of parents, where a score takes a pass over the rows for each

Values = NDArray[np.float64]


def exact_search(score: Score, space: Space, known: Constraints | None, tick: Tick) -> FoundParents:
    """The best DAG of all whose arrows are in the space, and its score."""
    from sidelight.kernels.all_subsets import best_orders, best_within

    n = len(score.names)
    must = [space.required(v) for v in range(n)]
    for x, y in known.adjacent if known is not None else ():  # whichever comes first is a parent of the other
        must[x], must[y] = must[x] | {y}, must[y] | {x}
    values = score.all_families(space, must, tick)
    values = _scored_one_by_one(score, space, must, tick) if values is None else values
    for v, row in enumerate(values):
        _restrict(row, v, space)
        best_within(row, _as_number(must[v], v))
    totals = np.empty(1 << n)
    for first in range(0, 1 << n, AT_ONCE):
        best_orders(values, totals, first, min(first + AT_ONCE, 1 << n))
        tick()
    order = _best_order(values, totals)
    return FoundParents(_parents_in(order, values, must), float(totals[-1]), order)


def _scored_one_by_one(score: Score, space: Space, must: Sequence[frozenset[int]], tick: Tick) -> Values:
    """What ``Score.all_families`` gives, −∞ for sets that cannot score higher than without some members.

    These are left out unless they are in ``must``.
    """
    n, n_scored = len(score.names), 0
    values = np.full((n, 1 << (n - 1)), -np.inf)
    for v in range(n):
        candidates = tuple(x for x in sorted(space.near[v]) if space.may(x, v))
        always, ceiling = sorted(must[v].intersection(candidates)), score.ceiling(v, candidates)
        free, most = [x for x in candidates if x not in must[v]], space.room_for_parents
        sizes = range(min(len(always), most) + 1)
        for fixed in chain.from_iterable(combinations(always, size) for size in sizes):
            for scored in _paying(score, v, fixed, free, most - len(fixed), ceiling):
                for added, value in scored.items():
                    values[v, sum(1 << (x - (x > v)) for x in fixed + added)] = value
                n_scored += len(scored)
                _check_number(n_scored, n)
            tick()
    return values


def _paying(
    score: Score, v: int, fixed: Parents, free: Sequence[int], most: int, ceiling: Callable[[Parents], float]
) -> Iterator[dict[Parents, float]]:
    """The scores of v with fixed parents and none, one, two … up to ``most`` of the free ones, as far as these can pay.

    A set is left out, with all that contain it, if its ceiling is not above the best score of a set within it.
    """
    best: dict[Parents, float] = {(): score.local(v, fixed)}  # within each set of one size
    yield best
    for _ in range(min(most, len(free))):
        smaller, best = best, {}
        for chosen in smaller:
            within = _best_within(chosen, free, smaller)
            others = [x for x in within if ceiling((*fixed, *chosen, x)) > within[x]]
            values = score.with_one_more(v, fixed + chosen, others) if others else []
            best |= {(*chosen, x): max(value, within[x]) for x, value in zip(others, values, strict=True)}
            yield {(*chosen, x): value for x, value in zip(others, values, strict=True)}


def _best_within(chosen: Parents, free: Sequence[int], smaller: Mapping[Parents, float]) -> dict[int, float]:
    """The best score within the set with each later variable in turn, where no set with one member less is left out."""
    found = {}
    for x in free[bisect(free, chosen[-1]) if chosen else 0 :]:
        without_one = [smaller.get((*chosen[:i], *chosen[i + 1 :], x), inf) for i in range(len(chosen))]
        best = max([smaller[chosen], *without_one])
        if best < inf:
            found[x] = best
    return found


def _check_number(n_scored: int, n: int) -> None:
    """Raise when more sets of parents can pay than can be scored in a minute or so."""
    if n_scored > MOST_SCORED:
        text = f" has to score more than {MOST_SCORED:,} sets of parents for these {n} columns: use "
        raise InputError(Message(Option("search", "exact"), text, Option("search", "local")))


def needed_bytes(n: int) -> int:
    """The memory that exact search takes for so many variables."""
    return BYTES * ((n << (n - 1)) + (1 << n))


def check_exact(score: Score, known: Constraints | None) -> None:
    """Raise unless exact search can be made by this score with what is known."""
    n, what = len(score.names), Message(Option("search", "exact"))
    if not score.can_be_exact:
        text = " needs five rows for each column and none that others nearly determine, for scores to mean much; use "
        raise InputError(Message(what, text, Option("search", "local")))
    if known is not None and known.has_open_paths:
        text = " takes knowledge of arrows, edges and their order, not of ancestors (paths): leave that out, or use "
        raise InputError(Message(what, text, Option("search", "local")))
    limit = most_memory()
    if n > 40 or (limit is not None and needed_bytes(n) > limit):
        room = "" if limit is None or n > 40 else f", which is more than the {in_words(limit)} that can be used"
        size = "far too much memory" if n > 40 else f"about {in_words(needed_bytes(n))} of memory"
        raise InputError(Message(what, f" takes {size} for {n} columns{room}: use ", Option("search", "local")))


def _restrict(row: Values, v: int, space: Space) -> None:
    """Rule out the sets of parents that lack a required one or have one that may not be."""
    if not len(space.ways):
        return
    sets = np.arange(len(row))
    required = _as_number(space.required(v), v)
    excluded = _as_number([x for x in range(len(space.ways)) if x != v and not space.may(x, v)], v)
    row[((sets & required) != required) | ((sets & excluded) != 0)] = -np.inf


def _best_order(values: Values, totals: Values) -> list[int]:
    """The order of a DAG with the best score: the last variable is a sink of all, and so on."""
    order, members = list[int](), len(totals) - 1
    while members:
        variables = [v for v in range(len(values)) if members >> v & 1]
        scores = [totals[members ^ 1 << v] + values[v, _place(members, v)] for v in variables]
        sink = next(v for v, score in zip(variables, scores, strict=True) if score >= totals[members] - LEAST_GAIN)
        order.append(sink)
        members ^= 1 << sink
    return order[::-1]


def _parents_in(order: list[int], values: Values, must: Sequence[frozenset[int]]) -> tuple[frozenset[int], ...]:
    """The smallest sets of parents in an order that score best: what can go without a loss does."""
    parents, before = [frozenset[int]()] * len(order), 0
    for v in order:
        left, best = before, values[v, _place(before, v)]
        for x in order:
            if left >> x & 1 and x not in must[v] and values[v, _place(left ^ 1 << x, v)] >= best - LEAST_GAIN:
                left ^= 1 << x
        parents[v] = frozenset(x for x in order if left >> x & 1)
        before |= 1 << v
    return tuple(parents)


def _place(members: int, v: int) -> int:
    """The number of a set without the bit of v."""
    return members & ((1 << v) - 1) | members >> (v + 1) << v


def _as_number(members: Collection[int], v: int) -> int:
    return _place(sum(1 << x for x in members), v)
