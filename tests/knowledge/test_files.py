"""Files and dictionaries that say what is known: exact round trips, Tetrad's files, clear errors."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.knowledge import (
    Ancestor,
    Edge,
    Forbidden,
    Known,
    Leaves,
    NoEdge,
    NotAncestor,
    Order,
    Part,
    Required,
    Roots,
    Tiers,
    known,
    known_as_toml,
    known_from_dict,
    read_knowledge,
)
from sidelight.side_information import DiamondFree, MaxInDegree, SideInformation
from tests.knowledge.meaning import all_statements

TOML = """
side = ["diamond-free", "in-degree:3"]
required = [["smoking", "cancer"]]
forbidden = [["smoking", "sex"]]
adjacent = [["a", "b"]]
not_adjacent = [["lab_*", "lab_*"]]
tiers = [["age", "sex"], ["smoking"], ["cancer"]]
roots = ["age"]
leaves = ["death"]
ancestors = [["smoking", "death"]]
not_ancestors = [["a", "b"]]
order = [["a", "b", "c"], ["d", ["e", "f"]]]

[[part]]
arrows = [["a", "b"]]
variables = ["c"]

[[part]]
variables = [1, 2]
"""
SAID = [
    DiamondFree(),
    MaxInDegree(3),
    Required(("smoking", "cancer")),
    Forbidden(("smoking", "sex")),
    Edge(("a", "b")),
    NoEdge(("lab_*", "lab_*")),
    Tiers(["age", "sex"], "smoking", "cancer"),
    Roots("age"),
    Leaves("death"),
    Ancestor(("smoking", "death")),
    NotAncestor(("a", "b")),
    Order("a", "b", "c"),
    Order("d", ["e", "f"]),
    Part([("a", "b")], ["c"]),
    Part([], [1, 2]),
]


def read(tmp_path, text, name="known.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_knowledge(path)


def test_a_toml_file_says_all_kinds(tmp_path):
    assert read(tmp_path, TOML) == known(SAID)


def test_a_dictionary_and_its_toml_come_back_exactly(tmp_path):
    what = known(SAID)
    plain = what.as_dict()
    assert known_from_dict(plain) == what
    assert known_from_dict(plain).as_dict() == plain
    assert known_from_dict(json.loads(json.dumps(plain))) == what
    assert tomllib.loads(known_as_toml(what)) == plain
    assert read(tmp_path, known_as_toml(what)) == what


@given(st.lists(all_statements, max_size=6))
def test_any_statements_come_back_exactly(statements):
    what = known(statements)
    plain = what.as_dict()
    assert known_from_dict(plain) == what
    assert known_from_dict(plain).as_dict() == plain
    assert tomllib.loads(known_as_toml(what)) == plain


names = st.text(min_size=1) | st.integers(-(2**63), 2**63 - 1)


@given(st.lists(names, min_size=1))
def test_any_name_comes_back_from_toml(chosen):
    what = known(Roots(*chosen))
    assert known_from_dict(tomllib.loads(known_as_toml(what))) == what


def test_only_the_keys_of_what_is_there_are_written():
    assert Known().as_dict() == {}
    assert known_as_toml(Known()) == ""
    assert known(Roots("a")).as_dict() == {"roots": ["a"]}
    assert known(Tiers("a", ["b"])).as_dict() == {"tiers": [["a"], ["b"]]}
    assert known(Tiers("a", isolated=True)).as_dict() == {"tiers": {"names": [["a"]], "isolated": True}}


def test_several_statements_of_one_kind_are_written_together():
    both = Required(("a", "b")) & Required(("c", "d")) & Required(("a", "b"))
    assert both.as_dict() == {"required": [["a", "b"], ["c", "d"]]}


def test_tiers_may_be_a_table_or_several(tmp_path):
    one = '[tiers]\nnames = [["a"], ["b"]]\nisolated = true\nnext_only = false\n'
    assert read(tmp_path, one) == known(Tiers("a", "b", isolated=True))
    several = '[[tiers]]\nnames = ["a", "b"]\n[[tiers]]\nnames = ["c", "d"]\nnext_only = true\n'
    assert read(tmp_path, several) == Tiers("a", "b") & Tiers("c", "d", next_only=True)


def test_names_and_bounds_that_toml_cannot_hold_are_refused():
    with pytest.raises(InputError, match=r"the name 1\.5 cannot be written to TOML; texts and whole numbers can"):
        known_as_toml(known(Roots(1.5)))

    class Own(SideInformation):
        def left_out(self, boundary_size):
            return 0, 1

        def __str__(self):
            return "own"

        def __repr__(self):
            return "Own()"

    with pytest.raises(InputError, match=r"the bound Own\(\) cannot be written"):
        known(Own()).as_dict()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\nrequired == []", "is not TOML: .*line 2"),
        ("requird = []", r"unknown key 'requird' \(did you mean 'required'\?\); accepted are side, required"),
        ("qqqq = 1", "unknown key 'qqqq'; accepted are side"),
        ('required = "ab"', r"required: 'ab' is not a list; it must look like required = \[\["),
        ('required = ["ab"]', r"required: 'ab' is not a pair of two names; it must look like required = \[\["),
        ('required = [["a", "a"]]', "required: the pair .* has one name twice; it must look like required"),
        ('roots = [["a"]]', r"roots: \['a'\] is not the name of a variable; it must look like roots = \["),
        ('order = ["a", "b"]', r"order: 'a' is not a list; it must look like order = \[\["),
        ('tiers = "a"', "tiers: 'a' is not a list; it must look like tiers"),
        ("tiers = []", "tiers: at least one name is needed; it must look like tiers"),
        ('[tiers]\nname = [["a"]]', r"unknown key of tiers 'name' \(did you mean 'names'\?\)"),
        ('[tiers]\nnames = ["a"]\nisolated = 1', "isolated of Tiers must be True or False; got 1"),
        ("part = [1]", "part: 1 is not a table with arrows and variables; it must look like"),
        ("[[part]]\narrow = []", r"unknown key of part 'arrow' \(did you mean 'arrows'\?\)"),
        ("side = 3", "side: 3 is not a list; it must look like side ="),
        ('side = ["triangle-free"]', "side must be one of none, diamond-free.* got 'triangle-free'"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_the_key_and_what_would_be_accepted(tmp_path, text, reason):
    with pytest.raises(InputError, match=rf"known\.toml'.*{reason}"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"roots = {'9' * 5000}", "is not TOML: .*4300 digits"),
        (f"roots = {'[' * 5000}{']' * 5000}", "nested too deeply"),
        (f"{'.'.join('a' * 50_000)} = 1", "a key in it has more than 16 parts"),
        ("[" + " . ".join(['"a"', "b", "c"] * 20) + "]", "a key in it has more than 16 parts"),
        ("#" + "a" * (1 << 24), "more than 17 MB of text"),
    ],
    ids=["digits", "depth", "dotted", "quoted", "length"],
)
def test_a_file_that_would_take_more_memory_than_its_length_explains_is_refused(tmp_path, text, reason):
    with pytest.raises(InputError, match=rf"known\.toml'.*{reason}"):
        read(tmp_path, text)


def test_names_with_dots_are_no_deep_keys(tmp_path):
    name = ".".join("abcdefgh")
    assert read(tmp_path, f'roots = ["{name}", "{name}.{"x" * 40}"]').statements


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"there is no file .*absent\.toml"):
        read_knowledge(tmp_path / "absent.toml")
    with pytest.raises(InputError, match="is a folder"):
        read_knowledge(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'roots = ["\xe9"]')
    with pytest.raises(InputError, match="not UTF-8"):
        read_knowledge(str(tmp_path / "latin.toml"))


def test_a_dictionary_is_needed():
    with pytest.raises(InputError, match="must be a dictionary with keys such as 'required'; got 3"):
        known_from_dict(3)


TETRAD = """/knowledge
addtemporal

1* age sex   // what comes first
2 smoking,"body mass"
4-\tcancer
5 pain
7 death

forbiddirect
smoking pain

requiredirect
smoking cancer
"""


@pytest.mark.parametrize("name", ["known.txt", "known.knowledge", "known", "known.toml"])
def test_a_file_of_tetrad_says_tiers_and_arrows(tmp_path, name):
    assert read(tmp_path, TETRAD, name) == known(
        [
            Tiers(["age", "sex"], ["smoking", "body mass"], [], "cancer", "pain", [], "death"),
            NoEdge(("age", "sex")),
            Forbidden(("cancer", "death"), ("smoking", "pain")),
            Required(("smoking", "cancer")),
        ]
    )


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("1* a b\n2* c", Tiers(["a", "b"], "c", isolated=True)),
        ("1- a b\n2- c", Tiers(["a", "b"], "c", next_only=True)),
        ("1*- a\n2-* c", Tiers("a", "c", isolated=True, next_only=True)),
        ("2 c\n1 a\n2 b", Tiers("a", ["c", "b"])),
        ("1* lab_*\n2 a", Tiers("lab_*", "a") & NoEdge(("lab_*", "lab_*"))),
        ("1* a\n2 b", Tiers("a", "b")),
        ("", Known()),
    ],
)
def test_marks_of_tetrads_tiers(tmp_path, lines, expected):
    assert read(tmp_path, f"/knowledge\naddtemporal\n{lines}\n", "known.txt") == known(expected)


def test_groups_of_tetrad_are_all_arrows_between_two_lines(tmp_path):
    text = "forbiddengroup\na b\nc d\n\nRequiredGroup\ne\nf\n"
    expected = Forbidden(("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")) & Required(("e", "f"))
    assert read(tmp_path, text, "known.txt") == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("/knowledge\na b", "line 2: expected one of addtemporal, forbiddirect, .*; got 'a b'"),
        (
            "/knowledge\nforbiddirect\na b\na",
            "line 4: expected a cause and an effect, such as 'smoking cancer'; got 'a'",
        ),
        ("/knowledge\nrequiredirect\n\na b c", "line 4: expected a cause and an effect"),
        ("/knowledge\nrequiredirect\na a", "line 3: expected a cause and an effect"),
        ("/knowledge\naddtemporal\nx a", "line 3: expected the number of a tier and its variables"),
        ("/knowledge\naddtemporal\n1 a\n2 a", "'a' stands in two places"),
        ("/knowledge\nforbiddengroup\na b", "line 3: expected a line with effects after this one"),
    ],
)
def test_a_wrong_file_of_tetrad_is_refused_with_its_line(tmp_path, text, reason):
    with pytest.raises(InputError, match=rf"known\.txt'.*{reason}"):
        read(tmp_path, text, "known.txt")


MANY = " ".join(f"v{i}" for i in range(1500))
TIERS = "\n".join(f"{i}{'-' * (i % 2)} v{i}" for i in range(4000))


@pytest.mark.parametrize(
    ("text", "which"),
    [
        (f"forbiddengroup\n{MANY}\n{MANY}\n", "groups stand for 2,250,000 pairs"),
        (f"addtemporal\n1* {MANY}\n2 x", r"tiers marked with \* stand for 1,125,750 pairs"),
        (f"addtemporal\n{TIERS}", "tiers marked with - stand for"),
    ],
    ids=["groups", "within", "jumping"],
)
def test_pairs_are_counted_before_they_are_made(tmp_path, text, which):
    with pytest.raises(InputError, match=rf"known\.txt': the {which}.* 500,000 are the most.*patterns such as"):
        read(tmp_path, f"/knowledge\n{text}", "known.txt")
