"""Columns of numbers: correlations, partial correlations and their tests, the Gaussian score."""
