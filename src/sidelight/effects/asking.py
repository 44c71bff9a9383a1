"""``effect``: from a network, the names of causes and outcome, and a table, to what is known of the effect."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import islice
from numbers import Integral, Real

from sidelight.effects.asking_marked import effect_with_hidden_causes
from sidelight.effects.estimates import hull, possible_effect, sensitivity_of
from sidelight.effects.linear import LinearEstimator
from sidelight.effects.possible import Candidate, best_question, candidates
from sidelight.effects.question import (
    ADJUSTMENTS,
    Adjustment,
    Answer,
    Asked,
    asked_category,
    changes_of,
    does_not_vary,
)
from sidelight.effects.reading import Estimator, estimator_for
from sidelight.effects.standardised import RowsEstimator
from sidelight.effects.value import Edge, Effect, Interval, OpenQuestion, Sensitivity
from sidelight.effects.wording import doubts, named, unit_in_words, why
from sidelight.errors import InputError
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.names import hint_at_names
from sidelight.network import Network
from sidelight.text.message import Message, Option, must_be, must_be_one_of
from sidelight.text.sentences import listed

MOST_EFFECTS = 1000  # of one question


def effect(
    network: Network,
    cause: Hashable | Sequence[Hashable],
    on: Hashable,
    data: object = None,
    *,
    values: object = None,
    outcome: object = None,
    adjustment: Adjustment = "optimal",
    level: float = 0.95,
    placebo: int = 0,
    names: Sequence[Hashable] | None = None,
) -> Effect:
    """The effect of one or several causes; ``Network.effect`` says what the arguments are."""
    causes, target = positions_of(network, cause, on)
    check_choices(adjustment, level)
    if isinstance(placebo, bool) or not isinstance(placebo, Integral) or placebo < 0:
        raise InputError(must_be("placebo", "how many times the cause is permuted, 0 or more", placebo))
    estimator, has_units = estimator_for(network, data, names)
    estimator = with_outcome(estimator, target, network.names[target], outcome)
    changes = changes_of(estimator, network.names, causes, values)
    asked = Asked(causes, target, estimator, changes, adjustment, float(level))
    if network.is_pag:
        return effect_with_hidden_causes(network, asked, has_units, placebo)
    graph = network.by_position.graph
    found = listed_candidates(graph, asked, network.names)
    answers = [asked.answer(candidate.graph) for candidate in found]
    estimates = tuple(
        replace(possible_effect(network, asked, answer, has_units), assumed=_named_arrows(network, candidate))
        for candidate, answer in zip(found, answers, strict=True)
    )
    given_one = asked.answer(_as_partial(network.by_position.dag))
    identified = len(found) == 1
    given = answers[0].given if identified else None
    return Effect(
        causes=tuple(network.names[x] for x in causes),
        on=network.names[target],
        identified=identified,
        adjustment_set=None if given is None else named(network, given),
        estimates=estimates,
        interval=hull(answers),
        given_one_graph=(given_one.low, given_one.high),
        with_resamples=_over_resamples(network, asked, answers),
        level=float(level),
        unit=unit_in_words(network, asked, has_units),
        because=why(network, asked, found, answers),
        question=_question(network, graph, found),
        sensitivity=sensitivity_of(network, asked, answers[0], placebo) if identified else Sensitivity(),
        doubts=tuple(doubts(network, asked, answers)),
        n_rows=float(estimator.n_rows),
    )


# What is asked.


def positions_of(network: Network, cause: object, on: object) -> tuple[tuple[int, ...], int]:
    """Causes and outcome by position; raises for what is no variable, or both."""
    several = cause if isinstance(cause, list | tuple | set | frozenset) and not _is_name(network, cause) else [cause]
    causes = [position_of(network, name) for name in several]
    if not causes:
        raise InputError(must_be("cause", "a variable, or several", cause))
    target = position_of(network, on)
    if target in causes:
        raise InputError(f"{str(on)!r} is both cause and outcome; the effect of a variable on itself is not a question")
    twice = next((name for name, x in zip(several, causes, strict=True) if causes.count(x) > 1), None)
    if twice is not None:
        raise InputError(f"{str(twice)!r} stands twice among the causes")
    return tuple(causes), target


def _is_name(network: Network, cause: object) -> bool:
    return isinstance(cause, Hashable) and cause in network.names


def position_of(network: Network, name: object) -> int:
    """A variable by position; a string also stands for a name that is written so."""
    if _is_name(network, name):
        return network.names.index(name)
    written = [str(known) for known in network.names]
    if isinstance(name, str) and name in written:
        return written.index(name)
    raise InputError(f"there is no variable {name!r}{hint_at_names(name, network.names)}")


def check_choices(adjustment: object, level: object) -> None:
    """Raise when an option is none of those that are accepted."""
    if adjustment not in ADJUSTMENTS:
        raise InputError(must_be_one_of("adjustment", ADJUSTMENTS, adjustment))
    if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < 1:
        raise InputError(must_be("level", "a number between 0 and 1, such as 0.95", level))


def with_outcome(estimator: Estimator, target: int, name: Hashable, outcome: object) -> Estimator:
    """The estimator for a category of the outcome, if that has categories."""
    if isinstance(estimator, LinearEstimator):
        varies = estimator.covariance[target, target] > 0
    else:
        varies = estimator.varies(target)
    if not varies:
        raise does_not_vary(name)
    if isinstance(estimator, RowsEstimator) and estimator.variables[target].kind.is_coded:
        return replace(estimator, category=asked_category(estimator.variables[target], outcome))
    if outcome is not None:
        raise InputError(Message(Option("outcome", outcome), f": {str(name)!r} is a number, and has no category"))
    return estimator


def listed_candidates(graph: PartialDag, asked: Asked, names: Sequence[Hashable]) -> list[Candidate]:
    """The parts of the class that differ in the effect; raises if they are too many."""
    found = list(islice(candidates(graph, asked.causes, asked.target), MOST_EFFECTS + 1))
    if len(found) > MOST_EFFECTS:
        what = f"{listed(names[x] for x in asked.causes)} on {names[asked.target]}"
        raise InputError(
            f"the class of graphs has more than {MOST_EFFECTS:,} possible effects of {what}; background knowledge "
            "about the directions of edges at the causes makes them fewer"
        )
    return found


# What comes of it.


def _named_arrows(network: Network, candidate: Candidate) -> tuple[Edge, ...]:
    return tuple((network.names[tail], network.names[head]) for tail, head in candidate.assumed)


def _question(network: Network, graph: PartialDag, found: Sequence[Candidate]) -> OpenQuestion | None:
    best = best_question(graph, found)
    if best is None:
        return None
    return OpenQuestion((network.names[best.a], network.names[best.b]), best.if_forward, best.if_backward, len(found))


def _over_resamples(network: Network, asked: Asked, answers: Sequence[Answer]) -> Interval | None:
    """Over the graphs of resamples and their classes, and the class of the network itself."""
    graphs = [] if network.shares is None else [graph.to_partial() for graph in network.shares.graphs()]
    if not graphs:
        return None
    found = list(answers)
    for graph in graphs:
        found += [asked.answer(candidate.graph) for candidate in listed_candidates(graph, asked, network.names)]
    return hull(found)


def _as_partial(dag: Dag) -> PartialDag:
    return PartialDag([set(p) for p in dag.parents], [set(c) for c in dag.children], [set() for _ in dag.names])
