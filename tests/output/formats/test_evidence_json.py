"""The evidence in a network's JSON comes back as it was; what is not evidence is refused, never a traceback."""

import copy
import json
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.examples import example
from sidelight.learners import LEARNERS
from sidelight.output import formats
from sidelight.output.formats.network_json import parse
from sidelight.output.report.html import to_html
from tests.graphs_for_tests import dags

VALUES = np.random.default_rng(0).standard_normal((60, 5)).cumsum(axis=1)
NET = sl.learn(VALUES, learner="rsl", names=list("abcde"))
CONTENT = json.loads(formats.to_json(NET))


def test_steps_and_p_values_come_back_as_they_were():
    for options in (
        {"side": sl.DiamondFree()},
        {"learner": "rsl"},
        {"learner": "marvel"},
        {"learner": "pc-stable"},
        {"learner": "rsl", "max_tests": 20},
    ):
        net = sl.learn(example("newborns"), **options)
        again = parse(formats.to_json(net), "net.json")
        assert again == net
        assert again.steps == net.steps
        assert again.edge_evidence == dict(net.edge_evidence)
        assert again.missing_p_values == dict(net.missing_p_values)
        assert formats.to_json(again) == formats.to_json(net)


def test_large_networks_are_written_without_the_p_values_of_missing_edges():
    n = 330  # more than 50,000 pairs
    net = sl.learn(np.random.default_rng(0).standard_normal((400, n)), learner="pc-stable", max_conditioning=0)
    content = json.loads(formats.to_json(net))
    assert "missing_p_values" not in content
    assert len(content["edge_evidence"]) == net.skeleton.number_of_edges()


@pytest.mark.parametrize(
    ("key", "change", "message"),
    [
        ("steps", lambda steps: steps.pop(), "every variable is expected to be removed once"),
        ("steps", lambda steps: steps[0].update(removed="x"), "'x' is no variable"),
        (
            "steps",
            lambda steps: steps[0].update(fallback="no"),
            "'steps[0].fallback': expected true or false, got a text",
        ),
        ("steps", lambda steps: steps[0].pop("tests"), "'steps[0]': object missing required field 'tests'"),
        ("edge_evidence", lambda edges: edges[0].update(weakest_p=1.5), "weakest_p': expected a number <= 1.0"),
        ("edge_evidence", lambda edges: edges[0].update(boundary_p=-0.1), "boundary_p': expected a number >= 0"),
        ("edge_evidence", lambda edges: edges[0].update(boundary_p=True), "expected a number, got true or false"),
        ("steps", lambda steps: steps.reverse(), "their order is not that of 'removals'"),
        ("steps", lambda steps: steps[0]["boundary"].clear(), "is not that in 'removals'"),
        ("steps", lambda steps: steps[0]["neighbours"].append(steps[0]["removed"]), "neighbours that are not in its"),
        ("steps", lambda steps: steps[0]["tests"].update(skeleton=-1), "expected a whole number >= 0"),
        ("removal_order", lambda order: order.reverse(), "it is not the order of 'removals'"),
        ("removal_order", lambda order: order.append("a"), "it is not the order of 'removals'"),
        ("removals", lambda removals: removals.append(removals[0]), "is removed twice"),
        ("removals", lambda removals: removals[0]["boundary"].append(removals[0]["removed"]), "in its own boundary"),
        ("left_out", lambda sets: sets.append({"pair": ["a", "e"], "set": ["e"]}), "holds one of the two"),
        ("left_out", lambda sets: sets.append({"pair": ["a", "e"], "set": ["d"]}), "so it cannot be left out of it"),
        ("explicit_sets", lambda sets: sets.append({"pair": ["a", "e"], "set": ["a"]}), "holds one of the two"),
        ("explicit_sets", lambda sets: sets.append({"pair": ["a", "a"], "set": []}), "two different variables"),
        ("explicit_sets", lambda sets: sets.extend([{"pair": ["a", "e"], "set": []}] * 2), "have two sets"),
        ("boundaries", lambda boundaries: boundaries.pop("a"), "'a' is missing"),
        ("boundaries", lambda boundaries: boundaries["a"].append("a"), "'a' is in its own boundary"),
        ("tests_by_size", lambda counts: counts.update({"-3": 7}), "expected a whole number >= 0"),
        ("tests_by_size", lambda counts: counts.update({"3": -7}), "expected a whole number >= 0"),
        ("tests_by_size", lambda counts: counts.update({"9" * 5000: 1}), "Integer value out of range"),
        (
            "tests_by_size",
            lambda counts: counts.update({"3": 10**400}),
            "expected a whole number <= 999999999999999999",
        ),
        ("settings", lambda found: found.clear(), "missing required field 'learner'"),
        ("settings", lambda found: found.pop("alpha"), "missing required field 'alpha'"),
        ("settings", lambda found: found.pop("test"), "missing required field 'test'"),
        ("settings", lambda found: found.pop("boundaries"), "missing required field 'boundaries'"),
        ("settings", lambda found: found.update(alpha=1.5), "'settings.alpha': expected a number < 1.0"),
        ("settings", lambda found: found.update(alpha="much"), "'settings.alpha': expected a number, got a text"),
        ("settings", lambda found: found.update(side="magic"), "got 'magic'"),
        ("settings", lambda found: found.update(discrete=["nobody"]), "'nobody' is no variable"),
        ("warnings", lambda found: found.append({"kind": "odd"}), "missing required field 'text'"),
        ("warnings", lambda found: found.append({"kind": "x", "text": "y", "severity": "z"}), "'z'"),
        ("edge_evidence", lambda edges: edges[0].update(edge=["a", "e"]), "'a' and 'e' are not adjacent"),
        ("edge_evidence", lambda edges: edges[0].update(weakest_given=edges[0]["edge"]), "given one of the two"),
        (
            "edge_evidence",
            lambda edges: edges[0].update(boundary_effect="strong"),
            "expected a number or null, got a text",
        ),
        (
            "edge_evidence",
            lambda edges: edges[0].update(boundary_effect=None, effect_name=3),
            "expected a text, got a whole number",
        ),
        ("edge_evidence", lambda edges: edges[0].update(boundary_effect=10**400), "Number out of range"),
        ("missing_p_values", lambda rows: rows[0].__setitem__(0, 0.5), "'a' and 'b' are adjacent"),
        ("missing_p_values", lambda rows: rows.pop(), "a row for each variable but the last"),
        ("missing_p_values", lambda rows: rows[0].append(0.5), "a row for each variable but the last"),
    ],
)
def test_evidence_of_the_wrong_shape_is_named(key, change, message):
    content = copy.deepcopy(CONTENT)
    change(content[key])
    with pytest.raises(sl.InputError) as error:
        parse(json.dumps(content), "net.json")
    assert f"'net.json', '{key}" in str(error.value)
    assert message in str(error.value)


def test_a_file_without_settings_is_read_with_a_warning():
    content = {key: value for key, value in CONTENT.items() if key != "settings"}
    net = parse(json.dumps(content), "net.json")
    assert "does not say how this was learned" in repr(net)
    assert to_html(net)


def test_a_number_too_long_to_be_read_is_refused():
    text = json.dumps(CONTENT).replace('"boundary_tests": ', '"boundary_tests": ' + "9" * 5000)
    with pytest.raises(sl.InputError, match=r"'net.json', 'boundary_tests': Integer value out of range"):
        parse(text, "net.json")


NESTED = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("key", ["names", "steps", "settings", "of no meaning"])
@pytest.mark.parametrize(
    "junk", [NESTED, '{"a":' * 100_000, "NaN", "-Infinity", '["a\\ud800"]', "1" * 5000 + "x", "tru"]
)
def test_what_is_no_json_or_too_deep_is_refused(key, junk):
    text = json.dumps({k: v for k, v in CONTENT.items() if k != key})
    with pytest.raises(sl.InputError, match=r"^'net.json' is not JSON, or not all of it|^'net.json', "):
        parse(f'{text[:-1]}, "{key}": {junk}}}', "net.json")


def test_half_a_character_in_the_text_is_refused():
    with pytest.raises(sl.InputError, match=r"^'net.json' is not JSON, or not all of it: .*surrogates"):
        parse(json.dumps(CONTENT | {"of no meaning": "\ud800"}, ensure_ascii=False), "net.json")


def test_an_effect_that_is_no_number_is_written_as_none():
    pair = frozenset(NET.directed_edges[0] if NET.directed_edges else NET.undirected_edges[0])
    broken = replace(NET.edge_evidence[pair], weakest_effect=float("nan"), boundary_effect=float("inf"))
    again = parse(formats.to_json(replace(NET, edge_evidence={pair: broken})), "net.json")
    assert again.edge_evidence == {pair: replace(broken, weakest_effect=None, boundary_effect=None)}


def test_names_that_are_whole_numbers_come_back_as_they_were():
    names = [0, -1, 10**30, "2", "10"]
    net = sl.learn(VALUES, names=names)
    again = parse(formats.to_json(net), "net.json")
    assert list(map(repr, again.names)) == list(map(repr, names))
    assert again == net


def test_where_a_file_has_no_boundaries_they_are_those_of_the_dag():
    content = {key: value for key, value in CONTENT.items() if key != "boundaries"}
    net = parse(json.dumps(content), "net.json")
    moral = nx.moral_graph(net.to_dag())
    assert net.boundaries == {name: frozenset(moral[name]) for name in net.names}


def test_a_file_with_all_its_optional_fields_absent_has_a_summary_and_a_report():
    needed = ("schema", "names", "directed_edges", "undirected_edges", "removals", "settings")
    net = parse(json.dumps({key: CONTENT[key] for key in needed}), "net.json")
    assert repr(net).startswith("<Network: 5 variables")
    assert to_html(net)
    assert net._repr_html_()


@settings(max_examples=60, deadline=None)
@given(dags(min_size=1, max_size=7), st.sampled_from(sorted(LEARNERS)), st.integers(0, 2**32 - 1), st.booleans())
def test_what_any_learner_writes_is_accepted(graph, learner, seed, limited):
    values = np.random.default_rng(seed).standard_normal((40, len(graph))) @ (
        np.eye(len(graph)) + nx.to_numpy_array(graph)
    )
    net = sl.learn(values, learner=learner, alpha=0.2, max_tests=5 if limited else None)
    again = parse(formats.to_json(net), "net.json")
    assert again == net
    assert to_html(again)


JUNK = st.sampled_from([None, True, -1, 0, 7, 1e308, float("nan"), "", "a", "<b>", [], ["a"], {}, {"a": 1}])


def places(content, path=()):
    """Every place in a JSON document."""
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


@settings(max_examples=300)
@given(st.sampled_from(list(places(CONTENT))), JUNK, st.booleans())
def test_a_file_with_something_wrong_in_it_is_refused_or_explained(path, junk, delete):
    content = copy.deepcopy(CONTENT)
    inside = content
    for key in path[:-1]:
        inside = inside[key]
    if delete:
        del inside[path[-1]]
    else:
        inside[path[-1]] = junk
    with suppress(sl.InputError):
        net = parse(json.dumps(content), "net.json")
        assert str(net.audit(VALUES))
        for a, b in combinations(net.names, 2):
            assert str(net.explain(a, b))
        assert repr(net)
        assert to_html(net)
