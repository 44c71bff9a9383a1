import numpy as np
import pytest

import sidelight as sl
from sidelight.orientation.separation_check import failures


@pytest.mark.parametrize(
    ("n_wrong", "words"), [(1, "1 of 3 separating sets does not"), (2, "2 of 3 separating sets do")]
)
def test_the_warning_about_separating_sets_agrees_with_their_number(n_wrong, words):
    values = np.random.default_rng(0).standard_normal((50, 3))
    test = sl.FisherZ(sl.Correlation(np.corrcoef(values.T), 50))
    sets = sl.learn(test).separating_sets
    (warning,) = failures(test, sets, [(0, 1, []), (0, 2, [])][:n_wrong])
    assert words in warning
