"""What is known and cannot be: the same message from Python, from both commands and from every kind of file.

The message names every statement that is to blame and no other, the exit code is 2, and nothing is written.
"""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sidelight as sl
from sidelight.cli.main import app
from sidelight.knowledge import known, known_as_toml
from sidelight.side_information import side_in_words

NAMES = list("abcdef")
INNOCENT = sl.Forbidden(("e", "f"))  # is never to blame
FRAME = pd.DataFrame(np.random.default_rng(0).standard_normal((60, 6)), columns=NAMES)
CLIQUE = (sl.Edge(("a", "b")), sl.Edge(("b", "c")), sl.Required(("c", "a")))
DIAMOND = (*map(sl.Required, [("a", "d"), ("b", "d"), ("c", "d")]), sl.Edge(("a", "b")), sl.Edge(("a", "c")))

# Each statement and bound of a case is to blame, so that leaving one out mends it.
CONTRADICTIONS = {
    "required and forbidden": (sl.Required(("a", "b")), sl.Forbidden(("a", "b"))),
    "required against tiers": (sl.Required(("a", "b")), sl.Tiers("b", ["a", "c"])),
    "required within an isolated tier": (sl.Required(("a", "b")), sl.Tiers(["a", "b"], isolated=True)),
    "required over the next tier": (sl.Required(("a", "b")), sl.Tiers("a", "c", "b", next_only=True)),
    "required into a root": (sl.Required(("a", "b")), sl.Roots("b")),
    "required out of a leaf": (sl.Required(("a", "b")), sl.Leaves("a")),
    "required against an order": (sl.Required(("a", "b")), sl.Order("b", "a")),
    "required and not adjacent": (sl.Required(("a", "b")), sl.NoEdge(("b", "a"))),
    "required and no ancestor": (sl.Required(("a", "b")), sl.NotAncestor(("a", "b"))),
    "required against a part": (sl.Required(("a", "b")), sl.Part([("b", "a")])),
    "required between variables of a part": (sl.Required(("a", "b")), sl.Part([], ["a", "b"])),
    "required both ways": (sl.Required(("a", "b")), sl.Required(("b", "a"))),
    "a cycle of arrows": tuple(map(sl.Required, [("a", "b"), ("b", "c"), ("c", "a")])),
    "a cycle of arrows and paths": (sl.Required(("a", "b")), sl.Ancestor(("b", "c")), sl.Ancestor(("c", "a"))),
    "adjacent and not": (sl.Edge(("a", "b")), sl.NoEdge(("a", "b"))),
    "adjacent without a direction": (sl.Edge(("a", "b")), sl.Forbidden(("a", "b")), sl.Forbidden(("b", "a"))),
    "adjacent root and leaf": (sl.Edge(("a", "b")), sl.Roots("a"), sl.Leaves("a")),
    "ancestor and none": (sl.Ancestor(("a", "b")), sl.NotAncestor(("a", "b"))),
    "ancestor against an order": (sl.Ancestor(("a", "b")), sl.Order("b", "a")),
    "ancestor without a path": (sl.Ancestor(("a", "b")), sl.Leaves("a")),
    "arrows that make an excluded path": (
        sl.Required(("a", "b")),
        sl.Required(("b", "c")),
        sl.NotAncestor(("a", "c")),
    ),
    "an edge that would close a cycle": (
        sl.Edge(("a", "b")),
        sl.Forbidden(("b", "a")),
        sl.Required(("b", "c")),
        sl.Ancestor(("c", "a")),
    ),
    "a clique above its bound": (sl.CliqueNumber(2), *CLIQUE),
    "a clique above a treewidth": (sl.Treewidth(1), *CLIQUE),
    "causes above their bound": (sl.MaxInDegree(1), sl.Required(("a", "c")), sl.Edge(("b", "c")), sl.Roots("b")),
    "a diamond that is excluded": (sl.DiamondFree(), *DIAMOND, sl.NoEdge(("b", "c"))),
}
# Each name that is wrong, with a word about it.
WRONG_NAMES = {
    "one letter too many": (sl.Required(("a", "bb")), "'bb' (did you mean 'b'?)"),
    "a pattern without a column": (sl.Roots("lab_*"), "'lab_*' (matches no column)"),
    "two at once": (sl.Tiers(["a", "age"], "sex"), "'age', 'sex'"),
}
# Files of Tetrad, with all that their messages must name.
TETRAD = {
    "required and forbidden": (
        "forbiddirect\na b\n\nrequiredirect\na b\n",
        ["a → b is required but cannot be there", "'required: a → b'", "'forbidden: a → b'"],
    ),
    "against tiers": (
        "addtemporal\n1 b\n2 a c\n\nrequiredirect\na b\n",
        ["'required: a → b'", "'tiers: b | a, c'"],
    ),
    "within a tier": ("addtemporal\n1* a b\n2 c\n\nrequiredirect\na b\n", ["'not adjacent: a – b'"]),
    "over the next tier": (
        "addtemporal\n1- a\n2 c\n3 b\n\nrequiredirect\na b\n",
        ["'required: a → b'", "'forbidden: a → b'"],
    ),
    "a cycle": (
        "requiredirect\na b\nb c\nc a\n",
        ["a → b → c → a is a cycle", "'required: a → b'", "'required: b → c'", "'required: c → a'"],
    ),
    "groups": (
        "forbiddengroup\na b\nc d\n\nrequiredgroup\nb\nd e\n",
        ["b → d is required", "'required: b → d'", "'forbidden: b → d'"],
    ),
    "two at once": (
        "forbiddirect\na b\nc d\n\nrequiredirect\na b\nc d\n",
        ["\n- a → b is required", "\n- c → d is required"],
    ),
    "a misspelt name": ("requiredirect\na bb\n", ["'bb' (did you mean 'b'?)"]),
    "a name in two tiers": ("addtemporal\n1 a b\n2 a\n", ["'a' stands in two places"]),
}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "data.csv"
    FRAME.to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "120"})


def complaint_of_python(**options):
    with pytest.raises(sl.InputError) as caught:
        sl.learn(FRAME, **options)
    return str(caught.value)


def complaint_of_command(command, table, *options):
    """What the command says on standard error, if it ends as it should."""
    out, report = table.parent / "graph.json", table.parent / "report.html"
    files = ["--out", out, "--report", report] if command == "learn" else []
    result = run(command, table, *options, *files)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    assert not out.exists()
    assert not report.exists()
    assert result.stderr.startswith("sidelight: ")
    return result.stderr.removeprefix("sidelight: ").rstrip("\n")


def written(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize("what", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_contradiction_names_all_that_is_to_blame_wherever_it_comes_from(what, table):
    file = written(table.parent / "known.toml", known_as_toml(known([*what, INNOCENT])))
    everything = sl.read_knowledge(file)  # in the order of the file, which is that of the message
    text = complaint_of_python(side=everything)
    assert text.startswith("what is known contradicts itself: ")
    assert all(f"'{each}'" in text for each in what)
    assert str(INNOCENT) not in text
    assert complaint_of_python(knowledge=file) == text
    assert complaint_of_python(side=everything, knowledge=file) == text
    assert complaint_of_command("learn", table, "--knowledge", file) == text
    assert complaint_of_command("check", table, "--knowledge", file) == text


@pytest.mark.parametrize("what", [w for w in CONTRADICTIONS.values() if known(list(w)).bounds], ids=lambda w: str(w[0]))
def test_a_bound_of_the_command_contradicts_a_file(what, table):
    bound, *statements = what
    file = written(table.parent / "known.toml", known_as_toml(known(statements)))
    options = ["--knowledge", file, "--side", side_in_words(bound)]
    assert run("check", table, "--knowledge", file).exit_code == 0
    text = complaint_of_python(side=sl.read_knowledge(file) & bound)
    assert {complaint_of_command(command, table, *options) for command in ("learn", "check")} == {text}


@pytest.mark.parametrize("what", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_without_any_one_of_those_to_blame_there_is_no_contradiction(what, table):
    for one in what:
        rest = known([each for each in what if each is not one])
        file = written(table.parent / "known.toml", known_as_toml(rest))
        result = run("check", table, "--knowledge", file)
        assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize(("statement", "words"), WRONG_NAMES.values(), ids=WRONG_NAMES)
def test_names_that_are_no_columns_are_all_named_wherever_they_come_from(statement, words, table):
    text = complaint_of_python(side=statement)
    assert text == f"what is known names variables that are not there: {words}"
    file = written(table.parent / "known.toml", known_as_toml(known(statement)))
    assert complaint_of_python(knowledge=str(file)) == text
    assert complaint_of_command("learn", table, "--knowledge", file) == text
    assert complaint_of_command("check", table, "--knowledge", file) == text


@pytest.mark.parametrize(("content", "fragments"), TETRAD.values(), ids=TETRAD)
def test_files_of_tetrad_are_refused_in_the_same_way(content, fragments, table):
    file = written(table.parent / "knowledge.txt", f"/knowledge\n{content}")
    text = complaint_of_python(knowledge=file)
    assert all(fragment in text for fragment in fragments)
    assert complaint_of_command("learn", table, "--knowledge", file) == text
    assert complaint_of_command("check", table, "--knowledge", file) == text


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("known.toml", "required = [[", "is not TOML"),
        ("known.toml", 'requires = [["a", "b"]]', "unknown key 'requires' (did you mean 'required'?)"),
        ("known.toml", 'required = ["a", "b"]', 'must look like required = [["smoking", "cancer"]]'),
        ("known.txt", "/knowledge\nrequiredirect\na b c\n", "line 3: expected a cause and an effect"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(name, content, message, table):
    file = written(table.parent / name, content)
    text = complaint_of_python(knowledge=file)
    assert text.startswith(repr(str(file)))
    assert message in text
    assert complaint_of_command("learn", table, "--knowledge", file) == text
    assert complaint_of_command("check", table, "--knowledge", file) == text


def test_a_file_that_is_not_there_is_named(table):
    assert complaint_of_command("check", table, "--knowledge", "nowhere.toml") == "there is no file 'nowhere.toml'"


# What the check says if all is well.

TIERS = 'tiers = [["a"], ["b", "c"], ["d", "e", "f"]]\nrequired = [["b", "c"], ["c", "e"]]\n'


def test_the_check_says_what_is_known_beside_the_diagnosis(table):
    file = written(table.parent / "known.toml", TIERS)
    result = run("check", table, "--knowledge", file, "--side", "in-degree:3")
    assert result.exit_code == 0
    assert "no problems found" in result.stdout
    # 11 arrows lead back: 2 from b and c to a, 3 from d, e and f to a, and 6 from these to b and c. The arrow b → c
    # forbids c → b too, the twelfth; that e → c cannot be is known already. In order: a, then b, c, and d, e and f.
    assert result.stdout.splitlines()[-2:] == [
        "known.toml: 3 statements about 6 of 6 variables and 1 bound (largest in-degree ≤ 3), no contradiction",
        "together they require 2 arrows, forbid 12 of 30, and order the variables into 4 blocks",
    ]
    assert run("check", table, "--knowledge", file, "--quiet").stdout == ""


def test_the_same_facts_are_in_the_json(table):
    file = written(table.parent / "known.toml", TIERS)
    found = json.loads(run("check", table, "--knowledge", file, "--side", "diamond-free", "--json").stdout)
    assert found["n_columns"] == 6
    assert found["knowledge"] == {
        "file": str(file),
        "bounds": ["diamond-free"],
        "n_statements": 3,
        "n_variables": 6,
        "n_named": 6,
        "n_required": 2,
        "n_forbidden": 12,
        "n_blocks": 4,
    }
    assert "knowledge" not in json.loads(run("check", table, "--json").stdout)


def test_statements_that_order_nothing_and_files_that_say_nothing_are_told_as_such(table):
    file = written(table.parent / "known.toml", 'not_adjacent = [["a", "[bc]"]]')
    lines = run("check", table, "--knowledge", file).stdout.splitlines()
    assert lines[-2] == "known.toml: 1 statement about 3 of 6 variables, no contradiction"
    assert lines[-1] == "together they require 0 arrows, forbid 4 of 30, and leave their order open"
    file.write_text("")
    assert run("check", table, "--knowledge", file).stdout.splitlines()[-1] == "known.toml: nothing is known"
    assert run("check", table, "--side", "clique:3").stdout.splitlines()[-1] == "--side: 1 bound (clique number ≤ 3)"


def test_a_table_that_cannot_be_learned_from_does_not_hide_what_is_wrong_with_the_knowledge(table):
    FRAME.assign(b=1.0, c=FRAME["a"]).to_csv(table, index=False)
    good = written(table.parent / "good.toml", 'required = [["a", "b"]]')
    result = run("check", table, "--knowledge", good)
    assert result.exit_code == 2
    assert "column 'b' has one value only" in result.stdout
    assert "good.toml: 1 statement about 2 of 6 variables, no contradiction" in result.stdout
    bad = written(table.parent / "bad.toml", 'required = [["a", "b"], ["b", "a"]]')
    result = run("check", table, "--knowledge", bad)
    assert result.exit_code == 2
    assert "column 'b' has one value only" in result.stdout
    assert "a → b → a is a cycle" in result.stderr
    assert run("check", table, "--knowledge", bad, "--json").stdout == ""


@pytest.mark.parametrize("options", [["--drop", "c,d"], ["--columns", "a,b,e,f"], ["--drop", "d", "--weights", "c"]])
def test_names_are_those_of_the_columns_that_would_be_learned_from(options, table):
    FRAME.assign(c=2).to_csv(table, index=False)
    file = written(table.parent / "known.toml", 'roots = ["a", "c", "d"]')
    text = "what is known names variables that are not there: 'c', 'd'"
    assert complaint_of_command("check", table, "--knowledge", file, *options) == text
    assert complaint_of_command("learn", table, "--knowledge", file, *options) == text
    file.write_text('roots = ["a"]')
    assert "1 of 4 variables" in run("check", table, "--knowledge", file, *options).stdout


@pytest.mark.parametrize("options", [{}, {"drop": ["b"]}, {"weights": "f"}, {"columns": ["d", "a"]}], ids=str)
@pytest.mark.parametrize("discrete", [[], ["b", "d"], NAMES[:-1]], ids=len)
def test_a_diagnosis_has_the_names_that_are_learned(options, discrete):
    frame = FRAME.assign(**{name: np.where(FRAME[name] > 0, "high", "low") for name in discrete})
    frame["f"] = np.arange(60) % 3 + 1
    assert sl.diagnose(frame, **options).names == sl.learn(frame, learner="pc", **options).names


def test_a_terminal_without_arrows_still_shows_the_contradiction(table):
    file = written(table.parent / "known.toml", known_as_toml(known([*CONTRADICTIONS["ancestor and none"]])))
    command = ["check", str(table), "--quiet", "--knowledge", str(file)]
    result = CliRunner(charset="ascii").invoke(app, command)
    assert result.exit_code == 2
    assert "'ancestor: a ~> b' and 'no ancestor: a ~> b'" in result.stderr
