"""Columns of categories: counts, contingency tests, discrete scores."""
