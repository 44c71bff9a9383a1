"""What a network rests on: the steps of the recursion, the p-values of its edges and of its missing edges."""

from sidelight.learners.skeleton import Step, steps_of
from sidelight.result.edge_tests import ConditioningSets, EdgeTests
from sidelight.result.effects import Effect, Effects, MeasuredEdges, quick_effects
from sidelight.result.p_values import EdgeEvidence, TestedEdges, TestedMissing

__all__ = [
    "ConditioningSets",
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
