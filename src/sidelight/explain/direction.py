"""Why an edge points as it does, step by step from v-structures, or why it has no direction."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from sidelight.explain.phrases import PHRASES, spoken, written
from sidelight.graphs.separating_sets import ordered
from sidelight.network import Network
from sidelight.orientation.essential import VStructure, one_dag
from sidelight.orientation.reasons import Arrow, Reason, consequences, derivation
from sidelight.result.certainty import WHY_UNCERTAIN
from sidelight.text.sentences import NAMES_SHOWN, counted, in_a_row, listed
from sidelight.text.visible import visible

STEPS_SHOWN = 12
OVERRULED_SHOWN = 3


def direction_words(network: Network, x: int, y: int) -> list[str]:
    """The sentences about the direction of an edge."""
    arrow = _arrow(network, x, y)
    if arrow is None:
        return [*_no_direction(network, x, y), *dismissed_words(network, x, y)]
    tail, head = spoken(network, arrow)
    steps = derivation(arrow, network.by_position.reasons)
    claim = f"The edge is directed {tail} → {head}."
    is_uncertain = (network.names[arrow[0]], network.names[arrow[1]]) in network.uncertain_arrows
    uncertain = [f"Its direction is uncertain: {WHY_UNCERTAIN}."] * is_uncertain
    return [claim, *uncertain, *_turning(network, arrow), *_steps(network, steps), *dismissed_words(network, x, y)]


def direction_facts(network: Network, x: int, y: int) -> dict[str, Any]:
    """The same as data, with all of what the sentences name only the nearest."""
    arrow = _arrow(network, x, y)
    dismissed = dismissed_facts(network, x, y)
    if arrow is None:
        return {"direction": None, "either_way": [_way(network, *way) for way in ((x, y), (y, x))], **dismissed}
    steps = derivation(arrow, network.by_position.reasons)
    derived = {"direction": written(network, arrow), "derivation": [_facts(network, step) for step in steps]}
    return {**derived, "turn_cost": _turn_cost(network, arrow), **dismissed}


def _turn_cost(network: Network, arrow: Arrow) -> float | None:
    tail, head = arrow
    return network.turn_costs.get((network.names[tail], network.names[head]))


def _turning(network: Network, arrow: Arrow) -> list[str]:
    """What the score says of the opposite direction."""
    cost = _turn_cost(network, arrow)
    if cost is None:
        return []
    if cost < 0:  # what is known keeps the direction
        return [f"The score would rather have it reversed, by {-cost:.1f} nats, with the parents of both chosen anew."]
    return [f"Reversing it costs {cost:.1f} nats of the score, with the parents of both chosen anew."]


def _arrow(network: Network, x: int, y: int) -> Arrow | None:
    return next((arrow for arrow in ((x, y), (y, x)) if arrow in network.by_position.reasons), None)


def dismissed_words(network: Network, x: int, y: int) -> list[str]:
    """The v-structures about this pair that separating sets imply, but that the result does not take from them."""
    sentences = []
    overruled, failed = _dismissed(network, x, y)
    for phrase, found in (("overruled", overruled), ("failed", failed)):
        for a, c, b in found[:OVERRULED_SHOWN]:
            one, effect, other = spoken(network, (a, c, b))
            sentences.append(PHRASES[phrase].format(a=one, b=other, effect=effect))
        more = len(found) - OVERRULED_SHOWN
        if more > 0:
            sentences.append(PHRASES["more overruled" if more > 1 else "one more overruled"].format(more=more))
    return sentences


def dismissed_facts(network: Network, x: int, y: int) -> dict[str, list[list[str]]]:
    """The same as data."""
    overruled, failed = ([written(network, v) for v in found] for found in _dismissed(network, x, y))
    return {"overruled": overruled, "from_failed_sets": failed}


def _dismissed(network: Network, x: int, y: int) -> tuple[list[VStructure], list[VStructure]]:
    """Those that contradict others, and those whose separating set does not separate in the data."""
    overruled, failed = network.by_position.overruled, network.by_position.from_failed_sets
    return [v for v in overruled if {x, y} < set(v)], [v for v in failed if {x, y} < set(v)]


def _steps(network: Network, steps: list[Reason]) -> Iterator[str]:
    """One sentence for each step, numbered when there are several; of a long derivation the last ones."""
    if len(steps) == 1:
        yield _in_words(network, steps[0])
        return
    shown = steps[-STEPS_SHOWN:]
    yield "Derivation" + (f" (the last {STEPS_SHOWN} of {len(steps)} steps)" * (len(shown) < len(steps))) + ":"
    for number, step in enumerate(shown, len(steps) - len(shown) + 1):
        tail, head = spoken(network, step.arrow)
        yield f"{number}. {tail} → {head}: {_in_words(network, step)}"


def _in_words(network: Network, reason: Reason) -> str:
    a, b = spoken(network, reason.arrow)
    if reason.known:
        return _by_knowledge(network, reason)
    if reason.rule == 0:
        return _v_structure(network, reason)
    c, d = spoken(network, (reason.others[0], reason.others[-1]))
    if reason.rule == 1:
        premises = f"{c} → {a} is directed, and {c} and {b} are not adjacent"
    elif reason.rule == 2:
        premises = f"{a} → {c} → {b} is directed"
    elif reason.rule == 3:
        premises = f"{c} → {b} ← {d} is directed, {c} and {d} are adjacent to {a} but not to each other"
    else:
        premises = f"{c} → {d} → {b} is directed, {c} and {d} are adjacent to {a}, and {c} and {b} are not adjacent"
    return f"{premises}. {_otherwise(network, reason)} (Meek's rule {reason.rule})."


def _by_knowledge(network: Network, reason: Reason) -> str:
    """Which statements say so; about paths, only together with the rest of the graph."""
    tail, head = reason.arrow
    a, b = spoken(network, reason.arrow)
    if _is_told(network, reason):
        return f"Experiments tell the direction: in some rows one of {a} and {b} was set, and the other was not."
    order = network.settings.time_order
    if _is_earlier(network, reason):
        never_changes = order is not None and not order.lag(network.names[tail])
        why = f"{a} never changes over time" if never_changes else f"{a} is earlier than {b}"
        return f"The order of time tells the direction: {why}."
    said = [words for words, piece in network.by_position.statements if not piece.allowed[head, tail]]
    if said:
        return visible(f"You said so ({'; '.join(said)}).")
    return f"With {b} → {a}, no structure of the class agrees with what you said of paths."


def _otherwise(network: Network, reason: Reason) -> str:
    """What the other direction would lead to: a cycle, or else a v-structure with the tail as its collider."""
    tail, head = reason.arrow
    a, b = spoken(network, reason.arrow)
    if reason.rule == 2:
        return f"{b} → {a} would create a cycle"
    one, other = reason.others if reason.rule == 3 else (reason.others[0], head)
    c, d = spoken(network, (one, other))
    v_structure = f"{b} → {a} would create {'a cycle or ' * (reason.rule > 2)}the v-structure {c} → {a} ← {d}"
    if tail in network.separating_sets.between(one, other):
        return f"{v_structure}, which the separating set of {c} and {d} rules out, since it contains {a}"
    return f"{v_structure}, which contradicts other evidence"


def _v_structure(network: Network, reason: Reason) -> str:
    tail, head = reason.arrow
    supported = [v for v in reason.v_structures if _is_supported(network, v)]
    structure = (supported or list(reason.v_structures))[0]
    other = structure[0] if structure[2] == tail else structure[2]
    a, b, c = spoken(network, (tail, head, other))
    members = spoken(network, _separating_set(network, structure))
    separating_set = f"their separating set ({listed(members) or 'the empty set'})"
    pair, both = f"{a} and {c} are not adjacent", f"both are adjacent to {b}"
    if not supported and ordered(*structure[::2]) in network.separating_sets.failed:
        return (
            f"{pair}, and {both}. {separating_set[0].upper()}{separating_set[1:]} does not separate the two in these "
            f"data, so it is no evidence of a collider; {a} → {b} ← {c} is in the structure nearest to the rest of the "
            "evidence that has no contradiction."
        )
    if not supported:
        return (
            f"{pair}, and {both}. Conflicting evidence: {separating_set} contains {b}, which argues against a "
            f"collider, but {a} → {b} ← {c} is in the structure nearest to the evidence that has no contradiction."
        )
    more = len(supported) - 1
    same = f" {counted(more, 'more v-structure')} {'implies' if more == 1 else 'imply'} the same." if more else ""
    collider = f"{b} is a collider (common effect), {a} → {b} ← {c}"
    return f"{pair}, {both}, and {separating_set} does not contain {b}: {collider}.{same}"


def _separating_set(network: Network, structure: VStructure) -> list[int]:
    return sorted(network.separating_sets.between(structure[0], structure[2]))


def _is_supported(network: Network, structure: VStructure) -> bool:
    a, c, b = structure
    sets = network.separating_sets
    return c not in sets.between(a, b) and ordered(a, b) not in sets.failed


def _facts(network: Network, reason: Reason) -> dict[str, Any]:
    return {
        "arrow": written(network, reason.arrow),
        "rule": _rule(network, reason),
        "premises": [written(network, premise) for premise in reason.premises],
        "others": written(network, reason.others),
        "v_structures": [
            {
                "arrows": written(network, v),
                "separating_set": written(network, _separating_set(network, v)),
                "supported": _is_supported(network, v),
            }
            for v in reason.v_structures
        ],
    }


def _is_told(network: Network, reason: Reason) -> bool:
    """Do experiments tell its direction?"""
    known = network.by_position.known
    return known is not None and known.tells(*reason.arrow) and known.allowed[reason.arrow[::-1]]


def _is_earlier(network: Network, reason: Reason) -> bool:
    """Is the tail of an earlier wave?"""
    known = network.by_position.known
    return known is not None and reason.arrow[0] in known.given


def _rule(network: Network, reason: Reason) -> str:
    if _is_earlier(network, reason):
        return "time"
    if reason.known:
        return "experiments" if _is_told(network, reason) else "knowledge"
    return f"Meek {reason.rule}" if reason.rule else "v-structure"


def _no_direction(network: Network, x: int, y: int) -> Iterator[str]:
    """Both directions occur, and what follows from either."""
    a, b = spoken(network, (x, y))
    yield f"The direction is not determined: both {a} → {b} and {b} → {a} occur in the Markov equivalence class."
    for tail, head in ((x, y), (y, x)):
        # All of them can be all edges of the network; one more than are shown says that there are others.
        nearest = list(islice(consequences(network.by_position.open_edges, tail, head), NAMES_SHOWN + 1))
        arrows = [" → ".join(spoken(network, arrow)) for arrow in nearest[:NAMES_SHOWN]]
        others = ["others"] * (len(nearest) > NAMES_SHOWN)
        if arrows:
            yield f"{' → '.join(spoken(network, (tail, head)))} would imply {in_a_row(arrows + others)}."


def _way(network: Network, tail: int, head: int) -> dict[str, Any]:
    """What follows from one direction, and one DAG that has it."""
    graph = network.by_position.open_edges
    return {
        "direction": written(network, (tail, head)),
        "follows": [written(network, arrow) for arrow in sorted(consequences(graph, tail, head))],
        "dag": [written(network, arrow) for arrow in one_dag(graph, tail, head)],
    }
