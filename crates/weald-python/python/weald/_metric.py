"""Metrics of one's own, and scikit-learn's by name: what held-out rows are judged by."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer

from ._caller import Caller
from ._weald import WealdError

MINUS = "minus "
"""How the name of a metric begins that is better the greater it is: weald makes it small."""


class Metric:
    """A metric as boosting asks it: the lower, the better."""

    def __init__(self, metric: Any, classes: np.ndarray | None) -> None:
        self._classes = classes
        name = metric if isinstance(metric, str) else getattr(metric, "__name__", None)
        if isinstance(metric, str):
            try:
                metric = get_scorer(metric)
            except ValueError as error:
                raise ValueError(
                    f"eval_metric is {metric!r}; expected the name of one of scikit-learn's "
                    "scorers (sklearn.metrics.get_scorer_names()), or a function of y_true and "
                    "y_pred"
                ) from error
        elif not callable(metric):
            raise TypeError(
                f"eval_metric is {metric!r:.80}; expected a function of y_true and y_pred, or the "
                "name of one of scikit-learn's scorers"
            )
        self._is_scorer = hasattr(metric, "_score_func") and hasattr(metric, "_sign")
        self._metric: Callable[..., Any] = metric
        # A scorer turns its score around where less is better.
        is_greater = self._is_scorer or bool(getattr(metric, "greater_is_better", False))
        self._sign = -1.0 if is_greater else 1.0
        function = metric._score_func if self._is_scorer else metric
        name = name or getattr(function, "__name__", type(function).__name__)
        self.name = f"{MINUS}{name}" if is_greater else name
        self._takes_weights = _takes_weights(function)
        self._caller = Caller()
        self._n_asked = self._n_undefined = 0

    @property
    def warnings(self) -> list[str]:
        """What was suspicious, in words; an error if no round could be told from another."""
        if self._n_undefined == 0:
            return []
        if self._n_undefined == self._n_asked:
            raise WealdError(
                "eval_metric returned nan for every round, so that none is the best; it must be a "
                "number"
            )
        return [
            f"eval_metric returned nan {self._n_undefined} of {self._n_asked} times; such rounds "
            "count as the worst"
        ]

    def measure(self, y: np.ndarray, said: np.ndarray, weights: np.ndarray | None) -> float:
        """How bad predictions are."""
        if self._classes is not None:
            y = self._classes[y.astype(np.intp)]
        extra = {}
        if weights is not None and self._takes_weights:
            extra["sample_weight"] = weights
        if self._is_scorer:
            speaker = _ClassesSaid(self._classes) if self._classes is not None else _NumbersSaid()
            found = self._caller.do(partial(self._metric, **extra), speaker, said, y)
        else:
            found = self._caller.do(partial(self._metric, **extra), y, self._as_predictions(said))
        badness = self._sign * _number(found)
        if badness == -np.inf:
            raise WealdError(
                f"eval_metric returned {-self._sign * np.inf}, which would be the best for ever; "
                "it must be finite where predictions are good"
            )
        self._n_asked += 1
        self._n_undefined += bool(np.isnan(badness))
        return badness

    def _as_predictions(self, said: np.ndarray) -> np.ndarray:
        """Numbers; for two classes the probability of the second, for more all of them."""
        if self._classes is not None and said.shape[1] == 2:
            return said[:, 1]
        return said[:, 0] if said.shape[1] == 1 and self._classes is None else said


def _number(found: Any) -> float:
    """What a metric returned, if that is a number."""
    value = np.ma.filled(found, np.nan) if np.ma.isMaskedArray(found) else np.asarray(found)
    if value.size != 1 or value.dtype.kind not in "fiubO":
        raise TypeError(f"eval_metric returned {found!r:.80}; expected a number")
    try:
        if isinstance(value.item(), str):
            raise TypeError("text")
        return float(value.item())
    except (TypeError, ValueError) as error:
        raise TypeError(f"eval_metric returned {found!r:.80}; expected a number") from error


def _takes_weights(function: Any) -> bool:
    try:
        return "sample_weight" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


class _ClassesSaid(ClassifierMixin, BaseEstimator):
    """What has been predicted, for scorers, which ask estimators."""

    def __init__(self, classes: np.ndarray) -> None:
        self.classes_ = classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict_proba(self, said: np.ndarray) -> np.ndarray:
        return said

    def predict(self, said: np.ndarray) -> np.ndarray:
        return self.classes_[np.argmax(said, axis=1)]


class _NumbersSaid(RegressorMixin, BaseEstimator):
    """The same, for numbers."""

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, said: np.ndarray) -> np.ndarray:
        return said[:, 0] if said.shape[1] == 1 else said
