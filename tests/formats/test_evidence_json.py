"""The evidence in a network's JSON comes back as it was; what is not evidence is refused, never a traceback."""

import copy
import json
from contextlib import suppress
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight import formats
from sidelight.data import example
from sidelight.formats.network_json import parse

VALUES = np.random.default_rng(0).standard_normal((60, 5)).cumsum(axis=1)
NET = sl.learn(VALUES, names=list("abcde"))
CONTENT = json.loads(formats.to_json(NET))


def test_steps_and_p_values_come_back_as_they_were():
    for options in ({"side": sl.DiamondFree()}, {"learner": "marvel"}, {"learner": "pc-stable"}, {"max_tests": 20}):
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
        ("steps", lambda steps: steps[0].update(forced="no"), "true or false is expected, not 'no'"),
        ("steps", lambda steps: steps[0].pop("tests"), "'tests' is missing"),
        ("edge_evidence", lambda edges: edges[0].update(weakest_p=1.5), "a number from 0 to 1 is expected, not 1.5"),
        ("edge_evidence", lambda edges: edges[0].update(boundary_p=float("nan")), "a number from 0 to 1 is expected"),
        ("missing_p_values", lambda rows: rows.pop(), "a row for each variable but the last"),
        ("missing_p_values", lambda rows: rows[0].append(0.5), "a row for each variable but the last"),
    ],
)
def test_evidence_of_the_wrong_shape_is_named(key, change, message):
    content = copy.deepcopy(CONTENT)
    change(content[key])
    with pytest.raises(sl.InputError) as error:
        parse(json.dumps(content), "net.json")
    assert f"'net.json', {key!r}" in str(error.value)
    assert message in str(error.value)


JUNK = st.sampled_from([None, True, -1, 0, 7, 1e308, float("nan"), "", "a", "<b>", [], ["a"], {}, {"a": 1}])


def places(content, path=()):
    """Every place in a JSON document."""
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


@settings(max_examples=600)
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
