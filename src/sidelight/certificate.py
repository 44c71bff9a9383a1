"""Whether the promise that the learner relied on holds for what it learned, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import networkx as nx

from sidelight.properties import clique_number, diamonds
from sidelight.side_information import CliqueBound, SideInformation

Status = Literal["verified", "refuted", "not checkable"]


@dataclass(frozen=True)
class Certificate:
    """What the learned graph says about the side information.

    ``verified``: with exact answers the learned structure is the true one (the paper's Proposition 4). ``refuted``:
    the promise was wrong. ``not checkable``: the promise cannot be checked from the result.
    """

    status: Status
    sentence: str

    def __str__(self) -> str:
        return f"{self.status}: {self.sentence}"


def certify(side: SideInformation, promised: bool, dag: nx.DiGraph) -> Certificate:
    """Compare the learned graph with the side information; ``promised`` is False when the learner found the bound."""
    if isinstance(side, CliqueBound):
        return _certify_clique_bound(side, promised, clique_number(dag))
    return _certify_diamond_free(dag)


def _certify_clique_bound(side: CliqueBound, promised: bool, learned: int) -> Certificate:
    bound = side.clique_bound
    source = f"the promised {side}" if promised else f"the clique number ≤ {bound} that the search arrived at"
    if learned <= bound:
        return Certificate(
            "verified",
            f"the learned graph has clique number {learned}, within {source}; "
            f"if every test answered correctly, this is the true structure.",
        )
    return Certificate(
        "refuted",
        f"the learned graph has a clique of {learned} variables, more than the {bound} that {source} allows; "
        f"learn again with a larger bound, or with none. No true edge is missing if every test answered correctly, "
        f"but there may be extra edges and wrong directions.",
    )


def _certify_diamond_free(dag: nx.DiGraph) -> Certificate:
    found = list(diamonds(dag))
    if found:
        a, b, c, d = found[0]
        shown = (
            f"the learned graph itself contains {len(found)} diamond{'s' * (len(found) > 1)}, for example {a}, {b}, "
            f"{c} → {d} with {a} joined to {b} and {c}, so the promise is doubtful: some edges may be extra"
        )
    else:
        shown = "the learned graph contains none, which agrees with the promise but does not prove it"
    return Certificate(
        "not checkable",
        f"whether the true structure is diamond-free cannot be checked; {shown}.",
    )
