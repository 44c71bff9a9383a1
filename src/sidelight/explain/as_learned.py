"""How other data are tested as a network's own were: by the options given, else by those it was learned with."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

from sidelight.errors import InputError
from sidelight.families import TABLE_TESTS
from sidelight.families.options import VARIATIONS, DataOptions
from sidelight.kinds.types import said_types
from sidelight.network import Network
from sidelight.sources.memory import labels_of
from sidelight.sources.rows import is_delimited, open_source
from sidelight.tables.column_options import Said
from sidelight.tables.table import as_list
from sidelight.text.message import Message, Option


def options_as_learned(network: Network, data: object, changes: Mapping[str, Any]) -> DataOptions:
    """The options that are given; where one is not, as the network was learned, if that goes with those given."""
    settings, discrete, types = network.settings, changes.get("discrete"), changes.get("types")
    as_learned = discrete is None and types is None
    requested = settings.given.get("test", "auto")  # None for a function
    used = settings.test if settings.test in TABLE_TESTS else "auto"
    test = changes.get("test")
    if test is None:
        test = _test_as_learned(network, used if as_learned else requested)
    alike = not callable(test) and test in (requested, used)
    options: dict[str, Any] = {"test": test, "weights": weights_as_learned(network, data, test)}
    options |= groups_as_learned(network, data, test)
    options["targets"] = targets_as_learned(network, data, test)
    options |= time_as_learned(network, data, test)
    if alike and as_learned:
        options["correlation"] = settings.correlation or "pearson"
    if alike and not network.types:
        options["discrete"] = settings.given.get("discrete") if settings.discrete is None else settings.discrete
    if not callable(test):
        marks = {name: values for name, values in settings.missing_values.items() if name in network.names}
        dates = [name for name in settings.dates if name in network.names]  # others were read and not used
        options |= {"missing": settings.missing, "missing_values": marks or None, "dates": dates or None}
    if is_delimited(data):  # in the same way as the file that was learned from, unless changes say otherwise
        options |= {name: settings.given.get(name) for name in ("delimiter", "decimal", "header")}
    options.update(changes)
    if alike and network.types and discrete is None:
        options["types"] = _types(network, types)
    return DataOptions(**{**options, "discrete": _as_named(network, options.get("discrete"))})


def _test_as_learned(network: Network, test: object) -> str:
    """A name of a test; a function, which no file keeps, has to be given again."""
    if not isinstance(test, str) or network.settings.test == "function":
        raise InputError(
            Message(
                Option("test"),
                ": the network was learned with a function as its test; give it again, or one of "
                f"{', '.join(map(repr, ('auto', *TABLE_TESTS)))}",
            )
        )
    return test


def _types(network: Network, changes: object) -> dict[Hashable, Said]:
    """The types of the network's variables, those in ``changes`` in place of others."""
    written = {str(name): name for name in network.names}
    order = network.settings.time_order
    lagged = () if order is None else [name for name in written if order.lag(name)]
    of_columns = [column for column in network.types if str(column.name) in written and str(column.name) not in lagged]
    learned = {written[str(column.name)]: column.said for column in of_columns}
    return learned | {written.get(str(name), name): said for name, said in said_types(changes).items()}


def _as_named(network: Network, columns: object) -> list[Any] | None:
    """Names as the network has them; files and commands have texts for numbers."""
    written = {str(name): name for name in network.names}
    return None if columns is None else [written.get(str(name), name) for name in as_list(columns)]


def weights_as_learned(network: Network, data: object, test: object = None) -> Hashable | None:
    """The column that the weights were in, if the data have it."""
    return _column_there(network, data, network.settings.weights_column, test)


def groups_as_learned(network: Network, data: object, test: object = None) -> dict[str, Any]:
    """The column that says of which group a row is, if the data have it, and which variation counts."""
    given = network.settings.given
    column = _column_there(network, data, given.get("groups"), test)
    return {} if column is None else {"groups": column, "variation": given.get("variation", VARIATIONS[0])}


def targets_as_learned(network: Network, data: object, test: object = None) -> Hashable | None:
    """The column that says which variables were set, if the data have it."""
    return _column_there(network, data, network.settings.given.get("targets"), test)


def time_as_learned(network: Network, data: object, test: object = None) -> dict[str, Any]:
    """The column that says when a row was observed, if the data have it, and how many waves back causes were sought."""
    given = network.settings.given
    column = _column_there(network, data, given.get("time"), test)
    if column is None:
        return {}
    return {"time": column, **{name: given[name] for name in ("lags", "contemporaneous") if name in given}}


def refuse_set_rows(network: Network, data: object) -> None:
    """Raise where the data say that variables were set in some rows, of which an estimate would be a mixture."""
    column = targets_as_learned(network, data)
    if column is not None:
        why = (
            f": column {str(column)!r} says that variables were set in some rows, and estimates are made from rows in "
            "which nothing was set, or the cause alone; leave out the other rows, and this column"
        )
        raise InputError(Message(Option("targets", column), why))


def _column_there(network: Network, data: object, column: Hashable | None, test: object) -> Hashable | None:
    """The column, as the data call it, if they have it."""
    if column is None or callable(test):
        return None
    is_path = isinstance(data, str | Path)
    names = open_source(data, columns=network.names).names if is_path else labels_of(data)
    return next((name for name in names if str(name) == str(column)), None)
