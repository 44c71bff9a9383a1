"""Why an edge points as it does, step by step from v-structures, or why it has no direction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sidelight.explanation.words import as_text, listed
from sidelight.network import Network
from sidelight.orientation.reasons import Reason, derivation, either_way
from sidelight.orientation.v_structures import VStructure

STEPS_SHOWN = 12
OVERRULED_SHOWN = 3


def explain_direction(network: Network, x: int, y: int) -> tuple[list[str], dict[str, Any]]:
    """The sentences and the facts about the direction of an edge."""
    ignored, overruled = overruled_in_words(network, x, y)
    arrow = next((arrow for arrow in ((x, y), (y, x)) if arrow in network.reasons), None)
    if arrow is None:
        words, facts = _no_direction(network, x, y)
        return [*words, *ignored], {"direction": None, **facts, "overruled": overruled}
    steps = derivation(arrow, network.reasons)
    sentences = [f"It points from {network.names[arrow[0]]} to {network.names[arrow[1]]}.", *_steps(network, steps)]
    facts = {"direction": as_text(_names(network, arrow)), "derivation": [_facts(network, step) for step in steps]}
    return [*sentences, *ignored], {**facts, "overruled": overruled}


def overruled_in_words(network: Network, x: int, y: int) -> tuple[list[str], list[list[str]]]:
    """The v-structures about this pair that separating sets ask for, but that the result does not have."""
    found = [v for v in network.overruled if {x, y} < set(v)]
    sentences = []
    for a, c, b in found[:OVERRULED_SHOWN]:
        one, effect, other = _names(network, (a, c, b))
        sentences.append(
            f"Overruled: what separates {one} and {other} does not contain {effect}, which asks for {one} → {effect} ← "
            f"{other}, but that contradicts other evidence."
        )
    if len(found) > OVERRULED_SHOWN:
        sentences.append(f"{len(found) - OVERRULED_SHOWN} more such v-structures were overruled.")
    return sentences, [as_text(_names(network, v)) for v in found]


def _names(network: Network, positions: tuple[int, ...]) -> list[Any]:
    return [network.names[v] for v in positions]


def _steps(network: Network, steps: list[Reason]) -> Iterator[str]:
    """One sentence for each step, numbered when there are several; of a long derivation the last ones."""
    if len(steps) == 1:
        yield _in_words(network, steps[0])
        return
    shown = steps[-STEPS_SHOWN:]
    yield "Why, step by step" + (f" (the last {STEPS_SHOWN} of {len(steps)} steps)" * (len(shown) < len(steps))) + ":"
    for number, step in enumerate(shown, len(steps) - len(shown) + 1):
        tail, head = _names(network, step.arrow)
        yield f"{number}. {tail} → {head}: {_in_words(network, step)}"


def _in_words(network: Network, reason: Reason) -> str:
    a, b = _names(network, reason.arrow)
    if reason.rule == 0:
        return _v_structure(network, reason)
    c, d = network.names[reason.others[0]], network.names[reason.others[-1]]
    if reason.rule == 1:
        return f"{c} → {a} is known, and {c} and {b} are not joined. {_would_be_effect(network, reason)}"
    if reason.rule == 2:
        return f"{a} → {c} → {b} is known, so {b} → {a} would close a circle."
    if reason.rule == 3:
        known = f"{c} → {b} and {d} → {b} are known, both are joined to {a}, and they are not joined to each other"
        return f"{known}. {_would_be_effect(network, reason)}"
    known = f"{c} → {d} → {b} is known, {c} and {d} are joined to {a}, and {c} and {b} are not joined"
    return f"{known}. {_would_be_effect(network, reason)}"


def _would_be_effect(network: Network, reason: Reason) -> str:
    """The end of rules 1, 3 and 4: the other direction would make the tail a common effect, and it is none."""
    tail, head = reason.arrow
    one, other = reason.others if reason.rule == 3 else (reason.others[0], head)
    a, b, c, d = _names(network, (tail, head, one, other))
    effect = f"Were it {b} → {a}, {'without a circle ' * (reason.rule > 1)}{a} would be a common effect of {c} and {d}"
    if tail in network.separating_sets.between(one, other):
        return f"{effect}, but {a} is in what separates them, and a common effect is not."
    return f"{effect}, which contradicts other evidence."


def _v_structure(network: Network, reason: Reason) -> str:
    tail, head = reason.arrow
    supported = [v for v in reason.v_structures if _is_supported(network, v)]
    structure = (supported or list(reason.v_structures))[0]
    other = structure[0] if structure[2] == tail else structure[2]
    a, b, c = _names(network, (tail, head, other))
    both = f"{a} and {c} are not joined, and both are joined to {b}"
    members = _separating_set(network, structure)
    if not supported:
        return (
            f"{both}. {b} is in what separates them ({listed(members)}), which speaks against a common effect, but the "
            "evidence contradicts itself around here, and this is the nearest structure without a contradiction."
        )
    separated = f"what separates them ({listed(members)})" if members else "what separates them (nothing is needed)"
    more = f" {len(supported) - 1} more such v-structures say the same." if len(supported) > 1 else ""
    return f"{both}, but {b} is not in {separated}: so {b} is a common effect of {a} and {c}.{more}"


def _separating_set(network: Network, structure: VStructure) -> list[Any]:
    return [network.names[z] for z in sorted(network.separating_sets.between(structure[0], structure[2]))]


def _is_supported(network: Network, structure: VStructure) -> bool:
    a, c, b = structure
    return c not in network.separating_sets.between(a, b)


def _facts(network: Network, reason: Reason) -> dict[str, Any]:
    return {
        "arrow": as_text(_names(network, reason.arrow)),
        "rule": f"Meek {reason.rule}" if reason.rule else "v-structure",
        "premises": [as_text(_names(network, premise)) for premise in reason.premises],
        "others": as_text(_names(network, reason.others)),
        "v_structures": [
            {
                "arrows": as_text(_names(network, v)),
                "separating_set": as_text(_separating_set(network, v)),
                "supported": _is_supported(network, v),
            }
            for v in reason.v_structures
        ],
    }


def _no_direction(network: Network, x: int, y: int) -> tuple[list[str], dict[str, Any]]:
    """Both directions occur: what follows from either, and one DAG each way."""
    a, b = _names(network, (x, y))
    sentences = [
        f"It has no direction: structures with {a} → {b} and structures with {b} → {a} explain the data equally well."
    ]
    ways = []
    for tail, head in ((x, y), (y, x)):
        follows, witness = either_way(network.essential_graph, tail, head)
        if follows:
            arrows = listed(f"{c} → {d}" for c, d in (_names(network, arrow) for arrow in follows))
            sentences.append(f"If it is {network.names[tail]} → {network.names[head]}, then also {arrows}.")
        ways.append(
            {
                "direction": as_text(_names(network, (tail, head))),
                "follows": [as_text(_names(network, arrow)) for arrow in follows],
                "dag": [as_text(_names(network, arrow)) for arrow in witness],
            }
        )
    return sentences, {"either_way": ways}
