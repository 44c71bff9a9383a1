"""Messages that name options, rendered once for Python and once for the command.

A ``Message`` is a text in Python's words. It keeps the options that it names as values, so that the command can render
them as flags: ``missing="drop"`` in Python is ``--missing drop`` there.
"""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Option:
    """An option of ``learn`` that a message names, with a value or without."""

    name: str
    value: object = ...  # none

    def in_python(self) -> str:
        """``missing="drop"``, ``drop=['a', 'b']``; ``missing=`` without a value."""
        if self.value is ...:
            return f"{self.name}="
        return f'{self.name}="{self.value}"' if isinstance(self.value, str) else f"{self.name}={self.value!r}"

    def in_command(self) -> str:
        """``--missing drop``, ``--drop a,b``; ``--missing`` without a value."""
        flag = f"--{self.name.replace('_', '-')}"
        if self.value is ...:
            return flag
        text = comma_separated(self.value) if isinstance(self.value, list | tuple) else str(self.value)
        return f"{flag}={shlex.quote(text)}" if text.startswith("-") else f"{flag} {shlex.quote(text)}"


class Message(str):
    """A text that keeps the options it names."""

    __slots__ = ("parts",)
    parts: tuple[str | Option, ...]

    def __new__(cls, *parts: str | Option) -> Self:
        """Join texts, options and other messages."""
        flat = tuple(piece for part in parts for piece in (part.parts if isinstance(part, Message) else (part,)))
        message = super().__new__(cls, "".join(p.in_python() if isinstance(p, Option) else p for p in flat))
        message.parts = flat
        return message

    def __getnewargs__(self) -> tuple[str | Option, ...]:  # type: ignore[override]  # so that it can be copied
        return self.parts


def in_command_words(text: str) -> str:
    """A text as the command says it: the options that it names are flags."""
    if not isinstance(text, Message):
        return text
    return "".join(part.in_command() if isinstance(part, Option) else part for part in text.parts)


def comma_separated(names: Iterable[object]) -> str:
    """Names with commas between, in quotes where a name has a comma itself."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(map(str, names))
    return line.getvalue()
