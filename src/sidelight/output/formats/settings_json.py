"""How a network was learned, as JSON has it, and back: settings, warnings, and the types of the columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, cast

import msgspec

from sidelight.errors import InputError
from sidelight.kinds import KINDS
from sidelight.kinds.types import ColumnType
from sidelight.knowledge import known_from_dict
from sidelight.knowledge.time import Lagged, TimeOrder
from sidelight.network import Network
from sidelight.output.formats.document import Alpha, Column, Count, FieldError, Name, as_json, plain
from sidelight.result.settings import Settings
from sidelight.side_information import parse_side, side_in_words
from sidelight.tables.findings import Finding, FindingKind

NO_SETTINGS = Settings(learner="not given", alpha=0.01, test="not given", boundaries="not given")


@dataclass(frozen=True, kw_only=True)
class SettingsRecord(Settings):
    """Settings with the ranges of their numbers, and with what JSON has another form for.

    Side information is in the command's words, null where it has none; columns need not be among the variables.
    """

    alpha: Alpha
    boundary_alpha: Alpha | None = None
    side: str | None = "none"  # type: ignore[assignment]
    known: dict[str, Any] | None = None  # type: ignore[assignment]
    missing_values: dict[str, tuple[float | str, ...]] = field(default_factory=dict)  # type: ignore[assignment]
    weights_column: Column | None = None
    time_order: dict[str, Any] | None = None  # type: ignore[assignment]
    max_tests: Count | None = None
    max_conditioning: Count | None = None


class WarningRecord(msgspec.Struct):
    """One warning; the culprits are names as texts."""

    kind: str
    text: str
    severity: Literal["warning", "error"] = "warning"
    culprits: tuple[str, ...] = ()
    remedy: str = ""


class TypeRecord(msgspec.Struct):
    """What one column was taken as; a column that was ignored is no variable of the network."""

    name: Column
    type: str
    decided: str = ""
    n_values: Count | None = None
    n_missing: Count = 0
    example: str = ""
    order: tuple[str, ...] = ()


def write_settings(network: Network) -> dict[str, Any]:
    """What it was learned with."""
    side, known, order = network.settings.side, network.settings.known, network.settings.time_order
    return {
        **as_json(SettingsRecord, network.settings),
        "side": side_in_words(side),
        "known": _plain_names(known.as_dict()),
        "time_order": None if order is None else _plain_order(order),
    }


def _plain_order(order: TimeOrder) -> dict[str, Any]:
    lagged = [[plain(each.name), plain(each.column), each.lag] for each in order.lagged]
    return {"lagged": lagged, "contemporaneous": order.contemporaneous}


def _order_in(record: dict[str, Any] | None, names: tuple[Name, ...]) -> TimeOrder | None:
    """The order of time; raises unless each lagged column is one of the variables."""
    if record is None:
        return None
    written = {str(name): name for name in names}
    try:
        found = [(str(name), str(column), int(lag)) for name, column, lag in record["lagged"]]
        lagged = tuple(Lagged(written[name], written.get(column, column), lag) for name, column, lag in found)
    except (KeyError, TypeError, ValueError):
        raise FieldError("settings", "time_order: each of lagged is a variable, a column and a lag") from None
    return TimeOrder(lagged, record.get("contemporaneous", True) is not False) if lagged else None


def _plain_names(content: Any) -> Any:
    """What was known, with names as JSON has them."""
    if isinstance(content, dict):
        return {key: _plain_names(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_plain_names(value) for value in content]
    return content if isinstance(content, bool) else plain(content)


def read_settings(record: SettingsRecord | None, names: tuple[Name, ...]) -> Settings:
    """The settings of a network of these variables; none where the file has none. JSON has texts as keys."""
    if record is None:
        return NO_SETTINGS
    try:
        side = None if record.side is None else parse_side(record.side)
        known = known_from_dict(record.known or {})
    except InputError as error:
        raise FieldError("settings", str(error)) from error
    written = {str(name): name for name in names}
    marks = {written.get(name, name): values for name, values in record.missing_values.items()}
    order = _order_in(record.time_order, names)
    return Settings(**{**vars(record), "side": side, "known": known, "missing_values": marks, "time_order": order})


def read_warnings(
    records: tuple[WarningRecord, ...], names: tuple[Name, ...], has_settings: bool
) -> tuple[Finding, ...]:
    """The warnings, and one more where the file has no settings."""
    written = {str(name): name for name in names}
    found = [
        Finding(cast("FindingKind", r.kind), r.severity, tuple(written.get(c, c) for c in r.culprits), r.text, r.remedy)
        for r in records
    ]
    if not has_settings:
        text = (
            f"the file does not say how this was learned; its p-values are compared with alpha = {NO_SETTINGS.alpha:g}"
        )
        found.append(Finding(FindingKind.NO_SETTINGS, "warning", (), text))
    return tuple(found)


def read_types(records: tuple[TypeRecord, ...], names: tuple[Name, ...]) -> tuple[ColumnType, ...]:
    """What the columns were taken as; raises unless they are about the variables, each once."""
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
