"""From a source of answers to a ``Network``: boundaries, skeleton, directions, certificate."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import networkx as nx

from sidelight.boundaries import given_boundaries, total_conditioning
from sidelight.certificate import certify
from sidelight.errors import InputError
from sidelight.graphs import check_names
from sidelight.independence import CITest
from sidelight.interview import Interview
from sidelight.learners import Phases, Skeleton
from sidelight.learners.rsl import VARIANTS, learn_skeleton, learn_without_side_information
from sidelight.network import Network
from sidelight.orientation import Orientation, orient
from sidelight.separating_sets import SeparatingSets
from sidelight.side_information import SideInformation

LEARNERS = ("rsl",)
OVERRULED_SHOWN = 5


def learn(
    source: CITest,
    side: SideInformation | None = None,
    learner: str = "rsl",
    variant: str = "robust",
    alpha: float = 0.01,
    boundaries: Mapping[Hashable, Iterable[Hashable]] | None = None,
) -> Network:
    """Learn the structure of a Bayesian network.

    ``source`` answers independence questions: ``DSeparation(dag)``, or a ``CITest`` of your own. ``side`` is what you
    know of the structure (``DiamondFree()``, ``CliqueNumber(m)``, ``Treewidth(t)``, ``VertexCover(k)``,
    ``MaxInDegree(d)``), or None to learn without. ``variant`` is "robust", "paper" (fewest questions) or "published".
    ``alpha`` is the level at which independence is rejected. ``boundaries`` maps each name to the names in its Markov
    boundary, if you have them; otherwise they are found first, by total conditioning.
    """
    _check_arguments(source, side, learner, variant, alpha)
    names = check_names(source.names)
    finding = Interview(source, alpha)
    found = total_conditioning(len(names), finding) if boundaries is None else given_boundaries(names, boundaries)
    ask = Phases.of(source, alpha)
    used: SideInformation
    if side is None:
        skeleton, used = learn_without_side_information(found, VARIANTS[variant], ask)
    else:
        skeleton, used = learn_skeleton(found, side, VARIANTS[variant], ask), side
    separating_sets = SeparatingSets(
        names,
        skeleton.adjacency,
        skeleton.removal_order,
        skeleton.boundary_at_removal,
        skeleton.exceptions,
    )
    orientation = orient(names, skeleton.adjacency, separating_sets.between)
    return Network(
        names=names,
        separating_sets=separating_sets,
        boundaries={name: frozenset(names[y] for y in members) for name, members in zip(names, found, strict=True)},
        removal_order=tuple(names[x] for x in skeleton.removal_order),
        tests_by_size=dict(sorted(ask.tests_by_size().items())),
        tests_by_phase={phase: interview.n_tests for phase, interview in ask.by_name().items()},
        boundary_tests=finding.n_tests,
        certificate=certify(used, side is not None, orientation.dag.to_networkx(), len(skeleton.forced)),
        warnings=tuple(_warnings(names, skeleton, orientation)),
        settings={
            "side": str(side) if side is not None else "none",
            "learner": learner,
            "variant": variant,
            "alpha": str(alpha),
        },
        _graph=orientation.graph,
        _dag=orientation.dag,
    )


def _check_arguments(source: object, side: object, learner: str, variant: str, alpha: float) -> None:
    if isinstance(source, nx.Graph):
        raise InputError("a graph gives no answers by itself; wrap it: sl.learn(sl.DSeparation(graph), …)")
    if not isinstance(source, CITest):
        raise InputError(f"source must be a CITest such as DSeparation(dag), not a {type(source).__name__}")
    if side is not None and not isinstance(side, SideInformation):
        raise InputError(
            f"side={side!r}: give DiamondFree(), CliqueNumber(m), Treewidth(t), VertexCover(k), MaxInDegree(d) or None"
        )
    if learner not in LEARNERS:
        raise InputError(f"learner={learner!r}: there is {', '.join(map(repr, LEARNERS))}")
    if variant not in VARIANTS:
        raise InputError(f"variant={variant!r}: there are {', '.join(map(repr, VARIANTS))}")
    if not (isinstance(alpha, float) and 0.0 < alpha < 1.0):
        raise InputError(f"alpha={alpha!r}: a level is a number between 0 and 1, such as 0.01")


def _warnings(names: tuple[Hashable, ...], skeleton: Skeleton, orientation: Orientation) -> Iterable[str]:
    if skeleton.forced:
        shown = ", ".join(str(names[x]) for x in skeleton.forced[:OVERRULED_SHOWN])
        more = ", …" if len(skeleton.forced) > OVERRULED_SHOWN else ""
        yield (
            f"no variable looked removable {len(skeleton.forced)} times, so the likeliest was removed ({shown}{more}); "
            "no true edge is lost by that, but there may be extra edges"
        )
    if orientation.overruled:
        shown = "; ".join(
            f"{names[a]} → {names[c]} ← {names[b]}" for a, c, b in orientation.overruled[:OVERRULED_SHOWN]
        )
        more = "; …" if len(orientation.overruled) > OVERRULED_SHOWN else ""
        yield (
            f"the evidence on directions contradicts itself: {len(orientation.overruled)} v-structures in it are "
            f"not in the result ({shown}{more})"
        )
