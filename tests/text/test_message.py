"""A message reads as Python's users type options; the command prints what can be pasted into a shell."""

import copy
import csv
import io
import pickle
import shlex

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.cli.shared import names_in
from sidelight.errors import InputError
from sidelight.text.message import (
    Call,
    Message,
    Option,
    OptionName,
    between_commas,
    comma_separated,
    in_command_words,
    must_be,
    must_be_one_of,
)

names = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), min_size=1)
awkward = ["a, b", "it's", 'say "hi"', "-5", " x ", "$HOME", "two words", "*", "a\nb", '"', "--drop"]


@pytest.mark.parametrize(
    ("option", "python", "command"),
    [
        (Option("drop", ["site"]), "drop=['site']", "--drop site"),
        (Option("drop", ["a", "b c"]), "drop=['a', 'b c']", "--drop 'a,b c'"),
        (Option("drop", ["x,y", "z"]), "drop=['x,y', 'z']", """--drop '"x,y",z'"""),
        (Option("drop", ["-5"]), "drop=['-5']", "--drop=-5"),
        (Option("drop", [0, 7]), "drop=[0, 7]", "--drop 0,7"),
        (Option("correlation", "normal-scores"), 'correlation="normal-scores"', "--correlation normal-scores"),
        (Option("weights", 'a "b"'), "weights='a \"b\"'", """--weights 'a "b"'"""),
        (Option("max_tests", -5), "max_tests=-5", "--max-tests=-5"),
        (Option("missing"), "missing=", "--missing"),
        (OptionName("boundary_alpha"), "boundary_alpha", "--boundary-alpha"),
        (Option("overwrite", True, flag="--force"), "overwrite=True", "--force"),
        (Option("n_rows", 10, flag="--rows"), "n_rows=10", "--rows 10"),
        (Call("net.audit(data)", flag="sidelight audit"), "net.audit(data)", "sidelight audit"),
    ],
)
def test_an_option_is_spelled_as_python_and_as_the_command_have_it(option, python, command):
    message = Message("before ", option, " after")
    assert message == f"before {python} after"
    assert in_command_words(message) == f"before {command} after"


def test_a_text_that_only_looks_like_an_option_stays_as_it_is():
    assert in_command_words('p = 0.01, x=y and missing="drop"') == 'p = 0.01, x=y and missing="drop"'
    assert in_command_words(Message("drop=['it''s']")) == "drop=['it''s']"


def test_a_value_that_is_refused_is_named_with_what_is_accepted():
    refused = must_be_one_of("missing", ("error", "drop"), "ignore")
    assert refused == "missing must be one of 'error', 'drop'; got 'ignore'"
    assert in_command_words(refused) == "--missing must be one of 'error', 'drop'; got 'ignore'"
    assert in_command_words(must_be("n_rows", "1 or more", 0, flag="--rows")) == "--rows must be 1 or more; got 0"


@given(names)
@example(awkward)
def test_names_pasted_into_a_shell_come_back(given_names):
    command = Option("drop", given_names).in_command()
    words = shlex.split(command)
    text = words[1] if len(words) > 1 else words[0].removeprefix("--drop=")
    assert words[0].startswith("--drop")
    assert names_in(text) == given_names


@given(names)
@example(awkward)
def test_names_with_commas_between_are_a_row_of_csv(given_names):
    assert next(csv.reader(io.StringIO(comma_separated(given_names), newline=""))) == given_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" , ", []),
        (" a , b c,", ["a", "b c"]),
        ('a, "b, c" ,d', ["a", "b, c", "d"]),
        ('5" pipe,"x"y', ['5" pipe', '"x"y']),
    ],
)
def test_names_as_a_user_types_them_are_read(text, expected):
    assert between_commas(text) == expected


MESSAGE = Message("see ", Option("drop", ["a", "b c"]), " or ", Option("missing", "drop"))


@pytest.mark.parametrize(
    "kept",
    [
        *(pickle.loads(pickle.dumps(MESSAGE, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)),
        copy.copy(MESSAGE),
        copy.deepcopy(MESSAGE),
        str(MESSAGE),
        str(InputError(MESSAGE)),
        str(pickle.loads(pickle.dumps(InputError(MESSAGE)))),
        Message(MESSAGE),
    ],
)
def test_a_message_keeps_its_options(kept):
    assert kept == "see drop=['a', 'b c'] or missing=\"drop\""
    assert in_command_words(kept) == "see --drop 'a,b c' or --missing drop"


def test_messages_join_into_a_message():
    joined = Message("first ", MESSAGE, ", then ", Message(Option("columns")))
    assert joined == f"first {MESSAGE}, then columns="
    assert in_command_words(joined) == f"first {in_command_words(MESSAGE)}, then --columns"


def test_the_plain_text_of_a_message_is_a_text_and_nothing_else():
    assert type(MESSAGE.plain) is str
    assert MESSAGE.plain == MESSAGE


@pytest.mark.parametrize("column", ["site", "the site", "site, old", "-site", 'a "site"', "it's"])
def test_a_remedy_of_the_command_works_when_it_is_typed(column, tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=list("abc"))
    frame[column] = 1.0
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    refused = CliRunner().invoke(app, ["learn", str(path)])
    assert refused.exit_code == 2
    remedy = refused.stderr.partition("drop it: ")[2].splitlines()[0]
    checked = CliRunner().invoke(app, ["check", str(path)], env={"COLUMNS": "200"})
    assert checked.exit_code == 2
    assert remedy in checked.stdout
    assert CliRunner().invoke(app, ["check", str(path), *shlex.split(remedy)]).exit_code == 0
