"""What limits trust in a result most, in one line, with the smallest effect that these rows could show."""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.families import CITest
from sidelight.tables.findings import Finding

TOO_WEAK = 0.5  # where smaller effects than this are invisible, only the strongest dependences can be found
# The kinds of warnings that say something about the result, the gravest first, and what each means in a few words.
IN_SHORT = {
    "limit reached": "a limit ended the learning",
    "failed separating sets": "the data refute some missing edges",
    "marginal dependences": "the data refute some missing edges",
    "tests against score": "tests and score disagree on some missing edges",
    "undecided tests": "some tests could not be decided",
    "unchecked separating sets": "some missing edges were not checked",
    "autocorrelated rows": "the rows may not be independent",
    "repeated rows": "the rows may not be independent",
    "mended separating sets": "the first answers contradicted each other",
    "overruled v-structures": "the evidence on directions contradicts itself",
    "fallback removals": "the answers contradict the assumption or each other",
}


def smallest_effect(test: CITest, alpha: float, size: int) -> str:
    """How strong a dependence must be to be seen, in words; empty where that is not known."""
    effect, n_rows = test.visible_effect(alpha, size), test.sample_size
    if effect is None or n_rows is None:
        return ""
    given = f" given {size} variable{'s' * (size > 1)}" if size else ""
    return f"{n_rows} rows: {test.visible_name} below {_short(effect)}{given} would go unnoticed"


def too_few_rows(test: CITest, alpha: float, size: int) -> bool:
    """True when only the strongest dependences are visible."""
    effect = test.visible_effect(alpha, size)
    return effect is not None and effect > TOO_WEAK


def trust_line(test: CITest, alpha: float, size: int, warnings: Sequence[Finding]) -> str:
    """What limits trust most; empty for an oracle, and where nothing is known to."""
    if test.is_exact:
        return ""
    kinds = {warning.kind for warning in warnings}
    grave = next((words for kind, words in IN_SHORT.items() if kind in kinds), "")
    if too_few_rows(test, alpha, size):
        grave = "there are too few rows for any but the strongest dependences"
    parts = [part for part in (smallest_effect(test, alpha, size), grave) if part]
    return "; ".join(parts)


def _short(number: float) -> str:
    """A number below 1 as articles have it: .14."""
    if number < 0.01:
        return f"{number:.1g}".removeprefix("0")
    return f"{number:.2f}".removeprefix("0") if number < 0.995 else "1"
