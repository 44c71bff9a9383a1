"""Every kind of table: discrete, mixed, with gaps, weighted, with a test of one's own."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.boundaries import ALGORITHMS
from sidelight.cli.main import app
from sidelight.evaluate.comparison import compare_skeletons
from sidelight.simulation import networks, random_graphs
from sidelight.simulation.gaussian import linear_gaussian


@pytest.fixture(scope="module")
def alarm():
    network = networks.load_discrete("alarm")
    return network.structure, pd.DataFrame(network.sample(5000, np.random.default_rng(0)))


@pytest.fixture(scope="module")
def gaussian():
    rng = np.random.default_rng(3)
    graph = random_graphs.erdos_renyi(12, 0.2, rng)
    names, values = linear_gaussian(graph, 2000, rng)
    return graph, pd.DataFrame(values, columns=[f"v{name}" for name in names])


def edges(net):
    return set(net.directed_edges), {frozenset(e) for e in net.undirected_edges}


def test_a_discrete_table_is_learned_with_a_discrete_test(alarm):
    structure, frame = alarm
    net = sl.learn(frame, sl.DiamondFree())
    assert net.settings.test == "chi2-moments"
    assert compare_skeletons(net.skeleton, structure).f1 > 0.85


@pytest.mark.parametrize("test", ["g2", "chi2", "chi2-moments", "mixed"])
def test_every_discrete_test_can_be_asked_for(alarm, test):
    structure, frame = alarm
    net = sl.learn(frame.iloc[:, :12], sl.DiamondFree(), test=test)
    assert compare_skeletons(net.skeleton, structure.subgraph(frame.columns[:12])).recall > 0.5


def test_categories_codes_and_texts_give_the_same_network(alarm):
    frame = alarm[1].iloc[:1500, :10]
    expected = edges(sl.learn(frame))
    assert edges(sl.learn(frame.astype("category"))) == expected
    assert edges(sl.learn(frame.apply(lambda column: column.astype("category").cat.codes))) == expected


def test_a_mixed_table_is_learned_with_blocks():
    rng = np.random.default_rng(0)
    a = rng.normal(size=3000)
    b = a + rng.normal(size=3000) > 0
    c = np.where(b, 1.0, -1.0) + rng.normal(size=3000)
    g = rng.choice(list("xyz"), 3000)
    h = c + 1.5 * (g == "x") + rng.normal(size=3000)
    net = sl.learn(pd.DataFrame({"a": a, "b": b, "c": c, "g": g, "h": h}))
    assert net.settings.test == "mixed"
    assert edges(net) == ({("c", "h"), ("g", "h")}, {frozenset("ab"), frozenset("bc")})


def test_which_columns_are_discrete_can_be_said(gaussian):
    frame = gaussian[1].iloc[:, :5].round()
    assert sl.diagnose(frame).types == sl.diagnose(frame.astype(int)).types
    assert sl.learn(frame, discrete=[]).settings.test == "fisher-z"
    assert sl.learn(frame.astype(int), discrete=[]).settings.test == "fisher-z"
    assert sl.learn(frame, discrete=["v0"]).settings.test == "mixed"
    with pytest.raises(sl.InputError, match="discrete: there is no column 'x'"):
        sl.learn(frame, discrete=["x"])


@pytest.mark.parametrize("missing", ["drop", "pairwise", "em"])
def test_missing_numbers_cost_little(gaussian, missing):
    graph, frame = gaussian
    gaps = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.02)
    truth = {frozenset((f"v{a}", f"v{b}")) for a, b in graph.edges}
    found = {frozenset(e) for e in sl.learn(gaps, sl.DiamondFree(), missing=missing).skeleton.edges}
    assert len(truth ^ found) <= 2
    with pytest.raises(sl.InputError, match="missing value"):
        sl.learn(gaps)


def test_em_is_what_all_rows_would_have_given(gaussian):
    from sidelight.families.gaussian.correlation import moments
    from sidelight.families.gaussian.em import em_moments

    values = gaussian[1].to_numpy()
    assert np.allclose(em_moments(values).correlations, moments(values).correlations, atol=1e-5)
    gaps = np.where(np.random.default_rng(1).random(values.shape) < 0.1, np.nan, values)
    error = np.abs(em_moments(gaps).correlations - moments(values).correlations).max()
    pairwise = np.abs(pd.DataFrame(gaps).corr().to_numpy() - moments(values).correlations).max()
    assert error < min(0.05, pairwise)


def test_missing_categories_can_be_passed_over(alarm):
    frame = alarm[1].iloc[:3000, :10].mask(np.random.default_rng(0).random((3000, 10)) < 0.01)
    whole = sl.learn(alarm[1].iloc[:3000, :10]).skeleton
    for missing in ("drop", "pairwise"):
        assert compare_skeletons(sl.learn(frame, missing=missing).skeleton, whole).f1 > 0.7
    with pytest.raises(sl.InputError, match="missing value"):
        sl.learn(frame)


@pytest.mark.parametrize("kind", ["numbers", "categories", "mixed"])
def test_weights_count_a_row_as_so_many(gaussian, alarm, kind):
    numbers, categories = gaussian[1].iloc[:800, :5], alarm[1].iloc[:800, :5]
    frame = {"numbers": numbers, "categories": categories, "mixed": pd.concat([numbers, categories], axis=1)}[kind]
    weights = np.random.default_rng(0).integers(0, 4, 800)
    repeated = frame.iloc[np.repeat(np.arange(800), weights)]
    expected = edges(sl.learn(repeated, boundaries="iamb"))
    assert edges(sl.learn(frame, weights=weights, boundaries="iamb")) == expected
    assert edges(sl.learn(frame.assign(w=weights + 0.0), weights="w", boundaries="iamb")) == expected


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("nobody", "there is no column 'nobody'"),
        ([1.0, 2.0], "2000 are needed"),
        (np.full(2000, -1.0), "row 1 is -1.0"),
    ],
)
def test_weights_that_make_no_sense_are_refused(gaussian, weights, message):
    with pytest.raises(sl.InputError, match=message):
        sl.learn(gaussian[1], weights=weights)


def test_a_function_is_a_test(gaussian):
    _, frame = gaussian
    correlation = sl.FisherZ(sl.Correlation(frame.corr(), len(frame)))
    index = {name: i for i, name in enumerate(frame.columns)}

    def by_name(x, y, given, data):
        assert data is frame
        return correlation.p_value(index[x], index[y], [index[z] for z in given])

    options = {"boundaries": "iamb", "boundary_alpha": 0.01}
    assert edges(sl.learn(frame, test=by_name, **options)) == edges(sl.learn(correlation, **options))


def test_remembered_answers_are_computed_once(gaussian, tmp_path):
    _, frame = gaussian
    asked = []

    def slow(x, y, given, data):
        asked.append((x, y))
        return 0.5

    for _ in range(2):
        test = sl.Remembered(sl.FunctionTest(slow, frame, list("abcd")), tmp_path / "answers.db")
        assert test.p_value(0, 1, [2, 3]) == test.p_value(1, 0, [3, 2]) == 0.5
    assert asked == [("a", "b")]
    sl.learn(sl.Remembered(sl.FunctionTest(slow, frame, list("abcd")), tmp_path / "answers.db"))


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != "tc"])
def test_any_number_of_workers_gives_the_same_result_and_counts(alarm, algorithm):
    frame = alarm[1].iloc[:1000, :10]
    one = sl.learn(frame, boundaries=algorithm)
    two = sl.learn(frame, boundaries=algorithm, n_jobs=2)
    assert one.boundaries == two.boundaries
    assert one.boundary_tests == two.boundary_tests
    assert edges(one) == edges(two)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": np.r_[1.5, np.full(1999, 1e-5)]}, r"they are worth 1\.0 rows of equal weight"),
        ({"test": "g2", "correlation": "normal-scores"}, 'correlation="normal-scores" does not go with the test'),
        ({"test": lambda x, y, given, data: 1.0, "missing": "drop"}, "not with a function as the test"),
    ],
)
def test_an_option_that_says_nothing_here_is_refused(gaussian, options, message):
    with pytest.raises(sl.InputError, match=message):
        sl.learn(gaussian[1], **options)


def test_copies_with_gaps_are_named(gaussian):
    frame = gaussian[1].assign(copy=gaussian[1]["v0"])
    frame.iloc[0, 0] = np.nan
    for missing in ("em", "pairwise"):
        with pytest.raises(sl.InputError, match="'v0' and 'copy'"):
            sl.learn(frame, missing=missing)


def test_remembered_answers_can_be_used_by_several_processes(alarm, tmp_path):
    from sidelight.tables.strings import code_columns

    frame = alarm[1].iloc[:300, :5]
    coded = code_columns(list(frame), [frame[name].to_numpy() for name in frame])
    test = sl.GSquare(coded.codes, coded.n_categories, coded.names)
    remembered = sl.Remembered(test, tmp_path / "answers.db")
    one, two = (sl.learn(t, learner="rsl", boundaries="iamb", n_jobs=n) for t, n in ((test, 1), (remembered, 2)))
    assert edges(one) == edges(two)
    with pytest.raises(sl.InputError, match="cannot keep answers"):
        sl.Remembered(test, tmp_path / "nowhere" / "answers.db")


def test_the_command_learns_a_discrete_table(alarm, tmp_path):
    alarm[1].iloc[:800, :8].assign(w=1).to_csv(tmp_path / "data.csv", index=False)
    arguments = ["learn", str(tmp_path / "data.csv"), "--test", "g2", "--weights", "w", "--missing", "drop"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "g2" in result.stdout


def test_the_settings_say_how_a_table_was_read():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((200, 2)), columns=["a", "b"])
    frame["of, few"] = rng.integers(0, 3, 200)
    frame["how many"] = rng.integers(1, 3, 200)

    def told(**options):
        settings = sl.learn(frame, **options).settings.as_text()
        return {name: settings[name] for name in ("correlation", "discrete", "missing", "weights") if name in settings}

    numbers = ["a", "b"]
    assert told(columns=numbers) == {"correlation": "pearson"}
    assert told(columns=numbers, correlation="normal-scores") == {"correlation": "normal-scores"}
    assert told(columns=numbers, missing="drop") == {"correlation": "pearson", "missing": "drop"}
    assert told(drop="how many") == {"discrete": '"of, few"'}
    assert told(weights="how many") == {"discrete": '"of, few"', "weights": "column 'how many'"}
    assert told(columns="of, few", weights=np.ones(200)) == {"weights": "one number for each row"}


def bent(rng, n_rows=1500):
    """A table of 14 columns, some of them categories that no linear model explains."""
    columns, effects = {}, []
    for i in range(14):
        weights = [(rng.normal(), j) for j in rng.choice(i, min(i, 3), replace=False)] if i else []
        z = sum((weight * effects[j] for weight, j in weights), start=rng.normal(size=n_rows))
        z = (z - z.mean()) / z.std()
        code = [z, np.digitize(z, [-0.5, 0.5]), (z**2 > 0.7).astype(int)][i % 3]
        columns[f"v{i}"] = code if i % 3 == 0 else np.array(["a", "b", "c"])[code]
        effects.append([z, 1.5 * (code == 1), code - 0.5][i % 3])
    return pd.DataFrame(columns)


def test_the_limit_on_tests_holds_where_edges_are_added_that_tests_demand():
    over = []
    for seed in range(3):
        table = bent(np.random.default_rng(seed))
        net = sl.learn(table, max_tests=600)
        over.append((bool(net.added_edges), sum(net.tests_by_size.values()) + net.check_tests))
    assert any(added for added, _ in over)
    assert all(n_tests <= 600 for _, n_tests in over)
