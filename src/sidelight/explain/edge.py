"""Why two variables are adjacent: the weakest of the tests behind the edge, and how it was found."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from math import isfinite
from typing import Any

from sidelight.explain.phrases import conditioned_on, names_of, p_in_words, spoken, spoken_names
from sidelight.network import Network
from sidelight.result.evidence import EdgeEvidence, EdgeStrength
from sidelight.text.sentences import listed


def edge_words(network: Network, x: int, y: int) -> Iterator[str]:
    """The sentences about an edge, its direction apart."""
    evidence = network.edge_evidence.get(names_of(network, x, y))
    pair = f"{' and '.join(spoken(network, (x, y)))} are adjacent"
    if evidence is None:
        yield f"{pair}."
        yield (
            "The p-values of this edge were not kept with the network; an audit with the data computes the one given "
            "the rest of the boundary."
        )
    elif network.settings.is_oracle:
        yield pair + _of_the_oracle(network, evidence)
    else:
        yield pair + _dependence(network, evidence)
        yield from _given_the_boundary(network, evidence)
    yield from _strength(network, x, y, evidence)
    loss = network.edge_losses.get(names_of(network, x, y))
    if loss is not None and loss < 0:  # it is there because that was known
        yield f"The score ({network.settings.score}) would rather not have the edge, by {-loss:.1f} nats."
    elif loss is not None:
        yield f"Taking the edge out costs {loss:.1f} nats of the score ({network.settings.score})."
    yield from _how_found(network, x, y, evidence is not None)


def edge_facts(network: Network, x: int, y: int) -> dict[str, Any]:
    """The same as data."""
    pair, effect = names_of(network, x, y), _effect(network, x, y)
    evidence = network.edge_evidence.get(pair)
    return {
        "evidence": None if evidence is None else _plain(evidence, "weakest_given", "boundary_given"),
        "found": _found(network, x, y),
        "added_by_check": _was_added(network, x, y),
        "score_loss": network.edge_losses.get(pair),
        "effect": None if effect is None else _plain(effect, "given"),
    }


def _plain(record: EdgeEvidence | EdgeStrength, *sets: str) -> dict[str, Any]:
    """A record as data that JSON can hold; some of its fields are sets of names."""
    return vars(record) | {name: [str(member) for member in getattr(record, name)] for name in sets}


def _strength(network: Network, x: int, y: int, evidence: EdgeEvidence | None) -> Iterator[str]:
    """The effect size given the other parents, where no test that was told of is given the same."""
    effect = _effect(network, x, y)
    told = [] if evidence is None else [set(evidence.weakest_given), set(evidence.boundary_given)]
    if effect is None or set(effect.given) in told:
        return
    given = listed(spoken_names(network, effect.given))
    (head,) = spoken(network, [y if x in network.by_position.dag.parents[y] else x])
    yield f"Given the other parents of {head} ({given}): {effect}." if given else f"Without conditioning: {effect}."


def _effect(network: Network, x: int, y: int) -> EdgeStrength | None:
    effect = network.edge_strengths.get(names_of(network, x, y))
    return effect if effect is not None and isfinite(effect.size) else None


def _dependence(network: Network, evidence: EdgeEvidence) -> str:
    """The result of the weakest test, to follow "A and B are adjacent"."""
    given = spoken_names(network, evidence.weakest_given)
    numbers = _numbers(network, evidence, evidence.weakest_effect, evidence.weakest_p, evidence.weakest_given)
    if evidence.weakest_p > network.settings.alpha:
        # A score weighs all of the data; of several tests of a true edge, one may well not reject.
        then = "The edge is doubtful." if network.score is None else "The edge rests on the score."
        test = f"the weakest of {evidence.n_tests} tests alone" if evidence.n_tests > 1 else "the test"
        return (
            f", but {test} would not reject independence at alpha = {network.settings.alpha:g}: "
            f"{conditioned_on(given)}, {numbers}. {then}"
        )
    claim = f"given {listed(given)} they remain dependent" if given else "they are marginally dependent"
    weakest = f"; the weakest of {evidence.n_tests} tests" if evidence.n_tests > 1 else ""
    return f": {claim} ({numbers}{weakest})."


def _of_the_oracle(network: Network, evidence: EdgeEvidence) -> str:
    given = conditioned_on(spoken_names(network, evidence.weakest_given))
    if evidence.weakest_p > 0:
        return f", but {given} they are d-separated. The edge is doubtful."
    if evidence.n_tests > 1:
        return f": they are d-connected in all of {evidence.n_tests} tests."
    return f": {given} they are d-connected."


def _given_the_boundary(network: Network, evidence: EdgeEvidence) -> Iterator[str]:
    """The test given all the rest of the boundary, where the weakest is another."""
    rest = evidence.boundary_given
    if set(evidence.weakest_given) == set(rest):
        return
    numbers = _numbers(network, evidence, evidence.boundary_effect, evidence.boundary_p, rest)
    what = f"Given the whole rest of the boundary ({listed(spoken_names(network, rest))})" if rest else "Marginally"
    yield f"{what}: {numbers}."


def _numbers(
    network: Network, evidence: EdgeEvidence, effect: float | None, p: float, given: tuple[Hashable, ...]
) -> str:
    """Effect size and p-value."""
    chance = p_in_words(p, network.settings.alpha)
    return chance if effect is None else f"{EdgeStrength(effect, evidence.effect_name, given)}, {chance}"


def _how_found(network: Network, x: int, y: int, tested: bool) -> Iterator[str]:
    """Which tests these were, and what makes the edge doubtful."""
    tests, was_added = network.by_position.edge_tests, _was_added(network, x, y)
    about, step = tests.about(x, y).words, tests.first_step(x, y)[1] if network.steps else None
    if was_added:
        yield (
            "The check of separating sets added this edge: the set that should have separated the two does not in "
            "these data, and no other was found among the neighbours of either."
        )
    elif step is not None and step.undecided:
        yield "A limit ended the learning before this pair was decided; it stays adjacent, and the edge may be extra."
    if was_added or step is None or step.undecided:  # only learners that remove variables decide by these very tests
        yield from [f"Tested after learning {about}."] * tested
        return
    yield f"Tested {about}."
    if step.fallback:
        (removed,) = spoken_names(network, [step.removed])
        yield f"No variable tested as removable at that step; {removed} was a fallback removal: the edge may be extra."
    elif not names_of(network, x, y).intersection(step.neighbours):
        yield "The edge was not found at that step; the re-test of edges added it."


def _was_added(network: Network, x: int, y: int) -> bool:
    return names_of(network, x, y) in map(frozenset, network.added_edges)


def _found(network: Network, x: int, y: int) -> dict[str, Any] | None:
    if not network.steps:
        return None
    number, step = network.by_position.edge_tests.first_step(x, y)
    return {"step": number, "removed": str(step.removed), "fallback": step.fallback, "undecided": step.undecided}
