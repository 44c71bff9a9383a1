"""V-structures: a — c — b with a, b not adjacent is a → c ← b exactly when c is not in what separates a and b."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

VStructure = tuple[int, int, int]


def find_v_structures(n_variables: int, lacking: Callable[[int], Iterable[tuple[int, int]]]) -> list[VStructure]:
    """All (a, c, b) with a < b that the separating sets show to be a → c ← b, sorted.

    ``lacking(c)`` yields the non-adjacent pairs of c's neighbours whose separating set does not contain c.
    """
    return sorted((a, c, b) for c in range(n_variables) for a, b in lacking(c))


def arrows(v_structure: VStructure) -> tuple[tuple[int, int], tuple[int, int]]:
    """The two directed edges of a v-structure."""
    a, c, b = v_structure
    return (a, c), (b, c)


def without_contradictions(v_structures: Iterable[VStructure]) -> list[VStructure]:
    """Keep the v-structures whose arrows all win.

    An arrow wins against its reverse when more v-structures ask for it; on a tie neither wins. The rule does not
    depend on the order of the columns.
    """
    v_structures = list(v_structures)
    votes = Counter(arrow for v in v_structures for arrow in arrows(v))
    return [v for v in v_structures if all(votes[t, h] > votes[h, t] for t, h in arrows(v))]
