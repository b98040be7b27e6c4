"""Naive Bayes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

from ._at_once import at_once
from ._describe import documented
from ._estimator import Classifier


@documented
@dataclass(eq=False, repr=False)
class NaiveBayes(Classifier):
    """Naive Bayes for numbers and categories (Maron 1961).

    Numbers are normal in each class, as in scikit-learn's ``GaussianNB``; levels have their shares,
    as in its ``CategoricalNB``. What is missing is left out.
    """

    _: KW_ONLY
    alpha: float = 1.0
    class_weight: Any = None

    _method = "naive-bayes"
    _renamed: ClassVar[dict[str, str]] = {"alpha": "smoothing"}

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit means, variances and shares."""
        self._fit(X, y, sample_weight)
        return self
