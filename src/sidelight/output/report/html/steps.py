"""The steps of the recursion, as the report replays them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sidelight.network import Network


def steps_by_index(network: Network, position: Mapping[Hashable, int]) -> list[dict[str, object]]:
    """One entry for each removal, in order; none for learners that do not remove."""
    return [
        {
            "removed": position[step.removed],
            "boundary": [position[y] for y in step.boundary],
            "neighbours": [position[y] for y in step.neighbours],
            "tests": list(step.tests.items()),
            "fallback": step.fallback,
            "undecided": step.undecided,
        }
        for step in network.steps
    ]
