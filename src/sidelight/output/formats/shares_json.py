"""What was found among resamples and at several significance levels, as JSON has it, and back.

A pair that is adjacent in no resample, or not at a level, is not written. Counts and directions are as seen from ``a``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Any, TypeVar, cast, get_args

import msgspec

from sidelight.graphs.separating_sets import Pair as Positions
from sidelight.graphs.separating_sets import ordered
from sidelight.output.formats.document import Alpha, Count, FieldError, Name, check_one_of, positions
from sidelight.result.certainty import (
    Levels,
    Method,
    PairCounts,
    Shares,
)
from sidelight.result.marked_shares import LETTERS, NO_EDGE, OTHER_WAY, TURNED, MarkCounts, Way

Seed = Annotated[int, msgspec.Meta(ge=0)]
Bound = Annotated[float, msgspec.Meta(ge=0)]


class CountsRecord(msgspec.Struct):
    """In how many resamples an edge points from a to b, from b to a, or neither way; and, a letter each, in which.

    Files that were written before have no letters. Of PAGs, the letters also say where there are other marks.
    """

    a: Name
    b: Name
    forward: Count
    backward: Count
    undirected: Count
    ways: str = ""


class SharesRecord(msgspec.Struct, kw_only=True):
    """How resamples were drawn, and the pairs that are adjacent in any."""

    method: str
    seed: Seed
    n_resamples: Count
    max_false_edges: Bound | None = None
    of_pags: bool = False
    pairs: tuple[CountsRecord, ...]

    def __post_init__(self) -> None:
        check_one_of("method", self.method, get_args(Method))


class WayRecord(msgspec.Struct):
    """An edge between a and b: → from a to b, ← from b to a, — neither way; in PAGs also with other marks."""

    a: Name
    b: Name
    way: str

    def __post_init__(self) -> None:
        check_one_of("way", self.way, TURNED)


class LevelRecord(msgspec.Struct):
    """A significance level and the edges at it."""

    alpha: Alpha
    edges: tuple[WayRecord, ...]


AboutPair = TypeVar("AboutPair", CountsRecord, WayRecord)


def write_shares(shares: Shares | None) -> SharesRecord | None:
    """How often each pair is adjacent, and which way its edge points; None without resamples."""
    if shares is None:
        return None
    return SharesRecord(
        method=shares.method,
        seed=shares.seed,
        n_resamples=shares.n_resamples,
        max_false_edges=shares.max_false_edges,
        of_pags=shares.of_pags,
        pairs=tuple(_counts(shares, *pair) for pair in sorted(shares.counts)),
    )


def _counts(shares: Shares, x: int, y: int) -> CountsRecord:
    found, (a, b) = shares.of(x, y), (shares.names[x], shares.names[y])
    return CountsRecord(a, b, found.forward, found.backward, found.undirected, shares.ways.get((x, y), ""))


def read_shares(record: SharesRecord | None, names: tuple[Hashable, ...]) -> Shares | None:
    """The shares; None where the file has none."""
    if record is None:
        return None
    counts: dict[Positions, Any] = {}  # all of them of one kind
    ways: dict[Positions, str] = {}
    for entry, (x, y) in _with_positions("shares", record.pairs, names):
        both = f"{entry.a!r} and {entry.b!r}"
        found = MarkCounts.of(entry.ways) if record.of_pags else PairCounts(*_directions(entry))
        if not found.adjacent:
            raise FieldError("shares", f"{both} are never adjacent, so no counts are expected for them")
        if found.adjacent > record.n_resamples:
            raise FieldError("shares", f"{both} are adjacent in {found.adjacent} of {record.n_resamples} resamples")
        counts[ordered(x, y)] = found if x < y else found.turned()
        if entry.ways:
            _check_ways(entry, record)
            ways[ordered(x, y)] = entry.ways if x < y else entry.ways.translate(OTHER_WAY)
    if ways and len(ways) < len(counts):
        raise FieldError("shares", "some pairs have the letters of each resample, and others have not")
    method = cast(Method, record.method)
    return Shares(names, method, record.seed, record.n_resamples, counts, record.max_false_edges, ways)


def _directions(entry: CountsRecord) -> tuple[int, int, int]:
    return entry.forward, entry.backward, entry.undirected


def _check_ways(entry: CountsRecord, record: SharesRecord) -> None:
    counted, n_resamples = tuple(map(entry.ways.count, LETTERS[:3])), record.n_resamples
    expected = {*(LETTERS if record.of_pags else LETTERS[:3]), NO_EDGE}
    if len(entry.ways) != n_resamples or counted != _directions(entry) or set(entry.ways) - expected:
        what = f"the letters of {entry.a!r} and {entry.b!r} do not agree with their counts in {n_resamples} resamples"
        raise FieldError("shares", what)


def write_levels(levels: Levels | None) -> tuple[LevelRecord, ...] | None:
    """The edges at each level; None if there was one level only."""
    if levels is None:
        return None
    names = levels.names
    return tuple(
        LevelRecord(alpha, tuple(WayRecord(names[x], names[y], way) for (x, y), way in sorted(edges.items())))
        for alpha, edges in zip(levels.alphas, levels.edges, strict=True)
    )


def read_levels(records: tuple[LevelRecord, ...] | None, names: tuple[Hashable, ...]) -> Levels | None:
    """The levels; None where the file has none."""
    if records is None:
        return None
    alphas = tuple(record.alpha for record in records)
    for alpha, following in pairwise(alphas):
        if alpha >= following:
            raise FieldError("levels", f"alphas are expected to increase, but {following:g} follows {alpha:g}")
    return Levels(names, alphas, tuple(_ways(record, names) for record in records))


def _ways(record: LevelRecord, names: tuple[Hashable, ...]) -> dict[Positions, Way]:
    entries = _with_positions("levels", record.edges, names)
    return {ordered(x, y): cast(Way, entry.way) if x < y else TURNED[entry.way] for entry, (x, y) in entries}


def _with_positions(
    field: str, records: Sequence[AboutPair], names: tuple[Hashable, ...]
) -> Iterator[tuple[AboutPair, Positions]]:
    """Each record with the positions of its variables; no pair stands twice."""
    position = {name: i for i, name in enumerate(names)}
    seen: set[Positions] = set()
    for record in records:
        x, y = positions(field, (record.a, record.b), position)
        if ordered(x, y) in seen:
            raise FieldError(field, f"{record.a!r} and {record.b!r} stand there twice")
        seen.add(ordered(x, y))
        yield record, (x, y)
