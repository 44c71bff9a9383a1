"""Ordered categories: agreement with statsmodels and a textbook, calibration, power, every mix of columns."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sidelight as sl
from sidelight.families.mixed.kernels import products_in_strata
from sidelight.families.mixed.score_tests import score_statistic
from sidelight.families.options import DataOptions
from sidelight.kernels.proportional_odds import fit_ordered
from sidelight.prepare import prepare

NONE = np.empty(0)


def levels(latent, n_levels):
    cuts = stats.norm.ppf(np.arange(1, n_levels) / n_levels) * latent.std()
    return pd.Categorical.from_codes(np.digitize(latent, cuts), list("abcdefgh")[:n_levels], ordered=True)


def effects(rng, n=400, strength=0.0, z=None):
    """Ordered o and p, a number and a category, all effects of the number z; o and p also have a part in common."""
    z, common = rng.standard_normal(n) if z is None else z, strength * rng.standard_normal(n)
    return pd.DataFrame(
        {
            "z": z,
            "o": levels(z + common + rng.standard_normal(n), 4),
            "p": levels(z + common + rng.standard_normal(n), 5),
            "number": z + rng.standard_normal(n),
            "category": np.array(list("uvw"))[np.digitize(z + rng.logistic(size=n), [-1, 1])],
        }
    )


def test_of(frame, **options):
    return prepare(frame, DataOptions(**options)).test


test_of.__test__ = False


def test_the_fit_has_the_proportional_odds_of_statsmodels():
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    rng = np.random.default_rng(0)
    n = 300
    columns = rng.standard_normal((n, 2))
    codes = np.digitize(columns @ [1.0, -0.5] + rng.logistic(size=n), [-1.5, 0.0, 1.0])
    fitted, _, information = fit_ordered(np.column_stack([np.ones(n), columns]), codes, 4, NONE)
    model = OrderedModel(codes, columns, distr="logit")
    theirs = model.fit(method="bfgs", disp=False, gtol=1e-8)
    assert fitted[3:] == pytest.approx(theirs.params[:2], abs=3e-3)
    assert fitted[:3] == pytest.approx(model.transform_threshold_params(theirs.params)[1:-1], abs=3e-3)
    assert np.sqrt(np.diag(np.linalg.inv(information)))[3:] == pytest.approx(theirs.bse[:2], rel=0.05)


def test_the_score_test_is_near_the_likelihood_ratio_of_statsmodels():
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    frame = effects(np.random.default_rng(1), 600)
    frame["number"] += 0.15 * frame["o"].cat.codes
    codes, z, other = frame["o"].cat.codes, frame["z"], frame["number"]
    test = test_of(frame[["z", "o", "number"]])
    small, large = (
        OrderedModel(codes, np.column_stack(columns), distr="logit").fit(method="bfgs", disp=False).llf
        for columns in ([z], [z, other])
    )
    by_ratio = stats.chi2.sf(2 * (large - small), 1)
    assert np.log(test._scores.p_value(1, 2, [0])) == pytest.approx(np.log(by_ratio), rel=0.1)


def test_scores_within_strata_give_agresti_s_trend_in_job_satisfaction():
    """Agresti (2002), section 7.5.3: income and satisfaction given gender, M² = 6.16 on one degree of freedom."""
    women = [[1, 3, 11, 2], [2, 3, 17, 3], [0, 1, 8, 5], [0, 2, 4, 2]]
    men = [[1, 1, 2, 1], [0, 3, 5, 1], [0, 0, 7, 3], [0, 1, 9, 6]]
    cells = [(g, i, j, table[i][j]) for g, table in enumerate((women, men)) for i in range(4) for j in range(4)]
    gender, income, satisfaction, count = np.array(cells).T
    columns = [np.array([3.0, 10, 20, 35])[income, None], np.array([1.0, 3, 4, 5])[satisfaction, None]]
    statistic, freedom = score_statistic(*products_in_strata(*columns, gender, 2, count.astype(float)))
    assert (statistic, freedom) == (pytest.approx(6.1563, abs=1e-4), 1)
    nominal = (satisfaction[:, None] == np.arange(1, 4)).astype(float)
    incomes = (income[:, None] == np.arange(1, 4)).astype(float)
    statistic, freedom = score_statistic(*products_in_strata(incomes, nominal, gender, 2, count.astype(float)))
    assert (statistic, freedom) == (pytest.approx(10.2001, abs=1e-4), 9)


def test_for_two_values_it_is_the_mantel_haenszel_test_of_statsmodels():
    from statsmodels.stats.contingency_tables import StratifiedTable

    rng = np.random.default_rng(2)
    g, o, p = rng.integers(0, 4, 300), rng.integers(0, 2, 300), rng.integers(0, 2, 300)
    tables = [pd.crosstab(o[g == s], p[g == s]).to_numpy() for s in range(4)]
    theirs = StratifiedTable(tables).test_null_odds(correction=False).pvalue
    frame = pd.DataFrame({"g": g, "o": o, "p": p})
    ours = test_of(frame, types="g=category,o=ordinal,p=ordinal").p_value(1, 2, [0])
    assert ours == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize(("kind", "given"), [("p", "z"), ("number", "z"), ("category", "z"), ("p", ""), ("number", "")])
def test_true_independences_are_rejected_as_often_as_the_level_says(kind, given):
    """Between 1 in 100 and 1 in 10 at level .05, of 300 pairs in 12 tables."""
    rng = np.random.default_rng(3)
    rejected = []
    for _ in range(12):
        parts = [effects(rng, 150) for _ in range(5)]
        if given:  # effects of one z
            z = parts[0]["z"]
            parts = [effects(rng, 150, z=z) for _ in range(5)]
        columns = {f"{name}{i}": part[name] for i, part in enumerate(parts) for name in ("o", kind)}
        frame = pd.DataFrame(columns | ({"z": z} if given else {}))
        test = test_of(frame)
        pairs = [(x, y) for x in range(0, 10, 2) for y in range(1, 10, 2) if given or abs(x - y) > 1]
        rejected += [test.p_value(x, y, [10] if given else []) <= 0.05 for x, y in pairs]
    assert 0.01 <= np.mean(rejected) <= 0.1


def test_effects_of_an_ordered_category_are_independent_given_it_whatever_their_shape():
    rng = np.random.default_rng(4)
    level = rng.integers(0, 4, 3000)
    shape = np.array([0.0, 2.0, -1.0, 2.5])[level]
    frame = pd.DataFrame({"a": shape + rng.normal(size=3000), "b": shape + rng.normal(size=3000), "level": level})
    test = test_of(frame, types="level=ordinal")
    assert test.p_value(0, 1, []) < 1e-10
    assert test.p_value(0, 1, [2]) > 0.01


@pytest.mark.parametrize("given", ["z", "category", ""])
def test_the_order_finds_what_categories_alone_do_not(given):
    found = {"ordinal": 0, "category": 0}
    for seed in range(25):
        rng = np.random.default_rng(seed)
        frame = effects(rng, 150, 0.6, z=None if given == "z" else rng.standard_normal(150) / 10)
        for kind in found:
            said = {} if kind == "ordinal" else {"o": kind, "p": kind}
            test = test_of(frame[["o", "p", *given.split()]], types=said)
            found[kind] += test.p_value(0, 1, [2] if given else []) <= 0.01
    assert found["ordinal"] > 1.3 * found["category"]


@pytest.mark.parametrize("columns", ["z o p", "category o p", "o p", "z o", "z category o p number"])
def test_every_mix_of_columns_can_be_learned_from(columns):
    net = sl.learn(effects(np.random.default_rng(5), 1000)[columns.split()])
    assert net.settings.test == "mixed"
    if "z" in columns:
        assert {frozenset(edge) for edge in net.skeleton.edges} == {frozenset(("z", c)) for c in columns.split()[1:]}


def test_an_ordered_category_is_one_column_of_the_score():
    frame = effects(np.random.default_rng(6))
    test = test_of(frame[["o", "number"]])
    score = test.score("bic", None)
    rho = np.corrcoef(test.blocks.columns[:, test.blocks.start[:2]].T)[0, 1]
    gain = score.family(1, (0,)) - score.family(1, ())
    assert gain == pytest.approx(-200 * np.log(1 - rho**2) - np.log(400) / 2, rel=1e-6)


def test_weights_count_equal_rows():
    frame = effects(np.random.default_rng(7), 80)
    counts = np.random.default_rng(8).integers(1, 4, 80)
    repeated = frame.loc[np.repeat(np.arange(80), counts)].reset_index(drop=True)
    weighted, long = test_of(frame, weights=counts), test_of(repeated)
    for x, y, given in ((1, 2, [0]), (1, 2, [4]), (1, 4, [0, 2]), (1, 3, []), (1, 2, [])):
        assert weighted.p_value(x, y, given) == pytest.approx(long.p_value(x, y, given), rel=1e-6)


def test_all_pairs_at_once_are_answered_as_one_by_one():
    test = test_of(effects(np.random.default_rng(9)))
    members = [0, 1, 2, 4]
    answers = test.answers(members, 0.01)
    for i in range(4):
        for j in range(i):
            rest = [z for z in members if z not in (members[i], members[j])]
            assert answers[i, j] == test.independent(members[i], members[j], rest, 0.01)


def test_resamples_keep_the_order():
    frame = effects(np.random.default_rng(10), 200)[["z", "o", "p"]]
    result = sl.stability(frame, resamples=4, n_jobs=1)
    assert result.network.settings.ordinal == ("o", "p")
    assert result.adjacency[frozenset("zo")] == 1.0
