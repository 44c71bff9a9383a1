"""A real Chromium without a window, and pages that notice what they must not do."""

import os
import shutil

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Watched:
    """A page, with the errors and requests that it made."""

    def __init__(self, page):
        self.page, self.complaints, self.requests = page, [], []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}") or dialog.dismiss())
        page.on("request", lambda request: self.requests.append(request.url))


@pytest.fixture(scope="session")
def chromium():
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here; 'make browser' installs it")
    with sync_playwright() as playwright:
        # The sandbox of Chromium does not start for root, as in containers.
        unboxed = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=unboxed)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, tmp_path):
    """Open the report of a network; at the end, nothing may have been complained about or asked for."""
    watched = []

    def open_report(network, width=1280, height=900, **options):
        path = tmp_path / f"report-{len(watched)}.html"
        network.report(path)
        context = chromium.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **options)
        watched.append(Watched(context.new_page()))
        watched[-1].page.set_default_timeout(10_000)
        watched[-1].page.goto(path.as_uri())
        return watched[-1].page

    yield open_report
    for one in watched:
        assert one.complaints == []
        assert [url for url in one.requests if not url.startswith(("file:", "data:"))] == []
        one.page.context.close()
