"""The blocks of a BIF text, read word by word: the time grows with the length of the text and no faster."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sidelight.errors import InputError

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*(?:.*?\*/|.*))
    |"(?P<quoted>(?:[^"\\]|\\.)*)(?P<closed>"?)
    |(?P<mark>[{}()\[\],;|])
    |(?P<word>(?:[^\s{}()\[\],;|"/]|/(?![/*]))+)""",
    re.DOTALL | re.VERBOSE,
)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True)
class Token:
    """A mark such as ``{``, or a text; ``is_quoted`` for one in quotes, which is never a word of the language."""

    text: str
    is_mark: bool = False
    is_quoted: bool = False


@dataclass(frozen=True)
class VariableBlock:
    """A variable and its categories."""

    name: str
    categories: tuple[str, ...]


@dataclass(frozen=True)
class ProbabilityBlock:
    """The numbers of a variable given its parents: as a whole, or in rows with a category of each parent."""

    name: str
    parents: tuple[str, ...]
    whole: tuple[str, ...] | None
    rows: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


Block = VariableBlock | ProbabilityBlock


def parse_blocks(text: str) -> list[Block]:
    """The variables and probabilities in their order."""
    return list(_Reader(text).blocks())


def _tokens(text: str) -> Iterator[Token]:
    for found in TOKEN.finditer(text):
        if found["quoted"] is not None:
            if not found["closed"]:
                raise InputError("a quotation mark is not closed")
            yield Token(ESCAPED.sub(r"\1", found["quoted"]), is_quoted=True)
        elif found["mark"]:
            yield Token(found["mark"], is_mark=True)
        elif found["word"]:
            yield Token(found["word"])


class _Reader:
    """A text that is read from the front, one token after the other."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.next: Token | None = next(self.tokens, None)

    def blocks(self) -> Iterator[Block]:
        """What stands in the text but the network's own block and properties."""
        while self.next is not None:
            if self._takes_word("variable"):
                yield self._variable()
            elif self._takes_word("probability"):
                yield self._probabilities()
            else:
                self._advance()

    def _variable(self) -> VariableBlock:
        name = self._phrase("{")
        self._expect("{")
        categories: tuple[str, ...] = ()
        while not self._takes("}"):
            if self._takes_word("property"):
                self._skip_to(";")
            elif self._takes("{"):
                categories = self._list("}")
            else:
                self._advance()
        return VariableBlock(name, categories)

    def _probabilities(self) -> ProbabilityBlock:
        self._expect("(")
        name = self._phrase("|)")
        parents = self._list(")") if self._takes("|") else ()
        if not parents:
            self._takes(")")
        self._expect("{")
        whole, rows = None, []
        while not self._takes("}"):
            if self._takes("("):
                rows.append((self._list(")"), self._list(";")))
            elif self._takes_word("table"):
                whole = self._list(";")
            else:
                self._skip_to(";")
        return ProbabilityBlock(name, parents, whole, tuple(rows))

    def _list(self, end: str) -> tuple[str, ...]:
        """Phrases with commas between, up to the mark, which is taken too; none if there is nothing before it."""
        if self._takes(end):
            return ()
        phrases = [self._phrase("," + end)]
        while self._takes(","):
            phrases.append(self._phrase("," + end))
        self._expect(end)
        return tuple(phrases)

    def _phrase(self, ends: str) -> str:
        """The words up to one of the marks, with blanks between."""
        words = []
        while self.next is not None and not (self.next.is_mark and self.next.text in ends):
            if self.next.is_mark:
                raise InputError(f"{self.next.text!r} stands where {' or '.join(map(repr, ends))} should")
            words.append(self.next.text)
            self._advance()
        return " ".join(words)

    def _takes(self, mark: str) -> bool:
        """Go past the mark if it comes next."""
        if self.next is None:
            raise InputError(f"it ends where {mark!r} should stand")
        found = self.next.is_mark and self.next.text == mark
        if found:
            self._advance()
        return found

    def _takes_word(self, word: str) -> bool:
        """Go past the word of the language if it comes next."""
        found = self.next is not None and self.next == Token(word)
        if found:
            self._advance()
        return found

    def _expect(self, mark: str) -> None:
        if not self._takes(mark):
            raise InputError(f"{self.next.text if self.next else ''!r} stands where {mark!r} should")

    def _skip_to(self, mark: str) -> None:
        while not self._takes(mark):
            self._advance()

    def _advance(self) -> None:
        self.next = next(self.tokens, None)
