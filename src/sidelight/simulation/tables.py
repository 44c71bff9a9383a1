"""Simulated tables: rows drawn from a model over a structure, into memory or into a file.

Rows come in chunks of a fixed size, so that a table larger than memory can be written and a seed gives the same rows
in memory as in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import networkx as nx
import numpy as np

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag
from sidelight.simulation import networks
from sidelight.simulation.discrete import DiscreteNetwork, random_discrete, random_mixed
from sidelight.simulation.gaussian import random_linear_gaussian
from sidelight.sources.arrangement import is_number
from sidelight.text.message import must_be, must_be_one_of
from sidelight.text.sentences import counted

CHUNK_CELLS = 5_000_000
KINDS = ("gaussian", "discrete", "mixed")
TABLES = (".parquet", ".csv", ".feather", ".arrow")


class Model(Protocol):
    """A model that rows can be drawn from."""

    def sample(self, n_rows: int, rng: np.random.Generator) -> Mapping[Any, Any]:
        """Columns by name, in the order of the variables."""
        ...


@dataclass(frozen=True)
class Simulation:
    """A simulated pyarrow table, and the DAG that it was drawn from."""

    table: Any
    graph: nx.DiGraph

    def __repr__(self) -> str:
        return f"<Simulation: {counted(self.table.num_rows, 'row')}, {counted(self.table.num_columns, 'column')}>"


def simulate(
    structure: str | nx.DiGraph | DiscreteNetwork,
    n_rows: int = 1000,
    kind: str = "auto",
    seed: int = 0,
    share: float = 0.5,
) -> Simulation:
    """Draw a table from a random model over a structure.

    Args:
        structure: the name of a bundled network (``sl.networks.available()``), whose own probabilities are used with
            ``kind="discrete"``; a DAG; or a network with its conditional probabilities, such as ``read_bif(path)``.
        n_rows: the number of rows.
        kind: "gaussian" (linear, as in the paper's experiments), "discrete" (from conditional probabilities: the given
            ones, or random ones), "mixed", or "auto": "discrete" when probabilities are given, else "gaussian".
        seed: the same seed gives the same table.
        share: the share of discrete variables, when ``kind`` is "mixed".
    """
    import pyarrow as pa

    chosen = networks.named(structure, kind) if isinstance(structure, str) else structure
    graph, model, rng = prepare_model(chosen, kind, seed, share)
    return Simulation(pa.concat_tables(chunks(model, graph, n_rows, rng)), graph)


def with_names(structure: nx.DiGraph | DiscreteNetwork) -> nx.DiGraph | DiscreteNetwork:
    """The structure; a graph over numbers has x0, x1, … instead, since a header of numbers could be a row."""
    if isinstance(structure, nx.DiGraph) and all(is_number(str(name)) for name in structure):
        return nx.relabel_nodes(structure, {name: f"x{name}" for name in structure})
    return structure


def write_simulation(
    path: Path,
    structure: nx.DiGraph | DiscreteNetwork,
    n_rows: int,
    kind: str = "auto",
    seed: int = 0,
    share: float = 0.5,
    tick: Callable[[int], None] = lambda rows: None,
) -> nx.DiGraph:
    """Draw the same table chunk by chunk into a file, for tables larger than memory; return the DAG."""
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
        raise InputError(must_be_one_of("kind", ("auto", *KINDS), kind))
    if not 0 <= share <= 1:
        raise InputError(must_be("share", "between 0 and 1", share))
    if not isinstance(seed, int) or seed < 0:
        raise InputError(must_be("seed", "a whole number, 0 or more", seed))
    Dag.from_networkx(graph)  # raises for a cycle, or names that look the same
    rng = np.random.default_rng(seed)
    if kind == "gaussian":
        return graph, random_linear_gaussian(graph, rng), rng
    if kind == "mixed":
        return graph, random_mixed(graph, share, rng), rng
    return graph, structure if given else random_discrete(graph, rng), rng


def chunks(model: Model, graph: nx.DiGraph, n_rows: int, rng: np.random.Generator) -> Iterator[Any]:
    """The rows as tables of at most ``CHUNK_CELLS`` cells each."""
    import pyarrow as pa

    if not isinstance(n_rows, int) or n_rows < 1:
        raise InputError(must_be("n_rows", "a whole number, 1 or more", n_rows, flag="--rows"))
    if not graph:
        raise InputError("the structure has no variables, so no table can be drawn")
    size = max(1, CHUNK_CELLS // graph.number_of_nodes())
    for start in range(0, n_rows, size):
        columns = {str(name): values for name, values in model.sample(min(size, n_rows - start), rng).items()}
        yield pa.table({str(name): pa.array(columns[str(name)]) for name in graph.nodes})


def _writer(path: Path, schema: Any) -> Any:
    """A writer for the format of the path's extension."""
    from pyarrow import csv, ipc, parquet

    extension = path.suffix.lower()
    if extension not in TABLES:
        raise InputError(f"the name of a table must end in one of {', '.join(TABLES)}; got {path.name!r}")
    if extension == ".parquet":
        return parquet.ParquetWriter(path, schema, compression="zstd")
    return (csv.CSVWriter if extension == ".csv" else ipc.RecordBatchFileWriter)(path, schema)
