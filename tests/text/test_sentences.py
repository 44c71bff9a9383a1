from hypothesis import given
from hypothesis import strategies as st

from sidelight.text.sentences import LONGEST_NAME, NAMES_SHOWN, counted, listed, short_names


def test_a_noun_has_its_plural_unless_there_is_one():
    assert [counted(n, "edge") for n in (0, 1, 2)] == ["0 edges", "1 edge", "2 edges"]


@given(st.lists(st.text("ab", min_size=1, max_size=90), unique=True, max_size=8))
def test_different_names_are_short_and_different_in_sentences(names):
    short = short_names(names)
    assert len(set(short)) == len(names)
    assert all(len(text) <= LONGEST_NAME + len(" (column 8)") for text in short)
    assert all(text == name for name, text in zip(names, short, strict=True) if len(name) <= LONGEST_NAME)


def test_names_are_listed_as_in_a_sentence():
    assert [listed(names) for names in ([], "A", "AB", "ABC")] == ["", "A", "A and B", "A, B and C"]
    assert listed(["A", 1], quoted=True) == "'A' and '1'"


def test_the_last_names_of_a_long_list_are_counted():
    assert listed(range(NAMES_SHOWN + 3)).endswith(f"{NAMES_SHOWN - 1} and 3 more")
