"""The one place that decides and counts: an algorithm asks, an ``Interview`` answers.

It holds a test and a level. A question counts when its answer is consulted, under the size of its conditioning set,
whatever it cost to compute. One interview per phase of an algorithm, so that counts come by phase.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.independence.base import CITest, LazyAnswers


@dataclass(frozen=True)
class Pairs:
    """Pairs of positions in a list of members, in the order in which they are asked."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]

    @staticmethod
    def of(pairs: Sequence[tuple[int, int]]) -> Pairs:
        """Build from a sequence of (i, j)."""
        array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return Pairs(array[:, 0].copy(), array[:, 1].copy())

    def __len__(self) -> int:
        return len(self.rows)


@lru_cache(maxsize=512)
def pairs_with_first(size: int) -> Pairs:
    """The pairs of the first of ``size`` members with each of the others."""
    return Pairs.of([(0, j) for j in range(1, size)])


@lru_cache(maxsize=512)
def pairs_without_first(size: int) -> Pairs:
    """All pairs of ``size`` members that leave the first member aside."""
    return Pairs.of(list(combinations(range(1, size), 2)))


class Tally(NamedTuple):
    """What an interview has counted: questions by size, and those that the data could not decide."""

    tests_by_size: Counter[int]
    unsupported: int


class Interview:
    """Decides independence at level ``alpha`` and counts the questions by conditioning-set size."""

    def __init__(self, test: CITest, alpha: float) -> None:
        self._test, self._alpha = test, alpha
        self._unsupported_before = test.unsupported
        self.tests_by_size: Counter[int] = Counter()

    def tally(self) -> Tally:
        """What was counted since this interview began."""
        return Tally(self.tests_by_size, self._test.unsupported - self._unsupported_before)

    def take_over(self, theirs: Tally) -> None:
        """Count what another process has asked, with a copy of the test."""
        self.tests_by_size.update(theirs.tests_by_size)
        self._test.unsupported += theirs.unsupported

    def fresh(self) -> Interview:
        """An interview with the same test and level that has counted nothing yet."""
        return Interview(self._test, self._alpha)

    @property
    def n_tests(self) -> int:
        """How many questions were consulted."""
        return self.tests_by_size.total()

    def independent(self, x: int, y: int, given: Sequence[int]) -> bool:
        """Are x and y independent given these?"""
        self.tests_by_size[len(given)] += 1
        return self._test.independent(x, y, given, self._alpha)

    def most_dependent(self, x: int, candidates: Sequence[int], given: Sequence[int]) -> int | None:
        """The candidate that depends on x most strongly given these, or None when all are independent of x."""
        if not candidates:
            return None
        self.tests_by_size[len(given)] += len(candidates)
        best = candidates[int(np.argmax(self._test.dependences(x, candidates, given)))]
        return None if self._test.independent(x, best, given, self._alpha) else best

    def all_dependent(self, x: int, candidates: Sequence[int], given: Sequence[int]) -> list[int]:
        """All candidates that depend on x given these, the most strongly dependent first."""
        self.tests_by_size[len(given)] += len(candidates)
        strengths = self._test.dependences(x, candidates, given) if candidates else np.empty(0)
        by_strength = [candidates[i] for i in np.argsort(-strengths, kind="stable")]
        return [y for y in by_strength if not self._test.independent(x, y, given, self._alpha)]

    def any_independent(self, members: Sequence[int], pairs: Pairs, left_out: Sequence[int] = ()) -> bool:
        """Is any of these pairs independent given all the other members? Stops at the first.

        Some members may be left out; the pairs are positions among those that are not.
        """
        if not len(pairs):
            return False
        answers = self._test.answers(members, self._alpha, left_out)
        if isinstance(answers, np.ndarray):
            found = answers[pairs.rows, pairs.columns]
            first = int(found.argmax())
            yes = bool(found[first])
        else:
            first, yes = _first_yes(answers, pairs)
        self.tests_by_size[len(members) - len(left_out) - 2] += first + 1 if yes else len(pairs)
        return yes

    def which_independent(self, members: Sequence[int], pairs: Pairs) -> NDArray[np.bool_]:
        """Which of these pairs of members are independent given all the other members?"""
        if not len(pairs):
            return np.zeros(0, dtype=np.bool_)
        self.tests_by_size[len(members) - 2] += len(pairs)
        return _read(self._test.answers(members, self._alpha), pairs)

    def dependence_matrix(self, n_variables: int) -> NDArray[np.bool_]:
        """For all pairs of variables: do they depend on each other given all the others?"""
        dependent = np.zeros((n_variables, n_variables), dtype=np.bool_)
        if n_variables < 2:
            return dependent
        self.tests_by_size[n_variables - 2] += n_variables * (n_variables - 1) // 2
        answers = self._test.answers(range(n_variables), self._alpha)
        if isinstance(answers, np.ndarray):
            np.logical_not(answers, out=dependent)
            np.fill_diagonal(dependent, False)
        else:
            for i, j in combinations(range(n_variables), 2):
                dependent[i, j] = dependent[j, i] = not answers[i, j]
        return dependent

    def table(self, members: Sequence[int], left_out: Sequence[int] = ()) -> Table:
        """The answers for all pairs of the members that are not left out, to be consulted one by one."""
        kept = [z for z in members if z not in left_out]
        return Table(self, kept, self._test.answers(members, self._alpha, left_out))


class Table:
    """Answers for all pairs of some members given all the other members; each counts when it is consulted."""

    def __init__(self, interview: Interview, members: Sequence[int], answers: NDArray[np.bool_] | LazyAnswers) -> None:
        self._interview, self._answers = interview, answers
        self._position = {member: position for position, member in enumerate(members)}

    def independent(self, x: int, y: int) -> bool:
        """Are x and y independent given all the other members?"""
        self._interview.tests_by_size[len(self._position) - 2] += 1
        return bool(self._answers[self._position[x], self._position[y]])


def _first_yes(answers: LazyAnswers, pairs: Pairs) -> tuple[int, bool]:
    for consulted, (i, j) in enumerate(zip(pairs.rows, pairs.columns, strict=True)):
        if answers[int(i), int(j)]:
            return consulted, True
    return len(pairs), False


def _read(answers: NDArray[np.bool_] | LazyAnswers, pairs: Pairs) -> NDArray[np.bool_]:
    if isinstance(answers, np.ndarray):
        found: NDArray[np.bool_] = answers[pairs.rows, pairs.columns]
        return found
    return np.array([answers[int(i), int(j)] for i, j in zip(pairs.rows, pairs.columns, strict=True)])
