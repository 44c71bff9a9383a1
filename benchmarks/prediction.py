"""Predictions of fitted networks on real tables, beside scikit-learn's, on rows held out.

A category (the target) beside LogisticRegression on standardised columns: share of right answers, and mean
log-probability of the true category. A number (each in turn) beside LinearRegression on all other columns: R². A
network uses the Markov boundary of what it predicts, and one model for all columns.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sidelight as sl
from sidelight.fit import FittedNetwork

TABLES = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer}
SPLITS, TRAINING = 5, 0.7
LEAST = 1e-12  # a probability, so that its logarithm is finite


def main() -> None:
    print(
        "| table | rows | columns | right answers | scikit-learn | log-probability | scikit-learn | R² | scikit-learn |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, load in TABLES.items():
        frame = _table(load)
        found = np.array([_split(frame, seed) for seed in range(SPLITS)]).mean(axis=0)
        print(f"| {name} | {len(frame)} | {frame.shape[1]} | " + " | ".join(f"{figure:.3f}" for figure in found) + " |")


def _table(load: Callable[..., object]) -> pd.DataFrame:
    frame = load(as_frame=True).frame  # type: ignore[attr-defined]
    return frame.assign(target="class " + frame["target"].astype(str))


def _split(frame: pd.DataFrame, seed: int) -> list[float]:
    kept = np.random.default_rng(seed).random(len(frame)) < TRAINING
    train, test = frame[kept], frame[~kept]
    fitted = sl.learn(train).fit(train)
    return [*_category(fitted, train, test), *_numbers(fitted, frame, kept)]


def _category(fitted: FittedNetwork, train: pd.DataFrame, test: pd.DataFrame) -> list[float]:
    """Right answers and log-probabilities, ours and theirs."""
    truth = test["target"].to_numpy()
    theirs = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    theirs.fit(train.drop(columns="target"), train["target"])
    ours = pd.DataFrame(fitted.predict_proba("target", test))
    other = pd.DataFrame(theirs.predict_proba(test.drop(columns="target")), columns=theirs.classes_)
    right = [float((table.idxmax(axis=1).to_numpy() == truth).mean()) for table in (ours, other)]
    true = [[table[category].iloc[i] for i, category in enumerate(truth)] for table in (ours, other)]
    return [*right, *(float(np.log(np.maximum(LEAST, chances)).mean()) for chances in true)]


def _numbers(fitted: FittedNetwork, frame: pd.DataFrame, kept: np.ndarray) -> list[float]:
    """The mean R² over all numbers, ours and theirs."""
    columns = pd.get_dummies(frame, columns=["target"], dtype=float)
    found = []
    for name in frame.columns.drop("target"):
        x, y = columns.drop(columns=name), columns[name]
        linear = LinearRegression().fit(x[kept], y[kept])
        found.append((r2_score(y[~kept], fitted.predict(name, frame[~kept])), linear.score(x[~kept], y[~kept])))
    return list(map(float, np.mean(found, axis=0)))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
