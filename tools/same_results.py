"""Learn from about 250 tables with the sidelight that is imported, and compare two such records fact by fact.

    python tools/same_results.py record before.json
    python tools/same_results.py compare before.json after.json
    python tools/same_results.py compare before.json after.json --without "texts of warnings"

Only the public interface is used, so that the same script runs on the code before and after a change. Scores agree if
they differ by at most a billionth, since sums may be added up in another order; all other facts must be equal.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from same_results_tables import Case, cases

import sidelight as sl

Record = dict[str, Any]
AGREES = 1e-9  # relative difference of scores
SHOWN = 300  # characters of a fact
NO_FACTS = ("group", "seconds")


def learned(case: Case, folder: Path) -> Record:
    """The facts of what is learned from a table; the error where it is refused."""
    begun = time.perf_counter()
    try:
        record = facts(sl.learn(case.source(folder), **case.options))
    except sl.InputError as error:
        record = {"error": str(error)}
    except Exception as error:  # a fault of the code is a fact, too
        record = {"error": f"{type(error).__name__}: {error}"}
    seconds = round(time.perf_counter() - begun, 3)
    return {"group": case.group, "seconds": seconds, **without_paths(record, folder)}


def facts(net: sl.Network) -> Record:
    """What must stay the same."""
    return {
        "directed edges": sorted([str(a), str(b)] for a, b in net.directed_edges),
        "undirected edges": sorted(sorted([str(a), str(b)]) for a, b in net.undirected_edges),
        "score": None if net.score is None else float(net.score),
        "tests_by_size": {str(size): int(count) for size, count in sorted(net.tests_by_size.items())},
        "boundary_tests": int(net.boundary_tests),
        "check_tests": int(net.check_tests),
        "n_rows": net.n_rows,
        "n_complete": net.n_complete,
        "types": [[str(c.name), str(c.type), c.decided, c.n_values, c.n_missing, list(c.order)] for c in net.types],
        "kinds of warnings": [warning.kind for warning in net.warnings],
        "texts of warnings": [str(warning) for warning in net.warnings],
        "certificate": net.certificate.status,
        "sentence of the certificate": net.certificate.sentence,
    }


def without_paths(record: Record, folder: Path) -> Record:
    """The same, where the temporary folder has a name that does not change."""
    text: str = json.dumps(record)
    plain: Record = json.loads(text.replace(str(folder), "FOLDER"))
    return plain


def record_all(path: Path) -> None:
    """Learn from all tables, one after the other, and write what was found."""
    records: dict[str, Record] = {}
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        for number, case in enumerate(cases()):
            (folder := Path(name) / str(number)).mkdir()
            if case.name in records:
                raise ValueError(f"two tables have the name {case.name!r}")
            records[case.name] = learned(case, folder)
    path.write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n")
    refused = sum("error" in record for record in records.values())
    print(f"{len(records)} tables, {refused} of them refused, in {time.perf_counter() - begun:.0f} s: {path}")


def differences(old: Record, new: Record) -> Iterator[tuple[str, object, object]]:
    """The facts that differ; where one of them is an error, only that."""
    facts_of_both = [name for name in {**old, **new} if name not in NO_FACTS]
    for name in ["error"] if "error" in facts_of_both else facts_of_both:
        before, after = old.get(name), new.get(name)
        if before != after and not (name == "score" and agree(before, after)):
            yield name, before, after


def agree(before: object, after: object) -> bool:
    """True for numbers that are equal but for rounding."""
    both = isinstance(before, float) and isinstance(after, float)
    return both and math.isclose(before, after, rel_tol=AGREES)  # type: ignore[arg-type]


def compare(old: Mapping[str, Record], new: Mapping[str, Record], without: Sequence[str]) -> int:
    """Print how many tables of each group have identical results, then what differs; the number of tables that do."""
    absent = {"error": "(not there)"}
    names = list({**old, **new})
    both = {name: differences(old.get(name, absent), new.get(name, absent)) for name in names}
    found = {name: [change for change in changes if change[0] not in without] for name, changes in both.items()}
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault((old.get(name) or new[name])["group"], []).append(name)
    widths = (14, 8, 11, 11)
    print(f"| {'group':<12} | {'tables':>6} | {'identical':>9} | {'different':>9} |")
    print(f"|{'|'.join('-' * width for width in widths)}|")
    for group, members in {**groups, "all": names}.items():
        differing = sum(bool(found[name]) for name in members)
        print(f"| {group:<12} | {len(members):>6} | {len(members) - differing:>9} | {differing:>9} |")
    by_fact = Counter(fact for changes in found.values() for fact, *_ in changes)
    print("\n" + "\n".join(f"{fact}: different for {count} tables" for fact, count in by_fact.items()))
    for name in names:
        for fact, before, after in found[name]:
            print(f"\n{name}: {fact}\n  old: {shown(before, after)}\n  new: {shown(after, before)}")
    return sum(map(bool, found.values()))


def shown(value: object, other: object) -> str:
    """A fact on one line; of lists, only what the other one lacks."""
    if isinstance(value, list) and isinstance(other, list) and (own := [item for item in value if item not in other]):
        value = own
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("record").add_argument("path", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--without", action="append", default=[], help="a fact that may differ; several times")
    given = parser.parse_args()
    if given.command == "record":
        record_all(given.path)
        return 0
    old, new = (json.loads(path.read_text()) for path in (given.old, given.new))
    return 1 if compare(old, new, given.without) else 0


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        sys.exit(main())
