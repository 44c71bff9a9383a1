"""What would cure a finding, as values of options; ``fix=True`` gives the options these values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from sidelight.tables.type_option import types_in_words
from sidelight.text.message import Message, Option
from sidelight.text.sentences import in_a_row, listed


@dataclass(frozen=True)
class Cure:
    """Values of options that would cure a finding; false where there is nothing to do.

    Args:
        drop: columns not to use.
        missing_values: for columns, the values that stand for missing ones.
        dates: columns of dates, times or durations to take as numbers.
        types: for columns, the type to take them as.
        missing: the value of the option ``missing``.
    """

    drop: tuple[Hashable, ...] = ()
    missing_values: Mapping[Hashable, tuple[object, ...]] = field(default_factory=dict)
    dates: tuple[Hashable, ...] = ()
    types: Mapping[Hashable, str] = field(default_factory=dict)
    missing: str = ""

    def __bool__(self) -> bool:
        return any((self.drop, self.missing_values, self.dates, self.types, self.missing))

    def __or__(self, other: Cure) -> Cure:
        """Both; what one of them drops, the other need not change."""
        drop = tuple(dict.fromkeys((*self.drop, *other.drop)))
        values = {**self.missing_values, **other.missing_values}
        return Cure(
            drop,
            {name: marks for name, marks in values.items() if name not in drop},
            tuple(name for name in dict.fromkeys((*self.dates, *other.dates)) if name not in drop),
            {name: kind for name, kind in {**self.types, **other.types}.items() if name not in drop},
            other.missing or self.missing,
        )

    @property
    def message(self) -> Message:
        """What was done, such as ``dropped 'id'``."""
        parts = list(self._parts())
        return Message(*(piece for i, part in enumerate(parts) for piece in (("; ", part) if i else (part,))))

    def as_dict(self) -> dict[str, object]:
        """All of it that is not empty, as data that JSON can hold."""
        marks = {str(name): list(map(str, values)) for name, values in self.missing_values.items()}
        lists = {name: list(map(str, getattr(self, name))) for name in ("drop", "dates")}
        types = {str(name): kind for name, kind in self.types.items()}
        every: dict[str, object] = {**lists, "missing_values": marks, "types": types, "missing": self.missing}
        return {name: value for name, value in every.items() if value}

    def _parts(self) -> Iterator[Message]:
        if self.drop:
            yield Message(f"dropped {listed(self.drop, quoted=True)}")
        if self.missing_values:
            marks = [f"{_shown(values)} in {str(name)!r}" for name, values in self.missing_values.items()]
            yield Message(f"took {listed(marks)} as missing")
        if self.dates:
            what = "numbers" if len(self.dates) > 1 else "a number"
            yield Message(f"took {listed(self.dates, quoted=True)} as {what} of days")
        if self.types:
            yield Message("used ", Option("types", types_in_words(self.types)))
        if self.missing:
            yield Message("used ", Option("missing", self.missing))


def _shown(values: tuple[object, ...]) -> str:
    texts = [f"{value:g}" if isinstance(value, float) else repr(value) for value in values[:5]]
    return in_a_row(texts + ["…"] * (len(values) > 5))
