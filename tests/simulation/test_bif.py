"""BIF files: ours are read by us and by pgmpy, pgmpy's by us."""

from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.simulation.bif import parse_bif, render_bif
from sidelight.simulation.discrete import DiscreteNetwork

texts = st.one_of(
    st.text(min_size=1, max_size=5),
    st.sampled_from(
        ["a b", 'say "hi"', "}", "a, b", "a | b", "(x)", "// no comment", "property", "table", "\\", "⟦0⟧"]
    ),
)


def equal(left, right):
    return (
        left.categories == right.categories
        and left.parents == right.parents
        and all(np.allclose(left.tables[name], right.tables[name], rtol=1e-14, atol=0) for name in left.categories)
    )


@st.composite
def discrete_networks(draw):
    names = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    categories = {name: draw(st.lists(texts, min_size=1, max_size=3, unique=True)) for name in names}
    parents = {
        name: draw(st.lists(st.sampled_from(names[:i]), unique=True)) if i else [] for i, name in enumerate(names)
    }
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    tables = {
        name: rng.dirichlet(
            np.ones(len(categories[name])), size=tuple(len(categories[parent]) for parent in parents[name])
        )
        for name in names
    }
    return DiscreteNetwork(categories, parents, tables)


@settings(max_examples=100, deadline=None)
@given(discrete_networks())
def test_a_network_with_any_names_and_categories_survives_bif(network):
    assert equal(parse_bif(render_bif(network), "text"), network)


@pytest.mark.parametrize("name", ["asia", "cancer", "child", "alarm"])
def test_pgmpy_reads_the_same_tables_from_what_we_write(name):
    from pgmpy.readwrite import BIFReader

    network = sl.networks.load_discrete(name)
    reader = BIFReader(string=render_bif(network))
    assert reader.variable_states == network.categories
    assert reader.variable_parents == network.parents
    for variable, table in reader.variable_cpds.items():
        assert np.allclose(table.T, network.tables[variable].reshape(-1, len(network.categories[variable])))


@pytest.mark.parametrize("name", ["asia", "child"])
def test_what_pgmpy_writes_is_read(name):
    from pgmpy.readwrite import BIFReader, BIFWriter

    network = sl.networks.load_discrete(name)
    model = BIFReader(string=render_bif(network)).get_model()
    again = parse_bif(str(BIFWriter(model)), "pgmpy's")
    assert {variable: set(parents) for variable, parents in again.parents.items()} == {
        variable: set(parents) for variable, parents in network.parents.items()
    }
    for variable, table in again.tables.items():
        order = [again.parents[variable].index(parent) for parent in network.parents[variable]]
        states = np.ix_(*[
            [again.categories[name].index(level) for level in network.categories[name]]
            for name in (*(again.parents[variable]), variable)
        ])  # fmt: skip
        assert np.allclose(np.transpose(table[states], (*order, len(order))), network.tables[variable])


def test_quotes_and_comments_of_other_programs_are_read():
    text = """network "n" { property "made by; hand"; } // a comment with "one quote
    variable "x" { type discrete [2] { "yes", no }; property "weight = 3"; } /* variable y { } */
    variable two words { type discrete [ 2 ] { a b, c }; }
    probability ( x ) { table 0.25, 0.75; }
    probability ( "two words" | "x" ) { (yes) 0.5, 0.5; (no) 1, 0; }
    """
    network = parse_bif(text, "text")
    assert network.categories == {"x": ["yes", "no"], "two words": ["a b", "c"]}
    assert network.tables["two words"].tolist() == [[0.5, 0.5], [1, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no variable"),
        ('variable "a b" { type discrete [1] { x }; }', "variable 'a b' has no probabilities"),
        ("variable a { type discrete [2] { x, y }; } probability ( a ) { table 1; }", "do not fit its categories"),
        ("variable a { type discrete [2] { x, y }; } probability ( a ) { table 1, 1; }", "do not sum to 1"),
        ("variable a { type discrete [2] { x, y }; } probability ( a ) { table -1, 2; }", "are negative"),
        ("variable a { type discrete [1] { x }; } probability ( a | b ) { (x) 1; }", "mentions 'b', which is not"),
        ("variable a { type discrete [1] { x }; } variable a { type discrete [1] { x }; }", "two variables"),
        ("variable a { } probability ( a ) { table 1; }", "variable 'a' has no categories"),
        ('variable "a', "a quotation mark is not closed"),
        ("variable a { type discrete [1] { x };", "it ends where '}' should stand"),
        ("variable a { type discrete [1] { x }; } probability ( a ) { table 1; ", "it ends where '}' should stand"),
        ("variable a { type discrete [1] { x }; } probability a { table 1; }", "'a' stands where"),
    ],
)  # fmt: skip
def test_a_bif_file_that_is_incomplete_is_refused(text, message):
    with pytest.raises(sl.InputError, match=message):
        parse_bif(text, "text")


@pytest.mark.parametrize("n_parents", [30, 31, 100])
def test_tables_that_the_file_does_not_fill_are_refused_before_memory_is_taken(n_parents):
    names = [f"v{i}" for i in range(n_parents)]
    text = "".join(f"variable {name} {{ type discrete [2] {{ x, y }}; }}\n" for name in ["child", *names])
    text += f"probability ( child | {', '.join(names)} ) {{ table 0.5, 0.5; }}"
    with pytest.raises(sl.InputError, match=r"2,147,483,648 probabilities, and 2 are given|more than 30 parents"):
        parse_bif(text, "text")


@pytest.mark.parametrize(
    "piece",
    ["variable ", "variable a {", "probability (", "probability ( a ) { (", '"', '\\"', "/*", "{", "property "],
)
def test_the_time_grows_with_the_length_of_a_text_and_no_faster(piece):
    started = process_time()
    with pytest.raises(sl.InputError):
        parse_bif(piece * (60_000 // len(piece)), "text")
    assert process_time() - started < 5  # a reader of cubic time would take days
