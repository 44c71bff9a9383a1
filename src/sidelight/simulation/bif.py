"""BIF, the format of discrete Bayesian networks that most programs read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sidelight.data.files import read_text
from sidelight.errors import InputError
from sidelight.simulation.discrete import DiscreteNetwork

VARIABLE = re.compile(r"\bvariable\s+([^{}]+?)\s*\{[^{}]*\{([^}]*)\}[^}]*\}")
PROBABILITY = re.compile(r"probability\s*\(\s*([^|)]+?)\s*(?:\|([^)]*))?\)\s*\{([^}]*)\}")
ROW = re.compile(r"\(([^)]*)\)\s*([^;]*);")
WHOLE = re.compile(r"\s*table([^;]*);")
COMMENT_OR_QUOTED = re.compile(r'//[^\n]*|/\*.*?\*/|"((?:[^"\\]|\\.)*)"', re.DOTALL)
MARK = re.compile("⟦[0-9]+⟧")  # stands for a quoted text while a file is parsed
PLAIN = re.compile(r"(?!.*(?:variable|probability|property|network|table|default|type))[A-Za-z0-9_.+-]+")


def read_bif(path: str | Path) -> DiscreteNetwork:
    """Read a BIF file, gzip'd or not."""
    return parse_bif(read_text(Path(path)), str(path))


def parse_bif(text: str, source: str) -> DiscreteNetwork:
    """The network that a BIF text describes; a name or category in quotes may hold any character."""
    text, plain = _with_marks(text)
    text = re.sub(r"\bproperty\b[^;]*;", "", text)
    variables = VARIABLE.findall(text)
    categories = {plain(name): [plain(category) for category in inner.split(",")] for name, inner in variables}
    if not categories:
        raise InputError(f"{source!r} has no variable; is it a BIF file?")
    if len(categories) < len(variables):
        raise InputError(f"{source!r}: two variables have the same name")
    parents: dict[str, list[str]] = {}
    tables: dict[str, NDArray[np.float64]] = {}
    for marked, given, body in PROBABILITY.findall(text):
        name = plain(marked)
        parents[name] = [plain(parent) for parent in given.split(",") if parent.strip()]
        for known in (name, *parents[name]):
            if known not in categories:
                raise InputError(f"{source!r}: probability of {name!r} mentions {known!r}, which is not a variable")
        rows = [([plain(category) for category in row.split(",")], numbers) for row, numbers in ROW.findall(body)]
        tables[name] = _table(name, parents[name], categories, WHOLE.match(body), rows, source)
    missing = [name for name in categories if name not in tables]
    if missing:
        raise InputError(f"{source!r}: variable {missing[0]!r} has no probabilities")
    return DiscreteNetwork(categories, {name: parents[name] for name in categories}, tables)


def _with_marks(text: str) -> tuple[str, Callable[[str], str]]:
    """The text without comments, with a mark for each different quoted text; and a function to put them back."""
    marks: dict[str, str] = {}

    def replaced(found: re.Match[str]) -> str:
        if found[1] is None:
            return " "
        return marks.setdefault(re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL), f"⟦{len(marks)}⟧")

    marked = COMMENT_OR_QUOTED.sub(replaced, text)
    texts = {mark: inner for inner, mark in marks.items()}
    return marked, lambda part: MARK.sub(lambda mark: texts.get(mark[0], mark[0]), part.strip())


def _table(
    name: str,
    parents: list[str],
    categories: dict[str, list[str]],
    whole: re.Match[str] | None,
    rows: list[tuple[list[str], str]],
    source: str,
) -> NDArray[np.float64]:
    """The probabilities, given as a whole or in rows that name the categories of the parents."""
    shape = [len(categories[parent]) for parent in parents]
    size = len(categories[name])
    table = np.full((*shape, size), np.nan)
    try:
        if whole:
            numbers = [float(x) for x in whole[1].split(",")]
            table = np.array(numbers).reshape(size, prod(shape)).T.reshape(*shape, size)
        for given, listed in rows:
            row = tuple(categories[parent].index(category) for parent, category in zip(parents, given, strict=True))
            table[row] = [float(x) for x in listed.split(",")]
    except ValueError as error:
        raise InputError(f"{source!r}: the probabilities of {name!r} do not fit its categories: {error}") from error
    if np.isnan(table).any():
        raise InputError(f"{source!r}: some probabilities of {name!r} are not given")
    if (table < 0).any() or np.abs(table.sum(axis=-1) - 1).max() > 0.01:
        raise InputError(f"{source!r}: the probabilities of {name!r} are negative or do not sum to 1")
    result: NDArray[np.float64] = table / table.sum(axis=-1, keepdims=True)
    return result


def render_bif(network: DiscreteNetwork) -> str:
    """The network in BIF; names and categories that are not plain words are in quotes."""
    lines = ["network unknown {", "}"]
    for name, categories in network.categories.items():
        listed = ", ".join(map(_quoted, categories))
        lines += [f"variable {_quoted(name)} {{", f"  type discrete [ {len(categories)} ] {{ {listed} }};", "}"]
    for name, parents in network.parents.items():
        given = " | " + ", ".join(map(_quoted, parents)) if parents else ""
        lines += [f"probability ( {_quoted(name)}{given} ) {{", *_rows(network, name), "}"]
    return "\n".join([*lines, ""])


def _rows(network: DiscreteNetwork, name: str) -> Iterator[str]:
    """One line for each combination of the parents' categories."""
    combinations = product(*(network.categories[parent] for parent in network.parents[name]))
    rows = network.tables[name].reshape(-1, len(network.categories[name])).tolist()
    for combination, row in zip(combinations, rows, strict=True):
        given = f"({', '.join(map(_quoted, combination))})" if combination else "table"
        yield f"  {given} {', '.join(map(repr, row))};"


def _quoted(text: str) -> str:
    if PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
