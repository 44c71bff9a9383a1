"""What is known of the variables of a table, counted; a table is not needed, only the names of its columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass

from sidelight.knowledge.contradictions import constraints_of
from sidelight.knowledge.facts import Columns
from sidelight.knowledge.statement import Known
from sidelight.text.sentences import counted, in_a_row


@dataclass(frozen=True)
class KnowledgeSummary:
    """What is known of some variables, without a contradiction; arrows are counted with those that follow."""

    bounds: tuple[str, ...]  # on the structure, in words
    n_statements: int  # each arrow, pair or name counted once
    n_variables: int
    n_named: int  # of the variables: those that the statements are about
    n_required: int
    n_forbidden: int
    n_blocks: int  # into which the variables are ordered; 1 if they are in no order

    def as_dict(self) -> dict[str, object]:
        """All of it as data that JSON can hold."""
        return {**asdict(self), "bounds": list(self.bounds)}

    def __str__(self) -> str:
        if not self.n_statements:
            return self._bounds_in_words() or "nothing is known"
        about = f"{counted(self.n_statements, 'statement')} about {self.n_named} of {self.n_variables} variables"
        what = in_a_row([about, *[self._bounds_in_words()] * bool(self.bounds)])
        return f"{what}, no contradiction\n{self._consequences_in_words()}"

    def _bounds_in_words(self) -> str:
        return f"{counted(len(self.bounds), 'bound')} ({', '.join(self.bounds)})" if self.bounds else ""

    def _consequences_in_words(self) -> str:
        arrows = self.n_variables * (self.n_variables - 1)
        order = f"order the variables into {self.n_blocks} blocks" if self.n_blocks > 1 else "leave their order open"
        required = f"require {counted(self.n_required, 'arrow')}"
        return f"together they {required}, forbid {self.n_forbidden} of {arrows}, and {order}"


def summary_of(known: Known, names: Sequence[Hashable]) -> KnowledgeSummary:
    """What is known of these variables, counted; unknown names and contradictions are an ``InputError``."""
    found = constraints_of(known, names)
    n = len(found.names)
    mentioned = Columns(found.names).union(name for statement in known.statements for name in statement.names())
    return KnowledgeSummary(
        bounds=tuple(map(str, known.bounds)),
        n_statements=len(known.pieces()),
        n_variables=n,
        n_named=len(mentioned),
        n_required=len(found.required),
        n_forbidden=n * (n - 1) - int(found.allowed.sum()),
        n_blocks=len(found.blocks()),
    )
