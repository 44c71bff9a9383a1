from hypothesis import given
from hypothesis import strategies as st

from sidelight.text.sentences import LONGEST_NAME, counted, short_names


def test_a_noun_has_its_plural_unless_there_is_one():
    assert [counted(n, "edge") for n in (0, 1, 2)] == ["0 edges", "1 edge", "2 edges"]


@given(st.lists(st.text("ab", min_size=1, max_size=90), unique=True, max_size=8))
def test_different_names_are_short_and_different_in_sentences(names):
    short = short_names(names)
    assert len(set(short)) == len(names)
    assert all(len(text) <= LONGEST_NAME + len(" (column 8)") for text in short)
    assert all(text == name for name, text in zip(names, short, strict=True) if len(name) <= LONGEST_NAME)
