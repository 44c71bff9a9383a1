"""The text of a knowledge file of Tetrad.

Sections start with ``addtemporal`` (numbered tiers; ``*`` after the number forbids arrows within the tier, ``-`` allows
arrows into the next tier only), ``forbiddirect`` or ``requiredirect`` (an arrow in each line), ``forbiddengroup`` or
``requiredgroup`` (causes in one line, effects in the next). Names are separated by blanks or commas, and may stand in
double quotes; ``//`` starts a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations, product
from math import comb

from sidelight.errors import InputError
from sidelight.knowledge.facts import is_pattern
from sidelight.knowledge.statement import Known, NamePair, Statement
from sidelight.knowledge.statements import Forbidden, NoEdge, Required, Tiers

HEADER = "/knowledge"
SECTIONS = ("addtemporal", "forbiddirect", "requiredirect", "forbiddengroup", "requiredgroup")
TIER = re.compile(r"([0-9]{1,9})([*-]*)")
WORD = re.compile(r'"([^"]*)"|([^\s,"]+)')
MOST_PAIRS = 500_000  # that groups and marked tiers stand for; each takes some 300 bytes


@dataclass(frozen=True)
class Line:
    """The words of one line, and its number in the file."""

    number: int
    words: tuple[str, ...]

    def error(self, reason: str) -> InputError:
        return InputError(f"line {self.number}: {reason}; got {' '.join(self.words)!r}")


@dataclass(frozen=True)
class Tier:
    """A line of ``addtemporal``."""

    number: int
    names: tuple[str, ...]
    isolated: bool
    next_only: bool


def parse_tetrad(text: str) -> Known:
    """What the text says."""
    sections = _sections(text)
    tiers = [_tier(line) for line in sections["addtemporal"]]
    forbidden = [_arrow(line) for line in sections["forbiddirect"]] + _groups(sections["forbiddengroup"])
    required = [_arrow(line) for line in sections["requiredirect"]] + _groups(sections["requiredgroup"])
    statements: list[Statement] = [*_tier_statements(_merged(tiers))]
    statements += [Forbidden(*forbidden)] if forbidden else []
    statements += [Required(*required)] if required else []
    return Known((), tuple(statements))


def _sections(text: str) -> dict[str, list[Line]]:
    """The lines under each heading."""
    sections: dict[str, list[Line]] = {name: [] for name in SECTIONS}
    section = ""
    for line in _lines(text):
        word = line.words[0].lower()
        if len(line.words) == 1 and word in SECTIONS:
            section = word
        elif section:
            sections[section].append(line)
        elif word != HEADER:
            raise line.error(f"expected one of {', '.join(SECTIONS)}")
    return sections


def _lines(text: str) -> Iterator[Line]:
    for number, line in enumerate(text.splitlines(), 1):
        words = tuple(quoted or plain for quoted, plain in WORD.findall(line.partition("//")[0]))
        if words:
            yield Line(number, words)


def _arrow(line: Line) -> NamePair:
    if len(line.words) != 2 or line.words[0] == line.words[1]:
        raise line.error("expected a cause and an effect, such as 'smoking cancer'")
    return line.words[0], line.words[1]


def _groups(lines: Sequence[Line]) -> list[NamePair]:
    """All arrows from the names of one line to those of the next."""
    if len(lines) % 2:
        raise lines[-1].error("expected a line with effects after this one with causes")
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    _check_number("groups", sum(len(causes.words) * len(effects.words) for causes, effects in pairs))
    return [
        arrow for causes, effects in pairs for arrow in product(causes.words, effects.words) if arrow[0] != arrow[1]
    ]


def _tier(line: Line) -> Tier:
    number = TIER.fullmatch(line.words[0])
    if not number:
        raise line.error("expected the number of a tier and its variables, such as '1 age sex' or '2* smoking'")
    return Tier(int(number[1]), line.words[1:], "*" in number[2], "-" in number[2])


def _merged(tiers: Sequence[Tier]) -> list[Tier]:
    """One tier for each number, and an empty one for each gap, so that the next tier of one is the next in the list."""
    lines: dict[int, list[Tier]] = {}
    for tier in tiers:
        lines.setdefault(tier.number, []).append(tier)
    last = max(lines, default=0)
    everything = sorted({*lines, *(number + 1 for number in lines if number < last)})
    return [_one_tier(number, lines.get(number, [])) for number in everything]


def _one_tier(number: int, lines: Sequence[Tier]) -> Tier:
    names = tuple(name for line in lines for name in line.names)
    return Tier(number, names, any(line.isolated for line in lines), any(line.next_only for line in lines))


def _tier_statements(tiers: Sequence[Tier]) -> Iterator[Statement]:
    """The tiers, with marks that all of them have; where only some have a mark, what it says of them."""
    filled = [tier for tier in tiers if tier.names]
    if not filled:
        return
    isolated, next_only = all(tier.isolated for tier in filled), all(tier.next_only for tier in filled)
    yield Tiers(*(tier.names for tier in tiers), isolated=isolated, next_only=next_only)
    if not isolated and (within := _pairs_within([tier.names for tier in filled if tier.isolated])):
        yield NoEdge(*within)
    if not next_only and (jumping := _over_the_next(tiers)):
        yield Forbidden(*jumping)


def _pairs_within(tiers: Sequence[Sequence[str]]) -> list[NamePair]:
    _check_number("tiers marked with *", sum(comb(len(names) + 1, 2) for names in tiers))
    patterns = [(name, name) for names in tiers for name in names if is_pattern(name)]
    return [*chain.from_iterable(combinations(names, 2) for names in tiers), *patterns]


def _over_the_next(tiers: Sequence[Tier]) -> list[NamePair]:
    """All arrows that marks of tiers exclude, since they lead further than to the next one."""
    later = [name for tier in tiers for name in tier.names]
    ends = list(accumulate(len(tier.names) for tier in tiers))
    marked = [(tier.names, end) for tier, end in zip(tiers, ends[1:], strict=False) if tier.next_only]
    _check_number("tiers marked with -", sum(len(names) * (len(later) - end) for names, end in marked))
    return [arrow for names, end in marked for arrow in product(names, later[end:])]


def _check_number(what: str, n_pairs: int) -> None:
    if n_pairs > MOST_PAIRS:
        raise InputError(
            f"the {what} stand for {n_pairs:,} pairs of variables, and {MOST_PAIRS:,} are the most: say it with fewer "
            'names by patterns such as "lab_*", or by tiers without these marks'
        )
