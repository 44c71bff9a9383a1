"""Whether the assumption that the learner relied on holds for what it learned, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import networkx as nx

from sidelight.graphs.dag import clique_number_of_edges
from sidelight.graphs.properties import diamonds
from sidelight.side_information import AllBounds, CliqueBound, CliqueNumber, MaxInDegree, SideInformation

KNOWLEDGE = "the data speak against some of what you said (see the warnings)."
CONTRADICTION = "the answers contradict each other (see the warnings), so parts of the structure may be wrong."
UNDECIDED = "some tests could not be decided (see the warnings), so edges may be missing."
UNCHECKED = "some missing edges were not checked (see the warnings), so edges may be missing."
TOO_FEW_ROWS = "the rows are too few to show any but the strongest dependences, so edges may be missing."
GIVEN_BOUNDARIES, GIVEN_KNOWLEDGE = "the given boundaries are right", "what you said is true"  # what rests on the user
CLEAR_MARGIN = 5.0  # nats; a Bayes factor of 150
Status = Literal["consistent", "violated", "cannot be checked"]
STATUS_IN_WORDS: dict[Status, str] = {
    "consistent": "consistent with the assumption",
    "violated": "the assumption is violated",
    "cannot be checked": "the assumption cannot be checked",
}


@dataclass(frozen=True)
class Certificate:
    """What the learned graph says about the side information.

    ``consistent``: the learned graph agrees with the assumption, so with exact answers it is the true structure (the
    paper's Proposition 4). ``violated``: the assumption does not hold. ``cannot be checked``: the result cannot show
    whether it holds, or the answers contradict each other, or a limit ended the learning.
    """

    status: Status
    sentence: str
    assumed: bool = True  # False when nothing was assumed about the structure

    @property
    def heading(self) -> str:
        """The status in words."""
        if self.assumed:
            return STATUS_IN_WORDS[self.status]
        return "no assumption was made" if self.status == "consistent" else "exactness cannot be checked"

    def __str__(self) -> str:
        return f"{self.heading}: {self.sentence}"


def certify_without_assumption(learner: str, is_sound: bool, given: Sequence[str], doubt: str) -> Certificate:
    """For learners that rely on no side information."""
    if not is_sound:
        return Certificate("cannot be checked", f"{learner} is not guaranteed to find the true structure.", False)
    if doubt:
        return Certificate("cannot be checked", doubt, False)
    truth = "this is the equivalence class of the true structure"
    return Certificate("consistent", f"if {_proviso(given)}, {truth}.", False)


def certify_search(side: SideInformation | None, margin: float, doubt: str, broken: bool = False) -> Certificate:
    """For a search by score: whether the data would rather have a structure that breaks the assumption."""
    search = "a search by score found this structure; there may be a better one"
    if side is None:
        return Certificate("cannot be checked", f"{search}.{f' {doubt[0].upper()}{doubt[1:]}' if doubt else ''}", False)
    kept = " and ".join(map(_kept, side.bounds if isinstance(side, AllBounds) else (side,)))
    if broken:
        return Certificate("violated", f"edges that you said are there break the assumption ({side}).")
    if margin > CLEAR_MARGIN:
        return Certificate(
            "violated",
            f"the structure keeps {kept}, but the data prefer one that does not by {margin:.1f} nats; "
            "learn again with a larger bound, or with none.",
        )
    fact = f"the structure keeps {kept}, and the data do not prefer one that breaks it"
    if doubt:
        return Certificate("cannot be checked", f"{fact}, but {doubt.removesuffix('.')}; {search}.")
    return Certificate("consistent", f"{fact}; {search}.")


def _kept(side: SideInformation) -> str:
    """What a structure that keeps a bound keeps, as far as it was checked."""
    if isinstance(side, CliqueBound) and not isinstance(side, CliqueNumber | MaxInDegree):
        follows = f"that follows from the assumed {side}, which itself was not checked"
        return f"the clique number ≤ {side.clique_bound} {follows}"
    return f"the assumption ({side})"


def certify_unfinished(given: Sequence[str]) -> Certificate:
    """When a limit ended the learning."""
    return Certificate(
        "cannot be checked",
        "a limit ended the learning before all pairs were decided, and those that were not are adjacent: "
        f"if {_proviso(given)}, no edge is missing, but there may be extra edges and wrong directions.",
    )


def _proviso(given: Sequence[str]) -> str:
    """What the theorems rest on beside the assumption."""
    beside = "".join(f"{proviso}, " for proviso in given)
    return f"no common cause is hidden, the distribution is faithful, {beside}and every test answered correctly"


def certify(side: SideInformation, assumed: bool, given: Sequence[str], doubt: str, dag: nx.DiGraph) -> Certificate:
    """Compare the learned graph with the side information.

    ``assumed`` is False when the learner found the bound itself, ``given`` what else rests on the user,
    ``doubt`` says why not all answers can have been right, and is empty if they may have been.
    """
    if isinstance(side, AllBounds):
        return _worst_first([certify(bound, assumed, given, doubt, dag) for bound in side.bounds])
    proviso = _proviso(given)
    if isinstance(side, CliqueBound):
        return _certify_clique_bound(side, assumed, clique_number_of_edges(dag.edges, len(dag)), doubt, proviso)
    return _certify_diamond_free(dag, doubt, proviso)


def _worst_first(certificates: Sequence[Certificate]) -> Certificate:
    """All of them as one, with the worst status."""
    worst = ("violated", "cannot be checked", "consistent")
    ranked = sorted(certificates, key=lambda certificate: worst.index(certificate.status))
    first, *others = (certificate.sentence for certificate in ranked)
    return replace(ranked[0], sentence=" ".join([first, *(f"{text[0].upper()}{text[1:]}" for text in others)]))


def _certify_clique_bound(side: CliqueBound, assumed: bool, learned: int, doubt: str, proviso: str) -> Certificate:
    bound = f"clique number ≤ {side.clique_bound}"
    if not assumed:
        source = f"the {bound} at which the search stopped"
    elif isinstance(side, CliqueNumber):
        source = f"the assumed {bound}"
    else:
        source = f"the {bound} that follows from the assumed {side}, which itself was not checked"
    if learned <= side.clique_bound:
        fact = f"the learned graph has clique number {learned}, within {source}"
        if doubt:
            return Certificate("cannot be checked", f"{fact}, but {doubt}", assumed)
        truth = "this is the equivalence class of the true structure"
        return Certificate("consistent", f"{fact}; if {proviso}, {truth}.", assumed)
    fact = f"the learned graph has a clique of {learned} variables, beyond {source}"
    if not assumed:  # the bound was kept until edges were re-tested
        return Certificate("cannot be checked", f"{fact}: {doubt or CONTRADICTION}", assumed)
    return Certificate(
        "violated",
        f"{fact}; learn again with a larger bound, or "
        f"with none. If {proviso}, no true edge is missing, but there may be extra edges and wrong directions.",
    )


def _certify_diamond_free(dag: nx.DiGraph, doubt: str, proviso: str) -> Certificate:
    found = list(diamonds(dag))
    if not found and doubt:
        return Certificate("cannot be checked", f"the learned graph contains no diamond, but {doubt}")
    if not found:
        return Certificate(
            "cannot be checked",
            "the learned graph contains no diamond, which is consistent with the assumption that the true structure "
            "has none, but does not prove it.",
        )
    a, b, c, d = found[0]
    return Certificate(
        "cannot be checked",
        f"the learned graph contains {len(found)} diamond{'s' * (len(found) > 1)}, for example {a}, {b}, {c} → {d} "
        f"with {a} adjacent to {b} and {c}. If {proviso}, the true structure is not diamond-free: no edge is missing, "
        "but some may be extra. If not, a wrong answer may have made the diamond.",
    )
