"""What a network rests on: the steps of the recursion, the p-values of its edges and of its missing edges."""

from sidelight.result.edge_tests import EdgeQuestions, Questions
from sidelight.result.p_values import AskedEdges, AskedMissing, EdgeEvidence
from sidelight.result.steps import Step, steps_of

__all__ = ["AskedEdges", "AskedMissing", "EdgeEvidence", "EdgeQuestions", "Questions", "Step", "steps_of"]
