"""The documentation site: built without a warning, and whole when it is opened from a disk."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .conftest import Watched

ROOT = Path(__file__).parent.parent.parent
FROM_ELSEWHERE = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=[\"']?(?:https?:)?//")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=quiet)
    assert built.returncode == 0, built.stderr
    return folder


def test_the_site_can_be_built_and_asks_nothing_from_elsewhere(site):
    pages = {page: page.read_text() for page in site.rglob("*.html")}
    assert [str(page) for page, text in pages.items() if FROM_ELSEWHERE.search(text)] == []


@pytest.mark.parametrize(
    ("start", "system", "scheme"), [("index", "light", "default"), ("api/learning", "dark", "slate")]
)
def test_the_site_opens_from_a_disk_and_finds_what_is_searched_for(site, chromium, start, system, scheme):
    context = chromium.new_context(color_scheme=system)
    watched = Watched(context.new_page())
    page = watched.page
    page.set_default_timeout(10_000)
    page.goto((site / f"{start}.html").as_uri())
    assert page.locator("body").get_attribute("data-md-color-scheme") == scheme
    page.click("input.md-search__input")
    page.keyboard.type("treewidth")
    page.locator(".md-search-result__link", has_text="treewidth").first.click()
    expect(page.locator("article")).to_contain_text("treewidth")
    assert page.url.startswith(site.as_uri())
    assert watched.complaints == []
    assert [url for url in watched.requests if not url.startswith(("file:", "data:", "about:"))] == []
    context.close()
