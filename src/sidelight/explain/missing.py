"""Why two variables are not adjacent: what separates them, with which p-value, and how that was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sidelight.explain.direction import dismissed_facts, dismissed_words
from sidelight.explain.phrases import PHRASES, names_of, p_in_words, spoken, written
from sidelight.graphs.separating_sets import ordered
from sidelight.network import Network
from sidelight.text.sentences import listed

KINDS = {  # of phrases on how a set was found
    "member without": "boundary member",
    "member": "boundary member",
    "markov boundary": "boundary",
    "re-test": "re-test of edges",
    "check": "check of separating sets",
    **dict.fromkeys(("boundary search", "limit"), "search"),
}


def missing_words(network: Network, x: int, y: int) -> Iterator[str]:
    """The sentences about a pair that is not adjacent."""
    a, b = spoken(network, (x, y))
    if rests_on_knowledge(network, x, y):
        yield PHRASES["said"].format(a=a, b=b)
        return
    yield from _separation(network, x, y)
    yield _how(network, x, y)
    effects = _common_effects(network, x, y)
    if effects:
        phrase = PHRASES["effects" if len(effects) > 1 else "effect"]
        yield phrase.format(a=a, b=b, effects=listed(spoken(network, effects)))
    yield from dismissed_words(network, x, y)


def missing_facts(network: Network, x: int, y: int) -> dict[str, Any]:
    """The same as data."""
    p = _p_value(network, x, y)
    return {
        "separating_set": written(network, sorted(network.separating_sets.between(x, y))),
        "p": p,
        "holds": None if p is None else p > network.settings.alpha,
        "found": _found(network, x, y),
        "common_effects": written(network, _common_effects(network, x, y)),
        **dismissed_facts(network, x, y),
    }


def _p_value(network: Network, x: int, y: int) -> float | None:
    return network.missing_p_values.get(names_of(network, x, y))


def chance_level(network: Network) -> float:
    """Among all pairs that are not adjacent, chance alone seldom gives any p-value as small as this (Bonferroni)."""
    return network.settings.alpha / max(1, len(network.separating_sets))


def _separation(network: Network, x: int, y: int) -> Iterator[str]:
    (a, b), p = spoken(network, (x, y)), _p_value(network, x, y)
    members = spoken(network, sorted(network.separating_sets.between(x, y)))
    claim, support = _support(network, p)
    chance = "" if p is None else p_in_words(p, network.settings.alpha)
    phrase = PHRASES[claim if members else f"{claim} marginally"]
    yield phrase.format(a=a, b=b, given=listed(members), p=chance)
    if support:
        yield PHRASES[support].format(p=chance, alpha=f"{network.settings.alpha:g}", n=len(network.separating_sets))


def _support(network: Network, p: float | None) -> tuple[str, str]:
    """The keys of the phrases on what was concluded, and on what the data say of it where there is more to say."""
    if p is None:
        return "taken", "p not kept"
    if p > network.settings.alpha:
        return "d-separated" if network.settings.is_oracle else "independent", ""
    if network.settings.is_oracle:
        return "taken", "d-connected"
    return "taken", "chance" if p > chance_level(network) else "edge missing"


def _how(network: Network, x: int, y: int) -> str:
    """How the set was found, in a sentence."""
    sets = network.separating_sets
    removed, other = spoken(network, (x, y) if sets.removed_first(x, y) == x else (y, x))
    return PHRASES[found_by(network, x, y)].format(
        removed=removed,
        other=other,
        step=network.by_position.edge_tests.first_step(x, y)[0] if network.steps else 0,
        steps=len(network.steps),
        left_out=listed(spoken(network, sets.left_out_for(x, y))),
        size=len(sets.between(x, y)),
    )


def found_by(network: Network, x: int, y: int) -> str:
    """How the set was found: the key of a phrase."""
    if not network.steps:
        return _found_without_steps(network, x, y)
    sets, (_, step) = network.separating_sets, network.by_position.edge_tests.first_step(x, y)
    inside = not names_of(network, x, y).isdisjoint(step.boundary)
    if sets.is_explicit(x, y):
        if network.settings.learner == "rsl" or not inside:
            return "check" if ordered(x, y) in sets.replaced else "re-test"
        return "limit" if step.undecided else "boundary search"
    if not inside:
        return "boundary"
    return "member without" if sets.left_out_for(x, y) else "member"


def _found_without_steps(network: Network, x: int, y: int) -> str:
    """The same for learners that do not remove variables."""
    if network.score is not None:
        return "model" if network.is_pag else "parents"
    a, b = network.names[x], network.names[y]
    implied = rests_on_boundaries(network) and b not in network.boundaries.get(a, ())
    if implied:
        return "check" if network.separating_sets.is_explicit(x, y) else "markov boundary"
    return "search"


def rests_on_knowledge(network: Network, x: int, y: int) -> bool:
    """True when nothing separates two variables that are not adjacent, but it was said that they are not."""
    known = network.by_position.known
    if known is None or ordered(x, y) not in network.separating_sets.failed:
        return False
    return bool(known.apart[x, y])


def rests_on_boundaries(network: Network) -> bool:
    """True when the learner began with Markov boundaries."""
    return network.settings.boundaries != "none"


def _found(network: Network, x: int, y: int) -> dict[str, Any]:
    """How the set was found, as data."""
    how = found_by(network, x, y)
    kind = {"kind": KINDS.get(how, how)}
    if not network.steps:
        return kind
    number, step = network.by_position.edge_tests.first_step(x, y)
    left_out = network.separating_sets.left_out_for(x, y) if how == "member without" else ()
    return {"step": number, "removed": str(step.removed), "left_out": written(network, left_out), **kind}


def _common_effects(network: Network, x: int, y: int) -> list[int]:
    """The variables that the result has as common effects of the two."""
    children = network.by_position.marks.children
    return sorted(children[x] & children[y])
