"""What a value in a JSON file may look like: each function checks one kind of value and returns it as Python has it.

``names`` maps the text of every variable's name to the name.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

Names = Mapping[str, Hashable]
T = TypeVar("T")
MOST_DIGITS = 18  # of a whole number
Shape = Callable[[Any, Names], Any]


def plain(name: Hashable) -> str | int:
    """A name as JSON has it: a text, or a whole number where the name is one."""
    return int(name) if isinstance(name, int | np.integer) and not isinstance(name, bool) else str(name)


class WrongShapeError(ValueError):
    """A value that is not what it should be; says what was expected."""


def text(value: Any, names: Names) -> str:
    """Any text."""
    return _expected(value, str, "a text")


def whole(value: Any, names: Names) -> int:
    """A whole number; the keys of JSON objects are texts, so its digits will do."""
    if isinstance(value, str) and len(value) < MOST_DIGITS and value.isascii() and value.removeprefix("-").isdecimal():
        return int(value)
    told = _expected(value, int, "a whole number")
    if abs(told) >= 10**MOST_DIGITS:
        raise WrongShapeError(f"a whole number of at most {MOST_DIGITS} digits is expected")
    return told


def count(value: Any, names: Names) -> int:
    """A whole number that is not negative."""
    told = whole(value, names)
    if told < 0:
        raise WrongShapeError(f"a whole number from 0 on is expected, not {value!r}")
    return told


def number(value: Any, names: Names) -> float:
    """A number."""
    try:
        return float(value) if type(value) is int else _expected(value, float, "a number")
    except OverflowError:
        raise WrongShapeError("a number is expected, not one with more than 300 digits") from None


def share(value: Any, names: Names) -> float:
    """A number from 0 to 1."""
    told = number(value, names)
    if not 0 <= told <= 1:
        raise WrongShapeError(f"a number from 0 to 1 is expected, not {value!r}")
    return told


def correlation(value: Any, names: Names) -> float:
    """A number from -1 to 1, but for its last digit."""
    told = number(value, names)
    if not abs(told) <= 1 + 1e-9:
        raise WrongShapeError(f"a number from -1 to 1 is expected, not {value!r}")
    return told


def level(value: Any, names: Names) -> str:
    """The text of a number between 0 and 1."""
    told = text(value, names)
    try:
        is_level = 0 < float(told) < 1
    except ValueError:
        is_level = False
    if not is_level:
        raise WrongShapeError(f"a level, between 0 and 1, is expected, not {value!r}")
    return told


def truth(value: Any, names: Names) -> bool:
    """True or false."""
    return _expected(value, bool, "true or false")


def name(value: Any, names: Names) -> Hashable:
    """The name of a variable."""
    if str(value) not in names:
        raise WrongShapeError(f"{value!r} is no variable")
    return names[str(value)]


def maybe(shape: Shape) -> Shape:
    """Null, or a value of this shape."""
    return lambda value, names: None if value is None else shape(value, names)


def any_of(*shapes: Shape) -> Shape:
    """A value of the first of these shapes that fits."""

    def read(value: Any, names: Names) -> Any:
        for shape in shapes[:-1]:
            with suppress(WrongShapeError):
                return shape(value, names)
        return shapes[-1](value, names)

    return read


def list_of(shape: Shape) -> Shape:
    """Values of one shape, as a tuple."""
    return lambda value, names: tuple(shape(item, names) for item in _expected(value, list, "a list"))


def set_of(shape: Shape) -> Shape:
    """Values of one shape, as a frozen set."""
    return lambda value, names: frozenset(list_of(shape)(value, names))


def pair_of(shape: Shape) -> Shape:
    """Two different values of one shape, as a tuple."""

    def read(value: Any, names: Names) -> tuple[Any, ...]:
        if len(_expected(value, list, "a pair")) != 2:
            raise WrongShapeError(f"a pair is expected, not {value!r}")
        first, second = (shape(item, names) for item in value)
        if first == second:
            raise WrongShapeError(f"two different ones are expected, not {value!r}")
        return first, second

    return read


def dict_of(key: Shape, shape: Shape) -> Shape:
    """An object whose keys and values have these shapes."""
    return lambda value, names: {key(k, names): shape(v, names) for k, v in _expected(value, dict, "an object").items()}


def record(**shapes: Shape) -> Shape:
    """An object with these fields, as a dict."""

    def read(value: Any, names: Names) -> dict[str, Any]:
        for field in shapes:
            if field not in _expected(value, dict, "an object"):
                raise WrongShapeError(f"{field!r} is missing in {value!r}")
        return {field: shape(value[field], names) for field, shape in shapes.items()}

    return read


def _expected(value: Any, kind: type[T], described: str) -> T:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise WrongShapeError(f"{described} is expected, not {value!r}")
    return value
