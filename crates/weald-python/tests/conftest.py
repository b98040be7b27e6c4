"""Data that several tests use."""

import numpy as np
import pandas as pd
import pytest

import weald

BASE = [
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "LinearSVC",
    "LogisticRegression",
    "NaiveBayes",
    "Ridge",
]
SCHEMES = ["OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier"]
OF_MEMBERS = [
    "BayesOptimalClassifier",
    "BayesOptimalRegressor",
    "DynamicSelectionClassifier",
    "EnsembleSelectionClassifier",
    "EnsembleSelectionRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "SuperLearnerClassifier",
    "SuperLearnerRegressor",
    "VotingClassifier",
    "VotingRegressor",
]
MIXTURES = ["MixtureOfExpertsClassifier", "MixtureOfExpertsRegressor"]
CALIBRATED = ["CalibratedClassifierCV"]
COMBINED = OF_MEMBERS + MIXTURES + SCHEMES + CALIBRATED
TREES = sorted(
    n
    for n in weald.__all__
    if n.endswith(("Classifier", "Regressor", "Ranker")) and n not in BASE + COMBINED
)
ESTIMATORS = TREES + BASE + COMBINED
WITHOUT_TARGET = ["DensityForest", "IsolationForest"]
EVERY_ESTIMATOR = ESTIMATORS + WITHOUT_TARGET


def made(name: str, **parameters: object) -> object:
    """An estimator of this name; of several others, of small ones."""
    make = getattr(weald, name)
    if name in OF_MEMBERS:
        linear = weald.LogisticRegression() if name.endswith("Classifier") else weald.Ridge()
        kind = "Classifier" if name.endswith("Classifier") else "Regressor"
        tree = getattr(weald, f"DecisionTree{kind}")(max_depth=3)
        return make([("tree", tree), ("linear", linear)], **parameters)
    if name in CALIBRATED:
        return make(weald.DecisionTreeClassifier(max_depth=3), **parameters)
    if name in MIXTURES:
        return make(n_experts=2, n_init=2, n_rounds=8, **parameters)
    return make(**parameters)


def numbers(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A matrix and a class that depends on it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = (X[:, 0] + 0.5 * X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int)
    return X, y


@pytest.fixture
def frame() -> tuple[pd.DataFrame, pd.Series]:
    """Numbers, categories, text, booleans and dates, all with missing values."""
    rng = np.random.default_rng(1)
    n = 400
    colour = rng.choice(["red", "green", "blue"], n)
    size = rng.normal(size=n)
    X = pd.DataFrame(
        {
            "size": size,
            "count": pd.array(rng.integers(0, 9, n), dtype="Int64"),
            "colour": pd.Categorical(colour),
            "town": rng.choice(["Oslo", "Bergen"], n).astype(object),
            "open": rng.random(n) > 0.5,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
        }
    )
    y = pd.Series(np.where((colour == "red") ^ (size > 0.3), "yes", "no"), name="bought")
    X.loc[::7, "size"] = np.nan
    X.loc[::11, "colour"] = None
    X.loc[::13, "town"] = None
    X.loc[::17, "count"] = pd.NA
    X.loc[::19, "day"] = pd.NaT
    return X, y
