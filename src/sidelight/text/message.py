"""Messages that name options, rendered once for Python and once for the command.

A ``Message`` is a text as Python's users read it. It keeps the options that it names as values, so that the command can
render them as flags: ``missing="drop"`` in Python is ``--missing drop`` there.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

NO_VALUE = ...
NEEDS_QUOTES = re.compile(r'[,"\r\n]|^\s|\s$|^$')
FIELD = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)')


@dataclass(frozen=True)
class Option:
    """An option that a message names, with a value or without.

    Args:
        name: what Python calls it.
        value: what to give it, as Python has it.
        flag: what the command calls it, if that is not the name with dashes: ``overwrite=True`` is ``--force``.
    """

    name: str
    value: object = NO_VALUE
    flag: str = ""

    def in_python(self) -> str:
        """``missing="drop"``, ``drop=['a', 'b']``; ``missing=`` without a value."""
        if self.value is NO_VALUE:
            return f"{self.name}="
        value = _plain(self.value)
        return f"{self.name}={_in_double_quotes(value) if isinstance(value, str) else repr(value)}"

    def in_command(self) -> str:
        """``--missing drop``, ``--drop a,b``; ``--force`` or ``--no-force``; ``--missing`` without a value."""
        flag = self.flag or f"--{self.name.replace('_', '-')}"
        if self.value is False:
            return flag.replace("--", "--no-", 1)
        if self.value is NO_VALUE or self.value is True:
            return flag
        text = _in_words(self.value)
        return f"{flag}={shlex.quote(text)}" if text.startswith("-") else f"{flag} {shlex.quote(text)}"


def _in_words(value: object) -> str:
    """The value as the command takes it."""
    if isinstance(value, Mapping):
        return assignments(value)
    return comma_separated(value) if isinstance(value, list | tuple) else str(value)


def assignments(values: Mapping[object, Iterable[object]]) -> str:
    """``income=-999,age=98,age=99``: several values of each name."""
    return comma_separated(f"{name}={_plain(value)}" for name, several in values.items() for value in several)


def _plain(value: object) -> object:
    """The value as users type it: without types of NumPy, and whole numbers as such."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _plain(list(several)) for name, several in value.items()}
    if type(value) is float and value.is_integer() and abs(value) < 1e15:
        return int(value)
    item = getattr(value, "item", None)
    return item() if hasattr(value, "dtype") and callable(item) else value


class OptionName(Option):
    """The name of an option as a word of a sentence: ``missing must be …``, ``--missing must be …``."""

    def in_python(self) -> str:
        return self.name


class Call(OptionName):
    """What to call in Python, and as ``flag`` the command that does it: ``net.audit(data)``, ``sidelight audit``."""


class Message(str):
    """A text that keeps the options it names; so does ``str`` of it, and of an error that was raised with it."""

    __slots__ = ("parts",)
    parts: tuple[str | Option, ...]

    def __new__(cls, *parts: str | Option) -> Self:
        """Join texts, options and other messages."""
        flat = tuple(piece for part in parts for piece in (part.parts if isinstance(part, Message) else (part,)))
        message = super().__new__(cls, "".join(p.in_python() if isinstance(p, Option) else p for p in flat))
        message.parts = flat
        return message

    def __str__(self) -> Self:
        return self

    @property
    def plain(self) -> str:
        """The same text without its options, for what accepts no other type than ``str``."""
        return "".join(self)

    def __reduce__(self) -> tuple[type[Self], tuple[str | Option, ...]]:  # so that a copy keeps them too
        return type(self), self.parts


def in_command_words(text: str) -> str:
    """A text as the command says it: the options that it names are flags."""
    if not isinstance(text, Message):
        return text
    return "".join(part.in_command() if isinstance(part, Option) else part for part in text.parts)


def must_be(option: str, what: str, got: object, flag: str = "") -> Message:
    """``alpha must be a number between 0 and 1; got 2``."""
    return Message(OptionName(option, flag=flag), f" must be {what}; got {got!r}")


def must_be_one_of(option: str, accepted: Iterable[object], got: object) -> Message:
    """``missing must be one of 'error', 'drop'; got 'ignore'``."""
    return must_be(option, f"one of {', '.join(map(repr, accepted))}", got)


def comma_separated(names: Iterable[object]) -> str:
    """Names with commas between, in double quotes where a name could not be read back otherwise."""
    return ",".join(in_quotes_if_needed(str(name)) for name in names)


def between_commas(text: str) -> list[str]:
    """The names that ``comma_separated`` wrote, or that a user did: blanks around a name do not count."""
    fields = FIELD.findall(text)
    return [name for quoted, plain in fields if (name := quoted.replace('""', '"') or plain.strip())]


def in_quotes_if_needed(name: str, others: str = "") -> str:
    """The name, in double quotes where it has what separates names, or one of these other marks."""
    quoted = name.replace('"', '""')
    return f'"{quoted}"' if NEEDS_QUOTES.search(name) or any(mark in name for mark in others) else name


def _in_double_quotes(text: str) -> str:
    return f'"{text}"' if text.isprintable() and '"' not in text and "\\" not in text else repr(text)
