import pytest

from sidelight.explain.phrases import p_in_words


@pytest.mark.parametrize(
    ("p", "alpha", "words"),
    [
        (0.0101, 0.01, "p = 0.0101"),
        (0.00997, 0.01, "p = 0.01"),
        (0.050000001, 0.05, "p = 0.050000001"),
        (0.23456, 0.01, "p = 0.23"),
        (2.14e-12, 0.01, "p = 2.1e-12"),
        (0.0, 0.01, "p < 1e-300"),
    ],
)
def test_a_p_value_is_shown_on_its_side_of_the_significance_level(p, alpha, words):
    assert p_in_words(p, alpha) == words
