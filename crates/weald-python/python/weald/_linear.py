"""Linear models: ridge regression, logistic regression and the linear support vector machine."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _text
from ._at_once import at_once
from ._describe import documented
from ._estimator import Classifier, Estimator, Given, Regressor, flat
from ._threads import n_threads


@dataclass(eq=False, repr=False)
class _Linear(Estimator):
    _: KW_ONLY
    max_iter: int = 1000
    tol: float = 1e-6

    _loss: ClassVar[str]
    _renamed: ClassVar[dict[str, str]] = {"max_iter": "max_iterations", "tol": "tolerance"}

    def _settings(self, given: Given) -> dict[str, str]:
        return super()._settings(given) | {"loss": self._loss, "l2": _text.text(self._l2())}

    def _l2(self) -> float:
        """The penalty on squared coefficients."""
        raise NotImplementedError

    @property
    def coef_(self) -> np.ndarray:
        """What one unit of a column adds to each score, or what a level adds.

        All columns of numbers first, in their order, then the levels of categories and what a
        missing value adds; ``coef_names_`` says which is which.
        """
        return self._laid_out(np.asarray(self._terms()[1], dtype=np.float64))

    @property
    def coef_names_(self) -> list[str]:
        """What the entries of ``coef_`` belong to."""
        return self._terms()[0]

    @property
    def intercept_(self) -> Any:
        """The scores where all columns are 0 and no level is there."""
        return self._laid_out(np.asarray(self._terms()[2], dtype=np.float64))

    @property
    def n_iter_(self) -> int:
        """How many steps were taken; 1 where equations were solved."""
        check_is_fitted(self)
        return self.model_._core.n_steps

    def _terms(self) -> tuple[list[str], list[list[float]], list[float]]:
        check_is_fitted(self)
        return self.model_._core.coefficients()

    def _laid_out(self, of_scores: np.ndarray) -> Any:
        """Numbers of each score as scikit-learn lays them out."""
        return of_scores


@documented
@dataclass(eq=False, repr=False)
class Ridge(_Linear, Regressor):
    """Ridge regression of one or several numbers (Hoerl & Kennard 1970).

    Columns are made alike first (mean 0, deviation 1), so that one penalty suits all; categories
    and missing values have coefficients of their own.
    """

    alpha: float = 1.0

    _method = "ridge"
    _loss = "squared"
    _described: ClassVar[dict[str, str]] = {
        "alpha": "The penalty on squared coefficients, in columns of deviation 1.",
    }

    def _l2(self) -> float:
        return self.alpha

    def _laid_out(self, of_scores: np.ndarray) -> Any:
        return of_scores[0] if len(of_scores) == 1 else of_scores

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the coefficients."""
        self._fit(X, y, sample_weight)
        return self


@dataclass(eq=False, repr=False)
class _LinearClassifier(_Linear, Classifier):
    C: float = 1.0
    _: KW_ONLY
    class_weight: Any = None

    _described: ClassVar[dict[str, str]] = {
        "C": "The inverse of the penalty on squared coefficients, in columns of deviation 1.",
    }

    def _l2(self) -> float:
        if not isinstance(self.C, Real) or not self.C > 0:
            raise ValueError(f"C is {self.C!r:.80}; expected above 0")
        return 1 / float(self.C)

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the coefficients."""
        self._fit(X, y, sample_weight)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Find the scores of each row: of two classes one, above 0 for the second."""
        table = self._predict_table(X)
        return flat(self.model_._core.raw_scores(table, n_threads(self.n_jobs)))


@documented
@dataclass(eq=False, repr=False)
class LogisticRegression(_LinearClassifier):
    """Logistic regression of two or more classes (Cox 1958).

    Columns are made alike first (mean 0, deviation 1), so that one penalty suits all; categories
    and missing values have coefficients of their own.
    """

    _method = "logistic-regression"
    _loss = "logistic"


@documented
@dataclass(eq=False, repr=False)
class LinearSVC(_LinearClassifier):
    """The linear support vector machine, each class against the rest (Cortes & Vapnik 1995).

    Columns are made alike first (mean 0, deviation 1), so that one penalty suits all. Probabilities
    are margins by one factor, which is fitted (Platt 1999).
    """

    _method = "linear-svm"
    _loss = "hinge"
