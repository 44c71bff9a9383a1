"""Why the edges of an essential graph point as they do: v-structures, and Meek's rules replayed from them.

The rules are applied in rounds, each to the arrows of the rounds before, so that every arrow comes with one of its
shortest derivations. Ties are broken by the order of the rules and of the columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sidelight.graphs.dag import Dag, PartialDag
from sidelight.orientation.essential import VStructure, arrows, with_v_structures
from sidelight.orientation.meek import RULES, forced_by

Arrow = tuple[int, int]


@dataclass(frozen=True)
class Reason:
    """Why tail → head: the v-structures that it is part of, or else a rule with the other variables of its instance.

    ``premises`` are the arrows that the rule starts from. ``known`` is True where what was known beforehand gives the
    direction.
    """

    arrow: Arrow
    v_structures: tuple[VStructure, ...] = ()
    rule: int = 0
    others: tuple[int, ...] = ()
    known: bool = False

    @property
    def premises(self) -> tuple[Arrow, ...]:
        """The arrows that must be known before the rule applies."""
        a, b = self.arrow
        if self.rule == 0:
            return ()
        c, d = self.others[0], self.others[-1]
        return {1: ((c, a),), 2: ((a, c), (c, b)), 3: ((c, b), (d, b)), 4: ((c, d), (d, b))}[self.rule]


def reasons(dag: Dag, shown: Collection[Arrow] = (), one_way: Collection[Arrow] = ()) -> dict[Arrow, Reason]:
    """The reason of every directed edge of the DAG's essential graph, and of the arrows that are shown beside.

    ``one_way`` are the arrows that knowledge gives as such. What neither v-structures, nor these, nor rules give,
    follows from knowledge about paths.
    """
    structures: dict[Arrow, list[VStructure]] = {}
    for v in dag.v_structures():
        for arrow in arrows(v):
            structures.setdefault(arrow, []).append(v)
    found = {arrow: Reason(arrow, tuple(vs)) for arrow, vs in sorted(structures.items())}
    graph = with_v_structures(dag.neighbours, dag.v_structures())
    beside = set(shown)
    for known in (set[Arrow](), beside.intersection(one_way), beside):
        for arrow in sorted(known - found.keys()):
            if arrow[1] in graph.undirected[arrow[0]]:
                graph.orient(*arrow)
                found[arrow] = Reason(arrow, known=True)
        while forced := _forced(graph):
            for reason in forced:
                graph.orient(*reason.arrow)
                found[reason.arrow] = reason
    return found


def _forced(graph: PartialDag) -> list[Reason]:
    """The undirected edges that some rule directs, as the graph is now. If it has a DAG, none is directed both ways."""
    found = []
    for a, b in graph.undirected_edges():
        for arrow in ((a, b), (b, a)):
            instances = [(number, min(rule(graph, *arrow), default=None)) for number, rule in enumerate(RULES, 1)]
            first = next(((number, others) for number, others in instances if others is not None), None)
            if first is not None:
                found.append(Reason(arrow, (), *first))
                break
    return found


def derivation(arrow: Arrow, known: dict[Arrow, Reason]) -> list[Reason]:
    """Everything that the arrow follows from, v-structures first and the arrow itself last, each once."""
    steps: dict[Arrow, Reason] = {}
    waiting = [arrow]
    while waiting:
        reason = known[waiting[-1]]
        missing = [premise for premise in reason.premises if premise not in steps]
        if missing:
            waiting.extend(reversed(missing))
        else:
            steps[waiting.pop()] = reason
    return list(steps.values())


def consequences(graph: PartialDag, tail: int, head: int) -> Iterator[Arrow]:
    """What follows, nearest first, when an undirected edge of a graph is directed."""
    return forced_by(graph.copy(), tail, head)
