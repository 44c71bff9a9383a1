"""Settings and warnings of a network as JSON has them, and back."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

import msgspec

from sidelight.consistency.knowledge import Doubt
from sidelight.errors import InputError
from sidelight.knowledge import known_from_dict
from sidelight.network import Network
from sidelight.output.formats.document import Count, FieldError, Name, plain
from sidelight.result.settings import Settings
from sidelight.side_information import parse_side, side_in_words
from sidelight.tables.findings import Finding, FindingKind

Alpha = Annotated[float, msgspec.Meta(gt=0, lt=1)]
GivenRecord = dict[str, str | bool | int | float | tuple[str, ...] | None]
NO_SETTINGS = Settings(learner="not given", alpha=0.01, test="not given", boundaries="not given")


class SettingsRecord(msgspec.Struct):
    """The settings of a network; side information is in the command's words, null where it has none."""

    learner: str
    alpha: Alpha
    test: str
    boundaries: str
    score: str | None = None
    penalty: float | None = None
    boundary_alpha: Alpha | None = None
    side: str | None = "none"
    known: dict[str, Any] = {}
    variant: str | None = None
    correlation: str | None = None
    discrete: tuple[Name, ...] | None = None
    ordinal: tuple[Name, ...] | None = None
    missing: str = "error"
    missing_values: dict[str, tuple[float | str, ...]] = {}
    dates: tuple[Name, ...] = ()
    weighted: bool = False
    weights_column: str | int | None = None
    max_tests: Count | None = None
    max_conditioning: Count | None = None
    table: str = ""
    given: GivenRecord = {}
    resampling: GivenRecord | None = None


class WarningRecord(msgspec.Struct):
    """One warning; the culprits are names as texts."""

    kind: str
    text: str
    severity: Literal["warning", "error"] = "warning"
    culprits: tuple[str, ...] = ()
    remedy: str = ""


class DoubtRecord(msgspec.Struct):
    """What was said and the data speak against."""

    said: str
    variables: tuple[str, ...]
    reason: str
    nats: float


def write_doubts(network: Network) -> list[dict[str, object]]:
    """What was said and the data speak against."""
    return [{**vars(doubt), "variables": list(map(str, doubt.variables))} for doubt in network.doubts]


def read_doubts(records: tuple[DoubtRecord, ...], names: tuple[Name, ...]) -> tuple[Doubt, ...]:
    """The doubts, with the names of variables as they are."""
    written = {str(name): name for name in names}
    strange = next((name for record in records for name in record.variables if name not in written), None)
    if strange is not None:
        raise FieldError("doubts", f"there is no variable {strange!r}")
    return tuple(Doubt(r.said, tuple(written[name] for name in r.variables), r.reason, r.nats) for r in records)


def write_settings(network: Network) -> dict[str, Any]:
    """What it was learned with."""
    settings = network.settings
    return {
        **vars(settings),
        "side": side_in_words(settings.side),
        "known": _plain_names(settings.known.as_dict()),
        "discrete": None if settings.discrete is None else [plain(name) for name in settings.discrete],
        "ordinal": None if settings.ordinal is None else [plain(name) for name in settings.ordinal],
        "missing_values": {str(plain(name)): list(values) for name, values in settings.missing_values.items()},
        "dates": [plain(name) for name in settings.dates],
        "weights_column": None if settings.weights_column is None else plain(settings.weights_column),
        "given": dict(settings.given),
        "resampling": None if settings.resampling is None else dict(settings.resampling),
    }


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
        known = known_from_dict(record.known)
    except InputError as error:
        raise FieldError("settings", str(error)) from error
    written = {str(name): name for name in names}
    marks = {written.get(name, name): values for name, values in record.missing_values.items()}
    return Settings(**{**msgspec.structs.asdict(record), "side": side, "known": known, "missing_values": marks})


def write_warnings(network: Network) -> list[dict[str, object]]:
    """What may be wrong."""
    return [warning.as_dict() for warning in network.warnings]


def read_warnings(
    records: tuple[WarningRecord, ...], names: tuple[Name, ...], settings: SettingsRecord | None
) -> tuple[Finding, ...]:
    """The warnings, and one more where the file has no settings."""
    written = {str(name): name for name in names}
    found = tuple(
        Finding(
            cast("FindingKind", r.kind),
            r.severity,
            tuple(written.get(name, name) for name in r.culprits),
            r.text,
            r.remedy,
        )
        for r in records
    )
    if settings is not None:
        return found
    text = f"the file does not say how this was learned; its p-values are compared with alpha = {NO_SETTINGS.alpha:g}"
    return (*found, Finding(FindingKind.NO_SETTINGS, "warning", (), text))
