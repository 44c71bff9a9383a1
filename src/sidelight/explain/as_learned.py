"""The options with which other data are tested as a network's own were: those that are given, else those it kept."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from sidelight.arguments import check_level
from sidelight.data.table import as_list
from sidelight.data.variables import column_names
from sidelight.errors import InputError
from sidelight.independence.options import OPTION_OF_TEST, TESTS, DataOptions, Function, between_commas, is_column_name
from sidelight.network import Network


def level_to_repeat(network: Network, alpha: float | None) -> float:
    """The level that is given, or that at which the network was learned."""
    if alpha is None:
        told = network.recipe.options.get("alpha")  # with all its digits
        alpha = told if isinstance(told, float) else float(network.settings.get("alpha", 0.01))
    check_level("alpha", alpha)
    return float(alpha)


def options_to_repeat(
    network: Network,
    data: object,
    *,
    names: Sequence[Hashable] | None,
    correlation: str | None,
    test: str | Function | None,
    discrete: Iterable[Hashable] | None,
    missing: str | None,
    weights: object,
) -> DataOptions:
    """The options that are given; where one is None, as the network was learned, if that goes with those given."""
    asked = network.recipe.options.get("test", "auto")  # None for a function
    used = OPTION_OF_TEST.get(network.settings.get("test", ""), "auto")
    if test is None:
        test = _test_to_repeat(network, used if discrete is None else asked)
    alike = not callable(test) and test in (asked, used)
    columns = [*as_list(discrete)] if discrete is not None else _discrete(network) if alike else None
    kept = network.settings if alike and discrete is None else {}
    return DataOptions(
        names=names,
        correlation=kept.get("correlation", "pearson") if correlation is None else correlation,
        test=test,
        discrete=_as_named(network, columns),
        missing=_missing(network, test) if missing is None else missing,
        weights=_weights(network, data, test) if weights is None else weights,
    )


def _test_to_repeat(network: Network, test: Any) -> str:
    """A name of a test; a function, which no file keeps, has to be given again."""
    if test is None or network.settings.get("test") == "FunctionTest":
        raise InputError(
            "test=: the network was learned with a function as its test; give it again, or one of "
            f"{', '.join(map(repr, TESTS))}"
        )
    return str(test)


def _discrete(network: Network) -> list[Any] | None:
    """The columns that were taken as discrete where others were not, or that were asked for."""
    if "discrete" in network.settings:
        return between_commas(network.settings["discrete"])
    told = network.recipe.options.get("discrete")
    return None if told is None else as_list(told)


def _as_named(network: Network, columns: list[Any] | None) -> list[Any] | None:
    """Names as the network has them; files and commands have texts for numbers."""
    written = {str(name): name for name in network.names}
    return None if columns is None else [written.get(str(name), name) for name in columns]


def _missing(network: Network, test: str | Function) -> str:
    return "error" if callable(test) else network.settings.get("missing", "error")


def _weights(network: Network, data: object, test: str | Function) -> object:
    """The column that the weights were in, if the data have it."""
    column = network.recipe.options.get("weights")
    there = is_column_name(column) and not callable(test) and str(column) in map(str, column_names(data, network.names))
    return column if there else None
