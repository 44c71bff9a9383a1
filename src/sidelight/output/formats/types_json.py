"""The types of columns as JSON has them, and back."""

from __future__ import annotations

import msgspec

from sidelight.kinds import KINDS
from sidelight.kinds.types import ColumnType
from sidelight.network import Network
from sidelight.output.formats.document import Count, FieldError, Name, plain


class TypeRecord(msgspec.Struct):
    """What one column was taken as; a column that was ignored is no variable of the network."""

    name: str | int
    type: str
    decided: str = ""
    n_values: Count | None = None
    n_missing: Count = 0
    example: str = ""
    order: tuple[str, ...] = ()


def write_types(network: Network) -> list[dict[str, object]]:
    """What the columns were taken as."""
    return [{**column.as_dict(), "name": plain(column.name)} for column in network.types]


def read_types(records: tuple[TypeRecord, ...], names: tuple[Name, ...]) -> tuple[ColumnType, ...]:
    """The same; raises unless they are about the variables, each once."""
    written = {str(name): name for name in names}
    unknown = next((record.type for record in records if record.type not in KINDS), None)
    if unknown is not None:
        raise FieldError("types", f"{unknown!r} is none of {', '.join(map(repr, KINDS))}")
    used = [str(record.name) for record in records if KINDS[record.type].is_used]
    if records and (len(set(used)) < len(used) or set(used) != set(written)):
        raise FieldError("types", "they are not those of the variables")
    return tuple(
        ColumnType(**{**msgspec.structs.asdict(record), "name": written.get(str(record.name), record.name)})
        for record in records
    )
