"""Random graphs for tests of effects, all DAGs of their classes, and effects by the covariance of a model."""

from itertools import combinations

import numpy as np

from sidelight.effects.possible import Candidate, directed
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.orientation.essential import essential_graph


def random_dag(rng, n, density):
    order = rng.permutation(n)
    parents = [set() for _ in range(n)]
    for i, j in combinations(range(n), 2):
        if rng.random() < density:
            parents[order[j]].add(int(order[i]))
    return Dag(tuple(range(n)), tuple(map(frozenset, parents)))


def random_class(rng, n, density, knowledge):
    """The essential graph of a random DAG, with some undirected edges directed as in it."""
    dag = random_dag(rng, n, density)
    found = Candidate(essential_graph(dag))
    for _ in range(knowledge):
        undirected = found.graph.undirected_edges()
        if undirected:
            a, b = undirected[rng.integers(len(undirected))]
            found = directed(found, *((a, b) if a in dag.parents[b] else (b, a)))
    return found.graph, dag


def members(graph: PartialDag):
    """All DAGs of a class."""
    waiting = [Candidate(graph)]
    while waiting:
        found = waiting.pop()
        edge = next(((a, min(others)) for a, others in enumerate(found.graph.undirected) if others), None)
        if edge is None:
            yield Dag(tuple(range(len(graph))), tuple(map(frozenset, found.graph.parents)))
        else:
            waiting.extend(directed(found, tail, head) for tail, head in (edge, edge[::-1]))


def random_covariance(rng, dag):
    """Of a linear model over the DAG, with weights drawn at random."""
    n = len(dag)
    weights = np.zeros((n, n))
    for p, v in dag.edges():
        weights[p, v] = rng.uniform(0.3, 1.2) * rng.choice([-1, 1])
    total = np.linalg.inv(np.eye(n) - weights)
    return total.T @ np.diag(rng.uniform(0.5, 2.0, n)) @ total


def regression(covariance, causes, target, given):
    """Coefficients of the causes in the regression of the target on them and what is given."""
    columns = [*causes, *given]
    return np.linalg.solve(covariance[np.ix_(columns, columns)], covariance[columns, target])[: len(causes)]


def true_effect(dag, covariance, causes, target):
    """Of a joint intervention, by the weights that the DAG has with this covariance."""
    n = len(dag)
    weights = np.zeros((n, n))
    for v, parents in enumerate(dag.parents):
        if parents and v not in causes:
            weights[sorted(parents), v] = regression(covariance, sorted(parents), v, ())
    return np.linalg.inv(np.eye(n) - weights)[list(causes), target]
