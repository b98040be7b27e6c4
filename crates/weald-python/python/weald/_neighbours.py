"""Nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ._at_once import at_once
from ._describe import documented
from ._estimator import Classifier, Estimator, Regressor


@dataclass(eq=False, repr=False)
class _Neighbours(Estimator):
    n_neighbors: int = 5

    _method = "nearest-neighbours"
    _renamed: ClassVar[dict[str, str]] = {"n_neighbors": "k"}

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Keep the rows."""
        self._fit(X, y, sample_weight)
        return self


@documented
@dataclass(eq=False, repr=False)
class KNeighborsClassifier(_Neighbours, Classifier):
    """The classes of the rows most like a row (Fix & Hodges 1951).

    Columns are made alike first (mean 0, deviation 1); categories differ by 0 or 1. Rows as far as
    the last one share what is left, so that the order of rows does not matter.
    """


@documented
@dataclass(eq=False, repr=False)
class KNeighborsRegressor(_Neighbours, Regressor):
    """The mean of the rows most like a row (Fix & Hodges 1951).

    Columns are made alike first (mean 0, deviation 1); categories differ by 0 or 1. Rows as far as
    the last one share what is left, so that the order of rows does not matter.
    """
