"""What is known of the structure beforehand: statements about arrows, edges, paths and order, and bounds."""

from sidelight.knowledge.constraints import Constraints
from sidelight.knowledge.contradictions import constraints_of
from sidelight.knowledge.files import known_as_toml, known_from_dict, read_knowledge
from sidelight.knowledge.statement import Known, Statement, known
from sidelight.knowledge.statements import (
    Ancestor,
    Edge,
    Forbidden,
    Leaves,
    NoEdge,
    NoHiddenCause,
    NotAncestor,
    Order,
    Part,
    Required,
    Roots,
    Tiers,
)
from sidelight.knowledge.summary import KnowledgeSummary, summary_of

__all__ = [
    "Ancestor",
    "Constraints",
    "Edge",
    "Forbidden",
    "KnowledgeSummary",
    "Known",
    "Leaves",
    "NoEdge",
    "NoHiddenCause",
    "NotAncestor",
    "Order",
    "Part",
    "Required",
    "Roots",
    "Statement",
    "Tiers",
    "constraints_of",
    "known",
    "known_as_toml",
    "known_from_dict",
    "read_knowledge",
    "summary_of",
]
