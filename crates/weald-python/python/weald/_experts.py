"""Experts that a master asks: fitted models, and estimators that learn from the stream."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

FIRST_FIT = 8
"""Rows before the first fit of an expert that is fitted again and again."""


class Fixed:
    """A model that stays as it is."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def branch(self) -> Fixed:
        """The same expert, to learn more without changing this one."""
        return self

    def advise(self, X: Any, y: np.ndarray, codes: Codes) -> np.ndarray:
        """What it says of each row, before it is told the truth."""
        return codes.of(self.answers(X), len(y))

    def answers(self, X: Any) -> Any:
        """What it says of each row; None if it has nothing to say."""
        return None if self.model is None else self.model.predict(X)


class Learning(Fixed):
    """An estimator that is told the truth row by row, by ``partial_fit``."""

    def __init__(self, estimator: Any, *, is_fitted: bool) -> None:
        super().__init__(estimator)
        self.is_fitted = is_fitted
        parameters = inspect.signature(estimator.partial_fit).parameters
        self.takes_classes = "classes" in parameters

    def branch(self) -> Fixed:
        return Learning(copy.deepcopy(self.model), is_fitted=self.is_fitted)

    def advise(self, X: Any, y: np.ndarray, codes: Codes) -> np.ndarray:
        """What it says of each row; then it is told the truth of that row."""
        said = np.full(len(y), np.nan)
        for row in range(len(y)):
            one = X[row : row + 1]
            said[row] = codes.of(self.answers(one), 1)[0]
            if self.takes_classes and codes.classes is not None:
                self.model.partial_fit(one, y[row : row + 1], classes=codes.classes)
            else:
                self.model.partial_fit(one, y[row : row + 1])
            self.is_fitted = True
        return said

    def answers(self, X: Any) -> Any:
        return self.model.predict(X) if self.is_fitted else None


class Refitted(Fixed):
    """An estimator without ``partial_fit``: fitted again whenever the rows have doubled."""

    def __init__(self, estimator: Any) -> None:
        super().__init__(None)
        self.estimator = estimator

    def branch(self) -> Fixed:
        return copy.copy(self)  # Another fit is another model.

    def fit(self, X: Any, y: np.ndarray, codes: Codes) -> None:
        """Fit it anew on all rows so far."""
        if codes.classes is not None and (y == y[0]).all():
            # Most classifiers refuse what leaves nothing to learn.
            self.model = DummyClassifier(strategy="prior").fit(np.zeros((len(y), 1)), y)
        else:
            model = clone(self.estimator)
            model.fit(X, y)  # Whatever it returns.
            self.model = model


class Codes:
    """Answers as numbers: classes as their codes, NaN where nothing is said."""

    def __init__(self, classes: np.ndarray | None) -> None:
        self.classes = classes

    def of(self, answers: Any, n_rows: int) -> np.ndarray:
        """The numbers of some answers; a label that is no class is as good as none."""
        if answers is None:
            return np.full(n_rows, np.nan)
        if np.ma.isMaskedArray(answers) and np.ma.getmaskarray(answers).any():
            raise ValueError("an expert answered with masked values; NaN says nothing of a row")
        answers = np.asarray(answers)
        if answers.size != n_rows:
            raise ValueError(
                f"an expert answered with an array of shape {answers.shape}; expected ({n_rows},), "
                "an answer for each row"
            )
        answers = answers.reshape(n_rows)
        if self.classes is None:
            if answers.dtype.kind not in "fiubO":
                raise ValueError(
                    f"an expert answered with values of type {answers.dtype}; expected numbers"
                )
            return answers.astype(np.float64)
        codes = np.full(n_rows, np.nan)
        for code, label in enumerate(self.classes):
            codes[answers == label] = code
        return codes


def experts_of(estimators: Any) -> list[Fixed]:
    """The experts that a list of estimators stands for; the list itself stays as it is."""
    found: list[Fixed] = []
    for estimator in estimators:
        lacking = [name for name in ("fit", "predict") if not hasattr(estimator, name)]
        if inspect.isclass(estimator) or lacking:
            what = "is a class" if inspect.isclass(estimator) else f"has no {lacking[0]}"
            raise TypeError(f"experts holds {estimator!r:.80}, which {what}; give estimators")
        is_fitted = _is_fitted(estimator)
        own = copy.deepcopy(estimator) if is_fitted else clone(estimator)
        if hasattr(own, "partial_fit"):
            found.append(Learning(own, is_fitted=is_fitted))
        else:
            found.append(Fixed(own) if is_fitted else Refitted(own))
    return found


def _is_fitted(estimator: Any) -> bool:
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    except TypeError:  # Not scikit-learn's: what predicts is taken to be ready.
        return True
    return True
