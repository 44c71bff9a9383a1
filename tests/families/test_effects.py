import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

import sidelight as sl
from sidelight.families.mixed.statistics import expand
from sidelight.kinds.category import Category
from sidelight.kinds.number import Number
from sidelight.sources.rows import read_table


def simulated(n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    x, z = rng.standard_normal((2, n_rows))
    group = rng.integers(0, 3, n_rows)
    frame = pd.DataFrame({"x": x, "z": z, "group": np.array(["a", "b", "c"])[group]})
    frame["y"] = -0.5 * x + z + 0.6 * group + rng.standard_normal(n_rows)
    frame["sex"] = np.where(x - z + rng.standard_normal(n_rows) < 0.8, "male", "female")  # the later one is frequent
    frame["old"] = rng.random(n_rows) < np.where(frame["sex"] == "male", 0.2, 0.6)
    frame["site"] = np.where(rng.random(n_rows) < 0.7, group, rng.integers(0, 3, n_rows)).astype(str)
    return frame


FRAME = simulated()
NAMES = list(FRAME)


def mixed(frame=FRAME):
    table = read_table(frame)
    discrete = ("group", "sex", "old", "site")
    kinds = {name: Category() if name in discrete else Number() for name in table.all_names}
    return sl.DegenerateGaussian(expand(table, kinds, None), table.all_names)


def effect(test, a, b, *given):
    x, y, *rest = (list(test.names).index(name) for name in (a, b, *given))
    assert test.effect_name_of(x, y) != ""
    return test.effect_size(x, y, rest)


def indicators(*names):
    return pd.get_dummies(FRAME[list(names)], drop_first=True, dtype=float)


def partial_correlation(a, b, *given):
    """By the residuals of regressions."""
    import statsmodels.api as sm

    z = sm.add_constant(indicators(*given)) if given else np.ones(len(FRAME))
    left, right = (sm.OLS(indicators(name).iloc[:, 0].astype(float), z).fit().resid for name in (a, b))
    return np.corrcoef(left, right)[0, 1]


@pytest.mark.parametrize(
    ("a", "b", "given"),
    [("x", "y", ["z"]), ("x", "y", ["group"]), ("x", "sex", []), ("y", "sex", ["z", "group"]), ("sex", "old", ["x"])],
)
def test_numbers_and_columns_of_two_categories_have_partial_correlations_with_signs(a, b, given):
    wanted = partial_correlation(a, b, *given)
    assert effect(mixed(), a, b, *given) == pytest.approx(wanted, abs=1e-6)
    assert effect(mixed(), b, a, *given) == pytest.approx(wanted, abs=1e-6)


def test_a_number_and_a_category_of_many_values_have_the_multiple_correlation_of_the_regressions():
    import statsmodels.api as sm

    with_group = sm.OLS(FRAME["y"], sm.add_constant(indicators("x", "group"))).fit()
    without = sm.OLS(FRAME["y"], sm.add_constant(FRAME["x"])).fit()
    wanted = np.sqrt(1 - with_group.ssr / without.ssr)
    assert effect(mixed(), "y", "group", "x") == pytest.approx(wanted, abs=1e-6)


def test_two_categories_have_a_mean_of_their_canonical_correlations():
    left, right = (indicators(name).to_numpy() for name in ("group", "site"))
    q = [np.linalg.qr(columns - columns.mean(axis=0))[0] for columns in (left, right)]
    canonical = np.linalg.svd(q[0].T @ q[1], compute_uv=False)
    wanted = np.sqrt(1 - np.prod(1 - canonical**2) ** (1 / 2))
    assert canonical.min() <= wanted <= canonical.max()
    assert effect(mixed(), "group", "site") == pytest.approx(wanted, abs=1e-6)


def test_the_name_of_an_effect_says_which_categories_its_sign_is_about():
    test = mixed()
    position = NAMES.index
    assert test.effect_name_of(position("x"), position("y")) == "partial correlation"
    assert test.effect_name_of(position("x"), position("sex")) == "partial correlation with sex=male"
    assert test.effect_name_of(position("sex"), position("old")) == "partial correlation of sex=male with old=True"
    assert test.effect_name_of(position("group"), position("y")) == "partial multiple correlation"
    assert test.effect_name_of(position("group"), position("site")) == "partial canonical correlation"


DISCRETE = FRAME[["sex", "old", "group", "site"]]


@pytest.mark.parametrize("option", ["chi2-moments", "g2", "chi2"])
def test_two_categories_have_the_bias_corrected_v_of_bergsma(option):
    test = sl.learn(DISCRETE, test=option).edge_evidence._test
    statistic = chi2_contingency(pd.crosstab(DISCRETE["group"], DISCRETE["site"]), correction=False)[0]
    n = len(DISCRETE)
    assert effect(test, "group", "site") == pytest.approx(np.sqrt((statistic / n - 4 / (n - 1)) / 2), abs=1e-9)
    assert test.effect_name_of(2, 3) == "Cramér's V"


@pytest.mark.parametrize("given", [[], ["group"], ["group", "site"]])
def test_the_sign_of_phi_is_that_of_the_mantel_haenszel_odds_ratio(given):
    from statsmodels.stats.contingency_tables import StratifiedTable

    test = sl.learn(DISCRETE).edge_evidence._test
    strata = DISCRETE.groupby(given) if given else [((), DISCRETE)]
    tables = [pd.crosstab(rows["sex"], rows["old"]).to_numpy() for _, rows in strata]
    found = effect(test, "sex", "old", *given)
    assert np.sign(found) == np.sign(StratifiedTable(tables).logodds_pooled) == -1
    assert 0.2 < -found < 0.6
    assert test.effect_name_of(0, 1) == "phi coefficient of sex=male with old=True"
    flipped = sl.learn(DISCRETE.assign(old=~DISCRETE["old"])).edge_evidence._test
    assert effect(flipped, "sex", "old", *given) == pytest.approx(-found)


def test_independent_columns_have_no_effect_however_many_strata_there_are():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 4, (500, 5)).astype(str), columns=list("abcde"))
    test = sl.learn(frame).edge_evidence._test
    assert effect(test, "a", "b", "c", "d", "e") < 0.15
    assert effect(test, "a", "b") < 0.15
