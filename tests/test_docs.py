"""Every block of the README and of the documentation runs and prints what the page says; links and navigation hold.

Blocks run in the order of the page, in one folder. ``python`` blocks are executed. Of ``sh`` blocks the lines run that
begin with ``sidelight`` or ``python -c``; a comment may state another exit code than 0. A ``text`` block after them
shows lines that they print, in order, with … for lines left out. Commands in indented blocks, which would take hours,
only have to be spelled right.
"""

import re
import shlex
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.examples import example
from studies.reproduction.command import app as study

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")])
CODE = ("src", "studies", "tests")
FENCED = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED_COMMAND = re.compile(r"^    ((?:sidelight|python -m studies.reproduction)\b.*?)(?:  .*)?$", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]*))?\)")
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@every_page
def test_the_blocks_of_a_page_run_and_print_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("newborns.csv", "data.csv", "other.csv"):
        shutil.copy(example("newborns"), name)
    shutil.copy(example("penguins"), "penguins.csv")
    scope, printed = {}, ""
    for kind, block in FENCED.findall(page.read_text()):
        if kind == "text":
            assert_shown(block, printed)
        elif kind == "python":
            printed = run_python(block, scope, page)
        elif kind == "sh":
            printed = "".join(map(run_command, block.splitlines()))


def run_python(code, scope, page):
    with redirect_stdout(StringIO()) as output:
        exec(compile(code, str(page), "exec"), scope)
    return output.getvalue()


def run_command(line):
    words = shlex.split(line, comments=True)
    if words[:2] == ["python", "-c"]:
        return run_python(words[2], {}, line)
    if words[:1] != ["sidelight"]:
        return ""
    result = CliRunner().invoke(app, words[1:], env={"COLUMNS": "120"})
    stated = re.search(r"# exit code (\d)", line)
    assert result.exit_code == int(stated[1] if stated else 0), f"{line}: {result.output}"
    return result.stdout


def assert_shown(block, printed):
    lines = (line.rstrip() for line in printed.splitlines())
    for wanted in block.splitlines():
        assert wanted == "…" or wanted.rstrip() in lines, f"not printed (there): {wanted}"


@every_page
def test_the_commands_that_are_not_run_are_spelled_right(page):
    for command in INDENTED_COMMAND.findall(FENCED.sub("", page.read_text())):
        _, *words = shlex.split(command)
        chosen, options = (study, words[2:]) if words[0] == "-m" else (app, words)
        result = CliRunner().invoke(chosen, [*options, "--help"])
        assert result.exit_code == 0, f"{command}: {result.output}"


@every_page
def test_every_relative_link_and_picture_of_a_page_exists(page):
    for target, heading in LINK.findall(FENCED.sub("", page.read_text())):
        linked = (page.parent / target).resolve() if target else page
        assert linked.exists(), target
        if heading and linked.suffix == ".md":
            assert heading in map(anchor, re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)), heading


def anchor(heading):
    return re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")


def test_the_navigation_has_every_page_once_and_nothing_else():
    def entries(nav):
        return (
            [nav] if isinstance(nav, str) else [e for n in nav for e in entries(n.values() if type(n) is dict else n)]
        )

    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    assert sorted(entries(nav)) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


def test_every_file_and_function_in_the_paper_map_exists():
    text = (ROOT / "docs" / "paper-map.md").read_text()
    code = "\n".join(path.read_text() for folder in CODE for path in (ROOT / folder).rglob("*.py"))
    paths = {str(p.relative_to(ROOT)) for folder in CODE for p in (ROOT / folder).rglob("*.py")}
    for name in re.findall(r"[\w/]+\.py", text):
        assert any(path.endswith(name) for path in paths), name
    defined = set(re.findall(r"\b(?:def|class) (\w+)", code))
    assert {*re.findall(r"\btest_\w+(?=`)", text), *re.findall(r"py: (\w+)", text)} <= defined
