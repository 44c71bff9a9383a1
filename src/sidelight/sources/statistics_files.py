"""Files of spreadsheets and statistics programs: Excel, Stata, SPSS, SAS and R, read by pandas, pyreadstat and pyreadr.

They are read whole. Value labels become categories where every value has one; where only some have, the column stays
one of numbers and a note says so. No formula and no object of R is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from sidelight.errors import InputError
from sidelight.files.reading import cannot_read, first_line
from sidelight.sources.memory import InMemory, open_frame
from sidelight.tables.column_options import types_in_words
from sidelight.tables.findings import Finding, FindingKind, columns_that
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, listed

LABELS_SHOWN = 3
Read = tuple[Any, tuple[Finding, ...]]


def open_statistics_file(path: Path) -> InMemory:
    """The table in such a file; notes say what was chosen where there was a choice."""
    try:
        frame, notes = READERS[path.suffix.lower()](path)
    except (InputError, OSError):
        raise
    except Exception as error:  # each library has its own
        raise cannot_read(path, first_line(error)) from error
    frame = frame.reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    opened = open_frame(frame, "a table")
    return replace(opened, title=repr(str(path)), notes=notes)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError(f"such a file needs {name}: pip install 'sidelight[files]' ({error})") from error


def _excel(path: Path) -> Read:
    """The first sheet that is not empty."""
    pandas = _library("pandas")
    _library("openpyxl")
    sheets = {name: sheet for name, sheet in pandas.read_excel(path, sheet_name=None).items() if sheet.size}
    if not sheets:
        raise cannot_read(path, "it has no sheet with a table")
    first, *others = sheets
    if not others:
        return sheets[first], ()
    text = f"of {counted(len(sheets), 'sheet')} the first is read, {first!r}, and not {listed(others, quoted=True)}"
    note = Finding(FindingKind.SHEETS, "warning", (), text, "save another sheet as a file of its own")
    return sheets[first], (note,)


def _labelled(reader: str) -> Callable[[Path], Read]:
    def read(path: Path) -> Read:
        frame, told = getattr(_library("pyreadstat"), reader)(str(path))
        notes: list[Finding] = []
        for name, labels in told.variable_value_labels.items():
            if name in frame.columns:
                notes += _label(frame, name, labels)
        return frame, tuple(notes)

    return read


def _label(frame: Any, name: str, labels: Mapping[Any, str]) -> list[Finding]:
    """Put labels in place of the values, in the order of these; a note where only some values have one."""
    pandas = _library("pandas")
    present = set(frame[name].dropna().unique().tolist())
    if not present:
        return []
    if present <= set(labels):
        values = sorted(present)
        texts = [str(labels[value]) for value in values]
        if len(set(texts)) < len(texts):
            texts = [f"{value:g} {text}" for value, text in zip(values, texts, strict=True)]
        frame[name] = pandas.Categorical(frame[name].map(dict(zip(values, texts, strict=True))), texts)
        return []
    there = {value: text for value, text in labels.items() if value in present}
    if not there:
        return []
    shown = [f"{value:g} is {text!r}" for value, text in list(there.items())[:LABELS_SHOWN]]
    shown += ["…"] * (len(there) > LABELS_SHOWN)
    some = f"{columns_that([name], 'has', 'have')} labels for some of its values"
    text = f"{some} ({', '.join(shown)}), and is taken as it is"
    marks = {name: [int(v) if float(v).is_integer() else v for v in there if isinstance(v, int | float)]}
    remedy = Message(
        "if these are no values: ",
        Option("missing_values", marks),
        "; if all are categories: ",
        Option("types", types_in_words({name: "category"})),
    )
    return [Finding(FindingKind.LABELS, "warning", (name,), text, remedy)]


def _r(path: Path) -> Read:
    """The one data frame of a file; factors are categories."""
    objects = _library("pyreadr").read_r(str(path))
    frames = {name: found for name, found in objects.items() if hasattr(found, "columns")}
    if len(frames) != 1:
        names = listed(map(str, frames), quoted=True) if frames else "none"
        raise cannot_read(path, f"it must have one data frame, and has {names}; save one by saveRDS")
    return next(iter(frames.values())), ()


READERS: dict[str, Callable[[Path], Read]] = {
    ".xlsx": _excel,
    ".dta": _labelled("read_dta"),
    ".sav": _labelled("read_sav"),
    ".zsav": _labelled("read_sav"),
    ".sas7bdat": _labelled("read_sas7bdat"),
    ".rds": _r,
    ".rdata": _r,
}
