"""A fitted network: a DAG with the distribution of each variable given its parents.

All kinds have likelihood, BIC, sampling, prediction and interventions; they differ in what their conditionals are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.fit.intervention import Outcome, intervened, may_depend_on, outcome
from sidelight.fit.query import QueryAnswer, answered
from sidelight.graphs.dag import Dag
from sidelight.graphs.names import hint_at_names
from sidelight.kinds.base import Columns, Conditional, Posterior, Sample, Values, Variables, log_product
from sidelight.kinds.category import Category, CategoryPosterior
from sidelight.options import check_choice
from sidelight.sources.dialect import AS_FOUND, DialectChoice, kept_values
from sidelight.sources.memory import array_names
from sidelight.sources.rows import is_delimited, read_table
from sidelight.tables.all_rows import Weights, are_fractional, counted_as_rows, take_weights
from sidelight.tables.findings import Finding, FindingKind, columns_that
from sidelight.tables.table import Table, categories_in, weights_column
from sidelight.tables.treatment import AS_READ, Treatment
from sidelight.text.message import Message, Option, must_be
from sidelight.text.sentences import counted, listed

SHOWN = 30
ROWS_PER_PARAMETER = 5  # of a variable; with fewer, a warning says so
MISSING = ("error", "drop", "em")
COMPLETE_ROWS = ("error", "drop")  # where nothing can be said of a row with gaps
SIMULATED = 10_000  # rows for a question about an intervention
Seed = int | np.random.Generator | None


def parents_of(dag: Dag, variables: Variables) -> list[Variables]:
    """The parents of each variable, in their order."""
    return [tuple(variables[p] for p in sorted(found)) for found in dag.parents]


def fit_complete(dag: Dag, variables: Variables, sample: Sample, prior: float) -> tuple[Conditional, ...]:
    """The distribution of each variable given its parents, from complete rows."""
    families = zip(variables, parents_of(dag, variables), strict=True)
    return tuple(variable.kind.conditional(variable, parents, sample, prior) for variable, parents in families)


@dataclass(frozen=True, repr=False, eq=False)
class FittedNetwork(ABC):
    """A DAG with parameters.

    Attributes:
        structure: the DAG, by position.
        conditionals: the distribution of each variable given its parents, in the order of the variables.
        n_rows: the number of rows that the parameters were fitted to.
        undetermined: the edges that have this direction in this DAG and another one in others of the class.
        treatment: which values stand for missing ones, and which columns are dates or texts that are numbers.
    """

    structure: Dag
    conditionals: tuple[Conditional, ...]
    n_rows: float
    undetermined: frozenset[tuple[Hashable, Hashable]] = frozenset()
    treatment: Treatment = AS_READ

    @staticmethod
    @abstractmethod
    def fit_incomplete(dag: Dag, variables: Variables, sample: Sample, prior: float) -> tuple[Conditional, ...]:
        """The distribution of each variable given its parents, from rows with gaps."""

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The variables."""
        return self.structure.names

    @property
    def dag(self) -> nx.DiGraph:
        """The graph, over the names."""
        return self.structure.to_networkx()

    @property
    def n_parameters(self) -> int:
        """The number of free parameters."""
        return sum(conditional.n_parameters for conditional in self.conditionals)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Variables with so many parameters that the rows hardly determine them; those that want most rows first."""
        needy = [node for node in self.conditionals if node.n_parameters * ROWS_PER_PARAMETER > self.n_rows]
        if not needy:
            return ()
        needy.sort(key=lambda node: -node.n_parameters)
        names = tuple(node.variable.name for node in needy)
        least = self.n_rows / needy[0].n_parameters
        text = f"{columns_that(names, 'has', 'have')} fewer than {ROWS_PER_PARAMETER} rows for each parameter"
        text += f" ({counted(needy[0].n_parameters, 'parameter')} and {least:.2g} rows for each)" * (len(needy) == 1)
        remedy = "their probabilities are uncertain: merge rare categories, or say which columns are ordered (types)"
        return (Finding(FindingKind.FEW_ROWS_PER_PARAMETER, "warning", names, text, remedy),)

    @property
    def variables(self) -> Variables:
        """The variables with their kinds and categories."""
        return tuple(conditional.variable for conditional in self.conditionals)

    def conditional(self, name: Hashable) -> Conditional:
        """The distribution of a variable given its parents."""
        return self.conditionals[self._position(name)]

    def sample(
        self, n_rows: int, seed: Seed = None, do: Mapping[Hashable, object] | None = None
    ) -> dict[Hashable, NDArray[Any]]:
        """New rows, as a dict of columns in the order of the variables.

        Args:
            n_rows: how many.
            seed: a whole number gives the same rows again; a generator goes on.
            do: variables that are set to a value, whatever their parents are; their effects are drawn accordingly. The
                answer holds for this DAG. Where the data leave directions open (``undetermined``), other DAGs of the
                class may have another answer.
        """
        columns = self._simulated(n_rows, seed, do or {})
        return {variable.name: variable.decoded(columns[variable.name]) for variable in self.variables}

    def do(
        self, values: Mapping[Hashable, object], target: Hashable, n_rows: int = SIMULATED, seed: Seed = 0
    ) -> Outcome:
        """What becomes of a variable when others are set to values: its mean, or the probabilities of its categories.

        It is found by simulation, and comes with the Monte Carlo error and with the edges of undetermined direction
        that it depends on.

        Args:
            values: what the variables are set to, by name.
            target: the variable to look at.
            n_rows: how many rows are drawn.
            seed: a whole number gives the same answer again.
        """
        variable = self.variables[self._position(target)]
        columns = self._simulated(n_rows, seed, values, least=2)
        open_edges = may_depend_on(self.dag, self.undetermined, frozenset(values), target)
        return outcome(variable, columns[target], dict(values), open_edges)

    def query(self, target: Hashable, given: Mapping[Hashable, object] | None = None, seed: Seed = 0) -> QueryAnswer:
        """A variable given values of some others, whichever these are: its mean, or its categories' probabilities.

        It is exact where all that matters are numbers (their joint normal distribution is conditioned) or categories
        with tables (variable elimination). Otherwise rows are simulated, and the answer has their error.

        Args:
            target: the variable.
            given: the evidence, values by variable; nothing else is known of a row.
            seed: a whole number gives the same simulation again.
        """
        given = {} if given is None else given
        if not isinstance(given, Mapping):
            raise InputError(must_be("given", "a dict of values by variable", given))
        _check_seed(seed)
        variables = {name: self.variables[self._position(name)] for name in (target, *given)}
        held = {name: variables[name].kind.encoded_value(variables[name], value) for name, value in given.items()}
        matter = {self._position(name) for name in variables}
        for v in reversed(self.structure.topological_order()):
            matter |= self.structure.parents[v] if v in matter else set()
        order = [self.conditionals[v] for v in self.structure.topological_order() if v in matter]
        return answered(variables[target], order, given, held, np.random.default_rng(seed))

    def write(self, path: str | Path, overwrite: bool = False) -> None:
        """Write it with its parameters: JSON, or BIF where all have tables; ``sidelight.read_fitted`` reads both."""
        from sidelight.fit.files import write_fitted

        write_fitted(self, path, overwrite)

    def predict(
        self, column: Hashable, data: object, names: Sequence[Hashable] | None = None, missing: str = "error"
    ) -> NDArray[Any]:
        """A column from the others: the mean of a number, the most probable category, given the rest of each row.

        Only the Markov boundary of the column is needed: its parents, its children and their other parents.

        Args:
            column: the variable to predict; what the data have in it is not looked at.
            data: as for ``fit``.
            names: the names of an array's columns; by default the network's, in their order.
            missing: "error", or "drop" (rows).
        """
        variable = self.variables[self._position(column)]
        return variable.decoded(self._posterior(column, data, names, missing).predicted())

    def predict_proba(
        self, column: Hashable, data: object, names: Sequence[Hashable] | None = None, missing: str = "error"
    ) -> dict[object, Values]:
        """The probability of each category of a column in each row, given the rest of the row."""
        variable = self.variables[self._position(column)]
        if not variable.kind.is_coded:
            what = variable.kind.nouns[0]
            raise InputError(f"column {str(column)!r} is a {what} and has no categories; predict gives its mean")
        posterior = self._posterior(column, data, names, missing)
        assert isinstance(posterior, CategoryPosterior)
        return dict(zip(variable.categories, posterior.probabilities.T, strict=True))

    def log_likelihood(
        self, data: object, names: Sequence[Hashable] | None = None, missing: str = "error", weights: object = None
    ) -> float:
        """The natural logarithm of the likelihood of a table; the arguments are those of ``Network.fit``."""
        return self._log_likelihood(self._sample(data, names, missing, weights))

    def mean_log_likelihood(
        self, data: object, names: Sequence[Hashable] | None = None, missing: str = "error", weights: object = None
    ) -> float:
        """The mean log-likelihood of a row, by which tables of different length can be compared."""
        sample = self._sample(data, names, missing, weights)
        return self._log_likelihood(sample) / sample.count

    def new_categories(self, data: object, names: Sequence[Hashable] | None = None) -> dict[Hashable, list[object]]:
        """The categories, by variable, that rows have and the rows fitted to did not; for ``fit(…, categories=…)``."""
        table, _ = read_rows(data, self.names, names, "em", None, self.treatment)
        coded = (variable for variable in self.variables if variable.kind == Category())
        found = {
            variable.name: [
                value for value in categories_in(table, variable.name)[0] if value not in variable.positions
            ]
            for variable in coded
        }
        return {name: values for name, values in found.items() if values}

    def bic(
        self, data: object, names: Sequence[Hashable] | None = None, missing: str = "error", weights: object = None
    ) -> float:
        """log-likelihood − ½ · parameters · log(rows): the larger, the better."""
        sample = self._sample(data, names, missing, weights)
        return self._log_likelihood(sample) - 0.5 * self.n_parameters * float(np.log(sample.count))

    def _sample(self, data: object, names: Sequence[Hashable] | None, missing: str, weights: object) -> Sample:
        return Sample.of(self.variables, *read_rows(data, self.names, names, missing, weights, self.treatment))

    def _log_likelihood(self, sample: Sample) -> float:
        densities = log_product(self.conditionals, sample.columns)
        return float(densities.sum() if sample.weights is None else densities @ sample.weights)

    def _simulated(self, n_rows: int, seed: Seed, do: Mapping[Hashable, object], least: int = 0) -> Columns:
        if not isinstance(n_rows, int | np.integer) or n_rows < least:
            raise InputError(must_be("n_rows", f"a whole number, {least} or more", n_rows))
        _check_seed(seed)
        if not isinstance(do, Mapping):
            raise InputError(must_be("do", "a dict of values by variable", do))
        variables = {name: self.variables[self._position(name)] for name in do}
        held = {name: variables[name].kind.encoded_value(variables[name], value) for name, value in do.items()}
        order = [self.conditionals[v] for v in self.structure.topological_order()]
        return intervened(order, held, int(n_rows), np.random.default_rng(seed))

    def _posterior(self, column: Hashable, data: object, names: Sequence[Hashable] | None, missing: str) -> Posterior:
        """The variable by the conditionals in which it stands: its own and its children's."""
        position = self._position(column)
        variable, given = self.variables[position], self._given(column, data, names, missing)
        factors = [self.conditionals[v] for v in (position, *sorted(self.structure.children[position]))]
        return variable.kind.posterior(variable, factors, *given)

    def _given(
        self, column: Hashable, data: object, names: Sequence[Hashable] | None, missing: str
    ) -> tuple[Columns, int]:
        """The columns of the Markov boundary, and the number of rows."""
        check_choice("missing", missing, COMPLETE_ROWS)
        needed = [self.variables[v] for v in sorted(self.structure.boundaries()[self._position(column)])]
        chosen, labels = [variable.name for variable in needed], array_names(data, names, self.names)
        if not chosen:
            return {}, read_table(data, labels).n_rows
        try:
            table, _ = read_rows(data, chosen, labels, missing, None, self.treatment, COMPLETE_ROWS)
        except InputError as error:
            why = f"; to predict {str(column)!r}, its Markov boundary is needed: {listed(chosen, quoted=True)}"
            raise InputError(Message(str(error), why)) from error
        return Sample.of(needed, table, None).columns, table.n_rows

    def _position(self, name: Hashable) -> int:
        if not isinstance(name, Hashable) or name not in self.names:
            raise InputError(f"there is no variable {name!r}{hint_at_names(name, self.names)}")
        return self.names.index(name)

    def __repr__(self) -> str:
        title = (
            f"<{type(self).__name__}: {len(self.names)} variables, {self.n_parameters} parameters, "
            f"fitted to {self.n_rows:g} rows>"
        )
        lines = [node.in_words() for node in self.conditionals[:SHOWN]]
        more = [f"  … and {len(self.names) - SHOWN} more variables"] if len(self.names) > SHOWN else []
        doubts = [f"  warning: {finding.text}" for finding in self.warnings]
        return "\n".join([title, *(f"  {line}" for line in lines), *more, *doubts])


def _check_seed(seed: Seed) -> None:
    if not isinstance(seed, np.random.Generator | None) and (not isinstance(seed, int | np.integer) or seed < 0):
        raise InputError(must_be("seed", "a whole number, 0 or more", seed))


# The rows of a table that parameters are fitted to, or that a likelihood is computed of.


def read_rows(
    source: object,
    variables: Sequence[Hashable],
    names: Sequence[Hashable] | None,
    missing: str,
    weights: object,
    treatment: Treatment = AS_READ,
    accepted: Sequence[str] = MISSING,
) -> tuple[Table, Weights | None]:
    """The columns of these variables, complete unless ``missing`` is "em", and how many samples each row stands for.

    An array without ``names`` has them in the order of the variables.
    """
    check_choice("missing", missing, accepted)
    names = array_names(source, names, variables)
    column = weights_column(weights)
    delimiter, decimal, header = map(treatment.written.get, ("delimiter", "decimal", "header"))
    asked = DialectChoice(delimiter, decimal, header, kept_values(treatment.orders))
    asked = asked if is_delimited(source) else AS_FOUND
    table = read_table(source, names, columns=[*variables, *([] if column is None else [column])], asked=asked)
    table, counts = take_weights(treatment.of(table), weights)
    fractional = counts is not None and are_fractional(counts)
    if missing != "em" and table.incomplete:
        complete = table.complete_rows()
        if missing == "error":
            raise _incomplete(table, int((~complete).sum()), accepted)
        table, counts = table.rows(complete), None if counts is None else counts[complete]
    if not table.n_rows:
        raise InputError("the table has no complete row")
    return table, None if counts is None else counted_as_rows(counts, fractional)


def _incomplete(table: Table, n_incomplete: int, accepted: Sequence[str]) -> InputError:
    """How many rows have gaps, and what can be done with them."""
    where = f"{n_incomplete} of {table.n_rows} rows have missing or infinite values, such as in column "
    where += f"{str(next(iter(table.gap_masks())))!r}; "
    em = (Option("missing", "em"), " uses what they have, ") if "em" in accepted else ()
    remain = f" leaves them out, and {table.n_rows - n_incomplete} rows remain"
    return InputError(Message(where, *em, Option("missing", "drop"), remain))
