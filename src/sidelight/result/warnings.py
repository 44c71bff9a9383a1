"""What makes a result doubtful, in words for the network's warnings."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from sidelight.interview import Limits
from sidelight.learners import Skeleton
from sidelight.orientation import Orientation

SHOWN = 5


def fallbacks(names: tuple[Hashable, ...], skeleton: Skeleton, promised: bool) -> Iterable[str]:
    if skeleton.fallbacks:
        shown = ", ".join(str(names[x]) for x in skeleton.fallbacks[:SHOWN])
        more = ", …" if len(skeleton.fallbacks) > SHOWN else ""
        excuse = "With the promise kept and every test right" if promised else "With every test right"
        blame = "a test erred or the promise is wrong" if promised else "a test erred"
        yield (
            f"{_times(len(skeleton.fallbacks))} no variable looked removable, so the likeliest was removed "
            f"({shown}{more}). {excuse} there always is one, so {blame}; there may be extra edges around them"
        )


def overruled(names: tuple[Hashable, ...], orientation: Orientation) -> Iterable[str]:
    if orientation.overruled:
        shown = "; ".join(f"{names[a]} → {names[c]} ← {names[b]}" for a, c, b in orientation.overruled[:SHOWN])
        more = "; …" if len(orientation.overruled) > SHOWN else ""
        yield (
            f"the evidence on directions contradicts itself; overruled v-structures: "
            f"{len(orientation.overruled)} ({shown}{more})"
        )


def undecided(n_undecided: int, n_tests: int) -> Iterable[str]:
    if n_undecided:
        yield (
            f"{n_undecided} of {n_tests} questions could not be decided: no stratum of their conditioning sets has "
            "rows that differ in both columns. They count as independent; edges may be missing"
        )


def limited(limits: Limits) -> Iterable[str]:
    if "max_tests" in limits.reached:
        yield (
            f"stopped at max_tests={limits.max_tests}: pairs that were not decided by then are joined, so there may be "
            "extra edges and wrong directions"
        )
    if "max_conditioning" in limits.reached:
        yield (
            f"after the boundaries no question was asked given more than max_conditioning={limits.max_conditioning} "
            "variables: what only larger sets could decide is joined, so there may be extra edges and wrong directions"
        )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
