"""JSON read into typed records by msgspec, and written from the same types.

A field of type ``Name`` holds a variable: ``decode`` looks it up among the names of the network, and ``as_json`` writes
it as JSON has it. What does not fit is an ``InputError`` that names the file and the field.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import is_dataclass
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from sidelight.errors import InputError

Name = Hashable
Pair = tuple[Hashable, Hashable]
Column = Annotated[str | int, msgspec.Meta(description="a column, which need not be among the variables")]
Alpha = Annotated[float, msgspec.Meta(gt=0, lt=1)]
Whole = Annotated[int, msgspec.Meta(gt=-(10**18), lt=10**18)]
Count = Annotated[int, msgspec.Meta(ge=0, lt=10**18)]
Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
Record = TypeVar("Record", bound=msgspec.Struct)
WORDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "null",
    "object": "an object",
    "str": "a text",
}


class FieldError(ValueError):
    """A field that is typed as it should be, but does not hold what it should."""

    def __init__(self, field: str, complaint: str) -> None:
        super().__init__(f"{field!r}: {complaint}")


def decode(text: str, kind: type[Record], source: str, names: Mapping[str, Hashable]) -> Record:
    """The record that a JSON text holds; ``names`` maps the text of every variable's name to the name."""

    def variable(_: type, value: object) -> Hashable:
        if not isinstance(value, str | int) or str(value) not in names:
            raise ValueError(f"{value!r} is no variable")
        return names[str(value)]

    try:
        return msgspec.json.decode(text, type=kind, dec_hook=variable)
    except msgspec.ValidationError as error:
        raise InputError(f"{source!r}{_in_words(str(error))}") from error
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise InputError(f"{source!r} is not JSON, or not all of it: {error}") from error


def _in_words(message: str) -> str:
    """The field and what is wrong with it, from "Expected `int`, got `str` - at `$.field`"."""
    what, _, place = message.rpartition(" - at ") if " - at " in message else (message, "", "")
    field = place.rpartition("$")[2].strip(".`")
    if what.startswith(("Expected", "Object")):  # else it is our own complaint, or has no types in it
        what = what[0].lower() + re.sub("`([^`]+)`", lambda found: _kinds(found[1]), what[1:])
    return f", {field!r}: {what}" if field else f": {what}"


def _kinds(types: str) -> str:
    """Types in words; what is no type is the name of a field."""
    if types not in WORDS and " | " not in types:
        return repr(types)
    return " or ".join(WORDS.get(kind, kind) for kind in types.split(" | "))


@cache
def fields_of(record: Any) -> dict[str, Any]:
    """The type of each field of a dataclass or a struct."""
    return get_type_hints(record, include_extras=True)


def as_json(kind: Any, value: Any) -> Any:
    """A value of this type as JSON has it; of a record, the fields that the type has. Dictionaries stay."""
    if value is None:
        return None
    if kind is Name or kind is Column:
        return plain(value)
    if isinstance(value, float):
        return float(value) if isfinite(value) else None  # JSON has neither infinity nor NaN
    if is_dataclass(kind) or (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        named = fields_of(cast(Hashable, kind)).items()
        return value if isinstance(value, dict) else {name: as_json(part, getattr(value, name)) for name, part in named}
    parts = [part for part in get_args(kind) if part is not NoneType]
    if get_origin(kind) in (Union, UnionType):
        return as_json(parts[0], value) if len(parts) == 1 else value
    if isinstance(value, Mapping):
        return {str(as_json(parts[0], key)): as_json(parts[1], of_it) for key, of_it in value.items()}
    if isinstance(value, tuple | list):
        is_fixed = get_origin(kind) is tuple and Ellipsis not in parts
        kinds = parts if is_fixed else parts[:1] * len(value)
        return [as_json(of_it, part) for of_it, part in zip(kinds, value, strict=True)]
    return value.item() if isinstance(value, np.generic) else value


def plain(name: Hashable) -> str | int:
    """A name as JSON has it: a text, or a whole number where the name is one."""
    return int(name) if isinstance(name, int | np.integer) and not isinstance(name, bool) else str(name)


# What several fields check.


def check_one_of(field: str, value: str, accepted: Iterable[str]) -> None:
    """Raise unless the value is one of those that are accepted."""
    if value not in accepted:
        raise ValueError(f"{field} must be one of {', '.join(map(repr, accepted))}; got {value!r}")


def positions(field: str, pair: Pair, position: Mapping[Hashable, int]) -> tuple[int, int]:
    """The positions of two variables, in the order of the file; raises where they are the same."""
    a, b = pair
    if a == b:
        raise FieldError(field, f"two different variables are expected, not {a!r} twice")
    return position[a], position[b]
