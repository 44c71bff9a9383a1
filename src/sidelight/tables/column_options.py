"""How users write what they say of columns: their types, and the values that stand for missing ones.

Types are a mapping, a TOML file, or the command's text ``age=number,stage=I<II<III,zip=ignore``; names and categories
with a comma, ``=`` or ``<`` are in double quotes. The file has the same as ``name = "type"``, or
``name = ["I", "II", "III"]`` for the order of categories.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from pathlib import Path

from sidelight.errors import InputError
from sidelight.files.reading import MOST_WRITTEN, read_text, toml_of, user_path
from sidelight.tables.table import as_list, category_text
from sidelight.text.message import assignments, between_commas, in_quotes_if_needed, must_be

Said = str | tuple[object, ...]  # a type, or the categories of an ordinal column from the lowest to the highest
Check = Callable[[object, object], Said]  # of a name, and what is said of it
FORM = 'a mapping from names to types, "age=number,stage=I<II<III,zip=ignore", or the name of a .toml file'
TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",=<]*))\s*(.?)', re.DOTALL)
Marks = Mapping[Hashable, tuple[object, ...]]  # the values of each column that stand for missing ones


def read_option(value: object, check: Check) -> dict[Hashable, Said]:
    """What is said, by name; ``check`` raises unless it is a type, or an order of categories."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {name: check(name, said) for name, said in value.items()}
    if isinstance(value, Path) or (isinstance(value, str) and value.strip().lower().endswith(".toml")):
        return _from_file(user_path(value), check)
    if not isinstance(value, str):
        raise InputError(must_be("types", FORM, value))
    return {name: check(name, said) for name, said in _from_text(value.strip())}


def types_in_words(said: Mapping[Hashable, Said]) -> str:
    """The command's text for it."""
    words = {name: kind if isinstance(kind, str) else "<".join(map(_quoted, kind)) for name, kind in said.items()}
    return ",".join(f"{_quoted(name)}={kind}" for name, kind in words.items())


def _quoted(value: object) -> str:
    return in_quotes_if_needed(str(value), "=<")


def _from_file(path: Path, check: Check) -> dict[Hashable, Said]:
    entries = toml_of(read_text(path, MOST_WRITTEN), path)
    try:
        return {name: check(name, said) for name, said in entries.items()}
    except InputError as error:
        raise InputError(f"{str(path)!r}: {error}") from error


def _from_text(text: str) -> Iterator[tuple[str, Said]]:
    """Names with what is said of them; a name alone, or an empty one, is a mistake."""
    found = TOKEN.findall(text)[:-1]  # the last one is the end
    tokens = [(quoted.replace('""', '"') or plain.strip(), mark) for quoted, plain, mark in found]
    while tokens:
        name, equals = tokens.pop(0)
        parts, mark = [], "<" if equals == "=" else "?"
        while mark == "<" and tokens:
            part, mark = tokens.pop(0)
            parts.append(part)
        if not name or not parts or mark not in ("", ","):
            raise InputError(must_be("types", FORM, text))
        yield name, parts[0] if len(parts) == 1 else tuple(parts)


def marks_of(missing_values: object) -> Marks:
    """The option as a mapping: ``{"income": -999}``, or in the command's words ``income=-999,income=-998,age=99``."""
    if missing_values is None:
        return {}
    if isinstance(missing_values, Mapping):
        return {name: tuple(as_list(values)) for name, values in missing_values.items()}
    parts = [part.rpartition("=") for part in between_commas(missing_values)] if isinstance(missing_values, str) else []
    if not isinstance(missing_values, str) or not all(equals for _, equals, _ in parts):
        accepted = 'a mapping from columns to values, such as {"income": -999}, or a text such as "income=-999,age=99"'
        raise InputError(must_be("missing_values", accepted, missing_values))
    marks: dict[Hashable, tuple[object, ...]] = {}
    for name, _, value in parts:
        marks[name] = (*marks.get(name, ()), _plain(value))
    return marks


def marks_in_words(missing_values: object) -> str:
    """The option as the command takes it."""
    return assignments(marks_of(missing_values))


def as_number(value: object) -> float | None:
    """What is written as a number; None if it is none."""
    try:
        return float(str(value))
    except ValueError:
        return None


def _plain(text: str) -> object:
    """A number if it is written as one is shown; ``007`` is a text."""
    number = as_number(text)
    return text.strip() if number is None or category_text(number, "float") != text.strip() else number
