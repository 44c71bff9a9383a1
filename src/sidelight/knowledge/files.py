"""Files that say what is known of the structure: TOML, and the knowledge files of Tetrad.

Every key of the TOML form may be left out; a name may be a pattern of the shell, such as ``"lab_*"``::

    side = ["diamond-free", "in-degree:3"]
    required = [["smoking", "cancer"]]
    forbidden = [["smoking", "sex"]]
    adjacent = [["a", "b"]]
    not_adjacent = [["lab_*", "lab_*"]]
    ancestors = [["smoking", "death"]]
    not_ancestors = [["a", "b"]]
    roots = ["age"]
    leaves = ["death"]
    order = [["a", "b", "c"]]                     # a list of orders; a place may be a list of names
    tiers = [["age", "sex"], ["smoking"], ["cancer"]]

    [tiers]                                       # instead of the list; [[tiers]] for several
    names = [["age", "sex"], ["smoking"], ["cancer"]]
    isolated = true
    next_only = true

    [[part]]
    arrows = [["a", "b"]]
    variables = ["c"]
"""

from __future__ import annotations

import json
import operator
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

from sidelight.errors import InputError
from sidelight.files.reading import read_text
from sidelight.knowledge.plain import known_from_dict
from sidelight.knowledge.statement import Known
from sidelight.knowledge.tetrad import HEADER, parse_tetrad

TETRAD_SUFFIXES = (".txt", ".knowledge")


def read_knowledge(path: str | os.PathLike[str]) -> Known:
    """What a file says: TOML, or a knowledge file of Tetrad."""
    path = Path(path)
    text = read_text(path)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    is_tetrad = first.lower().startswith(HEADER) or path.suffix.lower() in TETRAD_SUFFIXES
    try:
        return parse_tetrad(text) if is_tetrad else known_from_dict(tomllib.loads(text))
    except InputError as error:
        raise InputError(f"{str(path)!r}: {error}") from error
    except (ValueError, RecursionError) as error:  # also for numbers of too many digits, and lists nested too deep
        raise InputError(f"{str(path)!r} is not TOML: {error}") from error


def known_as_toml(known: Known) -> str:
    """The text of a TOML file that says it."""
    entries = known.as_dict()
    lines = [f"{key} = {_value(value)}" for key, value in entries.items() if not _tables(value)]
    for key, value in entries.items():
        heading = f"[{key}]" if isinstance(value, Mapping) else f"[[{key}]]"
        for table in _tables(value):
            lines += ["", heading, *(f"{name} = {_value(item)}" for name, item in table.items())]
    return "".join(f"{line}\n" for line in lines)


def _tables(value: object) -> list[Mapping[str, object]]:
    """The tables that the value is or lists."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, Mapping)]


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        # JSON writes letters outside of ASCII's plane 0 in two parts, which TOML does not read: keep all letters.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"the name {value!r} cannot be written to TOML; texts and whole numbers can") from None
