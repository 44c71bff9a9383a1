"""What was found among resamples and at several significance levels, as JSON has it, and back.

A pair that is adjacent in no resample, or not at a level, is not written. Counts and directions are as seen from ``a``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import pairwise
from typing import Annotated, Any, cast, get_args

import msgspec

from sidelight.graphs.separating_sets import Pair as Positions
from sidelight.graphs.separating_sets import ordered
from sidelight.network import Network
from sidelight.output.formats.document import Alpha, Count, FieldError, Name, plain
from sidelight.result.certainty import Levels, Method, PairCounts, Shares, Way

Seed = Annotated[int, msgspec.Meta(ge=0)]
Bound = Annotated[float, msgspec.Meta(ge=0)]
WAYS: dict[str, Way] = {"→": "→", "←": "←", "—": "—"}
TURNED: dict[str, Way] = {"→": "←", "←": "→", "—": "—"}  # as seen from the other variable


class CountsRecord(msgspec.Struct):
    """In how many resamples an edge points from a to b, from b to a, or neither way."""

    a: Name
    b: Name
    forward: Count
    backward: Count
    undirected: Count


class SharesRecord(msgspec.Struct):
    """How resamples were drawn, and the pairs that are adjacent in any."""

    method: str
    seed: Seed
    n_resamples: Count
    pairs: tuple[CountsRecord, ...]
    max_false_edges: Bound | None = None

    def __post_init__(self) -> None:
        _check_one_of("method", self.method, get_args(Method))


class WayRecord(msgspec.Struct):
    """An edge between a and b: → from a to b, ← from b to a, — neither way."""

    a: Name
    b: Name
    way: str

    def __post_init__(self) -> None:
        _check_one_of("way", self.way, WAYS)


class LevelRecord(msgspec.Struct):
    """A significance level and the edges at it."""

    alpha: Alpha
    edges: tuple[WayRecord, ...]


def write_shares(network: Network) -> dict[str, Any] | None:
    """How often each pair is adjacent, and which way its edge points; None without resamples."""
    shares = network.shares
    if shares is None:
        return None
    text = [plain(name) for name in shares.names]
    return {
        "method": shares.method,
        "seed": int(shares.seed),
        "n_resamples": int(shares.n_resamples),
        "max_false_edges": None if shares.max_false_edges is None else float(shares.max_false_edges),
        "pairs": [
            {"a": text[x], "b": text[y], **{way: int(count) for way, count in counts._asdict().items()}}
            for (x, y), counts in sorted(shares.counts.items())
        ],
    }


def read_shares(record: SharesRecord | None, names: tuple[Hashable, ...]) -> Shares | None:
    """The shares; None where the file has none."""
    if record is None:
        return None
    counts: dict[Positions, PairCounts] = {}
    for entry, (x, y) in zip(record.pairs, _pairs("shares", record.pairs, names), strict=True):
        found, both = PairCounts(entry.forward, entry.backward, entry.undirected), f"{entry.a!r} and {entry.b!r}"
        if not found.adjacent:
            raise FieldError("shares", f"{both} are never adjacent, so no counts are expected for them")
        if found.adjacent > record.n_resamples:
            raise FieldError("shares", f"{both} are adjacent in {found.adjacent} of {record.n_resamples} resamples")
        counts[ordered(x, y)] = found if x < y else found.turned()
    method = cast(Method, record.method)
    return Shares(names, method, record.seed, record.n_resamples, counts, record.max_false_edges)


def write_levels(network: Network) -> list[dict[str, Any]] | None:
    """The edges at each level; None if there was one level only."""
    levels = network.levels
    if levels is None:
        return None
    text = [plain(name) for name in levels.names]
    return [
        {
            "alpha": float(alpha),
            "edges": [{"a": text[x], "b": text[y], "way": way} for (x, y), way in sorted(edges.items())],
        }
        for alpha, edges in zip(levels.alphas, levels.edges, strict=True)
    ]


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
    pairs = zip(record.edges, _pairs("levels", record.edges, names), strict=True)
    return {ordered(x, y): (WAYS if x < y else TURNED)[entry.way] for entry, (x, y) in pairs}


def _pairs(field: str, records: Iterable[CountsRecord | WayRecord], names: tuple[Hashable, ...]) -> Iterable[Positions]:
    """The position of both variables of each record; no pair stands twice."""
    position = {name: i for i, name in enumerate(names)}
    seen: set[Positions] = set()
    for record in records:
        x, y = position[record.a], position[record.b]
        if x == y:
            raise FieldError(field, f"two different variables are expected, not {record.a!r} twice")
        if ordered(x, y) in seen:
            raise FieldError(field, f"{record.a!r} and {record.b!r} stand there twice")
        seen.add(ordered(x, y))
        yield x, y


def _check_one_of(field: str, value: str, accepted: Iterable[str]) -> None:
    if value not in accepted:
        raise ValueError(f"{field} must be one of {', '.join(map(repr, accepted))}; got {value!r}")
