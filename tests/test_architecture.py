"""The plan of the package: few modules in the root, one way for the data, each folder described, a short walk."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sidelight as sl

ROOT = Path(__file__).parent.parent
PACKAGE = Path(sl.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]


def test_the_root_has_at_most_eight_modules():
    assert len(list(PACKAGE.glob("*.py"))) <= 8


def test_every_folder_has_a_sentence_on_the_page_about_the_architecture():
    page = (ROOT / "docs" / "architecture.md").read_text()
    described = set(re.findall(r"^\| `(\w+)/` \| \w", page, re.MULTILINE))
    assert described == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def test_every_folder_stands_in_the_picture():
    picture = (ROOT / "docs" / "pictures" / "architecture.svg").read_text()
    drawn = set(re.findall(r'class="name">([\w.]+)<', picture))
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} <= drawn


def test_few_imports_go_against_the_flow():
    assert len(LINTER["ignore_imports"]) <= 5  # doors of networks, and from learn to resamples
    assert len(LINTER["layers"]) <= 23


def test_no_module_shadows_one_of_the_standard_library():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} | {p.stem for p in PACKAGE.glob("*.py")}
    assert not folders & (set(sys.stdlib_module_names) - {"__main__"})


def test_no_two_classes_have_one_name():
    seen = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                seen.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: places for name, places in seen.items() if len(places) > 1} == {}


def test_only_the_folder_of_the_tests_asks_for_the_class_of_a_test():
    tests = {
        "FisherZ",
        "PairwiseFisherZ",
        "DSeparation",
        "DegenerateGaussian",
        "Contingency",
        "KernelTest",
        "FunctionTest",
    }
    for path in MODULES:
        if path.is_relative_to(PACKAGE / "families"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                asked = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
                assert not asked & tests, path


def test_only_the_folder_of_the_bounds_asks_for_the_class_of_a_bound():
    bounds = {"DiamondFree", "CliqueBound", "CliqueNumber", "Treewidth", "VertexCover", "MaxInDegree", "AllBounds"}
    for path in MODULES:
        if path.parent.name == "side_information":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                assert not {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)} & bounds, path


def test_the_walks_of_tables_are_short_and_the_page_lists_one():
    run = subprocess.run([sys.executable, ROOT / "tools" / "walk.py"], capture_output=True, text=True, check=True)
    newborns, penguins = re.split(r"^penguins:", run.stdout, flags=re.MULTILINE)
    walked = re.findall(r"^ +\d+  (\S+)$", newborns, re.MULTILINE)
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert re.findall(r"^\| .*?\| `([\w/]+\.py)` \|", page, re.MULTILINE) == walked
    for walk, before, in_all in ((newborns, 16, 52), (penguins, 20, 64)):
        counts = re.search(r"(\d+) modules before the first boundary, (\d+) in all", walk)
        assert (int(counts[1]) <= before, int(counts[2]) <= in_all) == (True, True)


@pytest.mark.parametrize("path", [*PACKAGE.glob("learning/*.py"), *PACKAGE.glob("families/**/*.py")], ids=str)
def test_a_module_begins_with_what_it_is_for(path):
    assert ast.get_docstring(ast.parse(path.read_text()))
