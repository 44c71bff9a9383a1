"""The steps of the recursion, as the report replays them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sidelight.network import Network


def steps_of(network: Network, position: Mapping[Hashable, int]) -> list[dict[str, object]]:
    """One entry for each removal, in order; none for learners that do not remove."""
    if not hasattr(network, "steps"):
        from types import SimpleNamespace

        rem, _, _ = network.separating_sets.parts()
        nm = network.names
        skel = network.skeleton
        rem = rem if network.removal_order else []
        network = SimpleNamespace(
            steps=[
                SimpleNamespace(
                    removed=nm[x],
                    boundary=[nm[y] for y in b],
                    neighbours=[nm[y] for y in b if skel.has_edge(nm[x], nm[y])],
                    tests={},
                    forced=False,
                )
                for x, b in rem
            ]
        )
    return [
        {
            "removed": position[step.removed],
            "boundary": sorted(position[y] for y in step.boundary),
            "neighbours": sorted(position[y] for y in step.neighbours),
            "tests": list(step.tests.items()),
            "forced": step.forced,
        }
        for step in network.steps
    ]
