"""Sufficient statistics: computed once from a table, never from raw rows again."""

from sidelight.sufficient.correlation import Correlation, moments

__all__ = ["Correlation", "moments"]
