"""Does a network hold in these data? All its missing edges and edges are tested, on the same or on other data."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.data.variables import array_names
from sidelight.errors import InputError
from sidelight.explain.as_learned import level_to_repeat, options_to_repeat
from sidelight.explain.wording import as_text, known, p_in_words
from sidelight.graphs.names import hint_at_names
from sidelight.independence import CITest
from sidelight.independence.choose import Prepared, prepare
from sidelight.independence.options import DataOptions, Function, is_column_name
from sidelight.network import Network
from sidelight.sufficient import Correlation
from sidelight.text.message import Message, Option

TOLD = ("test", "alpha", "correlation", "discrete", "missing", "weights")  # the settings that an audit shares


@dataclass(frozen=True)
class Failure:
    """A pair about which the data say otherwise than the network."""

    pair: tuple[Hashable, Hashable]
    joined: bool
    given: tuple[Hashable, ...]
    p: float


@dataclass(frozen=True, repr=False)
class Audit:
    """What was tested, at which levels, and what does not hold, the clearest first.

    A missing edge fails when its p-value given its separating set is at most ``missing_level``: alpha divided by the
    number of missing edges (Bonferroni), so that chance alone fails any of them with a probability of at most alpha.
    An edge fails when its p-value given the rest of the boundary is above alpha; to divide that level too would call
    more edges wrong, not fewer. ``settings`` say how the data were read and tested, in the words of the network's own;
    ``learned_with`` is how the network was learned, where that differs, and else empty.
    """

    alpha: float
    missing_level: float
    n_missing: int
    n_edges: int
    test: str
    failures: tuple[Failure, ...]
    warnings: tuple[str, ...]
    settings: Mapping[str, str]
    learned_with: str

    @property
    def holds(self) -> bool:
        """True when nothing failed."""
        return not self.failures

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of it in words."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        yield (
            f"Tested with {_how(self.settings)}, {self._compared()}: {self.n_missing} missing edges, each given its "
            f"separating set, and {self.n_edges} edges, each given the rest of the boundary."
        )
        yield (
            f"A missing edge fails at p ≤ {self.missing_level:.2g}, which is {self.alpha:g} divided by their number "
            f"(Bonferroni); an edge fails at p > {self.alpha:g}."
        )
        yield from (f"Warning: {warning}" for warning in self.warnings)
        total = self.n_missing + self.n_edges
        yield f"{len(self.failures)} of {total} do not hold:" if self.failures else f"All {total} hold."
        yield from map(self.in_words, self.failures)

    def _compared(self) -> str:
        if self.learned_with:
            return f"where the network was learned with {self.learned_with}"
        return "as the network was learned"

    def in_words(self, failure: Failure) -> str:
        """One sentence about one failure."""
        (a, b), chance = failure.pair, p_in_words(failure.p, self.test)
        if failure.joined:
            return f"{a} and {b} are joined, but {known(failure.given)}, no dependence shows ({chance})."
        return f"{a} and {b} are not joined, but {known(failure.given)}, they depend on each other ({chance})."

    @property
    def facts(self) -> dict[str, Any]:
        """All of it as data that JSON can hold."""
        return {
            "holds": self.holds,
            "alpha": self.alpha,
            "correction": "Bonferroni, missing edges",
            "missing_level": self.missing_level,
            "n_missing": self.n_missing,
            "n_edges": self.n_edges,
            "test": self.test,
            "settings": dict(self.settings),
            "learned_with": self.learned_with,
            "failures": [
                {"pair": as_text(f.pair), "joined": f.joined, "given": as_text(f.given), "p": f.p}
                for f in self.failures
            ],
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__


def audit(
    network: Network,
    data: object,
    alpha: float | None = None,
    *,
    names: Sequence[Hashable] | None = None,
    correlation: str | None = None,
    test: str | Function | None = None,
    discrete: Iterable[Hashable] | None = None,
    missing: str | None = None,
    weights: object = None,
) -> Audit:
    """Test everything that a network says against data; ``Network.audit`` tells about the arguments."""
    alpha = level_to_repeat(network, alpha)
    given = {
        "names": names, "correlation": correlation, "test": test, "discrete": discrete, "missing": missing,
        "weights": weights,
    }  # fmt: skip
    prepared = _prepared(network, data, alpha, given)
    place = _places(network, prepared.test)
    n_missing, edges = len(network.separating_sets), network.edge_tests.edges()
    level = alpha / max(1, n_missing)
    wrong = sorted(_dependent(network, prepared.test, place, level), key=lambda failure: failure.p)
    unseen = sorted(_unseen(network, prepared.test, place, alpha), key=lambda failure: -failure.p)
    settings = {"test": type(prepared.test).__name__, "alpha": f"{alpha:g}", **prepared.settings}
    return Audit(
        alpha=alpha,
        missing_level=level,
        n_missing=n_missing,
        n_edges=len(edges),
        test=settings["test"],
        failures=(*wrong, *unseen),
        warnings=(*map(str, prepared.findings), *_lost_weights(network, settings)),
        settings=settings,
        learned_with=_otherwise(network, settings),
    )


def _how(settings: Mapping[str, str]) -> str:
    """Settings in words, such as "FisherZ (level 0.01, correlation pearson)"."""
    told = [f"{'level' if name == 'alpha' else name} {value}" for name, value in settings.items() if name != "test"]
    return f"{settings.get('test', 'another test')} ({', '.join(told)})" if told else settings.get("test", "")


def _otherwise(network: Network, settings: Mapping[str, str]) -> str:
    """How the network was learned, if not so."""
    learned = {name: network.settings[name] for name in TOLD if name in network.settings}
    return _how(learned) if learned and learned != settings else ""


def _lost_weights(network: Network, settings: Mapping[str, str]) -> Iterator[str]:
    if "weights" in network.settings and "weights" not in settings:
        lost = "the network was learned with weights, and here every row counts once; "
        yield Message(lost, Option("weights"), " gives them")


def _prepared(network: Network, data: object, alpha: float, given: dict[str, Any]) -> Prepared:
    """The test on the network's own columns, whatever others there are; an array's columns come in its order."""
    if isinstance(data, CITest | Correlation):
        return prepare(data, alpha, DataOptions(**{name: value for name, value in given.items() if value is not None}))
    options = options_to_repeat(network, data, **given)
    columns = [*network.names, *([options.weights] if is_column_name(options.weights) else [])]
    names = array_names(data, options.names, network.names)
    return prepare(data, alpha, replace(options, names=names, columns=columns))


def _places(network: Network, test: CITest) -> NDArray[np.int64]:
    """Where each variable of the network is in the test; those that are not there are named."""
    index = {name: position for position, name in enumerate(test.names)}
    lost = [name for name in network.names if name not in index]
    if lost:
        listed = ", ".join(map(repr, lost))
        raise InputError(f"the data do not have the network's variables {listed}{hint_at_names(lost[0], test.names)}")
    return np.array([index[name] for name in network.names], dtype=np.int64)


def _dependent(network: Network, test: CITest, place: NDArray[np.int64], level: float) -> Iterator[Failure]:
    """The missing edges whose separating set does not separate."""
    for x, others, given in network.separating_sets.by_question():
        p_values = test.p_values(int(place[x]), place[others], place[given].tolist())
        for i in np.flatnonzero(p_values <= level):
            pair = (network.names[x], network.names[int(others[i])])
            yield Failure(pair, False, tuple(network.names[z] for z in given), float(p_values[i]))


def _unseen(network: Network, test: CITest, place: NDArray[np.int64], alpha: float) -> Iterator[Failure]:
    """The edges that do not show given the rest of the boundary."""
    for x, y in network.edge_tests.edges():
        rest = network.edge_tests.rest_of_boundary(x, y)
        p = test.checked_p_value(int(place[x]), int(place[y]), [int(place[z]) for z in rest])
        if p > alpha:
            yield Failure((network.names[x], network.names[y]), True, tuple(network.names[z] for z in rest), p)
