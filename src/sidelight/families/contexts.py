"""Rows from several places, such as hospitals: the column that says which is a category without causes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TypeVar

from sidelight.errors import InputError
from sidelight.families.options import DataOptions
from sidelight.kinds.types import said_types
from sidelight.tables.table import as_list
from sidelight.text.message import Message, Option, must_be

AnyOptions = TypeVar("AnyOptions", bound=DataOptions)


def check_context(options: DataOptions) -> None:
    """Raise where the context is not said by a column, or does not go with other options."""
    if not isinstance(options.context, Hashable):
        raise InputError(must_be("context", "the name of a column", options.context))
    for name in ("groups", "time", "targets", "weights"):
        if getattr(options, name) is not None:
            raise InputError(Message(Option("context", options.context), " does not go with ", Option(name)))


def with_context(options: AnyOptions) -> AnyOptions:
    """The same, with the context as a category, and as a column that is used."""
    context = options.context
    types = {} if options.types is None else said_types(options.types)
    columns, drop, discrete = (
        None if value is None else [*as_list(value)] for value in (options.columns, options.drop, options.discrete)
    )
    if drop is not None and context in drop:
        raise InputError(Message(Option("context", context), " is among the columns of ", Option("drop")))
    if columns is not None and context not in columns:
        columns.append(context)
    if discrete is not None and context not in discrete:
        discrete.append(context)
    if discrete is None and not any(str(name) == str(context) for name in types):
        types = {**types, context: "category"}
    return replace(options, types=types or None, columns=columns, discrete=discrete)
