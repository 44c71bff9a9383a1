"""What is said of pairs that are not joined, with holes for names and numbers.

``explanation.missing`` fills the holes; a report cannot hold the sentences of all pairs, so its script does the same.
"""

from __future__ import annotations

_FOUND = "This was found when {removed} was removed, in step {step} of {steps}"
_AGAIN = "Asked again, the data speak against that ({p}, below the level {level})"

PHRASES = {
    # What is known when a question is asked.
    "knowing none": "on their own",
    "knowing one": "once {given} is known",
    "knowing many": "once {given} are known",
    # That the two are apart, and how clearly.
    "nothing": "{knowing}, {a} tells nothing about {b}",
    "nothing more": "{knowing}, {a} tells nothing more about {b}",
    "apart": "{a} and {b} are not joined: {claim}.",
    "apart clearly": "{a} and {b} are not joined: {claim} ({p}).",
    "apart doubtfully": "{a} and {b} are not joined: it was concluded that {claim}.",
    "p not kept": "The p-value of that was not kept with the network; audit it with the data to see it.",
    "edge missing": f"{_AGAIN}: an edge may be missing here.",
    "chance": f"{_AGAIN}: among so many pairs that happens by chance, or else an edge is missing here.",
    # How the separating set was found, by a learner that removes variables.
    "boundary": f"{_FOUND}: the set was all of its boundary then, which separates it from all others.",
    "member": f"{_FOUND}: {{other}} was in its boundary, but given the rest the two are independent.",
    "member without": f"{_FOUND}: {{other}} was in its boundary, but the rest without {{left_out}} separates the two, "
    "so they have an effect in common rather than an edge.",
    "search": f"{_FOUND}, by a search among its boundary.",
    "second look": "This set was found by a second look after the last step.",
    # The same by others.
    "markov boundary": "The set is the Markov boundary of {removed}, which separates it from all variables outside.",
    "search none": "This was found by a search of conditioning sets, with no variables.",
    "search one": "This was found by a search of conditioning sets, with 1 variable.",
    "search many": "This was found by a search of conditioning sets, with {size} variables.",
    "second look at the end": "This set was found by a second look at the end.",
    # What else is to be known about the two.
    "effects one": "They have a common effect, {effects}: knowing it makes {a} and {b} dependent.",
    "effects many": "They have common effects, {effects}: knowing one of them makes {a} and {b} dependent.",
    "overruled": "Overruled: what separates {a} and {b} does not contain {effect}, which asks for {a} → {effect} ← "
    "{b}, but that contradicts other evidence.",
    "more overruled one": "1 more such v-structure was overruled.",
    "more overruled many": "{more} more such v-structures were overruled.",
}


def number_of(count: int) -> str:
    """The end of the key of a phrase that has one form for none, one and many."""
    return {0: "none", 1: "one"}.get(count, "many")
