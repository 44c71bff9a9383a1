"""Every Python block of the README and of the documentation runs, and what the paper map names exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope = {}
    for block in BLOCK.findall(page.read_text()):
        exec(compile(block, str(page), "exec"), scope)


def test_every_file_and_function_in_the_paper_map_exists():
    text = (ROOT / "docs" / "paper-map.md").read_text()
    code = "\n".join(path.read_text() for folder in ("src", "tests") for path in (ROOT / folder).rglob("*.py"))
    paths = {str(p.relative_to(ROOT)) for folder in ("src", "tests") for p in (ROOT / folder).rglob("*.py")}
    for name in re.findall(r"[\w/]+\.py", text):
        assert any(path.endswith(name) for path in paths), name
    for name in re.findall(r"\btest_\w+(?=`)", text) + re.findall(r"py: (\w+)", text):
        assert re.search(rf"\b(def|class) {name}\b", code), name
