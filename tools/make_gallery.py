"""Run the code of docs/gallery.md and keep the pictures that it draws, in docs/pictures/gallery.

python tools/make_gallery.py
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from sidelight.examples import example

DOCS = Path(__file__).parent.parent / "docs"
PICTURES = DOCS / "pictures" / "gallery"


def main() -> None:
    page = (DOCS / "gallery.md").read_text()
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copy(example("penguins"), "penguins.csv")
        scope: dict[str, object] = {}
        for block in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
            exec(compile(block, "gallery.md", "exec"), scope)
        for picture in Path(folder).glob("*.svg"):
            shutil.copy(picture, PICTURES)
        os.chdir(DOCS)


if __name__ == "__main__":
    main()
