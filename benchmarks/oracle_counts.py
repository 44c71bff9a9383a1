"""How many questions does RSL ask the independence oracle, and is the result exact?

    python benchmarks/oracle_counts.py                     the bundled networks of the paper's table
    python benchmarks/oracle_counts.py DIR                 every edge list (parent,child) in a folder of CSV files

Prints one Markdown table per kind of side information.
"""

from __future__ import annotations

import sys
from pathlib import Path

import networkx as nx

import sidelight as sl
from sidelight.graphs import properties
from sidelight.learners.rsl import VARIANTS
from sidelight.simulation import networks

BUNDLED = ("insurance", "hepar2", "andes", "pigs")


def read_edge_list(path: Path) -> nx.DiGraph:
    """A DAG over 0 … n-1 from lines ``parent,child``; a line ``# n vertices`` gives n."""
    graph = nx.DiGraph()
    for line in path.read_text().splitlines()[1:]:
        if line.startswith("#"):
            graph.add_nodes_from(range(int(line.split()[1])))
        elif line:
            graph.add_edge(*map(int, line.split(",")))
    return graph


def exact(net: sl.Network, graph: nx.DiGraph) -> bool:
    return {frozenset(e) for e in net.skeleton.edges} == {frozenset(e) for e in graph.edges}


def print_table(title: str, graphs: dict[str, nx.DiGraph], side_of) -> None:
    print(f"\n{title}\n\n| variant | {' | '.join(graphs)} | total |\n|---|{'---|' * (len(graphs) + 1)}")
    for variant in VARIANTS:
        counts = []
        for graph in graphs.values():
            net = sl.learn(sl.DSeparation(graph), side_of(graph), variant=variant)
            counts.append(f"{net.n_tests}{'' if exact(net, graph) else ' (not exact)'}")
        print(f"| {variant} | {' | '.join(counts)} | {sum(int(c.split()[0]) for c in counts)} |")


def main() -> None:
    if len(sys.argv) > 1:
        graphs = {path.stem: read_edge_list(path) for path in sorted(Path(sys.argv[1]).glob("*.csv"))}
    else:
        graphs = {name: networks.load(name) for name in BUNDLED}
    print_table("DiamondFree()", graphs, lambda graph: sl.DiamondFree())
    print_table("CliqueNumber(ω)", graphs, lambda graph: sl.CliqueNumber(properties.clique_number(graph)))
    print_table("no side information", graphs, lambda graph: None)


if __name__ == "__main__":
    main()
