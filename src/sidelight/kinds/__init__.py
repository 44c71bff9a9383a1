"""Kinds of columns, by their word in ``types=``: one class and one line for each.

The rule asks the kinds in the order of the lines, and the first that has a reason decides. Counts of columns by kind
are shown in this order, too.
"""

from __future__ import annotations

from sidelight.kinds.base import Ignore, Kind
from sidelight.kinds.category import Category
from sidelight.kinds.number import Number
from sidelight.kinds.ordinal import Ordinal
from sidelight.tables.column_options import Said

_ALL: tuple[Kind, ...] = (
    Number(),
    Category(),
    Ordinal(),
    Ignore(),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}


def kind_said(said: Said) -> Kind:
    """The kind that was said of a column, by its word or by the order of its categories."""
    return KINDS[said] if isinstance(said, str) else next(kind for kind in _ALL if kind.is_ordered)
