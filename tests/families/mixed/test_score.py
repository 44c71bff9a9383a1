"""The score of mixed tables, against determinants by numpy."""

import numpy as np
import pandas as pd
import pytest

from sidelight.options import Options
from sidelight.prepare import prepare


def test_a_family_costs_its_parameters_and_gains_what_the_parents_explain_of_its_determinant():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((300, 3)), columns=list("abc"))
    frame["d"], frame["e"] = rng.choice(["x", "y", "z"], 300), np.where(frame["a"] + frame["b"] > 0, "u", "v")
    score = prepare(frame, Options()).test.score("bic", None)
    blocks = score._blocks
    columns = [np.arange(*blocks.start[v : v + 2]) for v in range(5)]

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
