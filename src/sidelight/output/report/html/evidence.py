"""What the report says of edges: sentences, and p-values as far as they can be had quickly.

Pairs that are not adjacent are too many for sentences of their own: the page has what it takes to make them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from sidelight.explain import explain
from sidelight.explain.direction import OVERRULED_SHOWN
from sidelight.explain.missing import chance_level, rests_on_boundaries
from sidelight.explain.phrases import PHRASES
from sidelight.network import Network
from sidelight.result.evidence import TestedEdges, quick_effects
from sidelight.text.sentences import NAMES_SHOWN

DIGITS = 4  # of effect sizes


def with_quick_evidence(network: Network) -> Network:
    """The network without p-values and effect sizes that would take long to compute for all edges."""
    slow = isinstance(network.edge_evidence, TestedEdges) and not network.edge_evidence.is_quick
    evidence = {} if slow else network.edge_evidence
    return replace(network, edge_evidence=evidence, effects=quick_effects(network.effects))


def edge_evidence(network: Network, a: Hashable, b: Hashable) -> dict[str, object]:
    """Why the two are adjacent, in sentences, the largest p-value of the tests behind the edge, and its effect size."""
    pair = frozenset((a, b))
    evidence, effect = network.edge_evidence.get(pair), network.effects.get(pair)
    return {
        "words": list(explain(network, a, b).sentences),
        **({} if evidence is None else {"weakest_p": evidence.weakest_p}),
        **({} if effect is None else {"effect": round(effect.size, DIGITS), "effect_name": effect.shown_name}),
    }


def missing_edges(network: Network) -> dict[str, object]:
    """What the page needs, beside separating sets and steps, to say of a missing edge what ``explain`` says."""
    return {
        "phrases": PHRASES,
        "names_shown": NAMES_SHOWN,
        "dismissed": {
            "overruled": network.by_position.overruled,
            "failed": network.by_position.from_failed_sets,
        },
        "overruled_shown": OVERRULED_SHOWN,
        "rests_on_boundaries": rests_on_boundaries(network),
        "by_score": network.score is not None,
        "alpha": network.settings.alpha,
        "alpha_shown": f"{network.settings.alpha:g}",
        "chance_level": chance_level(network),
        "n_missing": len(network.separating_sets),
    }
