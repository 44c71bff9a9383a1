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


def certify(side: SideInformation, promised: bool, dag: nx.DiGraph, n_forced: int) -> Certificate:
    """Compare the learned graph with the side information; ``promised`` is False when the learner found the bound."""
    if isinstance(side, CliqueBound):
        return _certify_clique_bound(side, promised, clique_number(dag), n_forced)
    return _certify_diamond_free(dag, n_forced)


def _certify_clique_bound(side: CliqueBound, promised: bool, learned: int, n_forced: int) -> Certificate:
    bound = side.clique_bound
    source = f"the promised {side}" if promised else f"the clique number ≤ {bound} that the search arrived at"
    if learned <= bound:
        return Certificate(
            "verified",
            f"the learned graph has clique number {learned}, within {source}; "
            f"if every test answered correctly, this is the true structure.{_forced_in_words(n_forced)}",
        )
    return Certificate(
        "refuted",
        f"the learned graph has a clique of {learned} variables, more than the {bound} that {source} allows; "
        f"learn again with a larger bound, or with none. No true edge is missing if every test answered correctly, "
        f"but there may be extra edges and wrong directions.{_forced_in_words(n_forced)}",
    )


def _certify_diamond_free(dag: nx.DiGraph, n_forced: int) -> Certificate:
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
        f"whether the true structure is diamond-free cannot be checked; {shown}.{_forced_in_words(n_forced)}",
    )


def times(count: int) -> str:
    """Once, twice, 3 times."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _forced_in_words(n_forced: int) -> str:
    if not n_forced:
        return ""
    return (
        f" No removable variable was found {times(n_forced)}; with the promise kept and every test right there always "
        "is one, so a test erred or the promise is wrong."
    )
