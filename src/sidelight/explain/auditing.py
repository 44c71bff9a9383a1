"""Does a network hold in these data? All its missing edges and edges are tested, on the same or on other data."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.consistency.checks import marginally_dependent
from sidelight.errors import InputError
from sidelight.explain.as_learned import options_as_learned
from sidelight.explain.pair import statements_about
from sidelight.explain.phrases import conditioned_on, p_in_words
from sidelight.families import CITest
from sidelight.families.gaussian.correlation import Correlation
from sidelight.families.options import DataOptions
from sidelight.families.subset_search import NO_LIMIT
from sidelight.graphs.ancestral import dag_of
from sidelight.graphs.dag import Dag
from sidelight.graphs.names import hint_at_names
from sidelight.knowledge.time import closed_dag
from sidelight.network import Network
from sidelight.options import check_alpha
from sidelight.orientation.pag import is_pag, mag_in
from sidelight.prepare import Prepared, prepare
from sidelight.result.settings import ORACLE, Settings
from sidelight.sources.memory import array_names
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.table import weights_column
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

# The settings that say how data are tested.
SHOWN = ("test", "alpha", "correlation", "discrete", "ordinal", "missing", "weights", "groups", "variation")


@dataclass(frozen=True)
class Failure:
    """A pair about which the data contradict the network.

    ``no_open_path`` is True for a pair that depends marginally, though the network has no open path between the two.
    ``said`` is what was said of the pair beforehand, if that is why it is adjacent or not.
    """

    pair: tuple[Hashable, Hashable]
    adjacent: bool
    given: tuple[Hashable, ...]
    p: float
    no_open_path: bool = False
    said: str = ""


@dataclass(frozen=True, repr=False)
class Audit:
    """What was tested, at which significance levels, and what does not hold, the clearest first.

    A missing edge fails when its p-value given its separating set is at most ``missing_alpha``: alpha divided by the
    number of missing edges (Bonferroni), so that chance alone fails any of them with a probability of at most alpha.
    A pair without an open path between the two fails when its marginal p-value is at most ``missing_alpha``.
    An edge fails when its p-value given the rest of the boundary is above alpha; dividing that alpha too would call
    more edges wrong, not fewer. ``settings`` say how the data were read and tested; ``learned_with`` is how the network
    was learned, where that differs, and else empty.
    """

    alpha: float
    missing_alpha: float
    n_missing: int
    n_edges: int
    n_marginal: int
    test: str
    failures: tuple[Failure, ...]
    warnings: tuple[Finding, ...]
    settings: Settings
    learned_with: str

    @property
    def holds(self) -> bool:
        """True when nothing failed."""
        return not self.failures

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of it in words; warnings are messages that keep the options they name."""
        learned = f"where the network was learned with {self.learned_with}" if self.learned_with else ""
        total = self.n_missing + self.n_marginal + self.n_edges
        return (
            f"Tested with {_how(self.settings)}, {learned or 'as the network was learned'}: "
            f"{counted(self.n_missing, 'missing edge')}, each given its separating set, "
            f"{counted(self.n_marginal, 'pair')} without an open path between the two, and "
            f"{counted(self.n_edges, 'edge')}, each given the rest of the boundary.",
            f"A missing edge, or a pair without an open path, fails at p ≤ {self.missing_alpha:.2g}, which is "
            f"{self.alpha:g} divided by the number of missing edges (Bonferroni); an edge fails at p > {self.alpha:g}.",
            *(Message("Warning: ", warning.message) for warning in self.warnings),
            f"{len(self.failures)} of {total} do not hold:" if self.failures else f"All {total} hold.",
            *map(self.in_words, self.failures),
        )

    def in_words(self, failure: Failure) -> str:
        """One sentence about one failure."""
        (a, b), given, chance = failure.pair, conditioned_on(failure.given), self._chance(failure)
        said = f" You said so ({failure.said})." if failure.said else ""
        if failure.adjacent:
            return f"{a} and {b} are adjacent, but {given} independence is not rejected ({chance}).{said}"
        if failure.no_open_path:
            return f"{a} and {b} have no open path between them, but they are marginally dependent ({chance})."
        return f"{a} and {b} are not adjacent, but {given} they are dependent ({chance}).{said}"

    def _chance(self, failure: Failure) -> str:
        """A p-value in words; an oracle gives only yes or no."""
        if self.test == ORACLE:
            return "d-separated" if failure.p > 0 else "d-connected"
        return p_in_words(failure.p, self.alpha if failure.adjacent else self.missing_alpha)

    def as_dict(self) -> dict[str, Any]:
        """All of it as data that JSON can hold."""
        return {
            "holds": self.holds,
            "correction": "Bonferroni, missing edges",
            **vars(self),
            "settings": _shown(self.settings),
            "failures": [
                {**vars(f), "pair": list(map(str, f.pair)), "given": list(map(str, f.given))} for f in self.failures
            ],
            "warnings": [warning.as_dict() for warning in self.warnings],
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__


def audit(
    network: Network,
    data: object,
    alpha: float | None = None,
    changes: Mapping[str, Any] = MappingProxyType({}),
) -> Audit:
    """Test all edges and missing edges of a network on data.

    ``changes`` are options for reading and testing the data that are to differ from how the network was learned.
    """
    alpha = network.settings.alpha if alpha is None else alpha
    check_alpha("alpha", alpha)
    prepared, options = _prepared(network, data, changes)
    place = _places(network, prepared.test)
    n_missing, edges = len(network.separating_sets), network.by_position.edge_tests.edges()
    alpha, missing_alpha = float(alpha), float(alpha) / max(1, n_missing)
    wrong = sorted(_dependent(network, prepared.test, place, missing_alpha), key=lambda failure: failure.p)
    marginal, n_marginal = _unexplained(network, prepared.test, place, missing_alpha)
    known = {frozenset(failure.pair) for failure in wrong}
    unexplained = [failure for failure in marginal if frozenset(failure.pair) not in known]
    unseen = sorted(_unseen(network, prepared.test, place, alpha), key=lambda failure: -failure.p)
    settings = _settings(prepared, options, alpha)
    return Audit(
        alpha=alpha,
        missing_alpha=missing_alpha,
        n_missing=n_missing,
        n_edges=len(edges),
        n_marginal=n_marginal,
        test=settings.test,
        failures=tuple(_with_what_was_said(network, failure) for failure in (*wrong, *unexplained, *unseen)),
        warnings=(*prepared.findings, *_lost_weights(network, settings), *_lost_groups(network, settings)),
        settings=settings,
        learned_with=_otherwise(network, settings),
    )


def _with_what_was_said(network: Network, failure: Failure) -> Failure:
    x, y = (network.by_position.edge_tests.index[name] for name in failure.pair)
    return replace(failure, said="; ".join(statements_about(network, x, y, failure.adjacent)))


def _how(settings: Settings) -> str:
    """Settings in words, such as "fisher-z (alpha 0.01, correlation pearson)"."""
    shown = _shown(settings)
    return f"{shown.pop('test')} ({', '.join(f'{name} {value}' for name, value in shown.items())})"


def _settings(prepared: Prepared, options: DataOptions, alpha: float) -> Settings:
    """How the data were read and tested; nothing was learned."""
    return Settings(
        learner="",
        alpha=alpha,
        test=prepared.test.title,
        boundaries="",
        **prepared.settings(options),
        missing=options.missing,
        weighted=options.weights is not None,
        weights_column=weights_column(options.weights),
        given={} if options.groups is None else _groups_given(options),
    )


def _groups_given(options: DataOptions) -> dict[str, str]:
    given = {"groups": str(options.groups), "variation": options.variation}
    return {name: value for name, value in given.items() if value != getattr(DataOptions(), name)}


def _shown(settings: Settings) -> dict[str, str]:
    return {name: text for name, text in settings.as_text().items() if name in SHOWN}


def _otherwise(network: Network, settings: Settings) -> str:
    """How the network was learned, if that differs, be it in the last digits of alpha."""
    learned = network.settings
    alike = learned.alpha == settings.alpha and _shown(learned) == _shown(settings)
    return "" if alike else _how(learned)


def _lost_weights(network: Network, settings: Settings) -> Iterator[Finding]:
    if network.settings.weighted and not settings.weighted:
        text = Message("the network was learned with weights, and here every row counts once; ", Option("weights"))
        yield Finding(FindingKind.NO_WEIGHTS, "warning", (), Message(text, " gives them"))


def _lost_groups(network: Network, settings: Settings) -> Iterator[Finding]:
    groups = network.settings.given.get("groups")
    if groups is not None and "groups" not in settings.given:
        text = (
            f"the network was learned in groups by {groups!r}, and here rows are taken as independent: the data have "
        )
        yield Finding(FindingKind.NO_GROUPS, "warning", (), f"{text}no such column", "add it")


def _prepared(network: Network, data: object, changes: Mapping[str, Any]) -> tuple[Prepared, DataOptions]:
    """The test on the network's own columns, whatever others there are; an array's columns come in its order."""
    if isinstance(data, CITest | Correlation):
        options = DataOptions(**changes)
    else:
        options = options_as_learned(network, data, changes)
        column = weights_column(options.weights)
        order = network.settings.time_order if options.time is not None else None
        variables = [name for name in network.names if order is None or not order.lag(name)]
        columns = [*variables, *([] if column is None else [column])]
        options = replace(options, names=array_names(data, options.names, network.names), columns=columns)
    prepared = prepare(data, options)
    return prepared, prepared.as_applied(options)


def _places(network: Network, test: CITest) -> NDArray[np.int64]:
    """Where each variable of the network is in the test; those that are not there are named."""
    index = {name: position for position, name in enumerate(test.names)}
    absent = [name for name in network.names if name not in index]
    if absent:
        listed = ", ".join(map(repr, absent))
        raise InputError(f"the data do not have the network's variables {listed}{hint_at_names(absent[0], test.names)}")
    return np.array([index[name] for name in network.names], dtype=np.int64)


def _dependent(network: Network, test: CITest, place: NDArray[np.int64], alpha: float) -> Iterator[Failure]:
    """The missing edges whose separating set does not separate."""
    for x, others, given in network.separating_sets.by_set():
        p_values = test.p_values(int(place[x]), place[others], place[given].tolist())
        for i in np.flatnonzero(p_values <= alpha):
            pair = (network.names[x], network.names[int(others[i])])
            yield Failure(pair, False, tuple(network.names[z] for z in given), float(p_values[i]))


def _unexplained(network: Network, test: CITest, place: NDArray[np.int64], alpha: float) -> tuple[list[Failure], int]:
    """Pairs that depend on each other though no path between them is open, the clearest first; how many were tested."""
    sets, dag = network.separating_sets, network.by_position.chosen or _with_hidden_causes(network)
    dag = None if dag is None else closed_dag(dag, network.by_position.known)
    found, n_tested = ([], 0) if dag is None else marginally_dependent(test, dag, alpha, NO_LIMIT, place, sets=sets)
    names = network.names
    failures = [Failure((names[x], names[y]), False, (), p, no_open_path=True) for (x, y), p in found]
    return sorted(failures, key=lambda failure: failure.p), n_tested


def _with_hidden_causes(network: Network) -> Dag | None:
    """A DAG that a PAG stands for; None where rows were selected, or a limit ended the learning."""
    graph = network.by_position.marks
    return dag_of(mag_in(graph)) if is_pag(graph) else None


def _unseen(network: Network, test: CITest, place: NDArray[np.int64], alpha: float) -> Iterator[Failure]:
    """The edges whose independence is not rejected given the rest of the boundary."""
    for x, y in network.by_position.edge_tests.edges():
        rest = network.by_position.edge_tests.rest_of_boundary(x, y)
        p = test.checked_p_value(int(place[x]), int(place[y]), [int(place[z]) for z in rest])
        if p > alpha:
            yield Failure((network.names[x], network.names[y]), True, tuple(network.names[z] for z in rest), p)
