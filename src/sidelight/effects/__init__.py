"""What is the effect of x on y? Whether the graph identifies it, by which adjustment, how large it is, how sure."""

from sidelight.effects.asking import effect
from sidelight.effects.direct import DirectEffect, direct_effect
from sidelight.effects.ranking import RankedEffects, all_effects, effects_on
from sidelight.effects.sets import AdjustmentSets, adjustment_sets
from sidelight.effects.value import Effect, PossibleEffect

__all__ = [
    "AdjustmentSets",
    "DirectEffect",
    "Effect",
    "PossibleEffect",
    "RankedEffects",
    "adjustment_sets",
    "all_effects",
    "direct_effect",
    "effect",
    "effects_on",
]
