"""BIF, the format of discrete Bayesian networks that most programs read.

A text is read word by word: the time grows with its length and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.files.reading import read_text, user_path
from sidelight.simulation.discrete import DiscreteNetwork

MOST_PARENTS = 30  # a table has one axis for each, and NumPy has at most 32 or 64
PLAIN = re.compile(r"(?!.*(?:variable|probability|property|network|table|default|type))[A-Za-z0-9_.+-]+")
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*(?:.*?\*/|.*))
    |"(?P<quoted>(?:[^"\\]|\\.)*)(?P<closed>"?)
    |(?P<mark>[{}()\[\],;|])
    |(?P<word>(?:[^\s{}()\[\],;|"/]|/(?![/*]))+)""",
    re.DOTALL | re.VERBOSE,
)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class Token(NamedTuple):
    """A mark such as ``{``, a word, or a text in quotes, which is never a word of the language."""

    kind: str
    text: str


@dataclass(frozen=True)
class Probabilities:
    """The numbers of a variable given its parents: as a whole, or in rows with a category of each parent."""

    name: str
    parents: tuple[str, ...]
    whole: tuple[str, ...] | None
    rows: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def read_bif(path: str | Path) -> DiscreteNetwork:
    """Read a BIF file, gzip'd or not."""
    return parse_bif(read_text(user_path(path)), str(path))


def parse_bif(text: str, source: str) -> DiscreteNetwork:
    """The network that a BIF text describes; a name or category in quotes may hold any character."""
    try:
        network = _network(_Reader(text))
    except InputError as error:
        raise InputError(f"{source!r}: {error}") from error
    if not network.categories:
        raise InputError(f"{source!r} has no variable; is it a BIF file?")
    return network


def _network(found: _Reader) -> DiscreteNetwork:
    categories = dict(found.variables)
    if len(categories) < len(found.variables):
        raise InputError("two variables have the same name")
    for name, values in categories.items():
        if not values:
            raise InputError(f"variable {name!r} has no categories")
    given = {block.name: block for block in found.probabilities}
    tables = {name: _table(block, categories) for name, block in given.items()}
    for name in categories:
        if name not in tables:
            raise InputError(f"variable {name!r} has no probabilities")
    parents = {name: list(given[name].parents) for name in categories}
    return DiscreteNetwork(categories, parents, {name: tables[name] for name in categories})


def _table(block: Probabilities, categories: dict[str, list[str]]) -> NDArray[np.float64]:
    """The probabilities, given as a whole or in rows that name the categories of the parents."""
    name, parents = block.name, block.parents
    for known in (name, *parents):
        if known not in categories:
            raise InputError(f"probability of {name!r} mentions {known!r}, which is not a variable")
    shape, size = [len(categories[parent]) for parent in parents], len(categories[name])
    _check_size(block, prod(shape) * size)
    table = np.full((*shape, size), np.nan)
    try:
        if block.whole is not None:
            table = np.array(list(map(float, block.whole))).reshape(size, prod(shape)).T.reshape(*shape, size)
        for given, numbers in block.rows:
            row = tuple(categories[parent].index(category) for parent, category in zip(parents, given, strict=True))
            table[row] = list(map(float, numbers))
    except ValueError as error:
        raise InputError(f"the probabilities of {name!r} do not fit its categories: {error}") from error
    if np.isnan(table).any():
        raise InputError(f"some probabilities of {name!r} are not given")
    if (table < 0).any() or not np.abs(table.sum(axis=-1) - 1).max() <= 0.01:
        raise InputError(f"the probabilities of {name!r} are negative or do not sum to 1")
    result: NDArray[np.float64] = table / table.sum(axis=-1, keepdims=True)
    return result


def _check_size(block: Probabilities, n_cells: int) -> None:
    """Raise, before memory is taken for them, where there are more probabilities than the file gives."""
    n_given = len(block.whole or ()) + sum(len(numbers) for _, numbers in block.rows)
    if block.whole is None and not block.rows:
        raise InputError(f"some probabilities of {block.name!r} are not given")
    if len(block.parents) > MOST_PARENTS:
        raise InputError(f"variable {block.name!r} has more than {MOST_PARENTS} parents, too many to be read")
    if n_cells > n_given:
        parents = f"with its {len(block.parents)} parents, variable {block.name!r} has {n_cells:,} probabilities"
        raise InputError(f"{parents}, and {n_given:,} are given: they do not fit its categories")


# Reading.


def _tokens(text: str) -> Iterator[Token]:
    for found in TOKEN.finditer(text):
        if found["quoted"] is not None:
            if not found["closed"]:
                raise InputError("a quotation mark is not closed")
            yield Token("quoted", ESCAPED.sub(r"\1", found["quoted"]))
        elif not found["comment"]:
            yield Token("mark" if found["mark"] else "word", found[0])


class _Reader:
    """What a text has of variables and probabilities; the network's own block and properties are passed over."""

    def __init__(self, text: str) -> None:
        self.variables: list[tuple[str, list[str]]] = []
        self.probabilities: list[Probabilities] = []
        self.tokens = _tokens(text)
        self._advance()
        while self.next is not None:
            if self._takes("variable", "word"):
                self._read_variable()
            elif self._takes("probability", "word"):
                self._read_probabilities()
            else:
                self._advance()

    def _read_variable(self) -> None:
        name = self._phrase("{")
        self._expect("{")
        categories: tuple[str, ...] = ()
        while not self._takes("}"):
            if self._takes("property", "word"):
                self._skip_to(";")
            elif self._takes("{"):
                categories = self._list("}")
            else:
                self._advance()
        self.variables.append((name, list(categories)))

    def _read_probabilities(self) -> None:
        self._expect("(")
        name = self._phrase("|)")
        parents = self._list(")") if self._takes("|") else ()
        if not parents:
            self._takes(")")
        self._expect("{")
        whole, rows = None, []
        while not self._takes("}"):
            if self._takes("("):
                rows.append((self._list(")"), self._list(";")))
            elif self._takes("table", "word"):
                whole = self._list(";")
            else:
                self._skip_to(";")
        self.probabilities.append(Probabilities(name, parents, whole, tuple(rows)))

    def _list(self, end: str) -> tuple[str, ...]:
        """Phrases with commas between, up to the mark, which is taken too; none if there is nothing before it."""
        if self._takes(end):
            return ()
        phrases = [self._phrase("," + end)]
        while self._takes(","):
            phrases.append(self._phrase("," + end))
        self._expect(end)
        return tuple(phrases)

    def _phrase(self, ends: str) -> str:
        """The words up to one of the marks, with blanks between."""
        words = []
        while self.next is not None and not (self.next.kind == "mark" and self.next.text in ends):
            if self.next.kind == "mark":
                raise InputError(f"{self.next.text!r} stands where {' or '.join(map(repr, ends))} should")
            words.append(self.next.text)
            self._advance()
        return " ".join(words)

    def _takes(self, text: str, kind: str = "mark") -> bool:
        """Go past the mark, or the word of the language, if it comes next."""
        if self.next is None:
            raise InputError(f"it ends where {text!r} should stand")
        found = self.next == (kind, text)
        if found:
            self._advance()
        return found

    def _expect(self, mark: str) -> None:
        if not self._takes(mark):
            raise InputError(f"{self.next.text if self.next else ''!r} stands where {mark!r} should")

    def _skip_to(self, mark: str) -> None:
        while not self._takes(mark):
            self._advance()

    def _advance(self) -> None:
        self.next = next(self.tokens, None)


# Writing.


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
