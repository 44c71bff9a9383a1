"""Every option is written once: learn, the estimator, the commands and the documentation derive from ``Options``."""

import importlib.util
import inspect
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

import sidelight as sl
from sidelight.cli.main import imported
from sidelight.cli.options import NOT_FOR_COMMANDS
from sidelight.estimator import NOT_PARAMETERS, RENAMED
from sidelight.families import TABLE_TESTS
from sidelight.families.options import (
    CORRELATIONS,
    MISSING,
    VARIATIONS,
    CorrelationOf,
    DataOptions,
    Missing,
    TestName,
    Variation,
)
from sidelight.learners import LEARNERS
from sidelight.learners.rsl import VARIANTS
from sidelight.options import LearnerName, Options, VariantName

ROOT = Path(__file__).parent.parent
FIELDS = {field.name: field for field in fields(Options)}
ORACLE = sl.DSeparation(sl.networks.load("asia"))


def command_options(name):
    return {p.name: p for p in imported(name).params if p.param_type_name == "option"}


def test_learn_has_the_options_with_their_defaults_after_the_source():
    source, *options = inspect.signature(sl.learn).parameters.values()
    assert source.name == "source"
    assert {p.name: p.default for p in options} == {name: field.default for name, field in FIELDS.items()}
    positional = [p.name for p in options if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == ["side", "learner", "variant", "alpha"]


@pytest.mark.parametrize("function", [sl.learn, sl.diagnose])
def test_the_documentation_of_a_function_has_every_option(function):
    for name in inspect.signature(function).parameters:
        assert f"\n        {name}: " in function.__doc__


def test_the_estimator_has_all_options_but_those_that_say_nothing_to_it():
    parameters = inspect.signature(sl.StructureLearner).parameters
    options = [name for name in inspect.signature(Options).parameters if name not in NOT_PARAMETERS]
    assert list(parameters) == [RENAMED.get(name, name) for name in options]
    assert sl.StructureLearner().get_params() == {RENAMED.get(name, name): FIELDS[name].default for name in options}


def test_the_command_learn_has_all_options_but_those_for_python():
    options = command_options("learn")
    assert set(FIELDS) - set(NOT_FOR_COMMANDS) <= set(options)
    for name in set(FIELDS) - set(NOT_FOR_COMMANDS):
        assert options[name].help == FIELDS[name].metadata["command"]


def test_the_command_check_has_the_options_for_tables():
    assert {f.name for f in fields(DataOptions)} - {"names"} <= set(command_options("check"))


def test_an_option_that_does_not_exist_is_refused_by_its_name():
    with pytest.raises(TypeError, match="aplha"):
        sl.learn(ORACLE, aplha=0.05)
    with pytest.raises(TypeError, match="aplha"):
        sl.StructureLearner(aplha=0.05)


def test_what_type_checkers_accept_is_what_there_is():
    assert get_args(LearnerName) == ("auto", *LEARNERS)
    assert get_args(VariantName) == tuple(VARIANTS)
    assert get_args(TestName) == ("auto", *TABLE_TESTS)
    assert get_args(CorrelationOf) == ("auto", *CORRELATIONS)
    assert set(get_args(Missing)) == set(MISSING)
    assert get_args(Variation) == VARIATIONS


def test_the_table_of_options_in_the_documentation_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_options", ROOT / "tools" / "make_options.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == (ROOT / "docs" / "options.md").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"side": 3}, "side must be DiamondFree.*; got 3"),
        ({"side": "clique"}, "clique"),
        ({"learner": "ges"}, "learner must be one of 'auto', 'rsl', .*; got 'ges'"),
        ({"learner": None}, "learner must be one of .*; got None"),
        ({"variant": "fast"}, "variant must be one of 'robust', .*; got 'fast'"),
        ({"alpha": 0}, "alpha must be a number between 0 and 1, such as 0.01; got 0"),
        ({"boundary_alpha": 1.5}, "boundary_alpha must be a number between 0 and 1"),
        ({"boundaries": "mb"}, "boundaries must be one of 'auto', 'tc', .*; got 'mb'"),
        ({"max_tests": -1}, "max_tests must be a whole number, 0 or more, or None for no limit; got -1"),
        ({"max_conditioning": True}, "max_conditioning must be a whole number"),
        ({"n_jobs": 0}, "n_jobs must be a number of workers, or -1 for all cores; got 0"),
        ({"progress": 7}, "progress must be a function"),
        ({"learner": "pc", "side": sl.DiamondFree()}, "side= goes with learner=\"rsl\" or hybrid, not with 'pc'"),
        ({"learner": "pc", "variant": "paper"}, "variant= goes with learner=\"rsl\" or hybrid, not with 'pc'"),
        ({"learner": "pc-stable", "boundaries": "gs"}, "'pc-stable' does not start from boundaries"),
        ({"learner": "pc-stable", "boundary_alpha": 0.1}, "'pc-stable' finds no boundaries"),
    ],
)
def test_an_option_that_cannot_be_used_is_named_with_what_is_accepted(options, message):
    with pytest.raises(sl.InputError, match=message):
        sl.learn(ORACLE, **options)
