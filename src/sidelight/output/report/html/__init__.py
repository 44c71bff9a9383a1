"""The report: one self-contained HTML file that opens offline and loads nothing.

Markup, style, script and data are put together here. The policy in the head of the page allows the one script and the
one style, known by their hashes, and nothing else: no request, no other script, no way to turn text into elements.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path

from sidelight.errors import InputError
from sidelight.files.reading import user_path
from sidelight.files.writing import check_target, write_whole
from sidelight.network import Network
from sidelight.output.report.html.content import content

SCRIPTS = (
    "elements", "model", "marks", "shares", "theme", "camera", "sizes", "graph", "weights", "routes", "pointer",
    "keyboard", "words", "panel", "search", "replay", "consensus", "sorted", "tables", "doubts", "effects", "levels",
    "types", "download", "start",
)  # fmt: skip
STYLES = ("colours", "frame", "graph", "parts", "stability", "sizes", "types", "effects")
HOLE = re.compile(r"\{\{(\w+)\}\}")


def write_report(network: Network, path: str | Path, overwrite: bool = False) -> None:
    """Write the report to ``path``, whole or not at all; an existing file stays unless ``overwrite`` is True."""
    target = user_path(path)
    check_report_target(target, overwrite)
    write_whole(target, to_html(network).encode(), overwrite)


def check_report_target(path: Path, overwrite: bool) -> None:
    """Raise when the report cannot or should not be written there, before any work is done for it."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"the report is an HTML file: give {str(path)!r} a name that ends in .html")
    check_target(path, overwrite)


def to_html(network: Network) -> str:
    """The whole page."""
    data = content(network)
    style = "\n".join(_piece(f"{name}.css") for name in STYLES)
    script = "\n".join(['(() => {\n"use strict";', *(_piece(f"{name}.js") for name in SCRIPTS), "})();"])
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    holes = {
        "policy": policy,
        "title": escape(str(data["title"])),
        "style": style,
        "data": as_script_data(data),
        "script": script,
    }
    return HOLE.sub(lambda hole: holes[hole[1]], _piece("page.html"))


def as_script_data(data: object) -> str:
    """JSON that no name in it can end or break: every < is written as its code."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _piece(name: str) -> str:
    return (files("sidelight.output.report.html") / "page" / name).read_text(encoding="utf-8")
