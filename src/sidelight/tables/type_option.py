"""How users write the types of columns: a mapping, a TOML file, or the command's text.

The text is ``age=number,stage=I<II<III,zip=ignore``; names and categories with a comma, ``=`` or ``<`` are in double
quotes. The file has the same as ``name = "type"``, or ``name = ["I", "II", "III"]`` for the order of categories.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Hashable, Iterator, Mapping
from pathlib import Path

from sidelight.errors import InputError
from sidelight.files.reading import read_text
from sidelight.text.message import must_be

Said = str | tuple[object, ...]  # a type, or the categories of an ordinal column from the lowest to the highest
Check = Callable[[object, object], Said]  # of a name, and what is said of it
FORM = 'a mapping from names to types, "age=number,stage=I<II<III,zip=ignore", or the name of a .toml file'
TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",=<]*))\s*(.?)', re.DOTALL)
NEEDS_QUOTES = re.compile(r'[,="<\r\n]|^\s|\s$|^$')


def read_option(value: object, check: Check) -> dict[Hashable, Said]:
    """What is said, by name; ``check`` raises unless it is a type, or an order of categories."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {name: check(name, said) for name, said in value.items()}
    if isinstance(value, Path) or (isinstance(value, str) and value.strip().lower().endswith(".toml")):
        return _from_file(Path(value).expanduser(), check)
    if not isinstance(value, str):
        raise InputError(must_be("types", FORM, value))
    return {name: check(name, said) for name, said in _from_text(value.strip())}


def types_in_words(said: Mapping[Hashable, Said]) -> str:
    """The command's text for it."""
    return ",".join(f"{_quoted(name)}={_type_in_words(kind)}" for name, kind in said.items())


def _type_in_words(said: Said) -> str:
    return said if isinstance(said, str) else "<".join(map(_quoted, said))


def _quoted(value: object) -> str:
    text = str(value)
    doubled = text.replace('"', '""')
    return f'"{doubled}"' if NEEDS_QUOTES.search(text) else text


def _from_file(path: Path, check: Check) -> dict[Hashable, Said]:
    text = read_text(path)
    try:
        return {name: check(name, said) for name, said in tomllib.loads(text).items()}
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{str(path)!r} is not TOML: {error}") from error
    except InputError as error:
        raise InputError(f"{str(path)!r}: {error}") from error


def _from_text(text: str) -> Iterator[tuple[str, Said]]:
    """Names with what is said of them; a name alone, or an empty one, is a mistake."""
    tokens, position = [], 0
    while position < len(text):
        found = TOKEN.match(text, position)
        assert found is not None  # it matches nothing at all, too
        tokens.append((found[1].replace('""', '"') if found[1] is not None else found[2].strip(), found[3]))
        position = found.end()
    while tokens:
        name, equals = tokens.pop(0)
        parts, mark = [], "<" if equals == "=" else "?"
        while mark == "<" and tokens:
            part, mark = tokens.pop(0)
            parts.append(part)
        if not name or not parts or mark not in ("", ","):
            raise InputError(must_be("types", FORM, text))
        yield name, parts[0] if len(parts) == 1 else tuple(parts)
