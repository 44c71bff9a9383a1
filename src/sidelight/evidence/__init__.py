"""What a network rests on: the steps of the recursion, the p-values of its edges and of its missing edges."""

from sidelight.evidence.p_values import AskedEdges, AskedMissing, EdgeEvidence
from sidelight.evidence.questions import EdgeQuestions, Questions
from sidelight.evidence.steps import Step, steps_of

__all__ = ["AskedEdges", "AskedMissing", "EdgeEvidence", "EdgeQuestions", "Questions", "Step", "steps_of"]
