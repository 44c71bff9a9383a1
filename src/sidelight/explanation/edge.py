"""Why two variables are joined: what was asked about them, and how clear the answers were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sidelight.evidence import EdgeEvidence
from sidelight.explanation.words import as_text, known, level, listed, p_in_words
from sidelight.network import Network

Told = tuple[list[str], dict[str, Any]]


def explain_edge(network: Network, x: int, y: int) -> Told:
    """The sentences and the facts about an edge, its direction apart."""
    a, b = network.names[x], network.names[y]
    evidence = network.edge_evidence.get(frozenset((a, b)))
    sentences = [f"{a} and {b} are joined.", *_p_values(network, x, y, evidence), *_when(network, x, y)]
    return sentences, {"evidence": None if evidence is None else _facts(evidence), "found": _found(network, x, y)}


def _facts(evidence: EdgeEvidence) -> dict[str, Any]:
    return {**vars(evidence), "weakest_given": as_text(evidence.weakest_given),
            "boundary_given": as_text(evidence.boundary_given)}  # fmt: skip


def _p_values(network: Network, x: int, y: int, evidence: EdgeEvidence | None) -> Iterator[str]:
    if evidence is None:
        yield (
            "The p-values of this edge were not kept with the network; audit it with the data to see the p-value given "
            "the rest of the boundary."
        )
        return
    same = set(evidence.weakest_given) == set(evidence.boundary_given)
    asked = f"asked {network.edge_questions.about(x, y).words}"
    still = "still " if evidence.weakest_given else ""
    strength = f"{known(evidence.weakest_given)}, each {still}tells something about the other"
    if evidence.weakest_p > level(network):
        strength = f"{known(evidence.weakest_given)}, this question alone would not join them"
    test = network.settings.get("test")
    chance = f"{p_in_words(evidence.weakest_p, test)}{_correlation(evidence) if same else ''}"
    if evidence.n_questions == 1:
        yield f"A{asked[1:]}: {strength} ({chance})."
    else:
        yield f"The weakest of {evidence.n_questions} answers, {asked}: {strength} ({chance})."
    if not same:
        whole = "Given all the rest of the boundary"
        rest = f"{whole}, that is {listed(evidence.boundary_given)}" if evidence.boundary_given else "Given nothing"
        yield f"{rest}: {p_in_words(evidence.boundary_p, test)}{_correlation(evidence)}."


def _correlation(evidence: EdgeEvidence) -> str:
    rho = evidence.partial_correlation
    return "" if rho is None else f", partial correlation {rho:.2g}"


def _when(network: Network, x: int, y: int) -> Iterator[str]:
    """In which step of the recursion the edge was found."""
    found = _found(network, x, y)
    if found is None:
        return
    step = network.steps[found["step"] - 1]
    yield f"The edge was found when {step.removed} was removed, in step {found['step']} of {len(network.steps)}."
    if step.undecided:
        yield "A limit had ended the learning by then: what was not decided is joined, so this edge may be extra."
    elif step.forced:
        yield (f"No variable looked removable then, and {step.removed} was only the likeliest: this edge may be extra.")
    elif not {network.names[x], network.names[y]} & set(step.neighbours):
        yield "It was not among the neighbours found then, but a second look at the edges joined the two."


def _found(network: Network, x: int, y: int) -> dict[str, Any] | None:
    if not network.steps:
        return None
    number = network.edge_questions.step_number(network.separating_sets.removed_first(x, y))
    step = network.steps[number - 1]
    return {"step": number, "removed": str(step.removed), "forced": step.forced, "undecided": step.undecided}
