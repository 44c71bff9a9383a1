"""Discrete Bayesian networks with their tables: the BIF format, and rows sampled from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from pathlib import Path

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.files import read_text

VARIABLE = re.compile(r"variable\s+(\S+)\s*\{[^{}]*\{([^}]*)\}[^}]*\}")
PROBABILITY = re.compile(r"probability\s*\(\s*([^|)]+?)\s*(?:\|([^)]*))?\)\s*\{([^}]*)\}")
ROW = re.compile(r"\(([^)]*)\)\s*([^;]*);")


@dataclass(frozen=True)
class DiscreteNetwork:
    """A Bayesian network over discrete variables: levels, parents and conditional probabilities of each.

    ``tables[name]`` has one axis per parent, in order, and the variable itself on the last.
    """

    levels: dict[str, list[str]]
    parents: dict[str, list[str]]
    tables: dict[str, NDArray[np.float64]]

    @property
    def structure(self) -> nx.DiGraph:
        """The graph."""
        graph = nx.DiGraph()
        graph.add_nodes_from(self.levels)
        graph.add_edges_from((parent, child) for child, parents in self.parents.items() for parent in parents)
        return graph

    def sample(self, n_samples: int, rng: np.random.Generator) -> dict[str, NDArray[np.str_]]:
        """Columns of levels, in the order of the variables."""
        codes: dict[str, NDArray[np.int64]] = {}
        for name in nx.topological_sort(self.structure):
            table = self.tables[name]
            size = table.shape[-1]
            rows = np.zeros(n_samples, dtype=np.int64)
            for parent, count in zip(self.parents[name], table.shape, strict=False):
                rows = rows * count + codes[parent]
            bounds = np.cumsum(table.reshape(-1, size), axis=1)[rows]
            codes[name] = np.minimum((rng.random(n_samples)[:, None] >= bounds).sum(axis=1), size - 1)
        return {name: np.array(self.levels[name])[codes[name]] for name in self.levels}


def read_bif(path: str | Path) -> DiscreteNetwork:
    """Read a BIF file, gzip'd or not."""
    return parse_bif(read_text(Path(path)), str(path))


def parse_bif(text: str, source: str) -> DiscreteNetwork:
    """The network that a BIF text describes."""
    text = re.sub(r"//[^\n]*|property[^;]*;", "", text)
    levels = {name: [level.strip() for level in inner.split(",")] for name, inner in VARIABLE.findall(text)}
    if not levels:
        raise InputError(f"{source!r} holds no variable; is it a BIF file?")
    parents: dict[str, list[str]] = {}
    tables: dict[str, NDArray[np.float64]] = {}
    for name, given, body in PROBABILITY.findall(text):
        parents[name] = [parent.strip() for parent in given.split(",") if parent.strip()]
        for known in (name, *parents[name]):
            if known not in levels:
                raise InputError(f"{source!r}: probability of {name!r} mentions {known!r}, which is no variable of it")
        tables[name] = _table(name, parents[name], levels, body, source)
    missing = [name for name in levels if name not in tables]
    if missing:
        raise InputError(f"{source!r}: variable {missing[0]!r} has no probability")
    return DiscreteNetwork(levels, {name: parents[name] for name in levels}, tables)


def _table(name: str, parents: list[str], levels: dict[str, list[str]], body: str, source: str) -> NDArray[np.float64]:
    shape = [len(levels[parent]) for parent in parents]
    size = len(levels[name])
    table = np.full((*shape, size), np.nan)
    try:
        whole = re.match(r"\s*table([^;]*);", body)
        if whole:
            numbers = [float(x) for x in whole[1].split(",")]
            table = np.array(numbers).reshape(size, prod(shape)).T.reshape(*shape, size)
        for given, numbers_text in ROW.findall(body):
            row = tuple(levels[p].index(g.strip()) for p, g in zip(parents, given.split(","), strict=True))
            table[row] = [float(x) for x in numbers_text.split(",")]
    except ValueError as error:
        raise InputError(f"{source!r}: the probabilities of {name!r} do not fit its levels: {error}") from error
    if np.isnan(table).any():
        raise InputError(f"{source!r}: some probabilities of {name!r} are not given")
    if np.abs(table.sum(axis=-1) - 1).max() > 0.01:
        raise InputError(f"{source!r}: the probabilities of {name!r} do not sum to 1")
    result: NDArray[np.float64] = table / table.sum(axis=-1, keepdims=True)
    return result
