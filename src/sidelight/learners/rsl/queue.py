"""The variables whose removability is worth examining, best first (the flags of the paper's Appendix D)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush

Priority = tuple[int, ...]


class Queue:
    """Variables whose boundary changed since they were last examined.

    Priorities change while variables wait. A priority that has become better comes with a new ``add``; one that has
    become worse is noticed when the variable reaches the top.
    """

    def __init__(self, variables: Iterable[int], priority: Callable[[int], Priority]) -> None:
        self._priority = priority
        self._waiting: dict[int, Priority] = {}
        self._heap: list[tuple[Priority, int]] = []
        for x in variables:
            self.add(x)

    def add(self, x: int) -> None:
        """Flag x as worth examining."""
        self._waiting[x] = priority = self._priority(x)
        heappush(self._heap, (priority, x))

    def discard(self, x: int) -> None:
        """x is gone."""
        self._waiting.pop(x, None)

    def pop(self) -> int | None:
        """Take the best variable out, or None when nobody waits."""
        while self._heap:
            priority, x = heappop(self._heap)
            if self._waiting.get(x) != priority:
                continue  # gone, examined, or added again with another priority
            if self._priority(x) != priority:
                self.add(x)
                continue
            del self._waiting[x]
            return x
        return None
