"""JSON read into typed records by msgspec; what does not fit is an ``InputError`` that names the file and the field.

A field of type ``Name`` or ``Pair`` holds variables: ``decode`` looks them up among the names of the network, and
``encoded`` writes them as JSON has them.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from functools import cache
from math import isfinite
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import msgspec
import numpy as np

from sidelight.errors import InputError

Name = Hashable
Pair = tuple[Hashable, Hashable]
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


def encoded(record: Any) -> dict[str, Any]:
    """A record, which is a dataclass, as JSON has it."""
    return {name: _as_json(kind, getattr(record, name)) for name, kind in _fields(cast(Hashable, type(record))).items()}


@cache
def _fields(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _as_json(kind: object, value: Any) -> Any:
    """Tuples hold variables; JSON has texts as keys, and neither infinity nor NaN."""
    if kind in (Name, Name | None):
        return None if value is None else plain(value)
    if isinstance(value, Mapping):
        return {str(plain(name)): of_it for name, of_it in value.items()}
    if isinstance(value, tuple):
        return [plain(name) for name in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def plain(name: Hashable) -> str | int:
    """A name as JSON has it: a text, or a whole number where the name is one."""
    return int(name) if isinstance(name, int | np.integer) and not isinstance(name, bool) else str(name)
