"""Columns of strings as numbers, by the functions that read them."""

from functools import partial

import numpy as np

from sidelight.tables.reading import number_of
from sidelight.tables.treatment import marks_and_notes


def numbers_and_notes(columns, decimal="", asked=None):
    """The columns whose strings are all numbers, as numbers, and notes on those that may be other numbers."""
    marks, notes = marks_and_notes(columns, decimal, asked)
    found = {
        name: columns[name].mapped(partial(number_of, mark), np.nan, np.dtype(float)) for name, mark in marks.items()
    }
    return found, notes
