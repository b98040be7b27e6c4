"""Any estimator as a base of weald's committees: how its members are fitted and asked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.utils.validation import has_fit_parameter

from ._answers import labels_said, numbers_said, places_of, shares_said
from ._caller import Caller
from ._table import MISSING

Columns = Sequence[tuple[str, np.ndarray, "list[str] | None"]]
"""A name, the values, and the names of the levels where values are codes."""


class Base:
    """What weald's loop asks for members, and members for answers.

    Members see what the table holds: a matrix of floats, or a pandas frame where columns have names
    or hold categories, which are called by name then.
    """

    def __init__(
        self, estimator: Any, classes: np.ndarray | None, *, has_names: bool, place: str = ""
    ) -> None:
        self.name = type(estimator).__name__
        self.called = f"{place}: {self.name}" if place else self.name
        self.takes_weights = has_fit_parameter(estimator, "sample_weight")
        self._estimator: Any = estimator
        self._classes = classes
        self._is_named = has_names and find_spec("pandas") is not None
        self._caller: Caller | None = Caller()

    def fit(self, columns: Columns, y: np.ndarray, weights: np.ndarray | None, seed: int) -> Any:
        """A member, fitted on these rows."""
        return self._as_the_caller(self._fit, columns, y, weights, seed)

    def answer(self, member: Any, columns: Columns) -> np.ndarray:
        """What a member says: the probability of each class, or numbers."""
        return self._as_the_caller(self._answer, member, columns)

    def end_fit(self) -> None:
        """Let go of what only a fit needs."""
        self._estimator = self._caller = None

    def _as_the_caller(self, work: Callable[..., Any], *given: Any) -> Any:
        """Do work; during a fit under the settings of the thread that called it."""
        return work(*given) if self._caller is None else self._caller.do(work, *given)

    def _fit(self, columns: Columns, y: np.ndarray, weights: np.ndarray | None, seed: int) -> Any:
        if self._classes is not None:
            y = self._classes[y]
            if (y == y[0]).all():  # Most classifiers refuse what leaves nothing to learn.
                return DummyClassifier(strategy="prior").fit(np.zeros((len(y), 1)), y)
        member = clone(self._estimator)
        _give_seeds(member, seed)
        if weights is None:
            member.fit(self._rows(columns), y)
        else:
            member.fit(self._rows(columns), y, sample_weight=weights)
        return member

    def _answer(self, member: Any, columns: Columns) -> np.ndarray:
        X = self._rows(columns)
        if self._classes is None:
            return numbers_said(self.called, member.predict(X), len(X))
        if hasattr(member, "predict_proba"):
            # It may have seen fewer classes.
            seen = getattr(member, "classes_", self._classes)
            places = places_of(self.called, "classes_", seen, self._classes)
            said = shares_said(self.called, member.predict_proba(X), (len(X), len(places)))
            probabilities = np.zeros((len(X), len(self._classes)))
            probabilities[:, places] = said
            return probabilities
        said = labels_said(self.called, member.predict(X), len(X))
        return np.eye(len(self._classes))[places_of(self.called, "predict", said, self._classes)]

    def _rows(self, columns: Columns) -> Any:
        if not self._is_named and all(levels is None for _, _, levels in columns):
            return np.column_stack([values for _, values, _ in columns])
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                f"categories are given to {self.name} in a pandas frame; install pandas, or turn "
                "the categories into numbers"
            ) from error

        def of(values: np.ndarray, levels: list[str] | None) -> Any:
            if levels is None:
                return values
            codes = np.where(values == MISSING, -1, values.astype(np.int64))
            return pd.Categorical.from_codes(codes, categories=levels)

        return pd.DataFrame({name: of(values, levels) for name, values, levels in columns})


def check_base(base: Any, kind: str, owner: str) -> None:
    """Whether an estimator may be the base of a committee of classifiers or of regressors."""
    if inspect.isclass(base):
        raise TypeError(
            f"estimator is the class {base.__name__}; {owner} needs an instance: {base.__name__}()"
        )
    lacking = [name for name in ("fit", "predict", "get_params") if not hasattr(base, name)]
    if lacking:
        raise TypeError(
            f"estimator is {base!r:.80}, which has no {lacking[0]}; {owner} needs an estimator of "
            "weald or of scikit-learn"
        )
    is_other = is_regressor if kind == "classifier" else is_classifier
    if hasattr(base, "__sklearn_tags__") and is_other(base):
        other = "regressor" if kind == "classifier" else "classifier"
        raise ValueError(f"estimator is {base!r:.80}, a {other}; {owner} needs a {kind}")


def _give_seeds(estimator: Any, seed: int) -> None:
    """Give each part of an estimator that draws a seed of its own, where the user gave none."""
    names = [
        name
        for name, value in sorted(estimator.get_params(deep=True).items())
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    if names:
        drawn = np.random.SeedSequence(seed).generate_state(len(names)) >> np.uint32(1)
        estimator.set_params(**dict(zip(names, map(int, drawn), strict=True)))
