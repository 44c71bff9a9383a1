"""The one place that decides and counts: an algorithm asks, an ``Interview`` answers."""

from sidelight.interview.interview import (
    AnswerTable,
    Interview,
    LimitReached,
    Limits,
    Pairs,
    Phases,
    SetTooLarge,
    Tally,
    mean_size,
    pairs_with_first,
    pairs_without_first,
)

__all__ = [
    "AnswerTable",
    "Interview",
    "LimitReached",
    "Limits",
    "Pairs",
    "Phases",
    "SetTooLarge",
    "Tally",
    "mean_size",
    "pairs_with_first",
    "pairs_without_first",
]
