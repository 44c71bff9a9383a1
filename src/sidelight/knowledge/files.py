"""What is known as a plain dictionary and back, the form of stored settings and of files: TOML, or those of Tetrad.

Every key of the TOML form may be left out; a name may be a pattern of the shell, such as ``"lab_*"``::

    side = ["diamond-free", "in-degree:3"]
    required = [["smoking", "cancer"]]
    forbidden = [["smoking", "sex"]]
    adjacent = [["a", "b"]]
    not_adjacent = [["lab_*", "lab_*"]]
    ancestors = [["smoking", "death"]]
    not_ancestors = [["a", "b"]]
    no_hidden_cause = [["a", "b"]]                # of both
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
import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import reduce
from typing import Any

from sidelight.errors import InputError
from sidelight.files.reading import MOST_WRITTEN, read_text, toml_of, user_path
from sidelight.knowledge.statement import Known, ShapeError, Statement, known
from sidelight.knowledge.statements import (
    Ancestor,
    Edge,
    Forbidden,
    Leaves,
    NameStatement,
    NoEdge,
    NoHiddenCause,
    NotAncestor,
    Order,
    PairStatement,
    Part,
    Required,
    Roots,
    Tiers,
)
from sidelight.knowledge.tetrad import HEADER, parse_tetrad
from sidelight.side_information import SideInformation, side_in_words

IN_PLACE = re.compile(r"\s*(\w+\s*=\s*\[|\[)")
TETRAD_SUFFIXES = (".txt", ".knowledge")
PAIR_KINDS: dict[str, type[PairStatement]] = {
    "required": Required,
    "forbidden": Forbidden,
    "adjacent": Edge,
    "not_adjacent": NoEdge,
    "ancestors": Ancestor,
    "not_ancestors": NotAncestor,
    "no_hidden_cause": NoHiddenCause,
}
NAME_KINDS: dict[str, type[NameStatement]] = {"roots": Roots, "leaves": Leaves}
EXAMPLES = {
    "side": 'side = ["diamond-free", "in-degree:3"]',
    **{key: f'{key} = [["smoking", "cancer"]]' for key in PAIR_KINDS},
    **{key: f'{key} = ["age", "sex"]' for key in NAME_KINDS},
    "order": 'order = [["age", "smoking", "cancer"]]',
    "tiers": 'tiers = [["age", "sex"], ["smoking"]], or a table with names = [["age", "sex"], ["smoking"]]',
    "part": '[[part]] with arrows = [["smoking", "cancer"]] and variables = ["age"]',
}


def read_knowledge(path: str | os.PathLike[str]) -> Known:
    """What a file says: TOML, or a knowledge file of Tetrad; or what a text says, such as ``roots = ["sex"]``."""
    text = _statements_in(path)
    path = user_path(path)
    if text is None:
        text = read_text(path, MOST_WRITTEN)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    is_tetrad = first.lower().startswith(HEADER) or path.suffix.lower() in TETRAD_SUFFIXES
    entries = {} if is_tetrad else toml_of(text, path)
    try:
        return parse_tetrad(text) if is_tetrad else known_from_dict(entries)
    except InputError as error:
        raise InputError(f"{str(path)!r}: {error}") from error


def _statements_in(path: str | os.PathLike[str]) -> str | None:
    """The statements themselves, where they are given in the place of a file; a file may have any name."""
    is_text = isinstance(path, str) and IN_PLACE.match(path) and not os.path.exists(path)
    return str(path) if is_text else None


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


def as_dict(what: Known) -> dict[str, object]:
    """The plain dictionary that ``known_from_dict`` reads, with the keys of what is there only."""
    said = what.statements
    entries: dict[str, object] = {"side": [_word(bound) for bound in what.bounds]}
    for key, kind in PAIR_KINDS.items():
        pairs = dict.fromkeys(pair for each in said if isinstance(each, kind) for pair in each.pairs)
        entries[key] = [list(pair) for pair in pairs]
    for key, name_kind in NAME_KINDS.items():
        entries[key] = list(dict.fromkeys(n for each in said if isinstance(each, name_kind) for n in each.variables))
    orders = [each.groups for each in said if isinstance(each, Order)]
    entries["order"] = [[place[0] if len(place) == 1 else list(place) for place in groups] for groups in orders]
    entries["tiers"] = _tiers_entry([each for each in said if isinstance(each, Tiers)])
    entries["part"] = [_part_table(each) for each in said if isinstance(each, Part)]
    return {key: value for key, value in entries.items() if value}


def known_from_dict(mapping: Mapping[str, object]) -> Known:
    """What the dictionary says; ``as_dict`` of the result is the same dictionary."""
    if not isinstance(mapping, Mapping):
        raise InputError(f"what is known must be a dictionary with keys such as 'required'; got {mapping!r}")
    check_keys(mapping, EXAMPLES, "key")
    return reduce(lambda before, key: before & _read(key, mapping[key]), mapping, Known())


def check_keys(found: Iterable[object], accepted: Collection[str], noun: str) -> None:
    """Raise if a key is not one of those accepted."""
    for key in found:
        if key not in accepted:
            near = get_close_matches(str(key), accepted, n=1)
            meant = f" (did you mean {near[0]!r}?)" if near else ""
            raise InputError(f"unknown {noun} {key!r}{meant}; accepted are {', '.join(accepted)}")


def _word(bound: SideInformation) -> str:
    word = side_in_words(bound)
    if word is None:
        raise InputError(f"the bound {bound!r} cannot be written, since no word stands for it")
    return word


def _tiers_entry(statements: list[Tiers]) -> list[object] | dict[str, object]:
    """The tiers alone if that says it all, else a table, or a list of tables if there are several."""
    tables = [_tiers_table(each) for each in statements]
    if len(tables) != 1:
        return list(tables)
    return tables[0] if len(tables[0]) > 1 else [list(tier) for tier in statements[0].tiers]


def _tiers_table(statement: Tiers) -> dict[str, object]:
    options = {"isolated": statement.isolated, "next_only": statement.next_only}
    names = [list(tier) for tier in statement.tiers]
    return {"names": names, **{option: True for option, on in options.items() if on}}


def _part_table(part: Part) -> dict[str, object]:
    arrows = [list(arrow) for arrow in part.arrows]
    return {"arrows": arrows, **({"variables": list(part.variables)} if part.variables else {})}


def _read(key: str, value: object) -> Known:
    """What one entry says."""
    try:
        if key == "side":
            return known(value if isinstance(value, str) else _items(value))
        return known(list(_statements(key, value)))
    except ShapeError as error:
        raise InputError(f"{key}: {error.reason}; it must look like {EXAMPLES[key]}") from error


def _statements(key: str, value: object) -> Iterable[Statement]:
    if key == "tiers":
        return _read_tiers(value)
    if key == "part":
        return [_read_part(each) for each in ([value] if isinstance(value, Mapping) else _items(value))]
    items = _items(value)
    if key == "order":
        return [Order(*_items(each)) for each in items]
    kind = {**PAIR_KINDS, **NAME_KINDS}[key]
    return [kind(*items)] if items else []


def _read_tiers(value: object) -> list[Tiers]:
    if isinstance(value, Mapping):
        return [_tiers_of(value)]
    items = _items(value)
    if items and all(isinstance(each, Mapping) for each in items):
        return [_tiers_of(each) for each in items]
    return [Tiers(*items)]


def _tiers_of(table: Mapping[str, Any]) -> Tiers:
    check_keys(table, ("names", "isolated", "next_only"), "key of tiers")
    options = {option: table[option] for option in ("isolated", "next_only") if option in table}
    return Tiers(*_items(table.get("names")), **options)


def _read_part(table: object) -> Part:
    if not isinstance(table, Mapping):
        raise _wrong(table, "a table with arrows and variables")
    check_keys(table, ("arrows", "variables"), "key of part")
    return Part(_items(table.get("arrows", [])), _items(table.get("variables", [])))


def _items(value: object) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise _wrong(value, "a list")
    return list(value)


def _wrong(value: object, wanted: str) -> ShapeError:
    return ShapeError("", f"{value!r} is not {wanted}", "")
