"""Simulated structures and data: the paper's experiments, and tables of every kind to try a method on.

Rows come in chunks of a fixed size, so that a table larger than memory can be written, and so that a seed gives the
same rows however they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Protocol

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag
from sidelight.simulation import random_graphs
from sidelight.simulation.bif import DiscreteNetwork
from sidelight.simulation.gaussian import random_linear_gaussian
from sidelight.simulation.mixed import random_mixed

Values = NDArray[np.float64]
Indices = NDArray[np.int64]
DENSE = 5000  # variables, up to which all pairs are drawn at once
CHUNK_CELLS = 5_000_000
MOST_CELLS = 1_000_000  # of one variable's conditional probabilities
DEGREE = 3.0  # of a random structure, if nothing else is asked for
KINDS = ("gaussian", "discrete", "mixed")
TABLES = (".parquet", ".csv", ".feather", ".arrow")
RANDOM = {
    "erdos-renyi": "erdos-renyi",
    "diamond-free": "diamond-free",
    "clique": "clique:M",
    "treewidth": "treewidth:T",
}


def erdos_renyi(n: int, p: float, rng: np.random.Generator) -> nx.DiGraph:
    """A random DAG G(n, p) over 0 … n-1, its vertices in an order that is not topological."""
    order = rng.permutation(n)
    earlier, later = _joined(n, p, rng)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(order[earlier].tolist(), order[later].tolist(), strict=True))
    return graph


def _joined(n: int, p: float, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """The pairs that are joined, earlier and later; each with probability p, whatever the others."""
    if n <= DENSE:
        earlier, later = np.nonzero(np.triu(rng.random((n, n)) < p, 1))
        return earlier, later
    rows = [np.flatnonzero(rng.random(n - i - 1) < p) + i + 1 for i in range(n)]  # no matrix of all pairs
    return np.repeat(np.arange(n), [len(row) for row in rows]), np.concatenate(rows)


def linear_gaussian(graph: nx.DiGraph, n_samples: int, rng: np.random.Generator) -> tuple[list[Hashable], Values]:
    """Names and rows of a random linear-Gaussian model over the graph, as in the paper's experiments."""
    noise = rng.standard_normal((n_samples, graph.number_of_nodes()))
    model = random_linear_gaussian(graph, rng)
    return list(model.dag.names), model.rows(noise)


class Model(Protocol):
    """Whatever rows can be drawn from."""

    def sample(self, n_rows: int, rng: np.random.Generator) -> Mapping[Any, Any]:
        """Columns by name, in the order of the variables."""
        ...


@dataclass(frozen=True)
class Simulation:
    """A simulated table (of pyarrow), and the DAG that it comes from."""

    table: Any
    graph: nx.DiGraph


def simulate(
    structure: nx.DiGraph | DiscreteNetwork, n_rows: int = 1000, kind: str = "auto", seed: int = 0, share: float = 0.5
) -> Simulation:
    """Draw a table from a random model over a structure.

    Args:
        structure: a DAG, such as ``sl.networks.load("andes")``; or a network with its conditional probabilities, such
            as ``sl.networks.load_discrete("asia")`` or ``read_bif(path)``.
        n_rows: how many rows.
        kind: "gaussian" (linear, as in the paper's experiments), "discrete" (from conditional probabilities: the given
            ones, or random ones), "mixed", or "auto": "discrete" when probabilities are given, else "gaussian".
        seed: the same seed gives the same table.
        share: of the variables that are discrete, when ``kind`` is "mixed".
    """
    import pyarrow as pa

    graph, model, rng = prepare_model(structure, kind, seed, share)
    return Simulation(pa.concat_tables(chunks(model, graph, n_rows, rng)), graph)


def write_simulation(
    path: Path,
    structure: nx.DiGraph | DiscreteNetwork,
    n_rows: int,
    kind: str = "auto",
    seed: int = 0,
    share: float = 0.5,
    tick: Callable[[int], None] = lambda rows: None,
) -> nx.DiGraph:
    """The same, written to an open path as it is drawn, for tables larger than memory; returns the DAG."""
    graph, model, rng = prepare_model(structure, kind, seed, share)
    writer = None
    for chunk in chunks(model, graph, n_rows, rng):
        writer = writer or _writer(path, chunk.schema)
        writer.write_table(chunk)
        tick(chunk.num_rows)
    if writer is not None:
        writer.close()
    return graph


def prepare_model(
    structure: nx.DiGraph | DiscreteNetwork, kind: str, seed: int, share: float
) -> tuple[nx.DiGraph, Model, np.random.Generator]:
    """The DAG, a model over it, and the generator that draws its rows."""
    given = isinstance(structure, DiscreteNetwork)
    graph = structure.structure if given else structure
    if kind == "auto":
        kind = "discrete" if given else "gaussian"
    if kind not in KINDS:
        raise InputError(f"kind={kind!r}: there are 'auto', {', '.join(map(repr, KINDS))}")
    if not 0 <= share <= 1:
        raise InputError(f"share={share}: the share of discrete variables lies between 0 and 1")
    if not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed={seed!r}: a seed is a whole number, 0 or more")
    Dag.from_networkx(graph)  # tells a cycle, or names that look the same
    rng = np.random.default_rng(seed)
    if kind == "gaussian":
        return graph, random_linear_gaussian(graph, rng), rng
    if kind == "mixed":
        return graph, random_mixed(graph, share, rng), rng
    return graph, structure if given else random_tables(graph, rng), rng


def chunks(model: Model, graph: nx.DiGraph, n_rows: int, rng: np.random.Generator) -> Iterator[Any]:
    """The rows as tables of at most so many cells each."""
    import pyarrow as pa

    if not isinstance(n_rows, int) or n_rows < 1:
        raise InputError(f"n_rows={n_rows!r}: a table has a whole number of rows, one at least")
    if not graph:
        raise InputError("the structure has no variables, so there is nothing to draw")
    size = max(1, CHUNK_CELLS // graph.number_of_nodes())
    for start in range(0, n_rows, size):
        columns = {str(name): values for name, values in model.sample(min(size, n_rows - start), rng).items()}
        yield pa.table({str(name): pa.array(columns[str(name)]) for name in graph.nodes})


def _writer(path: Path, schema: Any) -> Any:
    """A writer for the format that the path's extension tells."""
    match path.suffix.lower():
        case ".parquet":
            from pyarrow.parquet import ParquetWriter

            return ParquetWriter(path, schema, compression="zstd")
        case ".csv":
            from pyarrow.csv import CSVWriter

            return CSVWriter(path, schema)
        case ".feather" | ".arrow":
            from pyarrow.ipc import RecordBatchFileWriter

            return RecordBatchFileWriter(path, schema)
    raise InputError(f"cannot tell the format of {path.name!r}; it may end in {', '.join(TABLES)}")


def random_tables(graph: nx.DiGraph, rng: np.random.Generator) -> DiscreteNetwork:
    """Random conditional probabilities over a structure: two to four levels, and clear differences between them."""
    levels = {str(v): list("abcd"[: int(rng.integers(2, 5))]) for v in graph}
    parents = {str(v): [str(p) for p in graph.predecessors(v)] for v in graph}
    tables = {}
    for name in levels:
        shape = [len(levels[p]) for p in parents[name]]
        if prod(shape) > MOST_CELLS:
            raise InputError(
                f"variable {name!r} has {len(shape)} parents, too many for a table of conditional probabilities; "
                "kind='mixed' has no such limit"
            )
        tables[name] = rng.dirichlet(np.full(len(levels[name]), 0.5), size=shape)
    return DiscreteNetwork(levels, parents, tables)


def random_structure(
    text: str,
    n: int,
    rng: np.random.Generator,
    degree: float | None = None,
    exponent: float | None = None,
    max_parents: int | None = None,
) -> nx.DiGraph:
    """The random DAG that words such as "diamond-free", "clique:3", "treewidth:2" or "erdos-renyi" ask for.

    ``degree`` is the mean degree, 3 by default; ``exponent`` e means G(n, n^-e) instead; ``max_parents`` is for a
    treewidth.
    """
    kind, _, number = text.partition(":")
    if kind not in RANDOM or (number.isdecimal() is not (kind in ("clique", "treewidth"))):
        raise InputError(f"structure {text!r} is not one of {', '.join(RANDOM.values())}")
    if n < 1:
        raise InputError(f"variables={n}: a structure has one variable at least")
    _refuse_what_does_not_apply(kind, degree, exponent, max_parents)
    if degree is None:
        degree = min(DEGREE, n - 1)
    match kind:
        case "clique":
            return random_graphs.with_clique_number(n, int(number), degree, rng)
        case "treewidth":
            return random_graphs.with_treewidth(n, int(number), rng, max_parents)
        case "diamond-free":
            return random_graphs.diamond_free(n, degree, rng)
    if not 0 <= degree <= n - 1:
        raise InputError(f"degree={degree}: the mean degree of {n} variables lies between 0 and {n - 1}")
    return erdos_renyi(n, degree / max(1, n - 1) if exponent is None else n**-exponent, rng)


def _refuse_what_does_not_apply(
    kind: str, degree: float | None, exponent: float | None, max_parents: int | None
) -> None:
    if exponent is not None and (kind != "erdos-renyi" or degree is not None or not 0 <= exponent < np.inf):
        raise InputError(f"exponent={exponent}: only erdos-renyi has one, 0 or more, instead of a degree")
    if max_parents is not None and (kind != "treewidth" or max_parents < 0):
        raise InputError(f"max_parents={max_parents}: only treewidth:T has it, 0 or more")
    if degree is not None and kind == "treewidth":
        raise InputError(f"degree={degree}: the degree of a treewidth:T follows from T")
