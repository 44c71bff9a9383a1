"""Columns whose names and values say more than their type: counts of equal rows, censored times, ordered scales.

All of these are suggestions, which no cure applies: a column is only taken otherwise if its user says so.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sidelight.doctor.units import TIMES, UNITS, words_in, words_of
from sidelight.kinds.category import Category
from sidelight.kinds.types import ColumnType
from sidelight.tables.column_options import Said, types_in_words
from sidelight.tables.findings import Finding, FindingKind, columns_that
from sidelight.tables.table import Table, categories_in, category_text
from sidelight.text.message import Call, Message, Option
from sidelight.text.sentences import listed

COUNTS = words_in("freq frequency frequencies count counts n")
TIMES_TO_EVENTS = words_in("time futime stime survtime survival surv followup days weeks months years duration dtime")
EVENTS = words_in("status event cens censored censor censoring death dead died delta fustat failure failed relapse")
UNORDERED = words_in("race type kind colour color zone area ward code religion ethnicity party job occupation cause")
SETTLED = words_in("sex gender race ethnicity ethnic age birthyear yob dob born year yr date calendar")
ASSIGNED = words_in("treat treatment trt arm randomized randomised randomization assigned assignment allocation")
MOST_ARMS, FEWEST_REPEATED = 6, 2  # values of what was assigned; columns that are there in several waves
# bdi_t1, mood.w2, sales_l1 (a lag), income1999
WAVE = re.compile(
    r"(?P<stem>.*?[^\W\d_])[._ -]?"
    r"(?:(?P<year>(?:19|20)\d\d)|[._ -](?P<mark>[tTwWlL]|wave|time)[._-]?(?P<number>\d{1,2}))"
)
SCALE, SHARED_SCALE = 5, 4  # different values of an ordered scale of one column, and of one that several have
SHARING = 3  # columns
FEWEST_WORDS = 3
SCALES = tuple(
    tuple(text.split(" < "))
    for text in (
        "none < very mild < mild < moderate < severe < very severe",
        "none < little < some < moderate < marked < a lot",
        "none < some < freq < frequent",
        "never < almost never < rarely < seldom < occas < occasionally < sometimes < regul < often < regularly "
        "< usually < heavy < almost always < always",
        "lowest < very low < low < medium < middle < moderate < average < normal < high < very high < highest",
        "xs < s < m < l < xl < xxl",
        "tiny < small < medium < large < huge",
        "very poor < poor < fair < good < very good < premium < excellent < ideal",
        "i3 < i2 < i1 < si2 < si1 < vs2 < vs1 < vvs2 < vvs1 < if",
        "strongly disagree < disagree < slightly disagree < neither agree nor disagree < neutral < undecided "
        "< slightly agree < agree < strongly agree",
        "very dissatisfied < dissatisfied < neutral < satisfied < very satisfied",
        "i < ii < iii < iv < v < vi",
        "primary < secondary < tertiary",
        "young < middle < middle aged < old",
        "cold < cool < warm < hot",
        "slow < medium < fast",
        "light < medium < heavy",
        "short < medium < tall",
        "much worse < worse < same < better < much better",
    )
)


def examine_meaning(table: Table, types: Sequence[ColumnType], said: Collection[Hashable]) -> Iterator[Finding]:
    """What columns seem to be, apart from those that something was said of."""
    known = {column.name: column for column in types if column.name in table.kinds}
    yield from _counts(table, known)
    yield from _censored(table, known)
    yield from _before_others(table, known)
    unordered = [name for name, column in known.items() if column.kind == Category() and name not in said]
    yield from _ordered_scales(table, unordered)


def _before_others(table: Table, known: Mapping[Hashable, ColumnType]) -> Iterator[Finding]:
    """Columns that were settled before the others, as background knowledge to copy."""
    first = [name for name in known if words_of(name) & SETTLED]
    assigned = [name for name, column in known.items() if words_of(name) & ASSIGNED and _is_few(column)]
    waves = _waves([name for name in known if name not in (*first, *assigned)])
    reasons = []
    if first:
        reasons.append(f"nothing in a table changes sex, origin, age or the calendar ({listed(first, quoted=True)})")
    if waves:
        reasons.append(f"earlier waves come before later ones ({', '.join(str(wave[0]) for wave in waves)})")
    if assigned:
        reasons.append(f"nothing decides what was assigned at random, if {listed(assigned, quoted=True)} was")
    groups = [group for group in (first, assigned, *waves) if group]
    others = [] if sum(map(len, groups)) == len(known) else [["*"]]
    tiers = [*([[*first, *assigned]] if first or assigned else []), *(waves if waves else others)]
    if len(tiers) > 1:
        text = f"background knowledge would direct arrows: {'; '.join(reasons)}"
        python = f"side=sl.Tiers({', '.join(map(repr, tiers))})"
        flag = f"--knowledge {shlex.quote(f'tiers = {json.dumps([list(map(str, tier)) for tier in tiers])}')}"
        remedy = Message("if that is so: ", Call(python, flag=flag))
        culprits = tuple(name for tier in tiers for name in tier if name in known)
        yield Finding(FindingKind.BACKGROUND, "note", culprits, text, remedy)


def _is_few(column: ColumnType) -> bool:
    return column.n_values is not None and column.n_values <= MOST_ARMS


def _waves(names: Sequence[Hashable]) -> list[list[Hashable]]:
    """The columns of each wave of a survey, the earliest first; none where names do not say so."""
    found: dict[float, dict[str, Hashable]] = {}
    for name in names:
        if (match := WAVE.fullmatch(str(name))) is not None:
            number = float(match["year"] or match["number"])
            found.setdefault(-number if (match["mark"] or "").lower() == "l" else number, {})[match["stem"]] = name
    stems = [stem for wave in found.values() for stem in wave]
    repeated = {stem for stem in stems if stems.count(stem) > 1}
    if len(repeated) < FEWEST_REPEATED:
        return []
    return [[*found[number].values()] for number in sorted(found)]


def _counts(table: Table, known: Mapping[Hashable, ColumnType]) -> Iterator[Finding]:
    """A column of counts beside categories, each combination of which has one row."""
    counts = [
        name for name in known if words_of(name) & COUNTS and name in table.names and name not in table.incomplete
    ]
    others = [name for name in known if name not in counts[:1]]
    if not counts or not others or not all(known[name].kind.is_coded for name in others):
        return
    values = np.asarray(table.column(counts[0]), dtype=np.float64)
    if (values < 0).any() or (values != np.floor(values)).any() or values.sum() <= table.n_rows:
        return
    codes = np.column_stack([categories_in(table, name)[1] for name in others])
    if len(np.unique(codes, axis=0)) == table.n_rows:
        text = (
            f"column {str(counts[0])!r} seems to count equal rows: each combination of the other columns has one row. "
            "As it is, every combination counts once, and nothing depends on anything"
        )
        remedy = Message("if it does: ", Option("weights", counts[0]))
        yield Finding(FindingKind.COUNTS, "warning", (counts[0],), text, remedy)


def _censored(table: Table, known: Mapping[Hashable, ColumnType]) -> Iterator[Finding]:
    """A time beside an indicator of whether it is the time of an event, or of the end of observation."""
    times = [name for name in known if words_of(name) & TIMES_TO_EVENTS and _is_time(table, name, known[name])]
    events = [name for name, column in known.items() if words_of(name) & EVENTS and column.n_values == 2]
    if times and events:
        time, event = str(times[0]), str(events[0])
        text = (
            f"column {time!r} seems to be censored: {event!r} tells times of an event from ends of observation. Tests "
            "take both for the same, and their dependences are those of the follow-up, too"
        )
        remedy = "learn without the two, or from an outcome that is known of all rows, such as survival of one year"
        yield Finding(FindingKind.CENSORED, "warning", (times[0], events[0]), text, remedy)


def _is_time(table: Table, name: Hashable, column: ColumnType) -> bool:
    if column.kind.is_coded or name not in table.names:
        return False
    return bool(np.nanmin(np.asarray(table.column(name), dtype=np.float64), initial=0.0) >= 0)


def _ordered_scales(table: Table, names: Sequence[Hashable]) -> Iterator[Finding]:
    """All categories that seem to be ordered, as one option to copy."""
    numbers = {name: tuple(np.unique(_present(table, name)).tolist()) for name in names if name in table.names}
    shared = {name for name, values in numbers.items() if list(numbers.values()).count(values) >= SHARING}
    said: dict[Hashable, Said] = {}
    for name in names:
        if name in table.texts:
            order = _order_of_words(table, name)
            said |= {name: order} if order else {}
        elif _is_scale(name, numbers[name], SHARED_SCALE if name in shared else SCALE):
            said[name] = "ordinal"
    if said:
        have = columns_that([*said], "has categories", "have categories")
        text = f"{have} that seem to be ordered, and are taken as unordered"
        remedy = Message("if they are: ", Option("types", types_in_words(said)))
        yield Finding(FindingKind.ORDERED_SCALES, "note", tuple(said), text, remedy)


def _present(table: Table, name: Hashable) -> NDArray[np.float64]:
    column = np.asarray(table.column(name), dtype=np.float64)
    return column[np.isfinite(column)]


def _is_scale(name: Hashable, values: tuple[float, ...], fewest: int) -> bool:
    """True for consecutive whole numbers from 0 or 1 on, and for larger steps that are equal, such as 50, 60, … 100."""
    if words_of(name) & (UNORDERED | UNITS | TIMES) or len(values) < SHARED_SCALE:
        return False
    steps = {b - a for a, b in pairwise(values)}
    if len(steps) != 1:
        return False
    step = steps.pop()
    return (step == 1 and values[0] in (0, 1) and len(values) >= fewest) or (step > 1 and values[0] % step == 0)


def _order_of_words(table: Table, name: Hashable) -> tuple[str, ...]:
    """The categories in the order of a scale that has all of them; empty if none has."""
    words = {category_text(value, "text") for value in table.texts[name].different}
    plain = {word.strip().lower().replace("-", " ").replace("_", " "): word for word in words}
    if len(words) < FEWEST_WORDS or len(plain) < len(words):
        return ()
    scale = next((scale for scale in SCALES if plain.keys() <= set(scale)), ())
    return tuple(plain[word] for word in scale if word in plain)
