"""``effect`` where causes may be hidden: a formula for all models of a PAG, or what each structure at a cause says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

from sidelight.effects.estimates import hull, possible_effect, sensitivity_of
from sidelight.effects.linear import NONE, LinearEstimator
from sidelight.effects.marked import MOST_CIRCLES, Identification, identify, n_circles, structures
from sidelight.effects.question import Answer, Asked
from sidelight.effects.value import Effect, Interval, Sensitivity
from sidelight.effects.wording import doubts, named, unit_in_words
from sidelight.errors import InputError
from sidelight.explain import causes
from sidelight.graphs.marks import MarkedGraph
from sidelight.knowledge import Constraints, Known, constraints_of
from sidelight.network import Network
from sidelight.orientation.pag import is_pag
from sidelight.text.message import Message, Option
from sidelight.text.sentences import listed

Outcome = tuple[Identification, tuple[str, ...]]  # what is found, and what is assumed for it


def effect_with_hidden_causes(network: Network, asked: Asked, has_units: bool, placebo: int) -> Effect:
    """The effect in all models of the PAG."""
    if asked.adjustment == "parents":
        why = ": the parents in a PAG need not be all direct causes; optimal and minimal are possible"
        raise InputError(Message(Option("adjustment", "parents"), why))
    outcomes = list(_outcomes(network, asked))
    sure = [(found, assumed) for found, assumed in outcomes if found.is_zero or found.given is not None]
    answers = [_answer(asked, found) for found, _ in sure]
    estimates = tuple(
        replace(possible_effect(network, asked, answer, has_units), assumed_marks=assumed)
        for answer, (_, assumed) in zip(answers, sure, strict=True)
    )
    identified = len(sure) == len(outcomes) == 1
    interval = hull(answers) if len(sure) == len(outcomes) else (-inf, inf)
    given = answers[0].given if identified else None
    return Effect(
        causes=tuple(network.names[x] for x in asked.causes),
        on=network.names[asked.target],
        identified=identified,
        adjustment_set=None if given is None else named(network, given),
        estimates=estimates,
        interval=interval,
        given_one_graph=interval,
        with_resamples=_over_resamples(network, asked, interval),
        level=asked.level,
        unit=unit_in_words(network, asked, has_units),
        because=_why(network, asked, outcomes),
        question=None,
        sensitivity=sensitivity_of(network, asked, answers[0], placebo) if identified else Sensitivity(),
        doubts=tuple(doubts(network, asked, answers)),
        n_rows=float(asked.estimator.n_rows),
        unidentified=tuple(_unidentified(network, asked, outcomes)),
        hidden=True,
    )


def has_effects(network: Network) -> bool:
    """False for a PAG that a limit left unfinished, and where rows were selected."""
    return is_pag(network.by_position.by_sets.graph if network.settings.known else network.by_position.marks)


def known_of(network: Network) -> Constraints:
    """What is known of the MAG; nothing, where nothing was said."""
    return network.by_position.known or constraints_of(Known(), network.names, hidden=True)


def _outcomes(network: Network, asked: Asked) -> Iterator[Outcome]:
    """What the PAG says, or, where that is no formula, each different thing that a structure at the cause says."""
    if not has_effects(network):
        raise InputError("effects need a PAG that was learned to its end, without variables that rows were selected on")
    graph, names = network.by_position.marks, network.names
    pag = network.by_position.by_sets.graph if network.settings.known else graph
    for found, assumed in _identified(graph, pag, known_of(network), asked):
        ways = (f"{names[asked.causes[0]]} {'causes' if way else 'does not cause'} {names[v]}" for v, way in assumed)
        yield found, tuple(ways)


def _identified(
    graph: MarkedGraph, pag: MarkedGraph, known: Constraints, asked: Asked
) -> Iterator[tuple[Identification, tuple[tuple[int, bool], ...]]]:
    """The same by position; ``pag`` is the class as it was learned, ``graph`` has the marks that are known besides."""
    minimal, x = asked.adjustment == "minimal", asked.causes[0]
    whole = identify(graph, asked.causes, asked.target, known, minimal)
    if whole.is_zero or whole.given is not None or len(asked.causes) > 1 or n_circles(graph, x) > MOST_CIRCLES:
        yield whole, ()
        return
    found: dict[Identification, dict[int, bool]] = {}
    for structure in structures(pag, known, x, asked.target, minimal):
        shared = found.get(structure.found, structure.causes)
        found[structure.found] = {v: way for v, way in shared.items() if structure.causes[v] == way}
    yield from ((one, tuple(assumed.items())) for one, assumed in found.items())


def _over_resamples(network: Network, asked: Asked, interval: Interval) -> Interval | None:
    """Over the PAGs of resamples, and that of the network; none with knowledge, which these PAGs have in them."""
    graphs = [] if network.shares is None or network.settings.known else list(network.shares.graphs())
    if not graphs:
        return None
    nothing = known_of(network)
    found = [one for graph in graphs for one, _ in _identified(graph, graph, nothing, asked)]
    if interval[1] == inf or any(not one.is_zero and one.given is None for one in found):
        return -inf, inf
    low, high = hull([_answer(asked, one) for one in found])
    return min(low, interval[0]), max(high, interval[1])


def _answer(asked: Asked, found: Identification) -> Answer:
    if found.given is None:
        return Answer(NONE, 0.0, 0.0, None, is_zero=True)
    contrast = asked.estimate(found.given)
    return Answer(contrast, *contrast.total.interval(asked.level), found.given)


def _why(network: Network, asked: Asked, outcomes: list[Outcome]) -> str:
    linear = " Assumes linear effects." if isinstance(asked.estimator, LinearEstimator) else ""
    found, several = outcomes[0][0], len(outcomes) > 1
    if several:
        return f"Not identified: the models of the PAG do not agree on the effect.{linear}"
    if found.is_zero:
        reasons = [causes(network, x, asked.target).because for x in asked.causes]
        on, of = network.names[asked.target], listed(network.names[x] for x in asked.causes)
        return f"Identified: {of} does not cause {on}, so the effect is 0, whatever is hidden ({'; '.join(reasons)})."
    if found.given is None:
        return f"Not identified.{linear}"
    how = f"by adjusting for {listed(named(network, found.given))}" if found.given else "without adjusting for anything"
    return f"Identified {how}, whatever is hidden: all models of the PAG agree on it.{linear}"


def _unidentified(network: Network, asked: Asked, outcomes: list[Outcome]) -> Iterator[str]:
    for found, assumed in outcomes:
        if not found.is_zero and found.given is None:
            if_so = f"If {listed(assumed)}: not" if assumed else "Not"
            yield f"{if_so} identified, since {why_not(network, found, asked.target)}."


def why_not(network: Network, found: Identification, target: int) -> str:
    """Why no adjustment gives the effect, as a part of a sentence."""
    if found.hidden is None:
        return "no set of columns blocks all paths that are not causal"
    a, b = (network.names[v] for v in found.hidden)
    through = "" if found.hidden[1] == target else f", through which {a} may act on {network.names[target]}"
    return f"something hidden may cause both {a} and {b}{through}"
