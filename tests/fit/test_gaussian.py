import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import sidelight as sl
from sidelight.simulation.gaussian import random_linear_gaussian
from sidelight.simulation.random_graphs import diamond_free


def learned(n=8, n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    graph = diamond_free(n, 2.5, rng)
    model = random_linear_gaussian(graph, rng)
    data = pd.DataFrame({f"v{name}": column + 5 for name, column in model.sample(n_rows, rng).items()})
    return sl.learn(data), data


def test_parameters_and_likelihood_are_those_of_statsmodels():
    import statsmodels.api as sm

    net, data = learned()
    fitted = net.fit(data)
    total = 0.0
    for name in net.names:
        parents = sorted(net.to_dag().predecessors(name), key=net.names.index)
        theirs = sm.OLS(data[name], sm.add_constant(data[parents]) if parents else np.ones(len(data))).fit()
        assert fitted.intercepts[name] == pytest.approx(theirs.params.iloc[0], abs=1e-8)
        assert list(fitted.coefficients[name]) == parents
        assert list(fitted.coefficients[name].values()) == pytest.approx(theirs.params.iloc[1:].tolist(), rel=1e-8)
        assert fitted.noise[name] == pytest.approx(np.sqrt(theirs.ssr / len(data)), rel=1e-10)
        total += theirs.llf
    assert fitted.log_likelihood(data) == pytest.approx(total, rel=1e-12)


def test_the_likelihood_is_that_of_the_joint_normal_distribution():
    net, data = learned(n=5)
    fitted = net.fit(data)
    weights = np.array([[fitted.coefficients[a].get(b, 0.0) for b in net.names] for a in net.names])
    inverse = np.linalg.inv(np.eye(5) - weights)
    covariance = inverse @ np.diag(np.square(list(fitted.noise.values()))) @ inverse.T
    means = inverse @ list(fitted.intercepts.values())
    theirs = stats.multivariate_normal(means, covariance).logpdf(data.to_numpy()).sum()
    assert fitted.log_likelihood(data) == pytest.approx(theirs, rel=1e-10)


def test_bic_and_parameters_are_those_of_pgmpy():
    from pgmpy.models import LinearGaussianBayesianNetwork
    from pgmpy.parameter_estimator import LinearGaussianMLE
    from pgmpy.structure_score import BICGauss

    net, data = learned()
    fitted = net.fit(data)
    score = BICGauss(data)
    theirs = sum(score.local_score(name, tuple(net.to_dag().predecessors(name))) for name in net.names)
    assert fitted.bic(data) == pytest.approx(theirs, rel=1e-6)
    model = LinearGaussianBayesianNetwork(net.to_dag().edges)
    model.add_nodes_from(net.names)
    for cpd in LinearGaussianMLE(std_estimator="mle").fit(model, data).parameters_:
        ours = [fitted.intercepts[cpd.variable], *(fitted.coefficients[cpd.variable][p] for p in cpd.evidence or [])]
        assert np.allclose(cpd.beta, ours)
        assert cpd.std == pytest.approx(fitted.noise[cpd.variable])


def test_fitting_again_to_a_large_sample_gives_the_parameters_back():
    net, data = learned()
    fitted = net.fit(data)
    sample = fitted.sample(200_000, seed=1)
    again = net.fit(pd.DataFrame(sample))
    assert tuple(sample) == net.names
    for name in net.names:
        assert again.noise[name] == pytest.approx(fitted.noise[name], rel=0.02)
        assert list(again.coefficients[name].values()) == pytest.approx(
            list(fitted.coefficients[name].values()), abs=0.03
        )


def test_a_seed_gives_the_same_rows_and_a_generator_goes_on():
    fitted = learned()[0].fit(learned()[1])
    same = [fitted.sample(5, seed=3)["v0"] for _ in range(2)]
    assert np.array_equal(*same)
    rng = np.random.default_rng(3)
    assert not np.array_equal(fitted.sample(5, rng)["v0"], fitted.sample(5, rng)["v0"])


def test_paths_frames_and_arrays_give_the_same_parameters_whatever_the_order_of_columns(tmp_path):
    net, data = learned()
    mixed_up = data[data.columns[::-1]].assign(other="text")
    mixed_up.to_csv(tmp_path / "data.csv", index=False)
    wanted = net.fit(data)
    for source in (mixed_up, pl.from_pandas(mixed_up), tmp_path / "data.csv", data.to_numpy()):
        fitted = net.fit(source)
        assert fitted.log_likelihood(source) == pytest.approx(wanted.log_likelihood(data), rel=1e-12)
        assert fitted.intercepts == pytest.approx(wanted.intercepts)


def test_weights_count_rows_as_many():
    net, data = learned()
    counts = np.random.default_rng(0).integers(0, 4, len(data))
    repeated = data.loc[data.index.repeat(counts)]
    for weights in (counts, "how many"):
        fitted = net.fit(data.assign(**{"how many": counts}), weights=weights)
        assert fitted.noise == pytest.approx(net.fit(repeated).noise)
        assert fitted.n_rows == counts.sum()
        assert fitted.bic(data.assign(**{"how many": counts}), weights=weights) == pytest.approx(fitted.bic(repeated))


def test_rows_with_gaps_are_refused_or_left_out():
    net, data = learned()
    holes = data.copy()
    holes.loc[3, "v2"] = np.nan
    with pytest.raises(sl.InputError, match=r"1 of 600 rows have missing or infinite values, such as in column 'v2'"):
        net.fit(holes)
    fitted = net.fit(holes, missing="drop")
    assert fitted.noise == pytest.approx(net.fit(data.drop(index=3)).noise)
    assert fitted.log_likelihood(holes, missing="drop") == pytest.approx(fitted.log_likelihood(data.drop(index=3)))


def test_what_cannot_be_fitted_is_named():
    net, data = learned()
    with pytest.raises(sl.InputError, match="there is no column 'v0'"):
        net.fit(data.drop(columns="v0"))
    with pytest.raises(sl.InputError, match="column 'v1' is not numeric"):
        net.fit(data.assign(v1="text"))
    with pytest.raises(sl.InputError, match="column 'v1' is constant"):
        net.fit(data.assign(v1=3.0))
    with pytest.raises(sl.InputError, match="rows are too few"):
        net.fit(data[:1])
    with pytest.raises(sl.InputError, match="missing must be one of 'error', 'drop', 'em'; got 'pairwise'"):
        net.fit(data, missing="pairwise")
    with pytest.raises(sl.InputError, match="the table has no complete row"):
        net.fit(data[:0])
    child = next(name for name in net.names if net.to_dag().in_degree(name))
    copy = sum(data[parent] for parent in net.to_dag().predecessors(child))
    with pytest.raises(sl.InputError, match=f"column '{child}' is a linear function of its parents"):
        net.fit(data.assign(**{child: copy}))


@pytest.mark.parametrize("shift", [1.7e9, -4e11])  # such as times in seconds
def test_a_large_mean_changes_nothing_but_the_intercepts(shift):
    net, data = learned()
    wanted, fitted = net.fit(data), net.fit(data + shift)
    for name in net.names:
        assert fitted.noise[name] == pytest.approx(wanted.noise[name], rel=1e-3)
        assert list(fitted.coefficients[name].values()) == pytest.approx(
            list(wanted.coefficients[name].values()), abs=1e-3
        )
    assert fitted.log_likelihood(data + shift) == pytest.approx(wanted.log_likelihood(data), rel=1e-3)


@pytest.mark.parametrize("shift", [0.1, 1.7e9])
def test_what_has_no_noise_is_named_whatever_its_mean(shift):
    net, data = learned()
    child = next(name for name in net.names if net.to_dag().in_degree(name))
    with pytest.raises(sl.InputError, match=f"column '{child}' is constant"):
        net.fit((data + shift).assign(**{child: shift}))
    parents = [(data + shift)[parent] * np.pi for parent in net.to_dag().predecessors(child)]
    with pytest.raises(sl.InputError, match=f"column '{child}' is a linear function of its parents"):
        net.fit((data + shift).assign(**{child: sum(parents)}))


def test_the_text_shows_the_equations():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500, 3))
    x[:, 2] += x[:, 0] + x[:, 1]
    fitted = sl.learn(x, names=["a", "b", "c"]).fit(x)
    assert repr(fitted).startswith("<FittedGaussian: 3 variables, 8 parameters, fitted to 500 rows>")
    assert "·a " in repr(fitted)
    assert "·b + noise of " in repr(fitted)
