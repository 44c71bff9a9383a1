"""Well-known Bayesian-network structures, offline (see NETWORKS.md beside this file for source and licence)."""

from __future__ import annotations

import gzip
import json
from functools import cache
from importlib.resources import files
from pathlib import Path

import networkx as nx

from sidelight.errors import InputError
from sidelight.simulation.bif import read_bif
from sidelight.simulation.discrete import DiscreteNetwork


@cache
def _structures() -> dict[str, dict[str, list[str]]]:
    packed = files("sidelight.simulation").joinpath("structures.json.gz").read_bytes()
    structures: dict[str, dict[str, list[str]]] = json.loads(gzip.decompress(packed))
    return structures


def available() -> list[str]:
    """The names of the bundled networks."""
    return sorted(_structures())


def load(name: str) -> nx.DiGraph:
    """A bundled network's structure, its variables in the order of their source."""
    structures = _structures()
    if name not in structures:
        raise InputError(f"the name of a bundled network must be one of {', '.join(available())}; got {name!r}")
    graph = nx.DiGraph()
    graph.add_nodes_from(structures[name])
    graph.add_edges_from((parent, child) for child, parents in structures[name].items() for parent in parents)
    return graph


def with_tables() -> list[str]:
    """The names of the bundled networks that come with their conditional probabilities."""
    return sorted(path.name.removesuffix(".bif.gz") for path in _bif_folder().glob("*.bif.gz"))


def load_discrete(name: str) -> DiscreteNetwork:
    """A bundled network with its conditional probabilities, to sample from."""
    path = _bif_folder() / f"{name}.bif.gz"
    if not path.exists():
        known = ", ".join(with_tables())
        raise InputError(f"the name of a bundled network with probabilities must be one of {known}; got {name!r}")
    return read_bif(path)


def named(name: str, kind: str) -> nx.DiGraph | DiscreteNetwork:
    """A bundled network for rows of this kind: with its own probabilities, if it has any and rows are discrete."""
    return load_discrete(name) if kind == "discrete" and name in with_tables() else load(name)


def _bif_folder() -> Path:
    return Path(str(files("sidelight.simulation").joinpath("bif")))
