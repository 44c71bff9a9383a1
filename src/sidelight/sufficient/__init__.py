"""Sufficient statistics: computed once from a table, which is not read again."""

from sidelight.sufficient.correlation import Correlation, Moments, moments

__all__ = ["Correlation", "Moments", "moments"]
