"""The scores of mixed tables, against determinants by numpy and likelihoods by statsmodels and by ``fit``."""

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.kinds.base import ModelVariable, Sample
from sidelight.kinds.category import Category
from sidelight.kinds.number import Number
from sidelight.options import Options
from sidelight.prepare import prepare


def test_a_family_of_blocks_costs_its_parameters_and_gains_what_the_parents_explain_of_its_determinant():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((300, 3)), columns=list("abc"))
    frame["d"], frame["e"] = rng.choice(["x", "y", "z"], 300), np.where(frame["a"] + frame["b"] > 0, "u", "v")
    score = prepare(frame, Options()).test.score("bic", None).strict
    blocks = score._blocks
    columns = [blocks.places([v]) for v in range(5)]

    def expected(v, parents):
        given = np.concatenate([np.empty(0, int), *(columns[p] for p in parents)])
        both = np.concatenate([given, columns[v]])
        left = [np.linalg.slogdet(blocks.matrix[np.ix_(part, part)])[1] for part in (both, given)]
        return -150 * (left[0] - left[1]) - np.log(300) / 2 * len(columns[v]) * len(given)

    for v, parents in ((0, ()), (4, (0, 1)), (3, (4,)), (2, (0, 3, 4))):
        assert score.local(v, parents) == pytest.approx(expected(v, parents))
        others = [y for y in range(5) if y != v and y not in parents]
        found = score.with_one_more(v, parents, others)
        assert found == pytest.approx([expected(v, (*parents, y)) for y in others])


def effects_of_two_numbers(n=400):
    """Numbers a and b, and three categories and an ordered one that depend on them; d depends on c, too."""
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, n))
    c = np.digitize(a + rng.logistic(size=n), [-1, 1])
    d = np.digitize(b + (c == 1) + rng.logistic(size=n), [-1, 1])
    o = np.digitize(a - b + rng.logistic(size=n), [-1, 0, 1.5])
    letters = np.array(list("uvwx"))
    ordered = pd.Categorical.from_codes(o, list("uvwx"), ordered=True)
    return pd.DataFrame({"a": a, "b": b, "c": letters[c], "d": letters[d], "o": ordered})


def score_of(frame, **options):
    return prepare(frame, Options(**options)).test.score("bic", None)


def test_a_category_has_the_likelihood_of_statsmodels_less_its_slopes():
    api = pytest.importorskip("statsmodels.api")
    ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    frame = effects_of_two_numbers()
    score, cost = score_of(frame), np.log(400) / 2
    columns = np.column_stack([frame["b"], frame["c"] == "v", frame["c"] == "w"])
    theirs = api.MNLogit(pd.Categorical(frame["d"]).codes, api.add_constant(columns)).fit(disp=0).llf
    assert score.local(3, (1, 2)) == pytest.approx(theirs - 6 * cost, abs=0.02)
    columns = frame[["a", "b"]].to_numpy()
    theirs = ordinal.OrderedModel(frame["o"].cat.codes, columns, distr="logit").fit(method="bfgs", disp=False).llf
    assert score.local(4, (0, 1)) == pytest.approx(theirs - 2 * cost, abs=0.02)


@pytest.mark.parametrize(
    ("v", "sets"), [("a", ["c", "cd", "bcd"]), ("c", ["a", "d", "ab", "abd"]), ("d", ["b", "c", "bc"])]
)
def test_parents_gain_what_the_bic_of_their_fit_gains(v, sets):
    frame = effects_of_two_numbers()[list("abcd")]
    kinds = {"a": Number(), "b": Number(), "c": Category(), "d": Category()}
    variables = {x: ModelVariable(x, kind, tuple("uvw") * kind.is_coded) for x, kind in kinds.items()}
    coded = {x: pd.Categorical(frame[x]).codes.astype(int) if x in "cd" else frame[x].to_numpy() for x in frame}
    score, place = score_of(frame), "abcd".index

    def bic(parents):
        given = tuple(variables[x] for x in parents)
        fitted = variables[v].kind.conditional(variables[v], given, Sample(coded, None), 0.0)
        return fitted.log_densities(coded).sum() - np.log(400) / 2 * fitted.n_parameters

    for parents in sets:
        gain = score.local(place(v), [place(x) for x in parents]) - score.local(place(v), ())
        assert gain == pytest.approx(bic(parents) - bic(""), abs=0.02)


def test_a_category_given_categories_has_a_table_where_effects_are_not_additive():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, (2, 500))
    frame = pd.DataFrame({"a": a, "b": b, "c": np.where(rng.random(500) < 0.9, a ^ b, 1 - (a ^ b))}).astype(str)
    frame["number"] = rng.standard_normal(500)
    score = score_of(frame)
    assert score.local(2, (0, 1)) > score.local(2, ()) + 100
    assert max(score.local(2, (0,)), score.local(2, (1,))) < score.local(2, ())


def test_a_row_of_weight_two_counts_as_two_rows():
    frame = effects_of_two_numbers(100)
    counts = np.random.default_rng(3).integers(1, 4, 100)
    repeated = frame.loc[np.repeat(np.arange(100), counts)].reset_index(drop=True)
    weighted, long = score_of(frame, weights=counts), score_of(repeated)
    for v, parents in ((0, (2, 4)), (2, ()), (2, (0, 3)), (3, (2, 4)), (4, (0,)), (4, (2, 3))):
        assert weighted.local(v, parents) == pytest.approx(long.local(v, parents), abs=0.02)


def test_thresholds_of_one_number_are_not_joined():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        z, *noise = rng.standard_normal((3, 1000))
        frame = pd.DataFrame({"z": z} | {name: z + e / 2 > 1.2 for name, e in zip("xy", noise, strict=True)})
        assert {frozenset(edge) for edge in sl.learn(frame).skeleton.edges} == {frozenset("zx"), frozenset("zy")}
