"""What a network rests on: the steps of the recursion, the p-values of its edges and of its missing edges."""

from sidelight.learners.skeleton import Step, steps_of
from sidelight.result.by_position import EdgeTests
from sidelight.result.evidence import (
    EdgeEvidence,
    Effect,
    Effects,
    MeasuredEdges,
    TestedEdges,
    TestedMissing,
    quick_effects,
)

__all__ = [
    "EdgeEvidence",
    "EdgeTests",
    "Effect",
    "Effects",
    "MeasuredEdges",
    "Step",
    "TestedEdges",
    "TestedMissing",
    "quick_effects",
    "steps_of",
]
