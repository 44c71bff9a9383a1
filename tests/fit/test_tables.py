import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.simulation.bif import parse_bif

ASIA = sl.networks.load_discrete("asia")


@pytest.fixture(scope="module")
def data():
    return pd.DataFrame(ASIA.sample(3000, np.random.default_rng(0)))


@pytest.fixture(scope="module")
def net(data):
    return sl.learn(data)


def pgmpy_model(net):
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork(net.to_dag().edges)
    model.add_nodes_from(net.names)
    return model


@pytest.mark.parametrize("rows", [0, 1, 10])
def test_tables_are_those_of_pgmpy(net, data, rows):
    from pgmpy.parameter_estimator import DiscreteBayesianEstimator, DiscreteMLE

    estimator = DiscreteBayesianEstimator(equivalent_sample_size=rows) if rows else DiscreteMLE()
    fitted = net.fit(data, equivalent_sample_size=rows)
    for cpd in estimator.fit(pgmpy_model(net), data).parameters_:
        parents = [name for name in net.names if name in cpd.variables[1:]]
        assert list(fitted.categories[net.names.index(cpd.variable)]) == cpd.state_names[cpd.variable]
        order = [cpd.variables.index(name) for name in (*parents, cpd.variable)]
        assert np.allclose(fitted.probabilities(cpd.variable), np.transpose(cpd.values, order))


def test_bic_is_that_of_pgmpy(net, data):
    from pgmpy.structure_score import BIC

    fitted = net.fit(data, equivalent_sample_size=0)
    score = BIC(data)
    theirs = sum(score.local_score(name, tuple(net.to_dag().predecessors(name))) for name in net.names)
    assert fitted.bic(data) == pytest.approx(theirs, rel=1e-10)


def test_the_likelihood_is_the_product_of_the_rows_probabilities(net, data):
    fitted = net.fit(data)
    total = 0.0
    for row in data[:50].to_dict("records"):
        for v, name in enumerate(net.names):
            family = [net.names[p] for p in sorted(fitted.structure.parents[v])] + [name]
            cell = tuple(fitted.categories[net.names.index(m)].index(row[m]) for m in family)
            total += np.log(fitted.probabilities(name)[cell])
    assert fitted.log_likelihood(data[:50]) == pytest.approx(total)


def test_hand_counts_of_four_rows():
    data = pd.DataFrame({"a": [0, 0, 0, 1], "b": ["x", "y", "y", "y"]})
    import networkx as nx

    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])))
    ((parent, child),) = net.to_dag().edges
    fitted = net.fit(data, equivalent_sample_size=4)
    marginal = {"a": [(3 + 2) / 8, (1 + 2) / 8], "b": [(1 + 2) / 8, (3 + 2) / 8]}
    given = {"b": [[2 / 5, 3 / 5], [1 / 3, 2 / 3]], "a": [[2 / 3, 1 / 3], [3 / 5, 2 / 5]]}
    assert np.allclose(fitted.probabilities(parent), marginal[parent])
    assert np.allclose(fitted.probabilities(child), given[child])
    assert fitted.categories == ((0, 1), ("x", "y"))
    assert fitted.sample(100, seed=0)["a"].dtype.kind == "i"


def test_a_large_sample_has_the_fitted_probabilities(net, data):
    fitted = net.fit(data)
    again = net.fit(pd.DataFrame(fitted.sample(100_000, seed=0)), equivalent_sample_size=0)
    for name in net.names:
        likely = fitted.probabilities(name).sum(axis=-1) > 0
        if not fitted.structure.parents[net.names.index(name)]:
            assert np.allclose(again.probabilities(name)[likely], fitted.probabilities(name)[likely], atol=0.01)
    assert again.log_likelihood(data) == pytest.approx(fitted.log_likelihood(data), rel=0.01)


def test_weights_count_rows_as_many(net, data):
    counts = np.random.default_rng(0).integers(1, 4, len(data))
    repeated = data.loc[data.index.repeat(counts)]
    fitted, wanted = net.fit(data, weights=counts), net.fit(repeated)
    for name in net.names:
        assert np.allclose(fitted.probabilities(name), wanted.probabilities(name))
    assert fitted.bic(data, weights=counts) == pytest.approx(wanted.bic(repeated))


def test_the_bif_file_is_read_by_us_and_by_pgmpy(net, data, tmp_path):
    from pgmpy.readwrite import BIFReader

    fitted = net.fit(data)
    fitted.write(tmp_path / "model.bif")
    again = parse_bif((tmp_path / "model.bif").read_text(), "model")
    theirs = BIFReader(tmp_path / "model.bif")
    for name in net.names:
        assert np.allclose(again.tables[name], fitted.probabilities(name))
        assert np.allclose(theirs.variable_cpds[name].T.reshape(again.tables[name].shape), again.tables[name])
    assert set(sl.read_graph(tmp_path / "model.bif").edges) == set(net.to_dag().edges)
    with pytest.raises(sl.InputError, match="exists already"):
        fitted.write(tmp_path / "model.bif")
    with pytest.raises(sl.InputError, match=r"written as \.json, or \.bif"):
        fitted.write(tmp_path / "model.xml")


def test_what_was_never_seen_is_named_or_impossible(net, data):
    fitted = net.fit(data, equivalent_sample_size=0)
    with pytest.raises(sl.InputError, match="'smoke' has the value 'often', which is none of the fitted categories"):
        fitted.log_likelihood(data.assign(smoke="often"))
    impossible = data[:1].assign(tub="yes", lung="no", either="no")
    assert fitted.log_likelihood(impossible) == -np.inf
    assert net.fit(data).log_likelihood(impossible) > -np.inf


def test_what_cannot_be_fitted_is_named(net, data):
    with pytest.raises(
        sl.InputError, match="1 of 3000 rows have missing or infinite values, such as in column 'smoke'"
    ):
        net.fit(data.assign(smoke=[None, *data["smoke"][1:]]))
    with pytest.raises(sl.InputError, match="equivalent_sample_size must be a number of rows, 0 or more; got -1"):
        net.fit(data, equivalent_sample_size=-1)
    with pytest.raises(sl.InputError, match="there is no variable 'nothing'"):
        net.fit(data).probabilities("nothing")


def test_a_table_that_fits_in_no_memory_is_refused():
    import networkx as nx

    graph = nx.DiGraph([(f"p{i}", "child") for i in range(26)])
    rows = np.random.default_rng(0).integers(0, 2, (50, 27))
    net = sl.learn(sl.DSeparation(graph), sl.DiamondFree())
    with pytest.raises(sl.InputError, match="the table of 'child' given its 26 parents would have 134,217,728 cells"):
        net.fit(rows)


def test_columns_are_discrete_or_numbers_as_the_structure_was_learned():
    rows = np.random.default_rng(0).integers(0, 5, (200, 2))
    assert type(sl.learn(rows).fit(rows)).__name__ == "FittedTables"
    assert type(sl.learn(rows, test="fisher-z").fit(rows)).__name__ == "FittedGaussian"
    assert type(sl.learn(rows).fit(rows, discrete=[])).__name__ == "FittedGaussian"


def test_columns_of_both_kinds_can_be_treated_as_one():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"n": rng.standard_normal(300), "few": rng.integers(0, 3, 300)})
    net = sl.learn(frame)
    assert net.fit(frame).n_parameters == 2 + 2
    assert net.fit(frame, discrete=[]).n_parameters == 4
    assert net.fit(frame, discrete=net.names).n_parameters == 299 + 2
