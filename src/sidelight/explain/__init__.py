"""A network's evidence in words that a domain expert understands, and as data; and whether it holds in other data."""

from sidelight.explain.as_learned import refuse_set_rows
from sidelight.explain.auditing import Audit, audit
from sidelight.explain.marks import Causation, causes
from sidelight.explain.pair import Explanation, explain

__all__ = ["Audit", "Causation", "Explanation", "audit", "causes", "explain", "refuse_set_rows"]
