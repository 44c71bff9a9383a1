"""How a table is read and tested, as one value.

Every option is written once, here or in ``sidelight.options``, with its default and its meaning. Signatures, help texts
and the tables of the documentation derive from these fields.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sidelight.families import TABLE_TESTS
from sidelight.tables.column_options import marks_in_words, types_in_words

MISSING = tuple(dict.fromkeys(value for test in TABLE_TESTS.values() for value in test.missing))
CORRELATIONS = tuple(dict.fromkeys(value for test in TABLE_TESTS.values() for value in test.correlations))
VARIATIONS = ("auto", "within", "between", "all")
ASSUMED = ("pairwise", "em")  # they keep incomplete rows, and assume why values are missing
Function = Callable[[Any, Any, list[Any], Any], float]
# What type checkers accept; a test compares each with what is there.
CorrelationOf = Literal["auto", "pearson", "normal-scores"]
TestName = Literal["auto", "fisher-z", "kernel", "mixed", "chi2-moments", "g2", "chi2"]
Missing = Literal["error", "drop", "pairwise", "em"]
Variation = Literal["auto", "within", "between", "all"]


def option(
    default: object,
    meaning: str,
    command: str = "",
    *,
    label: str = "",
    words: Callable[[Any], str] | None = None,
    kept: bool = True,
) -> Any:
    """A field with its meaning for Python's documentation and, where it differs, for the command's help.

    Args:
        label: what reports call it, if not by its name.
        words: a mapping that is given to it, as the command takes it.
        kept: False for an option that cannot change the result, which settings therefore do not keep.
    """
    told = {"meaning": meaning, "command": command or meaning, "label": label, "words": words, "kept": kept}
    return field(default=default, metadata=told)


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """How a table is read and tested."""

    names: Sequence[Hashable] | None = option(None, "The names of an array's columns.", label="Names of columns")
    columns: Iterable[Hashable] | None = option(
        None,
        "The columns to use; all by default.",
        "Use only these columns: comma-separated names.",
        label="Columns used",
    )
    drop: Iterable[Hashable] | None = option(
        None, "Columns not to use.", "Do not use these columns: comma-separated names.", label="Columns not used"
    )
    delimiter: str | None = option(
        None,
        'What stands between the cells of a text file: one character such as ";", or "tab", or "blank" for any number '
        "of blanks. By default the one by which all rows have as many cells.",
        'What stands between the cells of a text file: one character such as ";", or tab, or blank.',
    )
    decimal: str | None = option(
        None,
        'The decimal mark of numbers that are written out, "." or ",". By default that of the columns which can be '
        "read in one way only.",
        "The decimal mark of numbers that are written out: a point or a comma.",
    )
    header: bool | None = option(
        None,
        "Whether the first row of a text file, after comments, has the names of the columns. By default it has, unless "
        "it is all numbers; a warning says where it may be data.",
        "Whether the first row of a text file has the names of the columns; by default as it seems.",
    )
    correlation: CorrelationOf = option(
        "auto",
        'For numbers: "pearson", "normal-scores", which depends on the ranks alone (van der Waerden), or "auto" (the '
        "latter where columns are far from Gaussian and it explains clearly more).",
        "For numbers: pearson, normal-scores, which depends on the ranks alone, or auto.",
    )
    test: TestName | Function = option(
        "auto",
        'The independence test: "fisher-z" for numbers, or "kernel" (non-linear, slow, an extra); "chi2-moments", "g2" '
        'or "chi2" for discrete columns; "mixed" for both; "auto" chooses by the types of the columns. Or a function '
        "of two names, a list of names and the data that returns a p-value.",
        f"The independence test: auto, {', '.join(TABLE_TESTS)}.",
        label="Independence test",
    )
    discrete: Iterable[Hashable] | None = option(
        None,
        "The columns to treat as discrete, and no others, in place of ``types``; by default texts, booleans, and whole "
        "numbers with at most 10 values.",
        "Treat just these columns as discrete: comma-separated names.",
        label="Discrete columns",
    )
    types: Mapping[Hashable, object] | str | Path | None = option(
        None,
        'What columns are, where the rule decides otherwise: a mapping from names to "number", "category", "ordinal" '
        '(an ordered category; a list of its categories from the lowest on gives their order) or "ignore"; or '
        '"age=number,stage=I<II<III"; or a TOML file.',
        "What columns are: age=number,stage=I<II<III,zip=ignore (or category, ordinal), or a TOML file.",
        label="Types of columns",
        words=types_in_words,
    )
    missing: Missing = option(
        "error",
        'Missing values: "error", "drop" (rows), "pairwise" (each test uses the rows complete in its columns; scores '
        'fill the gaps), or, for numbers, "em" (correlations by the EM algorithm, each test with its effective sample '
        "size).",
        "Missing values: error, drop, pairwise or em.",
        label="Missing values",
    )
    weights: object = option(
        None,
        "A column's name or one number for each row. Whole numbers are frequency weights, the numbers of equal rows; "
        "others are survey weights, with Kish's effective sample size.",
        "A column of weights: whole numbers are the numbers of equal rows, others are survey weights.",
    )
    groups: Hashable | None = option(
        None,
        "A column that says of which group a row is, such as the subject, where there are several rows of each; it is "
        "then no variable.",
        "A column that says of which group a row is, such as the subject, where there are several rows of each.",
        label="Groups of rows",
    )
    variation: Variation = option(
        "auto",
        'With ``groups``: "within" (differences between the rows of a group: how columns vary together within '
        'subjects), "between" (the means of the groups, a row for each: which subjects are high in what), "all" (with '
        '``time``: rows as they are), or "auto" (within; with ``time``, all unless numbers of ten waves or more differ '
        "between groups in what lasts).",
        "With --groups: within (differences between the rows of a group), between (the means of the groups), all (with "
        "--time: rows as they are), or auto (within; with --time, all, unless there are many waves and lasting "
        "differences).",
        label="Variation",
    )
    time: Hashable | None = option(
        None,
        "A column that says when a row was observed, as numbers or dates: columns then also stand with their values of "
        "earlier waves, within each of the ``groups`` if there are several, and later ones cause no earlier ones.",
        "A column that says when a row was observed: columns then also stand with their values of earlier waves.",
        label="Time",
    )
    lags: int = option(
        1,
        "With ``time``: how many waves back causes are looked for.",
        "With --time: how many waves back causes are looked for.",
        label="Lags",
    )
    contemporaneous: bool = option(
        True,
        "With ``time``: whether columns of the same wave may cause each other.",
        "With --time: columns of the same wave may cause each other.",
        label="Causes within a wave",
    )
    targets: Hashable | None = option(
        None,
        "A column that says which variables were set in a row, rather than observed: their names with commas between "
        "them, and nothing where all were observed. It is then no variable.",
        "A column that says which variables were set in a row, rather than observed: names with commas between them.",
        label="Targets of experiments",
    )
    context: Hashable | None = option(
        None,
        "A column that says where a row comes from, such as the hospital. It has no causes among the columns; what it "
        "affects differs between places, and warnings name edges whose strength does.",
        "A column that says where a row comes from, such as the hospital; it has no causes among the columns.",
        label="Context",
    )
    missing_values: object = option(
        None,
        'Values that stand for missing ones, by column: {"income": -999, "age": [98, 99]}.',
        "Values that stand for missing ones, by column: income=-999,age=98,age=99.",
        label="Values that stand for missing ones",
        words=marks_in_words,
    )
    dates: Iterable[Hashable] | None = option(
        None,
        "Columns of dates, times or durations to take as numbers of days.",
        "Take these columns of dates, times or durations as numbers of days: comma-separated names.",
        label="Dates taken as numbers of days",
    )
    memory: object = option(
        None,
        'How much memory a table may take, such as "4GB"; a larger one is read in batches. By default half of what '
        "there is.",
        "How much memory a table may take, such as 4GB; a larger one is read in batches. By default half of what there "
        "is.",
        kept=False,
    )
    dask: object = option(
        None,
        "A dask client, or the address of a scheduler, whose workers read the files of the table where they are, and "
        "learn from resamples.",
        "Address of a dask scheduler whose workers read the files of the table, and learn from resamples.",
        kept=False,
    )
    fix: bool = option(
        False,
        "Apply all remedies that the data doctor has, and report what was done in the network's warnings.",
        "Apply all remedies that the data doctor has (see sidelight check), and say what was done.",
        label="Remedies of the data doctor",
    )

    @property
    def compares_within(self) -> bool:
        """Are rows compared within groups?"""
        within = ("within",) if self.time is not None else ("within", "auto")
        return self.groups is not None and self.variation in within
