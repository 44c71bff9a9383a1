"""BIF, the format of discrete Bayesian networks that most programs read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.files.reading import read_text
from sidelight.simulation.bif_blocks import Block, ProbabilityBlock, VariableBlock, parse_blocks
from sidelight.simulation.discrete import DiscreteNetwork

MOST_PARENTS = 30  # a table has one axis for each, and NumPy has at most 32 or 64
PLAIN = re.compile(r"(?!.*(?:variable|probability|property|network|table|default|type))[A-Za-z0-9_.+-]+")


def read_bif(path: str | Path) -> DiscreteNetwork:
    """Read a BIF file, gzip'd or not."""
    return parse_bif(read_text(Path(path)), str(path))


def parse_bif(text: str, source: str) -> DiscreteNetwork:
    """The network that a BIF text describes; a name or category in quotes may hold any character."""
    try:
        network = _network(parse_blocks(text))
    except InputError as error:
        raise InputError(f"{source!r}: {error}") from error
    if not network.categories:
        raise InputError(f"{source!r} has no variable; is it a BIF file?")
    return network


def _network(blocks: list[Block]) -> DiscreteNetwork:
    variables = [block for block in blocks if isinstance(block, VariableBlock)]
    categories = {variable.name: list(variable.categories) for variable in variables}
    if len(categories) < len(variables):
        raise InputError("two variables have the same name")
    for name, values in categories.items():
        if not values:
            raise InputError(f"variable {name!r} has no categories")
    given = {block.name: block for block in blocks if isinstance(block, ProbabilityBlock)}
    tables = {name: _table(block, categories) for name, block in given.items()}
    for name in categories:
        if name not in tables:
            raise InputError(f"variable {name!r} has no probabilities")
    parents = {name: list(given[name].parents) for name in categories}
    return DiscreteNetwork(categories, parents, {name: tables[name] for name in categories})


def _table(block: ProbabilityBlock, categories: dict[str, list[str]]) -> NDArray[np.float64]:
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
            table = np.array(_numbers(block.whole)).reshape(size, prod(shape)).T.reshape(*shape, size)
        for given, numbers in block.rows:
            row = tuple(categories[parent].index(category) for parent, category in zip(parents, given, strict=True))
            table[row] = _numbers(numbers)
    except ValueError as error:
        raise InputError(f"the probabilities of {name!r} do not fit its categories: {error}") from error
    if np.isnan(table).any():
        raise InputError(f"some probabilities of {name!r} are not given")
    if (table < 0).any() or not np.abs(table.sum(axis=-1) - 1).max() <= 0.01:
        raise InputError(f"the probabilities of {name!r} are negative or do not sum to 1")
    result: NDArray[np.float64] = table / table.sum(axis=-1, keepdims=True)
    return result


def _check_size(block: ProbabilityBlock, n_cells: int) -> None:
    """Raise, before memory is taken for them, where there are more probabilities than the file gives."""
    n_given = len(block.whole or ()) + sum(len(numbers) for _, numbers in block.rows)
    if block.whole is None and not block.rows:
        raise InputError(f"some probabilities of {block.name!r} are not given")
    if len(block.parents) > MOST_PARENTS:
        raise InputError(f"variable {block.name!r} has more than {MOST_PARENTS} parents, too many to be read")
    if n_cells > n_given:
        parents = f"with its {len(block.parents)} parents, variable {block.name!r} has {n_cells:,} probabilities"
        raise InputError(f"{parents}, and {n_given:,} are given: they do not fit its categories")


def _numbers(texts: Sequence[str]) -> list[float]:
    return [float(text) for text in texts]


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
