"""The one place that decides and counts: an algorithm asks, an ``Interview`` answers.

It holds a test and a significance level. A test counts when its answer is consulted, under the size of its conditioning
set, whatever it cost to compute. One interview per phase of an algorithm, so that counts come by phase.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations, takewhile
from os import getpid
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import CITest, LazyAnswers
from sidelight.families.subset_search import NO_LIMIT, Found, Searches
from sidelight.runs.running import in_parallel, n_workers, shares

FEWEST_TO_SHARE = 64  # searches; fewer are not worth the workers
REPORT_EVERY = 50_000  # tests


Pairs = NDArray[np.int64]  # pairs of positions in a list of members, in two rows, in the order of their tests


@lru_cache(maxsize=512)
def pairs_with_first(size: int) -> Pairs:
    """The pairs of the first of ``size`` members with each of the others."""
    return np.array([[0] * (size - 1), range(1, size)], dtype=np.int64)


@lru_cache(maxsize=512)
def pairs_without_first(size: int) -> Pairs:
    """All pairs of ``size`` members without the first member."""
    return np.array(np.triu_indices(size - 1, 1)) + 1


def mean_size(tests_by_size: Mapping[int, int]) -> float:
    """The mean size of the conditioning sets of tests; 0 when there were none."""
    return sum(size * count for size, count in tests_by_size.items()) / max(1, sum(tests_by_size.values()))


class LimitReached(Exception):  # noqa: N818 (not an error: the learner stops with what it has)
    """The maximum number of tests was reached."""


class SetTooLarge(Exception):  # noqa: N818
    """A test would need a larger conditioning set than the user allows."""


class Limits:
    """The maximum number of tests in all, and the maximum size of their conditioning sets.

    ``by_default`` is True when the user did not give the number of tests. ``report`` is called now and then with the
    number of tests so far.
    """

    def __init__(
        self,
        max_tests: int | None = None,
        max_conditioning: int | None = None,
        by_default: bool = False,
        report: Callable[[int], None] = lambda n_tests: None,
    ) -> None:
        self.max_tests, self.max_conditioning, self.by_default = max_tests, max_conditioning, by_default
        self.tests_left = self._at_first = NO_LIMIT if max_tests is None else min(max_tests, NO_LIMIT)
        self.largest_set = NO_LIMIT if max_conditioning is None else min(max_conditioning, NO_LIMIT)
        self.reached: set[str] = set()  # which of the two stopped the learner
        self._report, self._next_report = report, REPORT_EVERY

    def take(self, wanted: int) -> int:
        """Use up this number of the tests that are left, or all of them if fewer are left; return how many."""
        taken = wanted if wanted <= self.tests_left else self.tests_left
        self.tests_left -= taken
        if self._at_first - self.tests_left >= self._next_report:
            self._report(self._at_first - self.tests_left)
            self._next_report += REPORT_EVERY
        if taken < wanted:
            self.reached.add("max_tests")
        return taken

    def allow_size(self, size: int) -> bool:
        """True if a conditioning set may have this size; if not, that is noted in ``reached``."""
        if size > self.largest_set:
            self.reached.add("max_conditioning")
            return False
        return True


class Tally(NamedTuple):
    """What an interview has counted, and in which process: tests by size, and those that the data could not decide."""

    tests_by_size: Counter[int]
    n_undecided: int
    process: int


class Interview:
    """Decides independence at significance level ``alpha`` and counts the tests by conditioning-set size.

    ``adjacent`` are pairs (smaller, larger) that are known to be adjacent. Nothing separates them, so they are not
    tested.
    """

    def __init__(
        self, test: CITest, alpha: float, limits: Limits | None = None, adjacent: Set[tuple[int, int]] = frozenset()
    ) -> None:
        self._test, self._alpha, self._adjacent = test, alpha, adjacent
        self.limits = limits or Limits()
        self._undecided_before = test.n_undecided
        self.tests_by_size: Counter[int] = Counter()
        self._decided: set[int] = set()  # sizes of sets given which the test decides, as far as they were asked for

    def tally(self) -> Tally:
        """What was counted since this interview began."""
        return Tally(self.tests_by_size, self._test.n_undecided - self._undecided_before, getpid())

    def take_over(self, theirs: Tally) -> None:
        """Add another interview's counts; in the same process the shared test has counted ``n_undecided`` already."""
        self.tests_by_size.update(theirs.tests_by_size)
        if theirs.process != getpid():
            self._test.n_undecided += theirs.n_undecided

    def fresh(self, limits: Limits | None = None) -> Interview:
        """An interview with the same test and alpha that has counted nothing yet."""
        return Interview(self._test, self._alpha, limits, self._adjacent)

    def known_adjacent(self, x: int, y: int) -> bool:
        """True if the two are known to be adjacent, so that they need not be tested."""
        return bool(self._adjacent) and (min(x, y), max(x, y)) in self._adjacent

    def known_neighbours(self, x: int, variables: Iterable[int]) -> list[int]:
        """Those of the variables that are known to be adjacent to x."""
        return [int(y) for y in variables if self.known_adjacent(x, int(y))] if self._adjacent else []

    def _known_among(self, members: Sequence[int], n_earlier: int) -> list[tuple[int, int]]:
        """The positions of known pairs among members, without those of the earlier members alone."""
        position = {v: i for i, v in enumerate(members)} if self._adjacent else {}
        pairs = ((position[x], position[y]) for x, y in self._adjacent if x in position and y in position)
        return [pair for pair in pairs if max(pair) >= n_earlier]

    def count(self, size: int, wanted: int) -> None:
        """Count tests before their answers are used; stop the learner if the limits do not allow all."""
        self._check_size(size)
        taken = self.limits.take(wanted)
        self.tests_by_size[size] += taken
        if size not in self._decided:
            self._note_undecided(size, taken)
        if taken < wanted:
            raise LimitReached

    def _note_undecided(self, size: int, n_tests: int) -> None:
        if self._test.decides(size):
            self._decided.add(size)
        else:
            self._test.n_undecided += n_tests

    def _check_size(self, size: int) -> None:
        if size > self.limits.largest_set and not self.limits.allow_size(size):
            raise SetTooLarge

    @property
    def n_tests(self) -> int:
        """The number of tests whose answers were consulted."""
        return self.tests_by_size.total()

    def independent(self, x: int, y: int, given: Sequence[int]) -> bool:
        """True if x and y are independent given these."""
        if self.known_adjacent(x, y):
            return False
        self.count(len(given), 1)
        return self._test.independent(x, y, given, self._alpha)

    def p_if_independent(self, x: int, y: int, given: Sequence[int]) -> float | None:
        """The p-value of x and y given these, if their independence is not rejected; None if it is."""
        if self.known_adjacent(x, y):
            return None
        self.count(len(given), 1)
        p = float(self._test.p_values(x, [y], given)[0])
        return p if p > self._alpha else None

    def most_dependent(self, x: int, candidates: Sequence[int], given: Sequence[int]) -> int | None:
        """The candidate that depends on x most strongly given these, or None if all are independent of x."""
        if not candidates:
            return None
        self.count(len(given), len(candidates))
        strengths = self._test.dependences(x, candidates, given)
        best = int(np.argmax(strengths))
        if strengths[best] == -np.inf or self._test.independent(x, candidates[best], given, self._alpha):
            return None
        return candidates[best]

    def grown(
        self, start: Mapping[int, Sequence[int]], pools: Sequence[NDArray[np.int64]], n_jobs: int = 1
    ) -> dict[int, list[int]] | None:
        """For each variable its members at the start, and what ``most_dependent`` adds from its pool, one by one.

        Pools are in ascending order. None if the test has no faster way. In threads; the counts are those of tests one
        after the other.
        """
        tasks = [(x, start[x], pools[x]) for x in sorted(start)]
        if n_jobs == 1:
            found = _grow_some(self._test, tasks, self._alpha)
        else:
            calls = [(self._test, tasks[a:b], self._alpha) for a, b in shares(len(tasks), 4 * n_workers(n_jobs))]
            found = list(chain.from_iterable(in_parallel(n_jobs, _grow_some, calls, threads=True)))
        if len(found) < len(tasks):
            return None
        for (x, members, pool), grown in zip(tasks, found, strict=True):
            n_candidates = len(pool) - _n_among([x, *members], pool)
            for n_added in range(min(len(grown) - len(members) + 1, n_candidates)):
                self.count(len(members) + n_added, n_candidates - n_added)
        return dict(zip(sorted(start), found, strict=True))

    def all_dependent(self, x: int, candidates: Sequence[int], given: Sequence[int]) -> list[int]:
        """All candidates that depend on x given these, the most strongly dependent first."""
        self.count(len(given), len(candidates))
        strengths = self._test.dependences(x, candidates, given) if candidates else np.empty(0)
        by_strength = [candidates[i] for i in np.argsort(-strengths, kind="stable") if strengths[i] > -np.inf]
        return [y for y in by_strength if not self._test.independent(x, y, given, self._alpha)]

    def any_independent(self, members: Sequence[int], pairs: Pairs, left_out: Sequence[int] = ()) -> bool:
        """Is any of these pairs independent given all the other members? Stops at the first.

        Some members may be left out; the pairs are positions among those that are not.
        """
        pairs = self._unknown(members, pairs, left_out)
        n_pairs, size = pairs.shape[1], len(members) - len(left_out) - 2
        if not n_pairs:
            return False
        self._check_size(size)
        answers = self._test.answers(members, self._alpha, left_out)
        if isinstance(answers, np.ndarray):
            found = answers[pairs[0], pairs[1]]
            first = int(found.argmax())
            yes = bool(found[first])
        else:
            first, yes = _first_yes(answers, pairs, self.limits.tests_left)
        self.count(size, first + 1 if yes else n_pairs)
        return yes

    def n_independent(self, members: Sequence[int], pairs: Pairs) -> int:
        """How many of these pairs of members are independent given all the other members?"""
        pairs = self._unknown(members, pairs)
        if pairs.shape[1]:
            self.count(len(members) - 2, pairs.shape[1])
        answers = self._test.answers(members, self._alpha)
        if isinstance(answers, np.ndarray):
            return int(answers[pairs[0], pairs[1]].sum())
        return sum(answers[i, j] for i, j in pairs.T.tolist())

    def _unknown(self, members: Sequence[int], pairs: Pairs, left_out: Sequence[int] = ()) -> Pairs:
        """The pairs of members that have to be tested."""
        if not self._adjacent:
            return pairs
        kept = [z for z in members if z not in left_out]
        return pairs[:, [not self.known_adjacent(kept[i], kept[j]) for i, j in pairs.T]]

    def dependence_matrix(self, members: Sequence[int], n_earlier: int = 0) -> NDArray[np.bool_]:
        """For all pairs of members: do they depend on each other given all the others?

        Pairs of the first ``n_earlier`` members are not tested; they are marked as independent.
        """
        n = len(members)
        dependent = np.zeros((n, n), dtype=np.bool_)
        known = self._known_among(members, n_earlier)
        n_pairs = (n * (n - 1) - n_earlier * (n_earlier - 1)) // 2 - len(known)
        if n_pairs:
            self.count(n - 2, n_pairs)
            answers = self._test.answers(members, self._alpha)
            if isinstance(answers, np.ndarray):
                np.logical_not(answers, out=dependent)
                np.fill_diagonal(dependent, False)
                dependent[:n_earlier, :n_earlier] = False
            else:
                for i, j in combinations(range(n), 2):
                    if j >= n_earlier and not self.known_adjacent(members[i], members[j]):
                        dependent[i, j] = dependent[j, i] = not answers[i, j]
        for i, j in known:
            dependent[i, j] = dependent[j, i] = True
        return dependent

    def separating_set(
        self, x: int, y: int, pool: Iterable[int], base: Iterable[int] = (), smallest: int = 0, largest: int = NO_LIMIT
    ) -> frozenset[int] | None:
        """The first set that separates x and y: the base and some of the pool, the smallest sets first."""
        searches = Searches.one(x, y, pool, base, smallest, largest)
        found = self.search(searches)
        if found.cut:
            raise LimitReached
        return found.set_of(searches, 0)

    def search(self, searches: Searches, n_jobs: int = 1, strengths: bool = False) -> Found:
        """Look for separating sets of many pairs. The result is the same for any number of workers.

        Sets that are larger than allowed are left out; if that may have cost a pair its separating set, the limits
        note it. When the maximum number of tests is reached, the result says so, and later searches are not made.
        """
        if self._adjacent:
            unknown = [not self.known_adjacent(int(x), int(y)) for x, y in zip(searches.x, searches.y, strict=True)]
            if not all(unknown):
                kept = np.flatnonzero(unknown)
                return self.search(searches.at(kept), n_jobs, strengths).spread(kept, len(searches))
        limited = self.limits.max_conditioning is not None
        within = replace(searches, most_given=self.limits.largest_set) if limited else searches
        limited_by_user = self.limits.max_tests is not None and not self.limits.by_default
        if n_jobs == 1 or len(searches) < FEWEST_TO_SHARE or limited_by_user:
            found = self._search_alone(within, strengths)
        else:
            undecided_before = self._test.n_undecided
            found = self._search_in_parallel(within, n_jobs, strengths)
            if found.cut or found.tests_by_size.sum() > self.limits.tests_left:
                self._test.n_undecided = undecided_before
                found = self._search_alone(within, strengths)  # to stop where a single worker would
        self.limits.take(int(found.tests_by_size.sum()) + found.cut)
        self.tests_by_size.update({int(k): int(found.tests_by_size[k]) for k in np.flatnonzero(found.tests_by_size)})
        if limited:
            self.limits.allow_size(int(searches.largest_sets[found.n_chosen < 0].max(initial=0)))
        return found

    def _search_alone(self, searches: Searches, strengths: bool) -> Found:
        found = self._test.search(searches, self._alpha, self.limits.tests_left, strengths)
        for size in np.flatnonzero(found.tests_by_size).tolist():
            self._note_undecided(size, int(found.tests_by_size[size]))
        return found

    def _search_in_parallel(self, searches: Searches, n_jobs: int, strengths: bool) -> Found:
        """In threads if a kernel does the work, else in processes."""
        some = [searches.at(slice(a, b)) for a, b in shares(len(searches), 4 * n_workers(n_jobs))]
        results = in_parallel(
            n_jobs,
            _search_some,
            [(self.fresh(Limits(self.limits.tests_left)), each, strengths) for each in some],
            threads=self._test.releases_gil,
        )
        for _, theirs in results:
            self.take_over(theirs._replace(tests_by_size=Counter()))  # the sizes are counted with the rest
        return Found.concatenated([found for found, _ in results])

    def table(self, members: Sequence[int], left_out: Sequence[int] = ()) -> AnswerTable:
        """The answers for all pairs of the members that are not left out, to be consulted one by one."""
        kept = [z for z in members if z not in left_out] if left_out else list(members)
        self._check_size(len(kept) - 2)
        return AnswerTable(self, kept, self._test.answers(members, self._alpha, left_out))


class Phases:
    """One interview for each phase of a learner, so that the counts come by phase; all under the same limits."""

    def __init__(
        self, test: CITest, alpha: float, limits: Limits | None = None, adjacent: Set[tuple[int, int]] = frozenset()
    ) -> None:
        self._test, self.alpha, self._adjacent = test, alpha, adjacent
        self.limits = limits or Limits()
        self._interviews: dict[str, Interview] = {}

    def __getitem__(self, phase: str) -> Interview:
        """The interview of a phase, opened when first needed."""
        return self.at_alpha(phase, self.alpha)

    def at_alpha(self, phase: str, alpha: float) -> Interview:
        """The interview of a phase that has a significance level of its own."""
        interview = self._interviews.get(phase)
        if interview is None:
            interview = self._interviews[phase] = Interview(self._test, alpha, self.limits, self._adjacent)
        return interview

    def counts(self) -> dict[str, int]:
        """The number of tests of each phase so far."""
        return {phase: interview.n_tests for phase, interview in self._interviews.items()}

    def tests_by_size(self) -> Counter[int]:
        """The counts of all phases together."""
        return sum((interview.tests_by_size for interview in self._interviews.values()), Counter())


class AnswerTable:
    """Answers for all pairs of some members given all the other members; each counts when it is consulted."""

    def __init__(self, interview: Interview, members: list[int], answers: NDArray[np.bool_] | LazyAnswers) -> None:
        self._interview, self._members, self._answers = interview, members, answers

    def independent(self, x: int, y: int) -> bool:
        """Are x and y independent given all the other members?"""
        if self._interview.known_adjacent(x, y):
            return False
        self._interview.count(len(self._members) - 2, 1)
        position = self._members.index  # members are few, and few of them are looked up
        return bool(self._answers[position(x), position(y)])


def _grow_some(
    test: CITest, tasks: Sequence[tuple[int, Sequence[int], NDArray[np.int64]]], alpha: float
) -> list[list[int]]:
    """As many as come before the first that the test has no faster way for."""
    grown = (test.grown(*task, alpha) for task in tasks)
    return [members.tolist() for members in takewhile(lambda found: found is not None, grown) if members is not None]


def _n_among(members: list[int], pool: NDArray[np.int64]) -> int:
    """How many members a pool has, which is in ascending order; ``np.isin`` would sort it again."""
    places = np.searchsorted(pool, members)
    return int((pool[np.minimum(places, len(pool) - 1)] == members).sum()) if len(pool) else 0


def _search_some(ask: Interview, searches: Searches, strengths: bool) -> tuple[Found, Tally]:
    return ask.search(searches, 1, strengths), ask.tally()


def _first_yes(answers: LazyAnswers, pairs: Pairs, limit: int) -> tuple[int, bool]:
    for consulted, (i, j) in enumerate(pairs.T.tolist()):
        if consulted == limit:
            break
        if answers[i, j]:
            return consulted, True
    return pairs.shape[1], False
