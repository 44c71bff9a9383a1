"""The consensus of resamples as a network, with evidence from tests on the whole table."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real

from sidelight.errors import InputError
from sidelight.families import CITest
from sidelight.knowledge import constraints_of
from sidelight.learners.skeleton import skeleton_of
from sidelight.network import Network
from sidelight.options import Given
from sidelight.result import EdgeTests, MeasuredEdges, TestedEdges, TestedMissing
from sidelight.result.certainty import Shares, consensus_graph
from sidelight.result.certificate import Certificate
from sidelight.text.message import must_be
from sidelight.text.sentences import counted


def consensus_network(network: Network, test: CITest, threshold: float | None) -> Network:
    """The consensus of a network's resamples as a network, with evidence from tests on the whole table."""
    shares = network.shares
    assert shares is not None
    least = shares.threshold if threshold is None else threshold
    if threshold is not None and not (isinstance(threshold, Real) and 0 < float(threshold) <= 1):
        raise InputError(must_be("threshold", "a share of the resamples, above 0 and at most 1", threshold))
    given: dict[str, Given] = {} if threshold is None else {"threshold": float(threshold)}
    names = network.names
    known = constraints_of(network.settings.known, names) if network.settings.known else None
    found = consensus_graph(shares, least, known)
    sets = skeleton_of(found.dag).separating_sets(names)
    named = zip(names, found.dag.boundaries(), strict=True)
    boundaries = {name: frozenset(names[y] for y in members) for name, members in named}
    edge_tests = EdgeTests(names, list(map(set, found.dag.neighbours)), boundaries, (), False)
    return replace(
        network,
        separating_sets=sets,
        boundaries=boundaries,
        removal_order=(),
        tests_by_size={},
        tests_by_phase={},
        boundary_tests=0,
        check_tests=0,
        certificate=_certificate(shares, least, len(found.dag.edges())),
        settings=replace(network.settings, boundaries="none", regrown=False, boundary_alpha=None, consensus=given),
        seconds={},
        _graph=found.graph,
        _dag=found.dag,
        steps=(),
        score=None,
        edge_losses={},
        turn_costs={},
        search_steps=(),
        added_edges=(),
        doubts=(),
        levels=None,
        effects=MeasuredEdges(test, found.dag),
        edge_evidence=TestedEdges(test, edge_tests),
        missing_p_values=TestedMissing(test, names, sets),
    )


def _certificate(shares: Shares, threshold: float, n_edges: int) -> Certificate:
    which = f"at least {threshold:.0%} of {counted(shares.n_resamples, 'resample')}"
    sentence = f"the {counted(n_edges, 'edge')} that {which} have, directed as most of these say."
    if threshold > 1:
        sentence = "no threshold keeps the expected number of false edges within what was asked."
    return Certificate("cannot be checked", sentence, False)
