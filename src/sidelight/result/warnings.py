"""What makes a result doubtful, as findings with a kind, the variables concerned and a remedy."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from sidelight.doctor.findings import Finding
from sidelight.independence import CITest
from sidelight.interview import Limits
from sidelight.learners import Skeleton
from sidelight.orientation import Orientation
from sidelight.orientation.separation_check import CheckedOrientation
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

SHOWN = 5


def fallback_removals(names: tuple[Hashable, ...], skeleton: Skeleton, assumed: bool) -> Iterable[Finding]:
    """A warning of fallback removals, if there were any."""
    removed = tuple(names[x] for x in skeleton.fallbacks)
    if removed:
        condition = "If the assumption holds and every test is right" if assumed else "If every test is right"
        cause = "a test erred or the assumption is violated" if assumed else "a test erred"
        where = "this variable" if len(removed) == 1 else "these variables"
        yield Finding(
            "fallback removals",
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
            "overruled v-structures",
            "warning",
            tuple(dict.fromkeys(names[x] for v in orientation.overruled for x in v)),
            "the evidence on directions contradicts itself; overruled v-structures: "
            f"{len(orientation.overruled)} ({shown})",
        )


def failed_separating_sets(test: CITest, checked: CheckedOrientation) -> Iterable[Finding]:
    """A warning that some separating sets do not separate, or were too many to be checked."""
    if checked.failed:
        n_failed, worst = len(checked.failed), min(checked.failed, key=lambda failed: test.checked_p_value(*failed))
        yield Finding(
            "failed separating sets",
            "warning",
            tuple(dict.fromkeys(test.names[v] for x, y, _ in checked.failed for v in (x, y))),
            f"{n_failed} of {counted(len(checked.sets), 'separating set')} {'does' if n_failed == 1 else 'do'} not "
            f"separate in these data, most clearly {test.question(*worst)[1:-1]} "
            f"(p = {test.checked_p_value(*worst):.1g}); edges may be missing there",
        )
    if checked.n_unchecked:
        yield Finding(
            "unchecked separating sets",
            "warning",
            (),
            f"{counted(checked.n_unchecked, 'separating set')} that follow from boundaries were too many to be checked "
            "by tests of their own",
            "net.audit(data) tests all of them",
        )


def undecided_tests(n_undecided: int, n_tests: int) -> Iterable[Finding]:
    """A warning that the data could not decide some tests, if there were such."""
    if n_undecided:
        yield Finding(
            "undecided tests",
            "warning",
            (),
            f"{n_undecided} of {counted(n_tests, 'test')} could not be decided: no stratum of their conditioning sets "
            "has rows that differ in both columns, or the set determines one of them. They count as independent; "
            "edges may be missing",
        )


def limits_reached(limits: Limits) -> Iterable[Finding]:
    """A warning for each limit that ended the learning."""
    for name, consequence in (
        ("max_tests", "pairs that were undecided by then are adjacent"),
        ("max_conditioning", "pairs that only larger conditioning sets could decide are adjacent"),
    ):
        if name in limits.reached:
            text = Message(
                "stopped by ",
                Option(name, getattr(limits, name)),
                f": {consequence}, so there may be extra edges and wrong directions",
            )
            yield Finding("limit reached", "warning", (), text)


def _some(texts: Iterable[str], between: str = ", ") -> str:
    """The first few, and an ellipsis where there are more."""
    listed = list(texts)
    return between.join([*listed[:SHOWN], *["…"] * (len(listed) > SHOWN)])
