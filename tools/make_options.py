"""Write docs/options.md: the options of ``learn`` as a table, from the fields that define them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from sidelight.cli.options import NOT_FOR_COMMANDS
from sidelight.estimator import NOT_PARAMETERS
from sidelight.options import Options

TARGET = Path(__file__).parent.parent / "docs" / "options.md"
HEAD = """# Options

What `sl.learn`, `sl.StructureLearner` and `sidelight learn` accept beside the data. The command has them with dashes
(`--boundary-alpha`); lists of names have commas between (`--drop age,zip`), in quotes where a name has a comma itself
(`--drop '"last, first",zip'`). `sl.diagnose` and `sidelight check` accept those on how a table is read and tested;
`sidelight check` also `--side` and `--knowledge`, and says whether they contradict each other or name no column.

| option | default | meaning | command | estimator |
|---|---|---|---|---|
"""


def page() -> str:
    """The page, made anew."""
    positional = [field for field in fields(Options) if not field.kw_only]
    return HEAD + "".join(map(_row, [*positional, *(field for field in fields(Options) if field.kw_only)]))


def _row(field: object) -> str:
    name, default, meaning = field.name, field.default, field.metadata["meaning"].replace("``", "`").replace("|", "\\|")
    marks = ("yes" if name not in hidden else "no" for hidden in (NOT_FOR_COMMANDS, NOT_PARAMETERS))
    return f"| `{name}` | `{default!r}` | {meaning} | {' | '.join(marks)} |\n"


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
