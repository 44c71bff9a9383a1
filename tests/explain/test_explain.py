"""Explanations are true: of the DAG where there is an oracle, of the data where there are data."""

import json
import re
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.examples import example
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian
from tests.graphs_for_tests import d_separated, dags, v_structures
from tests.shares_for_tests import shares_of, with_counts

LEARNERS = ["rsl", "marvel", "pc", "pc-stable", "gs", "cs", "mmpc", "hpc"]


@settings(max_examples=80)
@given(dags(min_size=2, max_size=7), st.sampled_from(LEARNERS))
def test_with_an_oracle_every_explanation_is_true_of_the_dag(graph, learner):
    net = sl.learn(sl.DSeparation(graph), learner=learner)
    for a, b in combinations(graph, 2):
        explained = net.explain(a, b)
        facts = explained.as_dict()
        json.dumps(facts)
        assert explained.pair == (a, b)
        assert explained.adjacent == (graph.has_edge(a, b) or graph.has_edge(b, a))
        assert all(sentence for sentence in explained.sentences)
        assert facts["overruled"] == []
        if explained.adjacent:
            check_edge(graph, facts)
        else:
            separating_set = [int(name) for name in facts["separating_set"]]
            assert d_separated(graph, a, b, separating_set)
            assert facts["p"] == 1
            effects = {int(name) for name in facts["common_effects"]}
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
        for way in net.explain(a, b).as_dict()["either_way"]:
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
    net.write(tmp_path / "net.json")
    again = sl.read(tmp_path / "net.json")
    for a, b in combinations(net.names, 2):
        live, read = net.explain(a, b), again.explain(a, b)
        assert read.sentences == live.sentences
        assert read.as_dict() == live.as_dict()


def wet_and_slippery():
    return sl.learn(sl.DSeparation(nx.DiGraph([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")])))


def test_of_a_missing_edge_the_separating_set_is_named_first():
    net = wet_and_slippery()
    separated = net.explain("rain", "slippery").sentences[0]
    assert separated == "rain and slippery are not adjacent: given wet they are d-separated."
    claim, *_, effect = net.explain("rain", "sprinkler").sentences
    assert claim == "rain and sprinkler are not adjacent: they are d-separated without conditioning."
    assert effect == "They have a common effect, wet; conditioning on it makes rain and sprinkler dependent."


@pytest.mark.parametrize("learner", ["rsl", "pc-stable"])
def test_the_numbers_of_an_edge_are_those_of_its_own_regression(learner):
    net = sl.learn(example("newborns"), learner=learner)
    values = np.loadtxt(example("newborns"), delimiter=",", skiprows=1)
    for a, b in net.skeleton.edges:
        given = net.edge_evidence[frozenset((a, b))].weakest_given
        columns = values[:, [net.names.index(name) for name in (a, b, *given)]]
        inverse = np.linalg.inv(np.corrcoef(columns.T))
        partial = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
        sentence = net.explain(a, b).sentences[0]
        assert sentence.startswith(f"{a} and {b} are adjacent: ")
        assert f"({'partial ' * bool(given)}correlation {partial:#.2g}, p ".replace("-", "−") in sentence
        assert ("given " if given else "they are marginally dependent") in sentence
        assert all(str(name) in sentence for name in given)


def test_an_edge_whose_weakest_test_alone_would_not_reject_independence_is_called_doubtful():
    net = sl.learn(few_rows(), learner="marvel")
    weak = {pair for pair, evidence in net.edge_evidence.items() if evidence.weakest_p > 0.01}
    assert weak
    for a, b in net.skeleton.edges:
        says_so = "would not reject independence at alpha = 0.01" in net.explain(a, b).sentences[0]
        assert says_so == (frozenset((a, b)) in weak)


def test_a_direction_is_derived_step_by_step_from_its_v_structure():
    text = str(wet_and_slippery().explain("slippery", "wet"))
    assert "The edge is directed wet → slippery." in text
    assert "1. rain → wet: rain and sprinkler are not adjacent, both are adjacent to wet, and their separating " in text
    assert "wet is a collider (common effect), rain → wet ← sprinkler." in text
    assert "2. wet → slippery: rain → wet is directed, and rain and slippery are not adjacent. slippery → wet " in text
    assert "would create the v-structure rain → wet ← slippery" in text
    assert "since it contains wet (Meek's rule 1)." in text


def test_an_undetermined_direction_comes_with_what_either_would_imply():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("b", "c")])))
    text = str(net.explain("a", "b"))
    assert "The direction is not determined: both a → b and b → a occur in the Markov equivalence class." in text
    assert "a → b would imply b → c." in text


def test_of_all_that_a_direction_implies_the_nearest_is_named_and_the_data_have_the_rest():
    net = sl.learn(sl.DSeparation(nx.DiGraph(nx.utils.pairwise(range(40)))))
    explained = net.explain(0, 1)
    assert "0 → 1 would imply 1 → 2, 2 → 3, 3 → 4," in str(explained)
    assert "12 → 13 and others." in str(explained)
    assert [len(way["follows"]) for way in explained.as_dict()["either_way"]] == [38, 0]


def test_sentences_are_made_without_the_dags_that_only_the_data_have(monkeypatch):
    net = sl.learn(sl.DSeparation(nx.DiGraph(nx.utils.pairwise(range(40)))))

    def refuse(*arguments):
        raise AssertionError("a DAG over all edges without direction, for each of them")

    monkeypatch.setattr("sidelight.orientation.essential.extend_to_dag", refuse)
    assert all(net.explain(a, b).sentences for a, b in net.undirected_edges)


@pytest.mark.parametrize(
    ("n_causes", "words"), [(3, "1 more v-structure implies the same."), (4, "2 more v-structures imply the same.")]
)
def test_counts_agree_with_their_nouns(n_causes, words):
    net = sl.learn(sl.DSeparation(nx.DiGraph((cause, "effect") for cause in range(n_causes))))
    assert words in str(net.explain(0, "effect"))


def test_an_oracle_has_no_weakest_test():
    net = wet_and_slippery()
    for edge in net.skeleton.edges:
        assert "weakest" not in str(net.explain(*edge))
        assert "they are d-connected" in net.explain(*edge).sentences[0]


@pytest.mark.parametrize("learner", ["rsl", "pc"])
def test_only_a_learner_that_removes_decides_by_the_tests_that_are_shown(learner):
    net = sl.learn(example("newborns"), sl.DiamondFree() if learner == "rsl" else None, learner=learner)
    for edge in net.skeleton.edges:
        assert ("Tested after learning" in str(net.explain(*edge))) == (learner == "pc")


def test_long_names_are_shown_without_their_middle_and_stay_apart():
    long = [f"{'x' * 100}{i}{'y' * 100}" for i in range(2)] + ["z" * 100 + "end"]
    net = sl.learn(sl.DSeparation(nx.DiGraph([(long[0], long[2]), (long[1], long[2])])))
    text = str(net.explain(long[0], long[2]))
    assert f"{'x' * 39}…{'y' * 20} (column 1) and {'z' * 39}…{'z' * 17}end are adjacent: " in text
    assert long[1] not in text
    assert net.explain(long[0], long[2]).as_dict()["pair"] == [long[0], long[2]]


def test_nothing_in_a_name_acts_on_a_terminal():
    names = ["\x1b[31mred", "\x9b2J", "\u202egnp"]
    net = sl.learn(sl.DSeparation(nx.DiGraph(nx.utils.pairwise(names))))
    text = " ".join(str(net.explain(a, b)) for a, b in combinations(names, 2))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert "⟨001B⟩[31mred and ⟨009B⟩2J are adjacent" in text


def few_rows():
    rng = np.random.default_rng(5)
    return linear_gaussian(random_graphs.erdos_renyi(20, 0.25, rng), 80, rng)[1]


def test_conflicting_evidence_is_named_at_each_of_its_pairs():
    net = sl.learn(few_rows(), learner="rsl")
    warning = next(w for w in net.warnings if w.kind == "overruled v-structures")
    assert f"overruled v-structures: {len(net.by_position.overruled)} " in warning.text
    for v in net.by_position.overruled:
        named = [str(net.names[position]) for position in v]
        for a, b in combinations(v, 2):
            explained = net.explain(net.names[a], net.names[b])
            assert named in explained.as_dict()["overruled"]
            assert "Conflicting evidence: " in str(explained)


def test_a_missing_edge_that_the_data_reject_is_called_so():
    net = sl.learn(example("newborns"), sl.DiamondFree(), alpha=0.3)
    weak = [pair for pair, p in net.missing_p_values.items() if p <= 0.3]
    assert weak
    for pair in weak:
        explained = net.explain(*sorted(pair))
        assert explained.as_dict()["holds"] is False
        assert "that independence is rejected at alpha = 0.3" in str(explained)


def test_p_values_that_are_not_there_are_not_made_up(tmp_path):
    net = sl.learn(sl.FunctionTest(lambda x, y, given, data: 0.5, None, ["a", "b", "c"]))
    net.write(tmp_path / "net.json")
    explained = sl.read(tmp_path / "net.json").explain("a", "b")
    assert explained.as_dict()["p"] is None
    assert "was not kept" in str(explained)


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


def test_limits_and_fallback_removals_are_named():
    net = sl.learn(example("newborns"), sl.DiamondFree(), "rsl", max_tests=20)
    undecided = next(step for step in net.steps if step.undecided and step.neighbours)
    assert "A limit ended the learning" in str(net.explain(undecided.removed, undecided.neighbours[0]))
    net = sl.learn(example("newborns"), sl.DiamondFree(), "rsl")
    fallback = next(step for step in net.steps if step.fallback)
    text = str(net.explain(fallback.removed, fallback.neighbours[0]))
    assert f"{fallback.removed} was a fallback removal" in text


def test_of_resamples_it_says_how_often_a_pair_is_adjacent_and_which_way():
    counts = {("rain", "wet"): (171, 0, 12), ("slippery", "rain"): (3, 2, 0)}
    net = with_counts(wet_and_slippery(), counts)
    sentence = "Adjacent in 183 of 200 resamples, from rain to wet in 171, undirected in 12."
    assert net.explain("rain", "wet").sentences[-1] == net.explain("wet", "rain").sentences[-1] == sentence
    assert net.explain("rain", "slippery").sentences[-1].startswith("Adjacent in 5 of 200 resamples, from slippery to ")
    assert net.explain("rain", "sprinkler").sentences[-1] == "Adjacent in none of 200 resamples."
    assert net.explain("wet", "rain").as_dict()["shares"] == {
        "adjacent": 0.915,
        "forward": 0.0,
        "backward": 0.855,
        "undirected": 0.06,
        "resamples": 200,
        "standard_error": pytest.approx(0.0197, abs=5e-5),
    }


def test_without_resamples_nothing_is_said_of_them():
    net = wet_and_slippery()
    for a, b in combinations(net.names, 2):
        assert "resample" not in str(net.explain(a, b))
        assert net.explain(a, b).as_dict()["shares"] is None


@settings(max_examples=40)
@given(shares_of(("rain", "wet", "sprinkler", "slippery")), st.permutations(range(4)))
def test_the_shares_of_a_pair_are_as_seen_from_its_first_variable(shares, order):
    net = replace(wet_and_slippery(), shares=shares)
    a, b = (net.names[i] for i in order[:2])
    there, back = (net.explain(*pair).as_dict()["shares"] for pair in ((a, b), (b, a)))
    json.dumps(there)
    assert there == {**back, "forward": back["backward"], "backward": back["forward"]}
    assert there["adjacent"] == shares.adjacency[frozenset((a, b))]
    assert there["forward"] == shares.arrow[a, b]
    assert there["forward"] + there["backward"] + there["undirected"] == pytest.approx(there["adjacent"])


def test_names_of_resampled_edges_are_short_and_do_not_act_on_a_terminal():
    names = ["\x1b[31mred", "x" * 100]
    net = with_counts(sl.learn(sl.DSeparation(nx.DiGraph([names]))), {tuple(names): (100, 0, 0)})
    last = net.explain(*names).sentences[-1]
    assert last == f"Adjacent in 100 of 200 resamples, from ⟨001B⟩[31mred to {'x' * 39}…{'x' * 20} in 100."
