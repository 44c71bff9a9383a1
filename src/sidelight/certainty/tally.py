"""How often edges were found in the graphs of resamples, and what was wrong with resamples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from sidelight.certainty.draws import Resampler
from sidelight.graphs.separating_sets import Pair
from sidelight.result.certainty import PairCounts, Shares
from sidelight.runs.records import Result
from sidelight.tables.findings import Finding, FindingKind
from sidelight.text.sentences import counted

NAMED = 8  # columns in a warning


class ResampleTally:
    """How often each edge was found, and what was wrong with resamples."""

    def __init__(self) -> None:
        self.n_done = 0
        self._pairs: dict[Pair, list[int]] = {}
        self._constant, self._fewer = Counter[int](), Counter[int]()
        self._with_constant = self._with_fewer = self._n_determined = 0
        self._failures: list[str] = []
        self.stopped = False

    def add(self, graphs: Iterable[Result]) -> None:
        """Count the graphs of some resamples."""
        for found in graphs:
            self._constant.update(found["constant"])
            self._fewer.update(found["fewer"])
            self._with_constant += bool(found["constant"])
            self._with_fewer += bool(found["fewer"])
            if "failed" in found:
                self._failures.append(found["failed"])
                continue
            self.n_done += 1
            self._n_determined += found["determined"]
            for tail, head in found["directed"]:
                self._count(tail, head)[0 if tail < head else 1] += 1
            for x, y in found["undirected"]:
                self._count(x, y)[2] += 1

    def _count(self, x: int, y: int) -> list[int]:
        return self._pairs.setdefault((min(x, y), max(x, y)), [0, 0, 0])

    def shares(self, resampler: Resampler, max_false_edges: float | None) -> Shares:
        """The counts as shares."""
        counts = {pair: PairCounts(*self._pairs[pair]) for pair in sorted(self._pairs)}
        most = None if max_false_edges is None else float(max_false_edges)
        return Shares(resampler.names, resampler.method, resampler.seed, self.n_done, counts, most)

    def findings(self, names: tuple[Hashable, ...], wanted: int) -> Iterator[Finding]:
        """Warnings of resamples that are not there, or lack something that the table has."""
        total = counted(wanted, "resample")
        if self.stopped:
            text = f"{self.n_done + len(self._failures)} of {total} were learned before it was stopped"
            yield Finding(FindingKind.STOPPED, "warning", (), text, "the shares are of these")
        if self._failures:
            text = f"{len(self._failures)} of {total} could not be learned ({self._failures[0]})"
            yield Finding(FindingKind.FAILED_RESAMPLES, "warning", (), text, "the shares are of the others")
        if self._with_constant:
            yield _about(
                FindingKind.CONSTANT_IN_RESAMPLES,
                f"in {self._with_constant} of {total} a column does not vary, and is isolated there",
                self._constant,
                names,
                "the shares of its edges are too small",
            )
        if self._with_fewer:
            yield _about(
                FindingKind.CATEGORIES_MISSING_IN_RESAMPLES,
                f"in {self._with_fewer} of {total} a column lacks a rare category",
                self._fewer,
                names,
                "merge rare categories",
            )
        if self._n_determined:
            text = f"in {self._n_determined} of {total} rows are too few, or columns are linearly dependent, for tests "
            yield Finding(FindingKind.SINGULAR_RESAMPLES, "warning", (), f"{text}given all other columns")


def _about(kind: FindingKind, text: str, counts: Counter[int], names: tuple[Hashable, ...], remedy: str) -> Finding:
    """A warning with the columns that it is about, and in how many resamples."""
    most = counts.most_common()
    shown = ", ".join(f"{names[v]} in {count}" for v, count in most[:NAMED])
    more = f" and {counted(len(most) - NAMED, 'more column')}" if len(most) > NAMED else ""
    return Finding(kind, "warning", tuple(names[v] for v, _ in most), f"{text} ({shown}{more})", remedy)
