"""Sufficient statistics: computed once from a table, which is not read again."""

from sidelight.sufficient.correlation import Correlation, moments

__all__ = ["Correlation", "moments"]
