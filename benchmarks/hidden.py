"""Learning with hidden common causes, beside causal-learn's FCI and rcd's L-MARVEL.

    python benchmarks/hidden.py tables [TABLES] [COLUMNS] [ROWS]   numbers, two families of hidden causes
    python benchmarks/hidden.py networks [TABLES] [ROWS]           categories: known networks with columns left out
    python benchmarks/hidden.py oracle [GRAPHS]                    exact PAGs with an oracle
    python benchmarks/hidden.py counts [GRAPHS]                    distinct tests with an oracle, beside the peers

Families: *roots*, a fifth as many hidden causes as columns, roots with two effects each; *anywhere*, as many anywhere
in the DAG, with two effects or more. The mean degree is 4, weights are ±.2 to .8, variances 1 to 3. Of a known network
a tenth of the columns is left out, each with two effects or more.

Distance: pairs whose edge or marks differ, for each edge of the true PAG; then the ends of edges that differ. FCI is
called with Fisher's Z or G² at .01, depth unlimited, and stopped after LIMIT seconds of CPU time.
"""

from __future__ import annotations

import signal
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from itertools import product
from time import process_time
from typing import NamedTuple
from unittest.mock import patch

import networkx as nx
import numpy as np
import pandas as pd
from causallearn.search.ConstraintBased import FCI
from causallearn.utils.cit import CIT_Base

import sidelight as sl
from sidelight.evaluate.counts import SkeletonComparison, compare_sets
from sidelight.evaluate.marks import compare_marks, pag_without, pairs_that_differ
from sidelight.graphs.ancestral import mag_of
from sidelight.graphs.dag import Dag
from sidelight.graphs.marks import ARROW, CIRCLE, TAIL, MarkedGraph
from sidelight.orientation.pag import is_pag, pag_of
from sidelight.simulation import networks as known
from sidelight.simulation.random_graphs import erdos_renyi
from sidelight.tables.strings import code_columns

FIRST_SEED = 340_000  # not used to choose anything
DEGREE = 4
LIMIT = 5
NETWORKS = ("alarm", "insurance", "hailfinder")
MARKS = {-1: TAIL, 1: ARROW, 2: CIRCLE}  # as causal-learn has them


class Case(NamedTuple):
    """A table without its hidden columns, and the true PAG over the others."""

    frame: pd.DataFrame
    truth: MarkedGraph
    fci_test: str


class Found(NamedTuple):
    """What one learner made of a table."""

    distance: float
    ends: float
    edges: SkeletonComparison
    arrows: SkeletonComparison
    tails: SkeletonComparison
    mutual: SkeletonComparison
    is_legal: bool
    seconds: float


def roots(n, rng):
    """A DAG over n columns and hidden roots with two effects each."""
    graph = erdos_renyi(n, DEGREE / (n - 1), rng)
    hidden = list(range(n, n + n // 5))
    graph.add_edges_from((u, int(v)) for u in hidden for v in rng.choice(n, 2, replace=False))
    return graph, hidden


def anywhere(n, rng):
    """A DAG of which some variables with two effects or more are hidden."""
    total = n + n // 5
    graph = erdos_renyi(total, DEGREE / (total - 1), rng)
    return graph, some_causes(graph, n // 5, rng)


def some_causes(graph, n, rng):
    possible = [v for v in graph if graph.out_degree(v) >= 2]
    return [possible[i] for i in sorted(rng.choice(len(possible), min(n, len(possible)), replace=False))]


def numbers(family, n, n_rows) -> Callable[[np.random.Generator], Case]:
    def draw(rng):
        graph, hidden = family(n, rng)
        dag = Dag.from_networkx(graph)
        values = rng.standard_normal((n_rows, len(dag))) * np.sqrt(rng.uniform(1, 3, len(dag)))
        for v in dag.topological_order():
            for parent in sorted(dag.parents[v]):
                values[:, v] += rng.uniform(0.2, 0.8) * rng.choice([-1, 1]) * values[:, parent]
        return without(pd.DataFrame(values, columns=list(dag.names)), graph, hidden, "fisherz")

    return draw


def network(name, n_rows) -> Callable[[np.random.Generator], Case]:
    def draw(rng):
        model = known.load_discrete(name)
        graph = known.load(name)
        hidden = some_causes(graph, len(graph) // 10, rng)
        return without(pd.DataFrame(model.sample(n_rows, rng)), graph, hidden, "gsq")

    return draw


def without(frame, graph, hidden, fci_test) -> Case:
    dag = Dag.from_networkx(graph)
    truth = pag_without(dag, [dag.names.index(v) for v in hidden])
    kept = frame[list(truth.names)]
    return Case(kept.set_axis(list(map(str, kept.columns)), axis=1), truth, fci_test)


def as_marks(matrix, names) -> MarkedGraph:
    """The matrix of causal-learn."""
    pairs = [(a, b) for a in range(len(matrix)) for b in range(a) if matrix[a, b] or matrix[b, a]]
    return MarkedGraph.of_edges(names, [(a, b, MARKS[matrix[a, b]], MARKS[matrix[b, a]]) for a, b in pairs])


def by_fci(case) -> MarkedGraph:
    codes = case.frame.apply(lambda column: pd.factorize(column)[0]) if case.fci_test == "gsq" else case.frame
    with redirect_stdout(StringIO()):  # it prints edges even if asked not to
        matrix = FCI.fci(codes.to_numpy(), case.fci_test, 0.01, show_progress=False)[0].graph
    return as_marks(matrix, case.truth.names)


def learned(case, **options) -> sl.Network:
    if case.fci_test == "fisherz":
        return sl.learn(case.frame, **options)
    coded = code_columns(list(case.frame), [case.frame[name].to_numpy() for name in case.frame])
    test = sl.MomentChiSquare(coded.codes, coded.n_categories, coded.names)  # the doctor refuses copies of columns
    return sl.learn(test, learner="hybrid", **options)


def by_sidelight(case) -> MarkedGraph:
    return learned(case, hidden=True).by_position.marks


def of_the_dag(case) -> MarkedGraph:
    return pag_of(MarkedGraph.of_dag(learned(case).by_position.dag)).graph


LEARNERS = {"sidelight": by_sidelight, "PAG of its DAG": of_the_dag, "causal-learn FCI": by_fci}


@contextmanager
def limited(seconds) -> Iterator[None]:
    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def result_of(name, case) -> Found | None:
    start = process_time()
    try:
        with limited(LIMIT if name == "causal-learn FCI" else 0):
            graph = LEARNERS[name](case)
    except TimeoutError:
        return None
    seconds, marks = process_time() - start, compare_marks(graph, case.truth)
    edges = compare_sets(*({(e.a, e.b) for e in g.edges()} for g in (graph, case.truth)))
    distance = pairs_that_differ(graph, case.truth) / max(1, case.truth.n_edges)
    legal = is_pag(graph)
    return Found(distance, marks.per_edge, edges, marks.arrows, marks.tails, marks.bidirected, legal, seconds)


def compared(title, draw, n_tables) -> None:
    figures = defaultdict[str, list[Found]](list)
    failed = set[str]()  # one that cannot do a table in time is not asked again
    for number in range(-1, n_tables):  # the first is not counted: kernels are compiled
        case = draw(np.random.default_rng(FIRST_SEED + number))
        for name in LEARNERS.keys() - failed:
            found = result_of(name, case)
            if found is None:
                failed.add(name)
            elif number >= 0:
                figures[name].append(found)
    for name in LEARNERS:
        print(f"| {title} | {name} | {row(figures[name], n_tables)} |", flush=True)


def row(found, n_tables) -> str:
    if not found:
        return f"not in {LIMIT} s" + " |" * 7
    part = "" if len(found) == n_tables else f" ({len(found)} of {n_tables})"
    distance, ends, legal, seconds = (
        np.mean([getattr(f, field) for f in found]) for field in ("distance", "ends", "is_legal", "seconds")
    )
    f1 = np.mean([f.edges.f1 for f in found])
    marks = " | ".join(shares([getattr(f, field) for f in found]) for field in ("arrows", "tails", "mutual"))
    return f"{distance:.3f}{part} | {ends:.3f} | {f1:.3f} | {marks} | {legal:.0%} | {seconds:.2f}"


def shares(found) -> str:
    """Precision and recall over all tables together."""
    counts = (sum(getattr(f, field) for f in found) for field in ("found", "missing", "extra"))
    together = SkeletonComparison(*counts)
    return f"{together.precision:.2f}/{together.recall:.2f}"


def heading() -> None:
    print("| table | learner | distance | ends | edges F1 | arrows P/R | tails P/R | ↔ P/R | legal | s |")
    print("|---|---|---|---|---|---|---|---|---|---|")


def tables(n_tables=10, n=20, n_rows=1000):
    heading()
    for family in (roots, anywhere):
        compared(f"{n} × {n_rows:,}, {family.__name__}", numbers(family, n, n_rows), n_tables)


def networks(n_tables=5, n_rows=1000):
    heading()
    for name in NETWORKS:
        compared(f"{name} × {n_rows:,}", network(name, n_rows), n_tables)


def oracle(n_graphs=200):
    exact, n_tests = 0, []
    for number in range(n_graphs):
        rng = np.random.default_rng(FIRST_SEED + number)
        n = int(rng.integers(4, 10))
        graph = erdos_renyi(n + int(rng.integers(0, 5)), min(1.0, 3 / (n - 1)), rng)
        others = [int(v) for v in rng.permutation(len(graph))][: len(graph) - n]
        cut = int(rng.integers(0, len(others) + 1))
        net = sl.learn(sl.DSeparation(graph, hidden=others[:cut], selected=others[cut:]), hidden=True)
        dag = Dag.from_networkx(graph)
        roles = ([dag.names.index(v) for v in role] for role in (others[:cut], others[cut:]))
        exact += net.by_position.marks == pag_of(mag_of(dag, *roles), cut < len(others)).graph
        separated = all(
            nx.is_d_separator(graph, {a}, {b}, {*given, *others[cut:]}) for (a, b), given in net.separating_sets.items()
        )
        assert separated
        n_tests.append(net.n_tests + net.boundary_tests)
    print(f"{exact} of {n_graphs} PAGs exact; every separating set separates; {np.mean(n_tests):.0f} tests on average")


class Questions(CIT_Base):
    """The oracle as peers ask it, and the distinct questions; causal-learn looks at ``method``."""

    method = "oracle"

    def __init__(self, graph, names):
        self.oracle = sl.DSeparation(graph, hidden=[v for v in graph if v not in names])
        self.asked = set[tuple[frozenset, frozenset]]()

    def __call__(self, x, y, given=()):
        return float(self.independent(x, y, given))

    def boundaries(self, rows):
        """Each pair given all others."""
        n = range(rows.shape[1])
        return np.array([[x != y and not self.independent(x, y, {*n} - {x, y}) for y in n] for x in n])

    def independent(self, x, y, given, _=None):
        x, y, given = int(x), int(y), frozenset(map(int, given))
        self.asked.add((frozenset((x, y)), given))
        return bool(self.oracle.independent(x, y, sorted(given), 0.01))


def counts(n_graphs=10):
    """The same graphs for all; rcd, as it has no rules, ends at the skeleton."""
    from rcd import l_marvel

    print(f"Distinct tests, means of {n_graphs} graphs; in brackets how many results were exact")
    print("| observed, mean degree | sidelight | rcd L-MARVEL (skeleton) | causal-learn FCI |\n|---|---|---|---|")
    for n, degree in product((8, 12, 15), (2, 3)):
        figures, exact = [], np.zeros(3)
        for number in range(n_graphs):
            rng = np.random.default_rng(FIRST_SEED + number)
            graph, names = hiding_some(n, degree, rng)
            hidden = sorted(graph.nodes - set(names))
            truth = without(pd.DataFrame(columns=list(graph)), graph, hidden, "").truth
            ours, of_rcd, of_fci = (Questions(graph, names) for _ in range(3))
            net = sl.learn(Asked(ours), hidden=True)
            rows = pd.DataFrame(np.zeros((1, n)))
            skeleton = l_marvel.learn_and_get_skeleton(of_rcd.independent, rows, of_rcd.boundaries)
            matrix = fci_with(of_fci, rows)
            figures.append([len(asked.asked) for asked in (ours, of_rcd, of_fci)])
            exact += [
                net.by_position.marks == truth,
                len(skeleton.edges) == truth.n_edges,
                as_marks(matrix, truth.names) == truth,
            ]
        cells = (f"{mean:.0f} ({right:.0f})" for mean, right in zip(np.mean(figures, axis=0), exact, strict=True))
        print(f"| {n}, {degree} | {' | '.join(cells)} |", flush=True)


def fci_with(questions, rows):
    with (
        patch.object(FCI, "CIT", lambda *_, **__: questions),
        redirect_stdout(StringIO()),
        warnings.catch_warnings(action="ignore"),  # one row is few
    ):
        return FCI.fci(rows.to_numpy(), "oracle", 0.01, show_progress=False)[0].graph


def hiding_some(n, degree, rng):
    """A DAG of which n variables are observed, and as many hidden as can be, up to a fourth as many."""
    while True:
        graph = erdos_renyi(n + n // 4, degree / (n + n // 4 - 1), rng)
        hidden = some_causes(graph, n // 4, rng)
        if len(hidden) == n // 4:
            return graph, [v for v in graph if v not in hidden]


class Asked(sl.CITest):
    """The oracle as a test of one's own."""

    is_exact = True

    def __init__(self, questions):
        self.names, self.questions = questions.oracle.names, questions

    def p_value(self, x, y, given):
        return self.questions(x, y, given)


if __name__ == "__main__":
    command, *given = sys.argv[1:] or ["tables"]
    {"tables": tables, "networks": networks, "oracle": oracle, "counts": counts}[command](*map(int, given))
