"""Learning from tables: the same graph from every kind of source, in any order of columns and rows."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.evaluate.comparison import compare_skeletons
from sidelight.examples import example
from sidelight.families.gaussian.correlation import moments
from sidelight.simulation import networks
from sidelight.simulation.gaussian import linear_gaussian


@pytest.fixture(scope="module")
def child():
    rng = np.random.default_rng(7)
    graph = networks.load("child")
    names, values = linear_gaussian(graph, 4000, rng)
    return graph, pd.DataFrame(values, columns=names)


def edges(net):
    return set(net.directed_edges), {frozenset(e) for e in net.undirected_edges}


@pytest.mark.parametrize("side", [sl.DiamondFree(), sl.CliqueNumber(3), None])
def test_a_known_network_is_learned_from_data(child, side):
    graph, frame = child
    net = sl.learn(frame, side)
    assert compare_skeletons(net.skeleton, graph).f1 > 0.9
    assert net.settings.test == "fisher-z"
    assert net.settings.boundaries == "tc"
    assert net.settings.learner == "hybrid"
    assert set(net.seconds) == {"reading", "examining", "correlations", "boundaries", "skeleton", "search", "check"}


@pytest.mark.parametrize("variant", ["robust", "paper", "published"])
def test_permuted_columns_and_rows_give_the_same_skeleton(child, variant):
    _, frame = child
    rng = np.random.default_rng(0)
    shuffled = frame.iloc[rng.permutation(len(frame)), rng.permutation(frame.shape[1])]
    one, other = (sl.learn(f, sl.DiamondFree(), variant=variant) for f in (frame, shuffled))
    found = compare_skeletons(one.skeleton, other.skeleton)
    assert found.shd <= 2  # ties between equally good variables are broken by column order
    rows = sl.learn(frame.iloc[rng.permutation(len(frame))], sl.DiamondFree(), variant=variant)
    assert edges(one) == edges(rows)


def test_every_kind_of_source_gives_the_same_network(child, tmp_path):
    _, frame = child
    frame.to_parquet(tmp_path / "data.parquet")
    correlation = sl.Correlation(moments(frame.to_numpy()).correlations, len(frame), list(frame.columns))
    expected = edges(sl.learn(frame, sl.DiamondFree()))
    sources = [tmp_path / "data.parquet", correlation, sl.FisherZ(correlation)]
    assert edges(sl.learn(sources[0], sl.DiamondFree())) == expected
    assert edges(sl.learn(sources[1], sl.DiamondFree())) == expected
    array = sl.learn(frame.to_numpy(), sl.DiamondFree(), names=list(frame.columns))
    assert edges(array) == expected


def test_monotone_transforms_and_outliers_do_not_matter_to_rank_correlations(child):
    graph, frame = child
    bent = np.sinh(frame / frame.std() * 3)
    bent.iloc[0, :4] = 1e7
    ranks = compare_skeletons(sl.learn(bent, sl.DiamondFree(), correlation="normal-scores").skeleton, graph).f1
    plain = compare_skeletons(sl.learn(bent, sl.DiamondFree(), correlation="pearson").skeleton, graph).f1
    assert ranks > 0.9 > plain
    assert sl.learn(bent, sl.DiamondFree()).settings.correlation == "normal-scores"


@pytest.mark.parametrize("name", ["newborns", "child"])
def test_separating_sets_hold_in_the_data_or_are_warned_of(child, name):
    frame = pd.read_csv(example(name)) if name == "newborns" else child[1]
    net = sl.learn(frame, sl.DiamondFree())
    test = sl.FisherZ(sl.Correlation(np.corrcoef(frame.to_numpy().T), len(frame), list(frame.columns)))
    index = {column: i for i, column in enumerate(frame.columns)}
    wrong = [
        pair
        for pair, given in net.separating_sets.items()
        if test.p_value(*(index[v] for v in pair), [index[v] for v in given]) <= 0.01 / len(net.separating_sets)
    ]
    warned = [warning.text for warning in net.warnings if warning.kind == "failed separating sets"]
    assert bool(warned) == bool(wrong)
    if warned:
        assert warned[0].startswith(f"{len(wrong)} of {len(net.separating_sets)} ")


def test_a_bound_that_fits_does_not_hide_contradictions():
    rng = np.random.default_rng(0)
    common = rng.normal(size=(1000, 1)) + rng.normal(size=(1000, 40))  # one hidden cause of everything
    net = sl.learn(common, learner="rsl")
    assert any(warning.kind == "mended separating sets" for warning in net.warnings)
    assert "the answers contradict each other" in net.certificate.sentence


def test_choosing_columns_learns_over_them_only(child):
    _, frame = child
    net = sl.learn(frame, columns=["Disease", "Age", "LVH"])
    assert set(net.names) == {"Disease", "Age", "LVH"}


def test_the_same_input_gives_the_same_output(child):
    _, frame = child
    first, second = sl.learn(frame), sl.learn(frame)
    assert first.settings == second.settings
    assert repr(first) == repr(second)


def test_progress_is_told_phase_by_phase(child):
    _, frame = child
    told = []
    sl.learn(frame, sl.DiamondFree(), progress=lambda phase, done: told.append((phase, done)))
    assert [phase for phase, done in told if done == 0] == [
        "reading",
        "examining",
        "correlations",
        "boundaries",
        "skeleton",
        "search",
        "check",
    ]
    assert ("skeleton", 20) in told
    assert ("search", 1) in told


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sidelight, sys; "
        "print([m for m in ('numba', 'scipy', 'pyarrow', 'pandas', 'narwhals', 'rich', 'typer') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
