"""What makes a result doubtful, as findings with a kind, the variables concerned and a remedy."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from sidelight.consistency.checks import Separation
from sidelight.consistency.directions import Oriented
from sidelight.consistency.knowledge import Doubt
from sidelight.families import CITest
from sidelight.graphs.dag import Dag
from sidelight.interview import Limits
from sidelight.knowledge import Constraints
from sidelight.learners import Skeleton
from sidelight.orientation import Orientation
from sidelight.orientation.known import broken_paths
from sidelight.tables.findings import Finding, FindingKind
from sidelight.text.message import Call, Message, Option
from sidelight.text.sentences import counted

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
    FindingKind.MENDED_SEPARATING_SETS: "the first answers contradicted each other",
    FindingKind.OVERRULED_V_STRUCTURES: "the evidence on directions contradicts itself",
    FindingKind.FALLBACK_REMOVALS: "the answers contradict the assumption or each other",
}


def fallback_removals(names: tuple[Hashable, ...], skeleton: Skeleton, assumed: bool) -> Iterable[Finding]:
    """A warning of fallback removals, if there were any."""
    removed = tuple(names[x] for x in skeleton.fallbacks)
    if removed:
        condition = "If the assumption holds and every test is right" if assumed else "If every test is right"
        cause = "a test erred or the assumption is violated" if assumed else "a test erred"
        where = "this variable" if len(removed) == 1 else "these variables"
        yield Finding(
            FindingKind.FALLBACK_REMOVALS,
            "warning",
            removed,
            f"fallback removals: {len(removed)} ({_some(map(str, removed))}). No variable met the condition "
            f"of removability, so the one nearest to it was removed. {condition}, some variable always meets it, so "
            f"{cause}; there may be extra edges at {where}",
        )


def overruled_v_structures(names: tuple[Hashable, ...], orientation: Orientation) -> Iterable[Finding]:
    """A warning that the evidence on directions contradicts itself, if it does."""
    if orientation.overruled:
        shown = _some((f"{names[a]} → {names[c]} ← {names[b]}" for a, c, b in orientation.overruled), "; ")
        yield Finding(
            FindingKind.OVERRULED_V_STRUCTURES,
            "warning",
            tuple(dict.fromkeys(names[x] for v in orientation.overruled for x in v)),
            "the evidence on directions contradicts itself; overruled v-structures: "
            f"{len(orientation.overruled)} ({shown})",
        )


def failed_separating_sets(test: CITest, checked: Oriented) -> Iterator[Finding]:
    """Warnings of separating sets that do not separate in the data: those that were mended, and those that are left."""
    yield from _mended_sets(test, checked)
    if checked.mended.left:
        n_failed = len(checked.mended.left)
        claim = f"{n_failed} of {counted(len(checked.sets), 'separating set')} {'does' if n_failed == 1 else 'do'} not "
        end = "edges may be missing there, and no direction is taken from such sets"
        yield _refuted(
            FindingKind.FAILED_SEPARATING_SETS, test, checked.mended.left, f"{claim}separate in these data", end
        )


def knowledge_against_data(test: CITest, doubts: Sequence[Doubt]) -> Iterator[Finding]:
    """A warning of what was said and the data speak against, the clearest first."""
    if doubts:
        against = "the answers contradict" if test.is_exact else "the data speak against"
        shown = _some((f"{doubt.said}, but {doubt.reason}" for doubt in doubts), "; ")
        yield Finding(
            FindingKind.KNOWLEDGE_AGAINST_DATA,
            "warning",
            tuple(dict.fromkeys(name for doubt in doubts for name in doubt.variables)),
            f"{against} what you said in {counted(len(doubts), 'place')}"
            f"{', the clearest first' * (len(doubts) > 1)} (learned without all of it): {shown}",
        )


def knowledge_not_kept(dag: Dag, known: Constraints | None) -> Iterator[Finding]:
    """A warning of paths that the structure has or lacks against what was said, if there are any."""
    broken = [] if known is None else broken_paths(dag, known)
    if broken:
        names = dag.names
        shown = _some(
            (f"{'no' if certain else 'a'} path leads from {names[a]} to {names[b]}" for a, b, certain in broken), "; "
        )
        yield Finding(
            FindingKind.KNOWLEDGE_NOT_KEPT,
            "warning",
            tuple(dict.fromkeys(names[v] for a, b, _ in broken for v in (a, b))),
            f"the structure does not keep what you said of {counted(len(broken), 'path')}, since no structure that was "
            f"found agrees with the rest: {shown}",
        )


def unchecked_separating_sets(checked: Oriented, limits: Limits) -> Iterator[Finding]:
    """A warning that some separating sets were not checked, and why."""
    if checked.n_unchecked:
        limited = [name for name in ("max_tests", "max_conditioning") if _is_limited(limits, name)]
        why = "the limits on tests did not allow it" if limited else "there are too many, or they are too large"
        allowed = [Message("; a higher ", Option(name), " allows it") for name in limited]
        yield Finding(
            FindingKind.UNCHECKED_SEPARATING_SETS,
            "warning",
            (),
            f"{counted(checked.n_unchecked, 'missing edge')} that {'rests' if checked.n_unchecked == 1 else 'rest'} on "
            f"boundaries alone {'was' if checked.n_unchecked == 1 else 'were'} not checked by tests: {why}",
            Message(Call("net.audit(data)", flag="sidelight audit"), " tests all of them", *allowed),
        )


def _is_limited(limits: Limits, name: str) -> bool:
    return getattr(limits, name) is not None and not (name == "max_tests" and limits.by_default)


def _mended_sets(test: CITest, checked: Oriented) -> Iterator[Finding]:
    """A warning that the first answers were wrong in places, and of what was changed."""
    replaced, added = checked.mended.replaced, checked.mended.added
    if replaced or added:
        edges = _some(f"{test.names[x]} — {test.names[y]}" for x, y in added)
        changes = [f"{len(replaced)} got another set that does"] * bool(replaced)
        changes += [f"{counted(len(added), 'edge')} {'was' if len(added) == 1 else 'were'} added ({edges})"] * bool(
            added
        )
        yield Finding(
            FindingKind.MENDED_SEPARATING_SETS,
            "warning",
            tuple(dict.fromkeys(test.names[v] for pair in (*added, *replaced) for v in pair)),
            f"{counted(len(replaced) + len(added), 'pair')} had a separating set that does not separate in these data: "
            f"{', and '.join(changes)}. Some test erred, so the structure near these pairs is less certain",
        )


def score_against_tests(test: CITest, checked: Oriented) -> Iterator[Finding]:
    """Warnings of independences that follow from the structure of the best score and that tests reject."""
    yield from _mended_sets(test, checked)
    if checked.mended.left:
        independences = counted(len(checked.sets), "independence")
        claim = f"tests reject {len(checked.mended.left)} of {independences} that the structure found by score implies"
        yield _refuted(FindingKind.TESTS_AGAINST_SCORE, test, checked.mended.left, claim, "edges may be missing there")


def _refuted(kind: FindingKind, test: CITest, left: list[Separation], claim: str, end: str) -> Finding:
    """A warning of separations that the data refute: the claim, the clearest of them, and what follows."""
    p, clearest = min((test.checked_p_value(*failed), failed) for failed in left)
    variables = tuple(dict.fromkeys(test.names[v] for x, y, _ in left for v in (x, y)))
    text = f"{claim}, most clearly {test.question(*clearest)[1:-1]} (p = {p:.1g}); {end}"
    return Finding(kind, "warning", variables, text)


def marginal_dependences(test: CITest, checked: Oriented) -> Iterator[Finding]:
    """A warning of pairs that depend on each other though the graph has no open path between them."""
    if checked.unexplained:
        clearest = sorted(checked.unexplained, key=lambda found: found[1])
        shown = _some(f"{test.names[x]} and {test.names[y]}, p = {p:.1g}" for (x, y), p in clearest)
        pairs = counted(len(clearest), "pair")
        yield Finding(
            FindingKind.MARGINAL_DEPENDENCES,
            "warning",
            tuple(dict.fromkeys(test.names[v] for pair, _ in clearest for v in pair)),
            f"{pairs} without an open path in the graph {'depends' if len(clearest) == 1 else 'depend'} on each other "
            f"in these data ({shown}): an edge is missing, an arrow is wrong, or columns nearly determine each other",
        )


def undecided_tests(n_undecided: int, n_tests: int) -> Iterable[Finding]:
    """A warning that the data could not decide some tests, if there were such."""
    if n_undecided:
        yield Finding(
            FindingKind.UNDECIDED_TESTS,
            "warning",
            (),
            f"{n_undecided} of {counted(n_tests, 'test')} could not be decided: the rows are too few for their "
            "conditioning sets, or the sets determine a column. They count as independent; edges may be missing",
        )


SEARCHED = "the search by score began from what was decided by then"
EXTRA_EDGES = ", so there may be extra edges and wrong directions"


def limits_reached(limits: Limits, searched: bool) -> Iterable[Finding]:
    """A warning for each limit that ended the learning, or the tests before a search by score."""
    for name, consequence in (
        ("max_tests", f"pairs that were undecided by then are adjacent{EXTRA_EDGES}"),
        ("max_conditioning", f"pairs that only larger conditioning sets could decide are adjacent{EXTRA_EDGES}"),
    ):
        if name in limits.reached:
            default = "the default of " * (name == "max_tests" and limits.by_default)
            text = Message(
                f"stopped by {default}",
                Option(name, getattr(limits, name)),
                f": {SEARCHED if searched else consequence}",
            )
            remedy = Message(
                "side information makes tests fewer, such as ", Option("side", "clique:4"), "; a higher ",
                Option(name), " allows more",
            )  # fmt: skip
            yield Finding(FindingKind.LIMIT_REACHED, "warning", (), text, remedy)


def _some(texts: Iterable[str], between: str = ", ") -> str:
    """The first few, and an ellipsis where there are more."""
    listed = list(texts)
    return between.join([*listed[:SHOWN], *["…"] * (len(listed) > SHOWN)])


# What limits trust in a result most, in one line, with the smallest effect that these rows could show.


def smallest_effect(test: CITest, alpha: float, size: int) -> str:
    """How strong a dependence must be to be seen, in words; empty where that is not known."""
    effect, n_rows = test.visible_effect(alpha, size), test.sample_size
    if effect is None or n_rows is None:
        return ""
    given = f" given {size} variable{'s' * (size > 1)}" if size else ""
    return f"{n_rows} rows: {test.visible_name} below {_short(effect)}{given} would go unnoticed"


def too_few_rows(test: CITest, alpha: float, size: int) -> bool:
    """True when only the strongest dependences are visible."""
    effect = test.visible_effect(alpha, size)
    return effect is not None and effect > TOO_WEAK


def trust_line(test: CITest, alpha: float, size: int, warnings: Sequence[Finding]) -> str:
    """What limits trust most; empty for an oracle, and where nothing is known to."""
    if test.is_exact:
        return ""
    kinds = {warning.kind for warning in warnings}
    grave = next((words for kind, words in IN_SHORT.items() if kind in kinds), "")
    if too_few_rows(test, alpha, size):
        grave = "there are too few rows for any but the strongest dependences"
    parts = [part for part in (smallest_effect(test, alpha, size), grave) if part]
    return "; ".join(parts)


def _short(number: float) -> str:
    """A number below 1 as articles have it: .14."""
    if number < 0.01:
        return f"{number:.1g}".removeprefix("0")
    return f"{number:.2f}".removeprefix("0") if number < 0.995 else "1"
