"""Why two variables are not joined: what separates them, and how that was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sidelight.explanation.direction import overruled_in_words
from sidelight.explanation.edge import Told
from sidelight.explanation.words import as_text, known, level, listed, p_in_words
from sidelight.network import Network


def explain_missing(network: Network, x: int, y: int) -> Told:
    """The sentences and the facts about a pair that is not joined."""
    a, b = network.names[x], network.names[y]
    members = [network.names[z] for z in sorted(network.separating_sets.between(x, y))]
    p = network.missing_p_values.get(frozenset((a, b)))
    effects = _common_effects(network, x, y)
    how = _how(network, x, y)
    ignored, overruled = overruled_in_words(network, x, y)
    sentences = [*_separation(network, x, y, members, p), how.pop("words"), *_effects_in_words(a, b, effects), *ignored]
    facts = {
        "separating_set": as_text(members),
        "p": p,
        "holds": None if p is None else p > level(network),
        "found": how,
        "common_effects": as_text(effects),
        "overruled": overruled,
    }
    return sentences, facts


def _separation(network: Network, x: int, y: int, members: list[Any], p: float | None) -> Iterator[str]:
    a, b = network.names[x], network.names[y]
    claim = f"{known(members)}, {a} tells nothing {'more ' if members else ''}about {b}"
    if p is None:
        yield f"{a} and {b} are not joined: {claim}."
        yield "The p-value of that was not kept with the network; audit it with the data to see it."
    elif p > level(network):
        yield f"{a} and {b} are not joined: {claim} ({p_in_words(p, network.settings.get('test'))})."
    else:
        yield f"{a} and {b} are not joined: it was concluded that {claim}."
        doubt = "an edge may be missing here"
        if p > level(network) / len(network.separating_sets):
            doubt = "among so many pairs that happens by chance, or else an edge is missing here"
        chance = p_in_words(p, network.settings.get("test"))
        yield f"Asked again, the data speak against that ({chance}, below the level {level(network):g}): {doubt}."


def _how(network: Network, x: int, y: int) -> dict[str, Any]:
    """How the set was found: its kind, the step, and a sentence."""
    if not network.steps:
        return _how_without_steps(network, x, y)
    sets = network.separating_sets
    first = sets.removed_first(x, y)
    removed, other = network.names[first], network.names[y if first == x else x]
    number = network.edge_questions.step_number(first)
    when = f"when {removed} was removed, in step {number} of {len(network.steps)}"
    found = {"step": number, "removed": str(removed), "left_out": []}
    inside = other in network.steps[number - 1].boundary
    left_out = [network.names[z] for z in sets.left_out_for(x, y)]
    if sets.is_found_otherwise(x, y) and (network.settings.get("learner") == "rsl" or not inside):
        return {**found, "kind": "second look", "words": "This set was found by a second look after the last step."}
    if sets.is_found_otherwise(x, y):
        return {**found, "kind": "search", "words": f"This was found {when}, by a search among its boundary."}
    if not inside:
        words = f"This was found {when}: the set was all of its boundary then, which separates it from all others."
        return {**found, "kind": "boundary", "words": words}
    words = f"This was found {when}: {other} was in its boundary, but given the rest the two are independent."
    if left_out:
        words = (
            f"This was found {when}: {other} was in its boundary, but the rest without {listed(left_out)} separates "
            "the two, so they have an effect in common rather than an edge."
        )
    return {**found, "kind": "boundary member", "left_out": as_text(left_out), "words": words}


def _how_without_steps(network: Network, x: int, y: int) -> dict[str, Any]:
    """For learners that do not remove variables."""
    a, b = network.names[x], network.names[y]
    implied = network.settings.get("boundaries") != "none" and b not in network.boundaries.get(a, ())
    if network.separating_sets.is_found_otherwise(x, y) and implied:
        return {"kind": "second look", "words": "This set was found by a second look at the end."}
    if implied:
        first = network.names[network.separating_sets.removed_first(x, y)]
        words = f"The set is the Markov boundary of {first}, which separates it from all variables outside."
        return {"kind": "boundary", "words": words}
    size = len(network.separating_sets.between(x, y))
    words = f"This was found by a search of conditioning sets, with {size or 'no'} variable{'s' * (size != 1)}."
    return {"kind": "search", "words": words}


def _common_effects(network: Network, x: int, y: int) -> list[Any]:
    """The names of the variables that the result has as common effects of the two."""
    return [network.names[c] for c in sorted(network.essential_graph.children[x] & network.essential_graph.children[y])]


def _effects_in_words(a: object, b: object, effects: list[Any]) -> Iterator[str]:
    if len(effects) == 1:
        yield f"They have a common effect, {effects[0]}: knowing it makes {a} and {b} dependent."
    elif effects:
        yield f"They have common effects, {listed(effects)}: knowing one of them makes {a} and {b} dependent."
