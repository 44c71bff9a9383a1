"""Take the documentation's pictures of the report, in light and dark, with Chromium.

python tools/make_screenshots.py
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import sidelight as sl
from sidelight.examples import example

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
LARGEST = 270_000  # bytes


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report, replay = Path(folder) / "report.html", Path(folder) / "replay.html"
        sl.learn(example("newborns"), sl.DiamondFree()).report(report)
        sl.learn(example("newborns"), sl.DiamondFree(), "rsl").report(replay)
        unboxed = ["--no-sandbox"] if os.geteuid() == 0 else []  # the sandbox does not start for root
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=unboxed)
        for theme in ("light", "dark"):
            take(browser, report, replay, theme)
        browser.close()
    for picture in PICTURES.glob("*.png"):
        if picture.stat().st_size > LARGEST:
            raise SystemExit(f"{picture.name} has {picture.stat().st_size} bytes, more than {LARGEST}")


def take(browser: Browser, report: Path, replay: Path, theme: str) -> None:
    """An edge with its evidence, and a step of the replay of RSL."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 1120}, color_scheme="dark" if theme == "dark" else "light"
    )
    page = context.new_page()
    page.goto(report.as_uri())
    for field, name in (("#pair-a", "Sick"), ("#pair-b", "Grunting")):
        page.fill(field, name)
        page.press(field, "Enter")
    page.click("#fit")
    settle(page)
    page.screenshot(path=PICTURES / f"report-{theme}.png")
    page.goto(replay.as_uri())
    page.locator("#step").fill("9")
    settle(page)
    page.locator("main section").first.screenshot(path=PICTURES / f"replay-{theme}.png")
    context.close()


def settle(page: Page) -> None:
    """Show the top of the page, once all movement has ended."""
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.wait_for_timeout(800)


if __name__ == "__main__":
    main()
