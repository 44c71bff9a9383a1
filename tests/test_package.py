"""What is released and what surrounds it: sdist and wheel, the citation, the hooks, the lowest versions."""

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import sidelight as sl

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "sidelight"


def run(*command):
    return subprocess.run([sys.executable, "-m", *map(str, command)], cwd=ROOT, text=True, capture_output=True)


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The folder with the sdist and the wheel that is made from it, built with what is installed."""
    folder = tmp_path_factory.mktemp("dist")
    built = run("build", "--no-isolation", "--outdir", folder, ROOT)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def names_in_wheel(dist):
    (wheel,) = dist.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_sdist_and_wheel_are_built_and_their_pages_can_be_shown(dist):
    assert sorted(path.name for path in dist.iterdir()) == [
        f"sidelight-{sl.__version__}-py3-none-any.whl",
        f"sidelight-{sl.__version__}.tar.gz",
    ]
    checked = run("twine", "check", "--strict", *dist.iterdir())
    assert checked.returncode == 0, checked.stdout


def test_the_wheel_holds_every_file_of_the_package_that_is_in_the_repository(dist):
    source = {f"sidelight/{path.relative_to(PACKAGE).as_posix()}" for path in PACKAGE.rglob("*") if path.is_file()}
    made_when_run = {name for name in source if "__pycache__" in name}
    in_package = {name for name in names_in_wheel(dist) if name.startswith("sidelight/")}
    assert in_package == source - made_when_run


@pytest.mark.parametrize(
    "name",
    [
        "py.typed",
        "examples/newborns.csv",
        "examples/penguins.csv",
        "examples/README.md",
        "simulation/NETWORKS.md",
        "simulation/bif/asia.bif.gz",
        "simulation/structures.json.gz",
        "output/report/html/page/page.html",
        "output/report/html/page/graph.css",
        "output/report/html/page/start.js",
    ],
)
def test_the_wheel_holds_the_files_that_are_no_modules(dist, name):
    assert f"sidelight/{name}" in names_in_wheel(dist)


def test_the_wheel_holds_nothing_but_the_package_and_its_metadata(dist):
    tops = {name.partition("/")[0] for name in names_in_wheel(dist)}
    assert tops == {"sidelight", f"sidelight-{sl.__version__}.dist-info"}


def test_the_sdist_can_be_tested(dist):
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "LICENSE", "CITATION.cff", "tests/test_package.py", "docs/index.md"} <= names


def test_two_builds_give_the_same_wheel_bit_by_bit(dist, tmp_path):
    """One is made from the sdist, the other from a copy of its files that all have another time."""
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    (copy,) = tmp_path.iterdir()
    for path in copy.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    built = run("build", "--wheel", "--no-isolation", "--outdir", tmp_path / "again", copy)
    assert built.returncode == 0, built.stdout + built.stderr
    (first,), (second,) = dist.glob("*.whl"), (tmp_path / "again").glob("*.whl")
    assert first.read_bytes() == second.read_bytes()


def test_the_sdist_is_installed_and_used_elsewhere(dist, tmp_path):
    (sdist,) = dist.glob("*.tar.gz")
    options = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--no-compile", "--target", tmp_path)
    installed = run("pip", "install", *options, sdist)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    used = subprocess.run(
        [sys.executable, "-c", "import sidelight; print(sidelight.__file__, len(sidelight.networks.load('asia')))"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        text=True,
        capture_output=True,
    )
    assert used.stdout.split() == [str(tmp_path / "sidelight" / "__init__.py"), "8"], used.stderr


def test_the_locked_environment_is_one_that_the_project_allows():
    """Every package that is needed stands there once, with a hash, and in a version that is allowed."""
    lines = (ROOT / "tools" / "locked.txt").read_text().splitlines()[1:]
    locked = {
        name: version for line in lines for name, version in re.findall(r"^(\S+)==(\S+) --hash=sha256:\w{64}$", line)
    }
    assert len(locked) == len(lines)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for needed in map(Requirement, extras["dependencies"] + extras["optional-dependencies"]["dev"]):
        if needed.name != "sidelight":
            assert needed.specifier.contains(locked[canonicalize_name(needed.name)]), needed


def test_the_citation_names_this_version_and_the_paper():
    """The keys that the Citation File Format 1.2.0 requires, of the software and of what it refers to."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == sl.__version__
    (paper,) = citation["references"]
    for cited in (citation, paper):
        assert cited["title"]
        assert all("name" in author or {"given-names", "family-names"} <= set(author) for author in cited["authors"])
    assert citation["message"]
    assert paper["type"] == "article"
    assert re.sub(r"\s+", " ", paper["title"]) in re.sub(r"\s+", " ", (ROOT / "README.md").read_text())


def test_every_command_of_make_check_is_a_hook_before_a_commit():
    rule = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    commands = [line.strip().replace("$(BIN)", ".venv/bin") for line in rule[1].splitlines()]
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [hook["entry"] for hook in local["hooks"]] == commands
    assert not any(hook["pass_filenames"] for hook in local["hooks"])


def test_pre_commit_accepts_its_configuration():
    checked = run("pre_commit", "validate-config", ROOT / ".pre-commit-config.yaml")
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_workflows_and_forms_are_yaml_with_what_they_need(path):
    content = yaml.safe_load(path.read_text())
    if path.parent.name == "workflows":
        for job in content["jobs"].values():
            assert all("uses" in step or "run" in step for step in job["steps"])
            for command in re.findall(r"\bmake (\w+)", " ".join(step.get("run", "") for step in job["steps"])):
                assert re.search(rf"^{command}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    elif path.name != "config.yml":
        assert {"name", "description", "body"} <= set(content)


def test_public_names_are_found_where_type_checkers_find_them():
    """The imports that only type checkers see, and the table that Python uses, say the same."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    (unseen,) = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for node in unseen.body if isinstance(node, ast.ImportFrom)]
    renamed = {node.value.id: node.targets[0].id for node in unseen.body if isinstance(node, ast.Assign)}
    seen = {renamed.get(alias.name, alias.name): (node.module, alias.name) for node in imports for alias in node.names}
    assert set(seen) == {*sl.__all__, "StructureLearner"}
    for name, (module, defined_as) in seen.items():
        home = importlib.import_module(module)
        assert getattr(sl, name) is getattr(home, defined_as), name
    assert set(seen) == {name for name in dir(sl) if not name.startswith("_")}
    with pytest.raises(AttributeError, match="no attribute 'lern'"):
        sl.lern  # noqa: B018


@pytest.mark.parametrize("command", ["import sidelight", "sys.argv[1:] = ['--help']; import sidelight.__main__"])
def test_neither_the_import_nor_the_help_waits_for_what_it_does_not_need(command):
    """NumPy alone takes longer to import than both together."""
    heavy = {"numpy", "networkx", "pyarrow", "scipy", "numba", "sidelight.learning"}
    check = f"atexit.register(lambda: print({heavy} & sys.modules.keys(), file=sys.stderr))"
    ended = subprocess.run([sys.executable, "-c", f"import atexit, sys; {check}; {command}"], capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"set()\n")


@pytest.mark.parametrize("broken", ["python that does not run", "moved"])
def test_an_environment_that_does_not_work_here_is_made_anew(tmp_path, broken):
    shutil.copy(ROOT / "Makefile", tmp_path)
    scripts = tmp_path / ".venv" / "bin"
    scripts.mkdir(parents=True)
    if broken == "moved":
        (scripts / "python").symlink_to(sys.executable)
        (scripts / "pip").write_text("#!/elsewhere/.venv/bin/python\n")
    else:
        (scripts / "python").write_text("#!/nonexistent/python\n")
        (scripts / "python").chmod(0o755)
    made = subprocess.run(["make", "--dry-run", "format"], cwd=tmp_path, text=True, capture_output=True)
    assert ".venv does not work here and is made anew" in made.stderr
    assert not (tmp_path / ".venv").exists()


def test_the_lowest_versions_are_the_bounds_of_the_dependencies():
    printed = subprocess.run([sys.executable, "tools/lowest_versions.py"], cwd=ROOT, text=True, capture_output=True)
    text = (ROOT / "pyproject.toml").read_text()
    lines = printed.stdout.split()
    assert len(lines) == text.partition("\ndependencies = [")[2].partition("]")[0].count(">=")
    assert all(f'"{line.replace("==", ">=")}"' in text for line in lines)


def test_the_lowest_versions_are_those_with_which_make_lowest_passed():
    printed = subprocess.run([sys.executable, "tools/lowest_versions.py"], cwd=ROOT, text=True, capture_output=True)
    passed = (ROOT / "tools" / "lowest_versions.txt").read_text()
    assert printed.stdout == passed, "run `make lowest`, which writes tools/lowest_versions.txt when it passes"
