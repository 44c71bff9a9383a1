"""Messages speak of options as Python has them; on the command line the same options are spelled otherwise."""

from __future__ import annotations

import re

OPTION = re.compile(r"\b(?P<name>[a-z_]+)=(?:\"(?P<word>[^\"]*)\"|\[(?P<names>[^\]]*)\]|(?=[:\s]))")
PLAIN_NAME = re.compile(r"'([\w .-]+)'")


def in_command_words(text: str) -> str:
    """``drop=['a', 'b']`` becomes ``--drop a,b``, ``missing="em"`` becomes ``--missing em``."""
    return OPTION.sub(_as_flag, text)


def _as_flag(option: re.Match[str]) -> str:
    flag = f"--{option['name'].replace('_', '-')}"
    if option["word"] is not None:
        return f"{flag} {option['word']}"
    if option["names"] is None:
        return flag
    names = PLAIN_NAME.findall(option["names"])
    if ", ".join(f"'{name}'" for name in names) != option["names"]:
        return option[0]  # names with quotes or commas of their own: left as they are
    listed = ",".join(names)
    return f"{flag} '{listed}'" if " " in listed else f"{flag} {listed}"
