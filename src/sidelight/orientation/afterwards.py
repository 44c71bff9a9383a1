"""Knowledge that comes after learning: it directs further edges, as long as it changes no edge."""

from __future__ import annotations

from collections.abc import Iterator

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.knowledge.constraints import Constraints
from sidelight.orientation.essential import essential_graph, member
from sidelight.orientation.known import agrees, close_under_knowledge


def directed_further(dag: Dag, known: Constraints) -> tuple[PartialDag, Dag]:
    """The graph of the DAG's class with all directions that knowledge implies, and a DAG that it stands for.

    Raises where the class has no DAG that agrees: then only learning anew can use what is known.
    """
    found = agreeing_dag(dag, known)
    if found is None:
        against = _disagreements(dag, essential_graph(dag), known)
        reasons = "; ".join(against) or "no DAG of the learned class agrees with all of it"
        raise InputError(f"the learned structure disagrees with what you say: {reasons}. Learn again with it")
    return essential_graph(found, known), found


def agreeing_dag(dag: Dag, known: Constraints) -> Dag | None:
    """A DAG of the same class that agrees with what is known; None if none is found."""
    graph = essential_graph(dag)
    if next(_disagreements(dag, graph, known), None) is not None:
        return None
    close_under_knowledge(graph, known)
    found = Dag(dag.names, tuple(member(graph, known)))
    return found if agrees(found, known) and found.v_structures() == dag.v_structures() else None


def _disagreements(dag: Dag, essential: PartialDag, known: Constraints) -> Iterator[str]:
    names = [repr(str(name)) for name in dag.names]
    for x, y in sorted(known.adjacent):
        if y not in dag.neighbours[x]:
            yield f"{names[x]} and {names[y]} are not adjacent in it"
    for tail, head in dag.edges():
        if not known.allowed[tail, head] and not known.allowed[head, tail]:
            yield f"{names[tail]} and {names[head]} are adjacent in it"
    for tail, head in essential.directed_edges():
        if not known.allowed[tail, head] and known.allowed[head, tail]:
            yield f"{names[tail]} → {names[head]} is directed in it"
