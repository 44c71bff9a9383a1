"""Explanations are true: of the DAG where there is an oracle, of the data where there are data."""

import json
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.data import example
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian
from tests.graphs_for_tests import d_separated, dags, v_structures

LEARNERS = ["rsl", "marvel", "pc", "pc-stable", "gs", "cs", "mmpc", "hpc"]


@settings(max_examples=150)
@given(dags(min_size=2), st.sampled_from(LEARNERS))
def test_with_an_oracle_every_explanation_is_true_of_the_dag(graph, learner):
    net = sl.learn(sl.DSeparation(graph), learner=learner)
    for a, b in combinations(graph, 2):
        told = net.explain(a, b)
        json.dumps(told.facts)
        assert told.pair == (a, b)
        assert told.joined == (graph.has_edge(a, b) or graph.has_edge(b, a))
        assert all(sentence for sentence in told.sentences)
        assert told.facts["overruled"] == []
        if told.joined:
            check_edge(graph, told.facts)
        else:
            separating_set = [int(name) for name in told.facts["separating_set"]]
            assert d_separated(graph, a, b, separating_set)
            assert told.facts["p"] == 1
            effects = {int(name) for name in told.facts["common_effects"]}
            assert effects == set(graph.successors(a)) & set(graph.successors(b))


def check_edge(graph, facts):
    assert facts["evidence"]["weakest_p"] == facts["evidence"]["boundary_p"] == 0
    if facts["direction"] is None:
        ways = [tuple(way["direction"]) for way in facts["either_way"]]
        assert ways[0] == ways[1][::-1]
        return
    assert graph.has_edge(*map(int, facts["direction"]))
    true, known = v_structures(graph), set()
    for step in facts["derivation"]:
        assert all(tuple(premise) in known for premise in step["premises"])
        for structure in step["v_structures"]:
            a, c, b = map(int, structure["arrows"])
            assert (frozenset((a, b)), c) in true
            assert structure["supported"]
        assert bool(step["v_structures"]) == (step["rule"] == "v-structure")
        known.add(tuple(step["arrow"]))
    assert tuple(facts["direction"]) == tuple(facts["derivation"][-1]["arrow"])


@settings(max_examples=60)
@given(dags(min_size=2, max_size=7))
def test_an_edge_without_direction_comes_with_a_dag_each_way(graph):
    net = sl.learn(sl.DSeparation(graph))
    for a, b in net.undirected_edges:
        for way in net.explain(a, b).facts["either_way"]:
            arrows = [tuple(map(int, arrow)) for arrow in way["dag"]]
            other = graph.copy()
            other.remove_edges_from([(d, c) for c, d in arrows])
            other.add_edges_from(arrows)
            assert other.has_edge(*map(int, way["direction"]))
            assert nx.is_directed_acyclic_graph(other)
            assert v_structures(other) == v_structures(graph)


@pytest.mark.parametrize("learner", ["rsl", "marvel", "pc-stable"])
def test_a_network_read_from_its_file_explains_the_same(tmp_path, learner):
    net = sl.learn(example("newborns"), learner=learner)
    sl.output.formats.write(net, tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json")
    for a, b in combinations(net.names, 2):
        live, read = net.explain(a, b), again.explain(a, b)
        assert read.sentences == live.sentences
        assert read.facts == live.facts


def test_a_missing_edge_is_told_in_words():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")])))
    assert str(net.explain("rain", "slippery")).startswith(
        "rain and slippery are not joined: once wet is known, rain tells nothing more about slippery (d-separated)."
    )
    assert "on their own, rain tells nothing about sprinkler" in str(net.explain("rain", "sprinkler"))
    assert "They have a common effect, wet" in str(net.explain("rain", "sprinkler"))


def test_a_direction_is_told_step_by_step_from_its_v_structure():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")])))
    text = str(net.explain("slippery", "wet"))
    assert "It points from wet to slippery." in text
    assert "1. rain → wet: rain and sprinkler are not joined, and both are joined to wet, but wet is not in" in text
    assert "2. wet → slippery: rain → wet is known, and rain and slippery are not joined." in text


def test_an_open_direction_is_told_with_what_follows_from_either():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("b", "c")])))
    text = str(net.explain("a", "b"))
    assert "structures with a → b and structures with b → a explain the data equally well" in text
    assert "If it is a → b, then also b → c." in text


def test_of_all_that_follows_from_a_direction_the_nearest_is_told_and_the_facts_have_the_rest():
    net = sl.learn(sl.DSeparation(nx.DiGraph(nx.utils.pairwise(range(40)))))
    told = net.explain(0, 1)
    assert "If it is 0 → 1, then also 1 → 2, 2 → 3, 3 → 4," in str(told)
    assert "12 → 13 and others." in str(told)
    assert [len(way["follows"]) for way in told.facts["either_way"]] == [38, 0]


def test_sentences_are_told_without_the_dags_that_only_facts_have(monkeypatch):
    net = sl.learn(sl.DSeparation(nx.DiGraph(nx.utils.pairwise(range(40)))))

    def refuse(*arguments):
        raise AssertionError("a DAG over all edges without direction, for each of them")

    monkeypatch.setattr("sidelight.orientation.reasons.extend_to_dag", refuse)
    assert all(net.explain(a, b).sentences for a, b in net.undirected_edges)


@pytest.mark.parametrize(
    ("n_causes", "words"), [(3, "1 more such v-structure says the same."), (4, "2 more such v-str")]
)
def test_counts_agree_with_their_nouns(n_causes, words):
    net = sl.learn(sl.DSeparation(nx.DiGraph((cause, "effect") for cause in range(n_causes))))
    assert words in str(net.explain(0, "effect"))


def test_an_oracle_has_no_weakest_answer():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "c"), ("b", "c"), ("c", "d")])))
    text = str(net.explain("c", "d"))
    assert "weakest" not in text
    assert "the two are d-connected" in text


@pytest.mark.parametrize(("learner", "word"), [("rsl", "asked given"), ("pc", "asked again given")])
def test_questions_that_were_not_asked_in_learning_are_called_asked_again(learner, word):
    net = sl.learn(example("newborns"), sl.DiamondFree() if learner == "rsl" else None, learner=learner)
    told = " ".join(str(net.explain(*edge)) for edge in net.skeleton.edges).casefold()
    assert word in told
    assert ("asked again given" in told) == (learner == "pc")


def test_long_names_are_told_without_their_middle_and_stay_apart():
    long = [f"{'x' * 100}{i}{'y' * 100}" for i in range(2)] + ["z" * 100 + "end"]
    net = sl.learn(sl.DSeparation(nx.DiGraph([(long[0], long[2]), (long[1], long[2])])))
    text = str(net.explain(long[0], long[2]))
    assert f"{'x' * 39}…{'y' * 20} (column 1) and {'z' * 39}…{'z' * 17}end are joined." in text
    assert long[1] not in text
    assert net.explain(long[0], long[2]).facts["pair"] == [long[0], long[2]]


def contradictory():
    rng = np.random.default_rng(3)
    graph = random_graphs.erdos_renyi(20, 0.25, rng)
    return sl.learn(linear_gaussian(graph, 80, rng)[1])


def test_overruled_evidence_is_told_at_each_of_its_pairs():
    net = contradictory()
    warning = next(w for w in net.warnings if "overruled" in w)
    assert f"overruled v-structures: {len(net.overruled)} " in warning
    for v in net.overruled:
        named = [str(net.names[position]) for position in v]
        for a, b in combinations(v, 2):
            assert named in net.explain(net.names[a], net.names[b]).facts["overruled"]


def test_what_the_data_speak_against_is_told():
    net = sl.learn(example("newborns"), sl.DiamondFree(), alpha=0.3)
    weak = [pair for pair, p in net.missing_p_values.items() if p <= 0.3]
    assert weak
    for pair in weak:
        told = net.explain(*sorted(pair))
        assert told.facts["holds"] is False
        assert "the data speak against that" in str(told)


def test_p_values_that_are_not_there_are_not_made_up(tmp_path):
    net = sl.learn(sl.FunctionTest(lambda x, y, given, data: 0.5, None, ["a", "b", "c"]))
    sl.output.formats.write(net, tmp_path / "net.json")
    told = sl.read(tmp_path / "net.json").explain("a", "b")
    assert told.facts["p"] is None
    assert "was not kept" in str(told)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("rain", "Wet"), "there is no variable 'Wet' in this network; did you mean 'wet'?"),
        (("rain", 7), "there is no variable 7 in this network; there are 'rain', 'wet'"),
        (("rain", []), "there is no variable"),
        (("rain", "rain"), "two different variables are needed; both are 'rain'"),
    ],
)
def test_a_pair_that_cannot_be_explained_is_named(pair, message):
    net = sl.learn(sl.DSeparation(nx.DiGraph([("rain", "wet")])))
    with pytest.raises(sl.InputError) as error:
        net.explain(*pair)
    assert message in str(error.value)


def test_limits_and_forced_removals_are_told():
    net = sl.learn(example("newborns"), sl.DiamondFree(), max_tests=20)
    undecided = next(step for step in net.steps if step.undecided and step.neighbours)
    assert "A limit had ended the learning" in str(net.explain(undecided.removed, undecided.neighbours[0]))
    net = sl.learn(example("newborns"), sl.DiamondFree())
    forced = next(step for step in net.steps if step.fallback)
    assert "was only the likeliest" in str(net.explain(forced.removed, forced.neighbours[0]))
