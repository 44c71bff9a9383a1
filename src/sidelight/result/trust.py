"""How far a result can be trusted: whether the assumption that the learner relied on holds for it, in one sentence, and
what makes it doubtful, as findings with a kind, the variables concerned and a remedy.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import networkx as nx

from sidelight.consistency.checks import Oriented, Separation
from sidelight.consistency.knowledge import Doubt, by_statement, meaning_of
from sidelight.families import CITest
from sidelight.graphs.dag import Dag
from sidelight.graphs.separating_sets import Skeleton
from sidelight.interview import Limits
from sidelight.knowledge import Constraints
from sidelight.orientation import Orientation
from sidelight.orientation.known import broken_paths
from sidelight.search import FoundDag
from sidelight.side_information import SideInformation, Status
from sidelight.side_information.base import TRUTH
from sidelight.tables.findings import Finding, FindingKind
from sidelight.text.message import Call, Message, Option
from sidelight.text.sentences import counted

KNOWLEDGE = "learned without the background knowledge, the structure contradicts some of it (see the warnings)."
KNOWLEDGE_OF_ORACLE = "the answers contradict some of what you said (see the warnings)."
UNDECIDED = "some tests could not be decided (see the warnings), so edges may be missing."
UNCHECKED = "some missing edges were not checked (see the warnings), so edges may be missing."
TOO_FEW_ROWS = "the rows are too few to show any but the strongest dependences, so edges may be missing."
GIVEN_BOUNDARIES, GIVEN_KNOWLEDGE = "the given boundaries are right", "what you said is true"  # what rests on the user
CLEAR_MARGIN = 5.0  # nats; a Bayes factor of 150
STATUS_IN_WORDS: dict[Status, str] = {
    "consistent": "consistent with the assumption",
    "violated": "the assumption is violated",
    "cannot be checked": "the assumption cannot be checked",
}
SHOWN = 5
TOO_WEAK = 0.5  # where smaller effects than this are invisible, only the strongest dependences can be found
# The kinds of warnings that say something about the result, the gravest first, and what each means in a few words.
IN_SHORT = {
    FindingKind.LIMIT_REACHED: "a limit ended the learning",
    FindingKind.FAILED_SEPARATING_SETS: "the data refute some missing edges",
    FindingKind.MARGINAL_DEPENDENCES: "the data refute some missing edges",
    FindingKind.TESTS_AGAINST_SCORE: "tests and score disagree on some missing edges",
    FindingKind.UNDECIDED_TESTS: "some tests could not be decided",
    FindingKind.UNCHECKED_SEPARATING_SETS: "some missing edges were not checked",
    FindingKind.AUTOCORRELATED_ROWS: "the rows may not be independent",
    FindingKind.REPEATED_ROWS: "the rows may not be independent",
    FindingKind.PANEL: "the rows are not independent",
    FindingKind.GROUPS: "the rows may not be independent",
    FindingKind.MENDED_SEPARATING_SETS: "the first answers contradicted each other",
    FindingKind.OVERRULED_V_STRUCTURES: "the evidence on directions contradicts itself",
    FindingKind.FALLBACK_REMOVALS: "the answers contradict the assumption or each other",
    FindingKind.WITHIN_GROUPS: "this is about differences within groups",
    FindingKind.BETWEEN_GROUPS: "this is about differences between groups",
}


@dataclass(frozen=True)
class Certificate:
    """What the learned graph says about the side information.

    ``consistent``: the learned graph agrees with the assumption, so with exact answers it is the true structure (the
    paper's Proposition 4). ``violated``: the assumption does not hold. ``cannot be checked``: the result cannot show
    whether it holds, or the answers contradict each other, or a limit ended the learning.
    """

    status: Status
    sentence: str
    assumed: bool = True  # False when no bound on the structure was assumed
    stated: bool = False  # True when statements about the structure were given
    best_score: bool = False  # True when exact search proved that no structure scores higher

    @property
    def heading(self) -> str:
        """The status in words."""
        if self.assumed:
            return STATUS_IN_WORDS[self.status]
        if self.best_score:
            return "highest score (proved)"
        if self.status != "consistent":
            return "no guarantee"
        return "consistent with what you said" if self.stated else "no assumption was made"

    def __str__(self) -> str:
        return f"{self.heading}: {self.sentence}"

    __repr__ = __str__


def certify_without_assumption(learner: str, is_sound: bool, given: Sequence[str], doubt: str) -> Certificate:
    """For learners that rely on no side information."""
    if not is_sound:
        return Certificate("cannot be checked", f"{learner} is not guaranteed to find the true structure.", False)
    if doubt:
        return Certificate("cannot be checked", doubt, False)
    return Certificate("consistent", f"if {_proviso(given)}, {TRUTH}.", False)


def certify_search(side: SideInformation | None, found: FoundDag, doubt: str) -> Certificate:
    """For score-based search: whether the data would rather have a structure that breaks the assumption."""
    search, margin = found.reliability, found.margin
    if side is None:
        caveat = "; with these rows the true structure may still be another one" if found.is_best else ""
        sentence = f"{search}{caveat}.{f' {_as_sentence(doubt)}' if doubt else ''}"
        return Certificate("cannot be checked", sentence, False, best_score=found.is_best)
    graph = found.dag.to_networkx()
    checked = {bound: bound.keeps(graph) for bound in side.each()}
    if False in checked.values():
        return Certificate(
            "violated", f"the structure breaks the assumption ({side}), and no edge was found that could go."
        )
    kept = " and ".join(filter(None, (bound.kept_by_search(keeps) for bound, keeps in checked.items())))
    if margin > CLEAR_MARGIN:
        return Certificate(
            "violated",
            f"the structure keeps {kept}, but the data prefer one that does not by {margin:.1f} nats; "
            "learn again with a larger bound, or with none.",
        )
    facts = [f"the structure keeps {kept}, and the data do not prefer one that breaks it"] if kept else []
    unknown = [bound for bound, keeps in checked.items() if not bound.kept_by_search(keeps)]
    facts += [f"whether the structure keeps the assumption ({bound}) was not checked" for bound in unknown]
    fact = "; ".join(facts)
    if doubt or None in checked.values():
        but = f", but {doubt.removesuffix('.')}" if doubt else ""
        return Certificate("cannot be checked", f"{fact}{but}; {search}.")
    return Certificate("consistent", f"{fact}; {search}.")


def certify_pag(is_exact: bool, is_unfinished: bool, gave_way: bool) -> Certificate:
    """Where causes may be hidden."""
    if is_unfinished:
        unfinished = (
            "a limit ended the learning before all pairs were decided, and those that were not are adjacent: if the "
            "distribution is faithful and every test answered correctly, no edge is missing and every arrow is right."
        )
        return Certificate("cannot be checked", unfinished, False)
    if not is_exact:
        nearest = ", the nearest to answers that contradict each other" if gave_way else ""
        legal = f"a legal PAG{nearest}: hidden common causes are allowed for, selected rows are not."
        return Certificate("cannot be checked", legal, False)
    sentence = "if the distribution is faithful, this is what independences show, however many causes are hidden."
    return Certificate("consistent", sentence, False)


def certify_unfinished(given: Sequence[str]) -> Certificate:
    """When a limit ended the learning."""
    return Certificate(
        "cannot be checked",
        "a limit ended the learning before all pairs were decided, and those that were not are adjacent: "
        f"if {_proviso(given)}, no edge is missing, but there may be extra edges and wrong directions.",
    )


def _proviso(given: Sequence[str]) -> str:
    """What the theorems rest on beside the assumption."""
    beside = "".join(f"{proviso}, " for proviso in given)
    return f"no common cause is hidden, the distribution is faithful, {beside}and every test answered correctly"


def certify(side: SideInformation, assumed: bool, given: Sequence[str], doubt: str, dag: nx.DiGraph) -> Certificate:
    """Compare the learned graph with the side information.

    ``assumed`` is False when the learner found the bound itself, ``given`` what else rests on the user,
    ``doubt`` says why not all answers can have been right, and is empty if they may have been.
    """
    bounds = side.each() if assumed else (side.as_found(),)
    worst = ("violated", "cannot be checked", "consistent")
    found = (bound.certified(dag, _proviso(given), doubt) for bound in bounds)
    ranked = sorted(found, key=lambda certified: worst.index(certified[0]))
    first, *others = (sentence for _, sentence in ranked)
    return Certificate(ranked[0][0], " ".join([first, *map(_as_sentence, others)]), assumed)


def _as_sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _warning(kind: FindingKind, variables: Iterable[Hashable], text: str, remedy: str = "") -> Finding:
    return Finding(kind, "warning", tuple(dict.fromkeys(variables)), text, remedy)


def _some(texts: Iterable[str], between: str = ", ") -> str:
    """The first few, and an ellipsis where there are more."""
    listed = list(texts)
    return between.join([*listed[:SHOWN], *["…"] * (len(listed) > SHOWN)])


def fallback_removals(names: tuple[Hashable, ...], skeleton: Skeleton, assumed: bool) -> Iterator[Finding]:
    """A warning of fallback removals, if there were any."""
    removed = [names[x] for x in skeleton.fallbacks]
    if removed:
        condition = "If the assumption holds and every test is right" if assumed else "If every test is right"
        cause = "a test erred or the assumption is violated" if assumed else "a test erred"
        where = "this variable" if len(removed) == 1 else "these variables"
        yield _warning(
            FindingKind.FALLBACK_REMOVALS,
            removed,
            f"fallback removals: {len(removed)} ({_some(map(str, removed))}). No variable met the condition "
            f"of removability, so the one nearest to it was removed. {condition}, some variable always meets it, so "
            f"{cause}; there may be extra edges at {where}",
        )


def overruled_v_structures(names: tuple[Hashable, ...], orientation: Orientation) -> Iterator[Finding]:
    """A warning that the evidence on directions contradicts itself, if it does."""
    overruled = orientation.overruled
    if overruled:
        shown = _some((f"{names[a]} → {names[c]} ← {names[b]}" for a, c, b in overruled), "; ")
        text = f"the evidence on directions contradicts itself; overruled v-structures: {len(overruled)} ({shown})"
        yield _warning(FindingKind.OVERRULED_V_STRUCTURES, (names[x] for v in overruled for x in v), text)


def marks_that_gave_way(names: tuple[Hashable, ...], changed: Sequence[tuple[int, int]]) -> Iterator[Finding]:
    """A warning that the answers belong to no PAG, if they did not."""
    if changed:
        shown = _some(f"{names[x]} and {names[y]}" for x, y in changed)
        text = (
            "the answers contradict each other: no model agrees with all of them. The nearest one is shown; it differs "
            f"at {counted(len(changed), 'edge')} ({shown})"
        )
        yield _warning(FindingKind.OVERRULED_V_STRUCTURES, (names[v] for pair in changed for v in pair), text)


def knowledge_against_data(test: CITest, doubts: Sequence[Doubt]) -> Iterator[Finding]:
    """A warning of what was said and what is learned without it contradicts, each statement once."""
    if doubts:
        against = "the answers contradict" if test.is_exact else "what is learned without it contradicts"
        n_places = sum(bool(doubt.variables) for doubt in doubts)
        where = f" in {counted(n_places, 'place')}, the clearest first" * (n_places > 1)
        shown = _some((f"{said} (but {_some(reasons, '; ')})" for said, reasons in by_statement(doubts).items()), "; ")
        yield _warning(
            FindingKind.KNOWLEDGE_AGAINST_DATA,
            (name for doubt in doubts for name in doubt.variables),
            f"{against} what you said{where}: {shown}",
            "" if test.is_exact else meaning_of(doubts),
        )


def knowledge_not_kept(dag: Dag, known: Constraints | None) -> Iterator[Finding]:
    """A warning of paths that the structure has or lacks against what was said, if there are any."""
    broken, names = [] if known is None else broken_paths(dag, known), dag.names
    if broken:
        shown = (f"{'no' if certain else 'a'} path leads from {names[a]} to {names[b]}" for a, b, certain in broken)
        yield _warning(
            FindingKind.KNOWLEDGE_NOT_KEPT,
            (names[v] for a, b, _ in broken for v in (a, b)),
            f"the structure does not keep what you said of {counted(len(broken), 'path')}, since no structure that was "
            f"found agrees with the rest: {_some(shown, '; ')}",
        )


def failed_separating_sets(test: CITest, checked: Oriented) -> Iterator[Finding]:
    """Warnings of separating sets that do not separate in the data: those that were mended, and those that are left."""
    yield from _mended_sets(test, checked)
    left, n_failed = checked.mended.left, len(checked.mended.left)
    if left:
        do = "does" if n_failed == 1 else "do"
        claim = f"{n_failed} of {counted(len(checked.sets), 'separating set')} {do} not separate in these data"
        end = "edges may be missing there, and no direction is taken from such sets"
        yield _refuted(FindingKind.FAILED_SEPARATING_SETS, test, left, claim, end)


def score_against_tests(test: CITest, checked: Oriented) -> Iterator[Finding]:
    """Warnings of independences that follow from the structure of the best score and that tests reject."""
    yield from _mended_sets(test, checked)
    left = checked.mended.left
    if left:
        independences = counted(len(checked.sets), "independence")
        claim = f"tests reject {len(left)} of {independences} that the structure found by score implies"
        yield _refuted(FindingKind.TESTS_AGAINST_SCORE, test, left, claim, "edges may be missing there")


def _mended_sets(test: CITest, checked: Oriented) -> Iterator[Finding]:
    """A warning that the first answers were wrong in places, and of what was changed."""
    replaced, added = checked.mended.replaced, checked.mended.added
    changes = [f"{len(replaced)} got another set that does"] * bool(replaced)
    if added:
        edges = _some(f"{test.names[x]} — {test.names[y]}" for x, y in added)
        changes.append(f"{counted(len(added), 'edge')} {'was' if len(added) == 1 else 'were'} added ({edges})")
    if changes:
        yield _warning(
            FindingKind.MENDED_SEPARATING_SETS,
            (test.names[v] for pair in (*added, *replaced) for v in pair),
            f"{counted(len(replaced) + len(added), 'pair')} had a separating set that does not separate in these data: "
            f"{', and '.join(changes)}. Some test erred, so the structure near these pairs is less certain",
        )


def _refuted(kind: FindingKind, test: CITest, left: list[Separation], claim: str, end: str) -> Finding:
    """A warning of separations that the data refute: the claim, the clearest of them, and what follows."""
    p, clearest = min((test.checked_p_value(*failed), failed) for failed in left)
    text = f"{claim}, most clearly {test.question(*clearest)[1:-1]} (p = {p:.1g}); {end}"
    return _warning(kind, (test.names[v] for x, y, _ in left for v in (x, y)), text)


def unchecked_separating_sets(checked: Oriented, limits: Limits) -> Iterator[Finding]:
    """A warning that some separating sets were not checked, and why."""
    if checked.n_unchecked:
        limited = ["max_tests"] * (limits.max_tests is not None and not limits.by_default)
        limited += ["max_conditioning"] * (limits.max_conditioning is not None)
        why = "the limits on tests did not allow it" if limited else "there are too many, or they are too large"
        allowed = [Message("; a higher ", Option(name), " allows it") for name in limited]
        rests, was = ("rests", "was") if checked.n_unchecked == 1 else ("rest", "were")
        yield _warning(
            FindingKind.UNCHECKED_SEPARATING_SETS,
            (),
            f"{counted(checked.n_unchecked, 'missing edge')} that {rests} on boundaries alone {was} not checked by "
            f"tests: {why}",
            Message(Call("net.audit(data)", flag="sidelight audit"), " tests all of them", *allowed),
        )


def marginal_dependences(test: CITest, checked: Oriented) -> Iterator[Finding]:
    """A warning of pairs that depend on each other though the graph has no open path between them."""
    clearest = sorted(checked.unexplained, key=lambda found: found[1])
    if clearest:
        shown = _some(f"{test.names[x]} and {test.names[y]}, p = {p:.1g}" for (x, y), p in clearest)
        depend = "depends" if len(clearest) == 1 else "depend"
        yield _warning(
            FindingKind.MARGINAL_DEPENDENCES,
            (test.names[v] for pair, _ in clearest for v in pair),
            f"{counted(len(clearest), 'pair')} without an open path in the graph {depend} on each other in these data "
            f"({shown}): an edge is missing, an arrow is wrong, or columns nearly determine each other",
        )


def undecided_tests(n_undecided: int, n_tests: int) -> Iterator[Finding]:
    """A warning that the data could not decide some tests, if there were such."""
    if n_undecided:
        yield _warning(
            FindingKind.UNDECIDED_TESTS,
            (),
            f"{n_undecided} of {counted(n_tests, 'test')} could not be decided: the rows are too few for their "
            "conditioning sets, or the sets determine a column. They count as independent; edges may be missing",
        )


def limits_reached(limits: Limits, searched: bool) -> Iterator[Finding]:
    """A warning for each limit that ended the learning, or the tests before a search by score."""
    for name, undecided in (
        ("max_tests", "were undecided by then"),
        ("max_conditioning", "only larger conditioning sets could decide"),
    ):
        if name in limits.reached:
            consequence = f"pairs that {undecided} are adjacent, so there may be extra edges and wrong directions"
            if searched:
                consequence = "the search by score began from what was decided by then"
            default = "the default of " * (name == "max_tests" and limits.by_default)
            text = Message(f"stopped by {default}", Option(name, getattr(limits, name)), f": {consequence}")
            side = Message("side information makes tests fewer, such as ", Option("side", "clique:4"))
            remedy = Message(side, "; a higher ", Option(name), " allows more")
            yield _warning(FindingKind.LIMIT_REACHED, (), text, remedy)


def too_few_rows(test: CITest, alpha: float, size: int) -> bool:
    """True when only the strongest dependences are visible."""
    effect = test.visible_effect(alpha, size)
    return effect is not None and effect > TOO_WEAK


def trust_line(test: CITest, alpha: float, size: int, warnings: Sequence[Finding]) -> str:
    """What limits trust most, with the smallest effect that the rows could show.

    It is empty for an oracle, and where nothing is known to limit trust.
    """
    if test.is_exact:
        return ""
    kinds = {warning.kind for warning in warnings}
    grave = next((words for kind, words in IN_SHORT.items() if kind in kinds), "")
    if too_few_rows(test, alpha, size):
        grave = "there are too few rows for any but the strongest dependences"
    return "; ".join(filter(None, (_smallest_effect(test, alpha, size), grave)))


def _smallest_effect(test: CITest, alpha: float, size: int) -> str:
    """How strong a dependence must be to be seen, in words; empty where that is not known."""
    effect, n_rows = test.visible_effect(alpha, size), test.sample_size
    if effect is None or n_rows is None:
        return ""
    given = f" given {counted(size, 'variable')}" if size else ""
    shown = f"{effect:.1g}" if effect < 0.01 else f"{effect:.2f}" if effect < 0.995 else "1"
    below = shown.removeprefix("0")  # as articles have it: .14
    return f"{n_rows} rows: {test.visible_name} below {below}{given} would go unnoticed"
