"""What a conditional-independence test is, and what it says of itself.

Only ``names`` and ``p_value`` are needed. A test that can answer *within these members, which pairs are independent
given all the others?* faster than pair by pair overrides ``answers``. Everything else that differs between tests, such
as how boundaries are best found with it or what its effect size is, is an attribute or a method here with a default.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from math import inf, nan
from operator import index
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import AnswerError, InputError
from sidelight.families.score import Score
from sidelight.families.subset_search import Found, Searches
from sidelight.knowledge.time import TimeOrder
from sidelight.text.message import Message, Option, must_be

RSL = Option("learner", "rsl")
DROP = Option("missing", "drop")
BIC = "bic"  # the score that a penalty goes with
MakeScore = Callable[[float], Score]  # with this penalty, if it has one


class BoundaryChoice(NamedTuple):
    """The name of a boundary algorithm, and the significance level of its tests."""

    algorithm: str
    alpha: float


class CITest(ABC):
    """A conditional-independence test over named variables.

    ``names`` gives the variables in order; everywhere else a variable is its position in ``names``.
    """

    names: Sequence[Hashable]
    option: str = ""  # what the settings of a network call it: the value of test= that builds it, or its class
    is_exact: bool = False  # True for an oracle, whose answers are never wrong
    has_selection: bool = False  # True for an oracle whose answers are about selected rows
    takes_copies_for_evidence: bool = False  # True when rows that repeat look like a dependence, as cells of a table do
    loses_power: bool = False  # True when a test loses much of its power with each variable it conditions on
    effect_name: str = ""  # what ``effect_size`` measures, such as "partial correlation"; empty if it measures nothing
    visible_name: str = ""  # what ``visible_effect`` measures, in the plural, such as "partial correlations"
    n_undecided: int = 0  # how many tests the data could not decide; such a test does not reject independence
    in_one_process: bool = False  # True when it had better not be sent to others, as it uses all cores by itself
    releases_gil: bool = False  # True when ``search`` computes in a kernel, so that threads run side by side
    retest_budget: int = 0  # how many tests can be repeated in about a second, to show their p-values
    recheck_budget: int = 0  # how many separating sets are checked at the end, even if learning took fewer tests
    default_budget: int = 100_000  # how many tests, and 50 n² for n columns, end the learning by default
    settings: frozenset[frozenset[int]] = frozenset()  # the variables that were set together, rather than observed
    time_order: TimeOrder | None = None  # which of the variables are values of earlier waves
    false_members: float | None = None  # how many of all boundaries together chance may add by default; None: any

    @property
    def title(self) -> str:
        """What the settings of a network call the test."""
        return self.option or type(self).__name__

    @abstractmethod
    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        """The p-value of "x and y are independent given ``given``": small when they are dependent."""

    def default_boundaries(self, alpha: float) -> BoundaryChoice:
        """How Markov boundaries are found unless the user says otherwise, and at which significance level.

        By default IAMB, which conditions on few variables at a time; for an oracle, which never lacks rows, one batch.
        """
        most = 1.0 if self.false_members is None else self.false_members / max(1, len(self.names)) ** 2
        return BoundaryChoice("tc" if self.is_exact else "iamb", min(alpha, most))

    @property
    def sample_size(self) -> int | None:
        """How many rows the answers rest on; None where that is not known, and for an oracle."""
        return None

    def scores(self) -> Mapping[str, MakeScore]:
        """The scores for a search on the same data, by name; the first is the default. None by default."""
        return {}

    def score(self, option: str, penalty: float | None) -> Score:
        """The score of that name ("auto": the default); an ``InputError`` where there is none."""
        scores = self.scores()
        if not scores:
            why = f" needs a score, and {self.title!r} has none for these data; use "
            raise InputError(Message(Option("learner", "hybrid"), why, RSL, ", or, if values are missing, ", DROP))
        if option == "auto":
            option = next(iter(scores)) if penalty is None else BIC
        if option not in scores:
            accepted = ", ".join(map(repr, ("auto", *scores)))
            raise InputError(must_be("score", f"one of {accepted} with the test {self.title!r}", option))
        if penalty is not None and option != BIC:
            raise InputError(Message(Option("penalty"), " goes with ", Option("score", BIC), f", not with {option}"))
        return scores[option](1.0 if penalty is None else float(penalty))

    def data_order(self) -> list[int] | None:
        """The variables in an order that depends on the data alone (``sidelight.families.data``).

        None, the default, where there is none, or where ``in_order`` would take long; they are learned in their order.
        """
        return None

    def in_order(self, order: Sequence[int]) -> CITest:
        """The same test with its variables in this order; only asked for where there is a ``data_order``."""
        raise NotImplementedError

    def seconds_per_graph(self) -> float:
        """About how long it takes to learn from rows drawn out of these, once; infinite where that is not known.

        A number of the table's size alone, so that how many resamples are drawn by default does not depend on a clock.
        """
        return inf

    def can_condition_on(self, size: int) -> bool:
        """True when the data suffice for tests given ``size`` variables."""
        return True

    def decides(self, size: int) -> bool:
        """False when no test given ``size`` variables can reject, which ``n_undecided`` does not count by itself."""
        return True

    def keeps_level(self, x: int, y: int, given: Sequence[int]) -> bool:
        """False where a model stands in for one that takes too long, and true independences are rejected too often."""
        return True

    def visible_effect(self, alpha: float, size: int) -> float | None:
        """The smallest effect that is rejected at alpha given ``size`` variables; None where it is not known."""
        return None

    def rejects(self, x: int, others: NDArray[np.int64], given: Sequence[int], alpha: float) -> NDArray[np.bool_]:
        """For each of the others: is its independence of x given these rejected at alpha?"""
        rejected: NDArray[np.bool_] = self.p_values(x, others, given) <= alpha
        return rejected

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float | None:
        """How strongly x and y depend on each other given ``given``; None where the test does not measure it.

        At most 1 in absolute value. It has a sign if both are numbers or have two categories.
        """
        return None

    def effect_name_of(self, x: int, y: int) -> str:
        """What the effect size of this pair measures, with the categories that its sign refers to."""
        return self.effect_name

    def independent(self, x: int, y: int, given: Sequence[int], alpha: float) -> bool:
        """True when independence of x and y given ``given`` is not rejected at level alpha."""
        return self.checked_p_value(x, y, given) > alpha

    def answers(
        self, members: Sequence[int], alpha: float, left_out: Sequence[int] = ()
    ) -> NDArray[np.bool_] | LazyAnswers:
        """For all pairs of the members that are not left out: are they independent given all the others of these?

        Entry ``[i, j]`` is about the i-th and the j-th member that is not left out. By default each is computed when
        it is read. ``left_out`` is apart from ``members`` so that a test can derive the answers from earlier ones.
        """
        return LazyAnswers(self, [z for z in members if z not in left_out], alpha)

    def p_values(
        self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]
    ) -> NDArray[np.float64]:
        """The p-value of x with each candidate given these."""
        return np.array([self.checked_p_value(x, int(y), given) for y in candidates])

    def dependences(
        self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]
    ) -> NDArray[np.float64]:
        """How strongly each candidate depends on x given these: larger is stronger, on any scale; −∞ if undecided."""
        return -np.array([self.checked_p_value(x, y, given) for y in candidates])

    def grown(self, x: int, members: Sequence[int], pool: NDArray[np.int64], alpha: float) -> NDArray[np.int64] | None:
        """The members and, one after the other, the one of the pool that depends on x most given those before it.

        It ends where all are independent of x at alpha. None, the default, if it is no faster than one by one.
        """
        return None

    def search(self, searches: Searches, alpha: float, budget: int, strengths: bool = False) -> Found:
        """Look for separating sets, with no more than ``budget`` questions; note the weakest dependences if asked."""
        n_chosen, chosen = np.full(len(searches), -1), np.zeros((len(searches), searches.width), dtype=np.int64)
        by_size = np.zeros(int(searches.largest_sets.max(initial=0)) + 1, dtype=np.int64)
        weakest = np.full(len(searches), np.inf)
        for i in range(len(searches)):
            x, y, n_base = int(searches.x[i]), int(searches.y[i]), len(searches.base(i))
            for given in searches.sets(i):
                if budget == 0:
                    return Found(n_chosen, chosen, weakest, by_size, True)
                budget -= 1
                by_size[len(given)] += 1
                if strengths:
                    weakest[i] = min(weakest[i], float(self.dependences(x, [y], given)[0]))
                if weakest[i] == -np.inf or self.independent(x, y, given, alpha):
                    n_chosen[i] = len(given) - n_base
                    chosen[i, : n_chosen[i]] = given[n_base:]
                    break
        return Found(n_chosen, chosen, weakest, by_size, False)

    def checked_p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        """``p_value``, or an ``AnswerError`` when the answer is not a p-value; both name the question."""
        try:
            answer = self.p_value(x, y, given)
        except Exception as error:  # it may be one that the user waits for, such as that of a time limit
            error.add_note(f"The test was asked for {self.question(x, y, given)}.")
            raise
        try:
            p = float(answer)
        except (TypeError, ValueError):
            p = nan
        if 1.0 < p <= 1.0 + 1e-9:
            return 1.0  # rounding
        if not 0.0 <= p <= 1.0:
            raise AnswerError(
                f"the test answered {answer} on {self.question(x, y, given)}; a p-value lies between 0 and 1"
            )
        return p

    def question(self, x: int, y: int, given: Sequence[int]) -> str:
        """The test in words, with the variables' names."""
        condition = ", ".join(str(self.names[z]) for z in given) or "nothing"
        return f"«{self.names[x]} and {self.names[y]} given {condition}»"


def checked_members(members: Sequence[int], n_variables: int) -> NDArray[np.int64]:
    """The members as an array for a kernel, which would not notice an index that is out of bounds."""
    try:
        positions = set(map(index, members))
        within = not positions or 0 <= min(positions) <= max(positions) < n_variables
        usable = within and len(positions) == len(members)
    except TypeError:
        usable = False
    if not usable:
        raise InputError(f"a test is about different variables by position, 0 … {n_variables - 1}: {list(members)}")
    return np.array(members, dtype=np.int64)


class LazyAnswers:
    """The answers for all pairs of members, each computed when it is read."""

    def __init__(self, test: CITest, members: Sequence[int], alpha: float) -> None:
        self._test, self._members, self._alpha = test, list(members), alpha

    def __getitem__(self, pair: tuple[int, int]) -> bool:
        i, j = pair
        given = [z for position, z in enumerate(self._members) if position not in (i, j)]
        return self._test.independent(self._members[i], self._members[j], given, self._alpha)
