"""Why two variables are joined: what was asked about them, and how clear the answers were."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from sidelight.explain.wording import ORACLE, as_text, known, level, listed, p_in_words, spoken, spoken_names
from sidelight.network import Network
from sidelight.result import EdgeEvidence


def edge_words(network: Network, x: int, y: int) -> Iterator[str]:
    """The sentences about an edge, its direction apart."""
    yield f"{' and '.join(spoken(network, (x, y)))} are joined."
    yield from _p_values(network, x, y, _evidence(network, x, y))
    yield from _when(network, x, y)


def edge_facts(network: Network, x: int, y: int) -> dict[str, Any]:
    """The same as data."""
    evidence = _evidence(network, x, y)
    return {"evidence": None if evidence is None else _as_data(evidence), "found": _found(network, x, y)}


def _evidence(network: Network, x: int, y: int) -> EdgeEvidence | None:
    return network.edge_evidence.get(frozenset((network.names[x], network.names[y])))


def _as_data(evidence: EdgeEvidence) -> dict[str, Any]:
    return {**vars(evidence), "weakest_given": as_text(evidence.weakest_given),
            "boundary_given": as_text(evidence.boundary_given)}  # fmt: skip


def _p_values(network: Network, x: int, y: int, evidence: EdgeEvidence | None) -> Iterator[str]:
    if evidence is None:
        yield (
            "The p-values of this edge were not kept with the network; audit it with the data to see the p-value given "
            "the rest of the boundary."
        )
        return
    about = network.edge_tests.about(x, y).words
    test = network.settings.get("test")
    if test == ORACLE and evidence.weakest_p == evidence.boundary_p == 0:
        yield f"G{about[1:]}, the two are d-connected{_of_all(evidence.n_tests)}."
        return
    # Learners that remove decide by these very questions; of the others only the sets that they choose from are known.
    asked = f"asked {about}" if network.steps else f"asked again {about}"
    same = set(evidence.weakest_given) == set(evidence.boundary_given)
    chance = f"{p_in_words(evidence.weakest_p, test)}{_correlation(evidence) if same else ''}"
    strength = _strength(network, evidence)
    if evidence.n_tests == 1:
        yield f"A{asked[1:]}: {strength} ({chance})."
    else:
        yield f"The weakest of {evidence.n_tests} answers, {asked}: {strength} ({chance})."
    if not same:
        rest = _given_the_rest(network, evidence.boundary_given)
        yield f"{rest}: {p_in_words(evidence.boundary_p, test)}{_correlation(evidence)}."


def _of_all(n_tests: int) -> str:
    return f" (all of {n_tests} questions)" if n_tests > 1 else ""


def _strength(network: Network, evidence: EdgeEvidence) -> str:
    given = known(spoken_names(network, evidence.weakest_given))
    if evidence.weakest_p > level(network):
        return f"{given}, this question alone would not join them"
    return f"{given}, each {'still ' if evidence.weakest_given else ''}tells something about the other"


def _given_the_rest(network: Network, rest: tuple[Hashable, ...]) -> str:
    if not rest:
        return "Given nothing"
    return f"Given all the rest of the boundary, that is {listed(spoken_names(network, rest))}"


def _correlation(evidence: EdgeEvidence) -> str:
    rho = evidence.boundary_effect
    return "" if rho is None else f", {evidence.effect_name} {rho:.2g}"


def _when(network: Network, x: int, y: int) -> Iterator[str]:
    """In which step of the recursion the edge was found."""
    found = _found(network, x, y)
    if found is None:
        return
    step = network.steps[found["step"] - 1]
    (removed,) = spoken_names(network, [step.removed])
    yield f"The edge was found when {removed} was removed, in step {found['step']} of {len(network.steps)}."
    if step.undecided:
        yield "A limit had ended the learning by then: what was not decided is joined, so this edge may be extra."
    elif step.fallback:
        yield (f"No variable looked removable then, and {removed} was only the likeliest: this edge may be extra.")
    elif not {network.names[x], network.names[y]} & set(step.neighbours):
        yield "It was not among the neighbours found then, but a second look at the edges joined the two."


def _found(network: Network, x: int, y: int) -> dict[str, Any] | None:
    if not network.steps:
        return None
    number = network.edge_tests.step_number(network.separating_sets.removed_first(x, y))
    step = network.steps[number - 1]
    return {"step": number, "removed": str(step.removed), "fallback": step.fallback, "undecided": step.undecided}
