import networkx as nx
import pytest

import sidelight as sl

GRAPH = nx.DiGraph([("a", "b"), ("b", "c")])


@pytest.mark.parametrize(
    ("boundaries", "message"),
    [
        ({"a": ["b"], "b": [], "c": []}, "'b' is in the boundary of 'a', but 'a' is not in the boundary of 'b'"),
        ({"a": ["b"], "b": ["a"]}, "'c' has no entry"),
        ({"a": [], "b": [], "c": [], "d": []}, "no variable named 'd'"),
        ({"a": ["z"], "b": [], "c": []}, "boundary of 'a': there is no variable named 'z'"),
        ({"a": None, "b": [], "c": []}, "entry of 'a' is None"),
        ({"a": [["b"]], "b": [], "c": []}, r"no variable named \['b'\]"),
        ({"a": ["a"], "b": [], "c": []}, "'a' is listed in its own boundary"),
        ({"a": "b", "b": ["a"], "c": []}, "entry of 'a' is 'b', not a collection"),
    ],
)
def test_boundaries_that_cannot_be_used_are_named(boundaries, message):
    with pytest.raises(sl.InputError, match=message):
        sl.learn(sl.DSeparation(GRAPH), boundaries=boundaries)
