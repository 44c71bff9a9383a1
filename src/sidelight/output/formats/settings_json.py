"""Settings, recipe and warnings of a network as JSON has them, and back."""

from __future__ import annotations

from typing import Any

import msgspec

from sidelight.network import Network
from sidelight.output.formats.document import FieldError
from sidelight.result.settings import Recipe

# What the settings of every network have; alpha is the usual one.
NO_SETTINGS = {**dict.fromkeys(("side", "learner", "test", "boundaries"), "not given"), "alpha": "0.01"}
SettingsRecord = dict[str, str]
WarningRecord = str


class RecipeRecord(msgspec.Struct):
    """The file that was learned from, and the options that differ from the defaults."""

    table: str
    options: dict[str, str | int | float | tuple[str, ...] | None]


def write_settings(network: Network) -> dict[str, str]:
    """What it was learned with."""
    return dict(network.settings)


def read_settings(record: SettingsRecord | None) -> dict[str, str]:
    """The settings; None where the file has none."""
    if record is None:
        return NO_SETTINGS
    lost = [key for key in NO_SETTINGS if key not in record]
    if lost:
        raise FieldError("settings", f"{lost[0]!r} is missing")
    if not _is_alpha(record["alpha"]):
        raise FieldError("settings", f"alpha must be a number between 0 and 1; got {record['alpha']!r}")
    return record


def _is_alpha(text: str) -> bool:
    try:
        return 0 < float(text) < 1
    except ValueError:
        return False


def write_recipe(network: Network) -> dict[str, Any]:
    """The call that learns it again."""
    return {"table": network.recipe.table, "options": dict(network.recipe.options)}


def read_recipe(record: RecipeRecord | None) -> Recipe:
    """The recipe; None where the file has none."""
    return Recipe() if record is None else Recipe(record.table, record.options)


def write_warnings(network: Network) -> list[str]:
    """What may be wrong."""
    return list(network.warnings)


def read_warnings(records: tuple[WarningRecord, ...], settings: SettingsRecord | None) -> tuple[str, ...]:
    """The warnings, and one more where the file has no settings."""
    if settings is not None:
        return records
    alpha = NO_SETTINGS["alpha"]
    return (*records, f"the file does not say how this was learned; its p-values are compared with alpha = {alpha}")
