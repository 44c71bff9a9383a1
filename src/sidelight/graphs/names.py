"""Names of variables: no two the same; and which one may have been meant by a name that does not occur."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from difflib import get_close_matches

from sidelight.errors import InputError

SHOWN = 8  # names


def check_names(names: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return the names as a tuple, or raise: no two variables may have the same name."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"names must be a collection with one name for each variable, not {names!r}")
    checked = tuple(names)
    seen: dict[Hashable, int] = {}
    for position, name in enumerate(checked):
        if not isinstance(name, Hashable):
            raise InputError(f"variable {position} has the name {name!r}, which cannot be a name (it is not hashable)")
        if name is None or name == "" or name != name:
            raise InputError(f"variable {position} has no name ({name!r}); every variable needs one")
        if name in seen:
            raise InputError(f"the name {name!r} is used twice, by variables {seen[name]} and {position}")
        seen[name] = position
    if len({str(name) for name in checked}) < len(checked):
        raise InputError("two names look the same when they are written, such as 1 and '1'; rename one")
    return checked


def hint_at_names(unknown: object, names: Sequence[Hashable]) -> str:
    """The end of a message about an unknown name: the name most like it, or some of the names there are."""
    close = get_close_matches(str(unknown), [str(name) for name in names], n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    shown = ", ".join(repr(name) for name in names[:SHOWN])
    return f"; there are {shown}" + (f", … ({len(names)} in all)" if len(names) > SHOWN else "")
