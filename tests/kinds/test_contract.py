"""What every kind of column can do: its words, its rule, its cells, its place in tests, its distribution.

A new kind needs one line in ``CASES``.
"""

import pickle
from dataclasses import dataclass, fields
from itertools import product

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.families.options import DataOptions
from sidelight.kinds import KINDS, kind_said
from sidelight.kinds.base import ModelVariable, Sample, UsedKind
from sidelight.kinds.types import ColumnSeen, as_typed, column_types, said_types, types_counted
from sidelight.sources.rows import read_table

N_ROWS = 600
CELLS = {  # of the same hidden number, so that columns depend on each other
    "number": lambda hidden: 3 + 2 * hidden,
    "category": lambda hidden: np.array(["b", "a", "c"], dtype=object)[np.digitize(hidden, [-0.6, 0.4])],
    "ordinal": lambda hidden: pd.Categorical.from_codes(
        np.digitize(hidden, [-0.7, 0.5]), ["low", "mid", "high"], ordered=True
    ),
    "ignore": lambda hidden: hidden,
}


@dataclass(frozen=True)
class Case:
    """What is expected of a kind: what the rule says, what ``types=`` may say, and a cell that is refused in row 2."""

    decided: str = ""
    said: object = None
    shown: str = ""
    refused: tuple[list[object], str] | None = None
    cannot_be: object = "not there"
    support: np.ndarray | None = None  # of numbers: evenly spaced, and all that has a probability worth mentioning


CASES = {
    "number": Case(
        "not all whole", "number", "number", (["1", "two", "3"], "'two'"), "two", np.linspace(-40, 40, 40_001)
    ),
    "category": Case("texts", "category", "category"),
    "ordinal": Case(
        "ordered in the data frame",
        ("low", "mid", "high"),
        "ordinal: low < mid < high",
        (["low", "middle", "high"], "'middle'"),
    ),
    "ignore": Case(said="ignore", shown="ignore"),
}
USED = [name for name, kind in KINDS.items() if isinstance(kind, UsedKind)]
FAMILIES = [(kind, parents) for kind in USED for parents in [(), *((p,) for p in USED), tuple(USED)]]
every = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
every_used = pytest.mark.parametrize("kind", [KINDS[name] for name in USED], ids=USED)
every_family = pytest.mark.parametrize(("own", "above"), FAMILIES, ids=lambda value: "+".join(np.atleast_1d(value)))


def hidden(seed=0, n_rows=N_ROWS):
    return np.random.default_rng(seed).normal(size=n_rows)


def table_of(kind, cells=None):
    return read_table(pd.DataFrame({"x": CELLS[kind.name](hidden()) if cells is None else cells}))


def type_of(table, said):
    return column_types(table, {} if said is None else said_types({"x": said}), None)[0]


def frame_of(own, above, seed=0):
    """A column of a kind, and columns above it that it depends on."""
    common, noises = hidden(seed), np.random.default_rng(seed + 1).normal(size=(N_ROWS, len(above) + 1))
    columns = {f"{i}": CELLS[name](common + noises[:, i]) for i, name in enumerate(above)}
    return pd.DataFrame({"x": CELLS[own](common + noises[:, -1]), **columns})


def fitted(own, above, weights=None, equivalent_sample_size=1.0):
    """The distribution of a column given those above it, and the encoded columns."""
    table = read_table(frame_of(own, above))
    variables = [ModelVariable.of(n, KINDS[k], table) for n, k in zip(table.all_names, (own, *above), strict=True)]
    columns = {variable.name: variable.encoded(table) for variable in variables}
    variable, *parents = variables
    sample = Sample(columns, weights)
    return variable.kind.conditional(variable, tuple(parents), sample, equivalent_sample_size), columns


def support_of(variable):
    """All values that an encoded variable can have, and how far apart they are."""
    values = np.arange(len(variable.categories)) if variable.kind.is_coded else CASES[variable.kind.name].support
    return values, 1 if variable.kind.is_coded else values[1] - values[0]


def agrees(drawn, values, probabilities):
    """True by the test of Kolmogorov and Smirnov at the level 0.001; a fine grid adds an error far below that."""
    expected = np.cumsum(probabilities)
    found = np.searchsorted(np.sort(drawn), values, side="right") / len(drawn)
    return np.abs(found - expected).max() < 1.95 / len(drawn) ** 0.5


def test_every_kind_has_a_case_here():
    assert list(CELLS) == list(CASES) == list(KINDS)


@every
def test_a_kind_has_nouns_and_a_word_that_types_accepts_and_its_help_names(kind):
    assert all(kind.nouns)
    assert KINDS[kind.name] is kind
    assert said_types({"x": kind.name}) == said_types(f"x={kind.name}") == {"x": kind.name}
    meaning = next(str(field) for field in fields(DataOptions) if field.name == "types")
    assert f'"{kind.name}"' in meaning


@every
def test_a_copy_of_a_kind_is_equal_to_it_and_to_no_other(kind):
    copy = pickle.loads(pickle.dumps(kind))
    assert [copy == other for other in KINDS.values()] == [kind is other for other in KINDS.values()]
    assert hash(copy) == hash(kind)


@every
def test_the_rule_recognises_a_kind_by_a_reason_that_no_other_kind_has(kind):
    if CASES[kind.name].decided:
        found = type_of(table_of(kind), None)
        assert (found.type, found.decided) == (kind.name, CASES[kind.name].decided)
    reasons = [other.reason(ColumnSeen(table_of(kind), "x")) for other in KINDS.values()]
    assert sum(map(bool, reasons)) == 1


@every
def test_a_kind_that_is_said_is_taken_shown_and_counted_as_such(kind):
    case = CASES[kind.name]
    found = type_of(table_of(kind), case.said)
    assert found.kind is kind_said(case.said) is kind
    assert (found.decided, found.type_in_words) == ("given in types", case.shown)
    assert found.said == case.said
    assert types_counted([found]) == f"1 {kind.nouns[0]}"
    assert types_counted([found] * 2) == f"2 {kind.nouns[1]}"


@every
def test_cells_that_a_kind_cannot_have_are_refused_by_column_and_row(kind):
    case = CASES[kind.name]
    if case.refused is not None:
        cells, shown = case.refused
        table = table_of(kind, cells)
        with pytest.raises(sl.InputError, match=r"column 'x'.*row 2") as error:
            as_typed(table, column_types(table, {"x": case.said}, None), {"x": case.said})
        assert shown in str(error.value)


@every
def test_a_typed_column_has_the_values_of_its_cells_and_lacks_those_that_are_missing(kind):
    cells = pd.Series(CELLS[kind.name](hidden()))
    cells[::7] = None
    table = table_of(kind, cells.astype(object).where(cells.notna(), None) if kind.is_coded else cells)
    said = {"x": CASES[kind.name].said}
    types = column_types(table, said, None)
    if not kind.is_used:
        with pytest.raises(sl.InputError, match="no column is left"):
            as_typed(table, types, said)
        return
    column = as_typed(table, types, said).column("x")
    order = types[0].order
    shown = [order[int(value)] if order and value == value else value for value in column]
    assert [value for value in shown if value is not None and value == value] == list(cells.dropna())
    assert [value is None or value != value for value in shown] == list(cells.isna())


@every_used
def test_an_encoded_column_decodes_to_its_cells_and_knows_which_are_missing(kind):
    cells = pd.Series(CELLS[kind.name](hidden()))
    cells[::7] = None
    table = table_of(kind, cells)
    variable = ModelVariable.of("x", kind, table)
    column = variable.encoded(table)
    gaps = variable.missing(column)
    assert list(gaps) == list(cells.isna())
    assert list(variable.decoded(column[~gaps])) == list(cells.dropna())
    assert [kind.encoded_value(variable, value) for value in cells.dropna()[:20]] == list(column[~gaps][:20])
    with pytest.raises(sl.InputError, match="'x'"):
        kind.encoded_value(variable, CASES[kind.name].cannot_be)


@every_used
@pytest.mark.parametrize("weights", [None, np.arange(N_ROWS) % 3 + 1.0], ids=["rows", "weights"])
def test_a_block_can_explain_whatever_its_column_can(kind, weights):
    """With a constant, as many columns as categories and of full rank: every function of the categories is linear."""
    table = table_of(kind)
    said = {"x": CASES[kind.name].said}
    codes, block = kind.block(as_typed(table, column_types(table, said, None), said), "x", weights)
    n_categories, width = block.lookup.shape
    assert 1 <= block.tested <= width
    if not kind.is_coded:
        assert (codes, n_categories, width) == (0, 1, 1)
    else:
        with_constant = np.column_stack([np.ones(n_categories), block.lookup])
        assert np.linalg.matrix_rank(with_constant) == n_categories == with_constant.shape[1]
        same = pd.DataFrame({"cell": np.asarray(table.column("x")).astype(str), "code": codes}).drop_duplicates()
        assert len(same) == same["cell"].nunique() == same["code"].nunique() == n_categories
        assert set(codes) == set(range(n_categories))


@every_used
def test_a_column_takes_as_many_columns_in_a_regression_as_it_says(kind):
    table = table_of(kind)
    variable = ModelVariable.of("x", kind, table)
    indicators = kind.indicators(variable, variable.encoded(table))
    assert indicators.shape == (N_ROWS, variable.width)
    assert np.linalg.matrix_rank(np.column_stack([np.ones(N_ROWS), indicators])) == variable.width + 1


@every_family
def test_a_distribution_sums_to_one_and_draws_agree_with_it(own, above):
    node, columns = fitted(own, above)
    values, step = support_of(node.variable)
    for row in (0, 1):
        given = {parent.name: columns[parent.name][[row]] for parent in node.parents}
        each = {name: np.repeat(column, len(values)) for name, column in given.items()}
        probabilities = np.exp(node.log_densities({**each, "x": values})) * step
        assert probabilities.sum() == pytest.approx(1, abs=1e-6)
        many = {name: np.repeat(column, 20_000) for name, column in given.items()}
        assert agrees(node.draw(many, 20_000, np.random.default_rng(row)), values, probabilities)
    assert str(node.variable.name) in node.in_words()


@every_family
def test_a_fit_to_some_weights_is_likelier_under_them_than_fits_to_others(own, above):
    draws = np.random.default_rng(2)
    weights = [draws.integers(1, 4, N_ROWS).astype(float) for _ in range(4)]
    fits = [fitted(own, above, each, 0.0) for each in weights]
    for i, each in enumerate(weights):
        likelihoods = [float(each @ node.log_densities(columns)) for node, columns in fits]
        assert likelihoods[i] >= max(likelihoods) - 1e-6


@every_family
def test_the_parameters_are_as_many_as_fits_can_move_densities_apart(own, above):
    """Log-densities of fits to slightly different weights span, to first order, one dimension for each parameter."""
    node, columns = fitted(own, above)
    rng, size = np.random.default_rng(1), 1e-3
    moves = []
    for _ in range(node.n_parameters + 5):
        change = size * rng.choice([-1.0, 1.0], N_ROWS)
        more, less = (fitted(own, above, 1 + sign * change)[0].log_densities(columns) for sign in (1, -1))
        moves.append((more - less) / (2 * size))
    spans = np.linalg.svd(np.array(moves), compute_uv=False)
    assert spans[node.n_parameters - 1] > 1e-3 * spans[0] > 20 * spans[node.n_parameters]


@pytest.mark.parametrize(("own", "below"), list(product(USED, USED)))
def test_what_is_predicted_and_drawn_given_a_child_is_by_the_product_of_their_distributions(own, below):
    child, columns = fitted(below, (own,))
    (variable,) = child.parents
    prior = variable.kind.conditional(variable, (), Sample({variable.name: columns[variable.name]}, None), 1.0)
    values, _ = support_of(variable)
    logs = prior.log_densities({variable.name: values})
    logs = logs + child.log_densities({"x": np.repeat(columns["x"][[0]], len(values)), variable.name: values})
    probabilities = np.exp(logs - logs.max())
    probabilities /= probabilities.sum()
    given = {"x": np.repeat(columns["x"][[0]], 5_000)}
    found = variable.kind.posterior(variable, [prior, child], given, 5_000)
    expected = values[probabilities.argmax()] if variable.kind.is_coded else probabilities @ values
    assert found.predicted() == pytest.approx(np.full(5_000, expected), abs=1e-3)
    assert agrees(found.drawn(np.random.default_rng(0)), values, probabilities)


def test_a_network_keeps_the_kinds_of_its_variables_in_files_and_is_fitted_by_them(tmp_path):
    frame = frame_of("number", USED).drop(columns="x").rename(columns={str(i): name for i, name in enumerate(USED)})
    sl.learn(frame).write(tmp_path / "net.json")
    net = sl.read(tmp_path / "net.json")
    assert {column.name: column.kind for column in net.types} == {name: KINDS[name] for name in USED}
    assert {variable.name: variable.kind for variable in net.fit(frame).variables} == {n: KINDS[n] for n in USED}


def test_a_file_with_a_kind_that_is_not_known_is_refused(tmp_path):
    sl.learn(frame_of("number", USED)).write(tmp_path / "net.json")
    text = (tmp_path / "net.json").read_text()
    (tmp_path / "net.json").write_text(text.replace('"type": "ordinal"', '"type": "colour"'))
    with pytest.raises(sl.InputError, match="'colour' is none of 'number', 'category'"):
        sl.read(tmp_path / "net.json")
