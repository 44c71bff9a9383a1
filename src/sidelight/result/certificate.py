"""Whether the assumption that the learner relied on holds for what it learned, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx

from sidelight.graphs.dag import Dag
from sidelight.side_information import SideInformation, Status
from sidelight.side_information.base import CONTRADICTION, TRUTH

KNOWLEDGE = "the data speak against some of what you said (see the warnings)."
KNOWLEDGE_OF_ORACLE = "the answers contradict some of what you said (see the warnings)."
UNDECIDED = "some tests could not be decided (see the warnings), so edges may be missing."
UNCHECKED = "some missing edges were not checked (see the warnings), so edges may be missing."
TOO_FEW_ROWS = "the rows are too few to show any but the strongest dependences, so edges may be missing."
GIVEN_BOUNDARIES, GIVEN_KNOWLEDGE = "the given boundaries are right", "what you said is true"  # what rests on the user
CLEAR_MARGIN = 5.0  # nats; a Bayes factor of 150
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
    assumed: bool = True  # False when no bound on the structure was assumed
    stated: bool = False  # True when statements about the structure were given

    @property
    def heading(self) -> str:
        """The status in words."""
        if self.assumed:
            return STATUS_IN_WORDS[self.status]
        if self.status != "consistent":
            return "exactness cannot be checked"
        return "consistent with what you said" if self.stated else "no assumption was made"

    def __str__(self) -> str:
        return f"{self.heading}: {self.sentence}"


def certify_without_assumption(learner: str, is_sound: bool, given: Sequence[str], doubt: str) -> Certificate:
    """For learners that rely on no side information."""
    if not is_sound:
        return Certificate("cannot be checked", f"{learner} is not guaranteed to find the true structure.", False)
    if doubt:
        return Certificate("cannot be checked", doubt, False)
    return Certificate("consistent", f"if {_proviso(given)}, {TRUTH}.", False)


def certify_search(side: SideInformation | None, dag: Dag, margin: float, doubt: str) -> Certificate:
    """For score-based search: whether the data would rather have a structure that breaks the assumption."""
    search = "a search by score found this structure; there may be a better one"
    if side is None:
        return Certificate("cannot be checked", f"{search}.{f' {_as_sentence(doubt)}' if doubt else ''}", False)
    graph = dag.to_networkx()
    checked = {bound: bound.keeps(graph) for bound in side.each()}
    if False in checked.values():
        return Certificate(
            "violated", f"the structure breaks the assumption ({side}), and no edge was found that could go."
        )
    kept = " and ".join(filter(None, (bound.kept_by_search(keeps) for bound, keeps in checked.items())))
    if margin > CLEAR_MARGIN:
        return Certificate(
            "violated",
            f"the structure keeps {kept}, but the data prefer one that does not by {margin:.1f} nats; "
            "learn again with a larger bound, or with none.",
        )
    facts = [f"the structure keeps {kept}, and the data do not prefer one that breaks it"] if kept else []
    unknown = [bound for bound, keeps in checked.items() if not bound.kept_by_search(keeps)]
    facts += [f"whether the structure keeps the assumption ({bound}) was not checked" for bound in unknown]
    fact = "; ".join(facts)
    if doubt or None in checked.values():
        but = f", but {doubt.removesuffix('.')}" if doubt else ""
        return Certificate("cannot be checked", f"{fact}{but}; {search}.")
    return Certificate("consistent", f"{fact}; {search}.")


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
    bounds = side.each() if assumed else (side.as_found(),)
    worst = ("violated", "cannot be checked", "consistent")
    found = (bound.certified(dag, _proviso(given), doubt) for bound in bounds)
    ranked = sorted(found, key=lambda certified: worst.index(certified[0]))
    first, *others = (sentence for _, sentence in ranked)
    return Certificate(ranked[0][0], " ".join([first, *map(_as_sentence, others)]), assumed)


def _as_sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


__all__ = [
    "CONTRADICTION",
    "GIVEN_BOUNDARIES",
    "GIVEN_KNOWLEDGE",
    "KNOWLEDGE",
    "KNOWLEDGE_OF_ORACLE",
    "TOO_FEW_ROWS",
    "UNCHECKED",
    "UNDECIDED",
    "Certificate",
    "Status",
    "certify",
    "certify_search",
    "certify_unfinished",
    "certify_without_assumption",
]
