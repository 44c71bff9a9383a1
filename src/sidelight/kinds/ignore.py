"""Columns that are not used."""

from __future__ import annotations

from collections.abc import Hashable

from sidelight.kinds.base import Kind
from sidelight.tables.table import Table


class Ignore(Kind):
    """A column that takes no part, since a user said so."""

    name = "ignore"
    nouns = ("ignored", "ignored")
    is_used = False

    def reason(self, table: Table, name: Hashable) -> str:
        return ""
