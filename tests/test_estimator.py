import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sidelight as sl


@pytest.mark.parametrize("options", [{}, {"side": sl.DiamondFree(), "missing": "drop"}, {"learner": "pc-stable"}])
def test_scikit_learn_finds_nothing_wrong(options):
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(sl.StructureLearner(**options))


def numbers():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((500, 4))
    values[:, 2] += values[:, 0] + values[:, 1]
    values[:, 3] += values[:, 2]
    return pd.DataFrame(values, columns=["a", "b", "c", "d"])


@pytest.mark.parametrize("frame_of", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_frame_of_texts_gives_what_learn_gives(frame_of):
    frame = frame_of(sl.networks.load_discrete("asia").sample(1000, np.random.default_rng(0)))
    learner = sl.StructureLearner(side="diamond-free").fit(frame)
    assert learner.network_ == sl.learn(frame, "diamond-free")
    assert learner.feature_names_in_.tolist() == list(frame.columns)
    assert learner.n_features_in_ == 8
    assert np.isfinite(learner.score(frame))


def test_an_array_has_numbered_features_and_the_same_graph():
    frame = numbers()
    learner = sl.StructureLearner().fit(frame.to_numpy())
    assert learner.network_.names == ("x0", "x1", "x2", "x3")
    assert np.array_equal(learner.adjacency_, sl.StructureLearner().fit(frame).adjacency_)
    assert learner.adjacency_.tolist() == [[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]


def test_parameters_reach_learn_and_survive_cloning():
    from sklearn.base import clone

    learner = sl.StructureLearner(sl.CliqueNumber(3), alpha=0.05, boundaries="iamb", max_tests=1000)
    copy = clone(learner)
    assert copy.get_params() == learner.get_params()
    settings = copy.fit(numbers()).network_.settings
    assert (settings.side, settings.alpha, settings.boundaries) == (sl.CliqueNumber(3), 0.05, "iamb")


def test_it_takes_part_in_pipelines_and_searches():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), sl.StructureLearner())
    assert pipeline.fit(numbers()).named_steps["structurelearner"].network_.n_tests > 0
    search = GridSearchCV(sl.StructureLearner(), {"alpha": [0.01, 0.999]}, cv=2).fit(numbers())
    assert search.best_params_ == {"alpha": 0.01}  # extra edges fit the noise, which other rows do not share


def test_the_score_is_the_likelihood_of_other_rows_under_the_parameters_of_the_rows_fitted():
    from sklearn.exceptions import NotFittedError

    frame = numbers()
    train, held_out = frame[:300], frame[300:]
    learner = sl.StructureLearner().fit(train)
    wanted = learner.network_.fit(train).log_likelihood(held_out) / len(held_out)
    assert learner.score(held_out) == pytest.approx(wanted)
    assert learner.score(held_out[:1]) < 0  # one row has a likelihood, though no parameters of its own
    with pytest.raises(NotFittedError):
        sl.StructureLearner().score(frame)


def test_weights_count_for_the_parameters_too():
    frame = numbers()
    counts = np.arange(len(frame)) % 3
    weighted = sl.StructureLearner().fit(frame, sample_weight=counts)
    repeated = sl.StructureLearner().fit(frame.loc[frame.index.repeat(counts)])
    assert weighted.score(frame) == pytest.approx(repeated.score(frame))


def test_rows_with_gaps_can_be_left_out():
    frame = numbers()
    frame.iloc[0, 0] = np.nan
    for data in (frame, frame.to_numpy()):
        learner = sl.StructureLearner(missing="drop").fit(data)
        assert learner.adjacency_.sum() == 3
        assert np.isfinite(learner.score(data))


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_importing_sidelight_does_not_import_scikit_learn():
    result = run("import sidelight, sys; sys.exit('sklearn' in sys.modules)")
    assert result.returncode == 0


def test_without_scikit_learn_the_extra_is_named():
    result = run("import sys; sys.modules['sklearn'] = None; import sidelight; sidelight.StructureLearner")
    assert "StructureLearner needs scikit-learn: pip install 'sidelight[sklearn]'" in result.stderr


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match="module 'sidelight' has no attribute 'StructureLerner'"):
        _ = sl.StructureLerner


def test_a_structure_of_both_kinds_has_a_score():
    frame = numbers().assign(kind=["a", "b"] * 250)
    learner = sl.StructureLearner().fit(frame)
    assert learner.adjacency_.shape == (5, 5)
    assert learner.score(frame) == pytest.approx(learner.network_.fit(frame).mean_log_likelihood(frame))


def test_a_structure_without_parameters_says_why_it_has_no_score():
    frame = numbers()
    frame["group"] = np.where(frame.iloc[:, 0] > 0, "a", "b")
    frame.iloc[::7, 1] = np.nan
    learner = sl.StructureLearner(missing="pairwise").fit(frame)
    with pytest.raises(sl.InputError, match="the likelihood of incomplete rows"):
        learner.score(frame)


def test_a_subclass_may_have_parameters_of_its_own():
    class Stable(sl.StructureLearner):
        def __init__(self, alpha=0.05):
            super().__init__(learner="pc-stable", alpha=alpha)

    assert Stable().fit(numbers()).network_.settings.learner == "pc-stable"


def test_the_score_is_given_as_learn_calls_it_and_kept_as_criterion():
    from sklearn.base import clone

    learner = sl.StructureLearner(score="bic")
    assert learner.get_params()["criterion"] == "bic"
    assert clone(learner).criterion == "bic"
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((100, 3)), columns=list("abc"))
    assert learner.fit(frame).network_.settings.score == "bic"
    with pytest.raises(TypeError):
        sl.StructureLearner(score="bic", criterion="ebic")


@pytest.mark.parametrize("with_number", [False, True])
def test_cross_validation_gives_numbers_where_a_fold_has_categories_that_the_others_lack(with_number):
    from sklearn.model_selection import cross_val_score

    rng = np.random.default_rng(0)
    a = rng.choice(["x", "y"], 200)
    frame = pd.DataFrame({"a": a, "b": np.where(rng.random(200) < 0.8, a, "z")})
    frame.loc[[3, 150], ["a", "b"]] = [["once", "z"], ["y", "rare"]]
    if with_number:
        frame["n"] = (frame["b"] == "x") + rng.standard_normal(200)
    scores = cross_val_score(sl.StructureLearner(), frame, cv=4, error_score="raise")
    assert np.isfinite(scores).all()
    learner = sl.StructureLearner().fit(frame.drop(index=[3, 150]))
    known = learner.network_.fit(
        frame.drop(index=[3, 150]), categories={"a": ["once"], "b": ["rare"]}
    ).mean_log_likelihood(frame)
    assert learner.score(frame) == pytest.approx(known)
