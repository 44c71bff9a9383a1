"""Print the lowest version that each core dependency may have, as ``name==version``: what ``make lowest`` installs."""

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"


def lowest_versions() -> list[str]:
    """Every dependency with its lower bound for its version; one without a bound is an error."""
    return [_pinned(line) for line in tomllib.loads(PYPROJECT.read_text())["project"]["dependencies"]]


def _pinned(requirement: str) -> str:
    bound = re.fullmatch(r"([\w.-]+)\s*>=\s*([\w.]+)(?:,.*)?", requirement)
    if bound is None:
        raise SystemExit(f"{requirement!r} has no lower bound of the form name>=version")
    return f"{bound[1]}=={bound[2]}"


if __name__ == "__main__":
    print(*lowest_versions(), sep="\n")
