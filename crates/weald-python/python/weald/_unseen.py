"""Methods that ask estimators about rows that they have not seen: which rows those are."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import _num_samples

from ._dataset import Dataset
from ._text import text


class AsksUnseen:
    """An estimator whose ``cv`` says which rows others are asked about."""

    cv: Any
    _cv_expected: ClassVar[str] = (
        "a count of folds, a share of the rows, time:5, or folds as scikit-learn has them"
    )

    def _groups_of(self, cv: Any, X: Any, y: Any, groups: Any) -> Any:
        """The fold of each row, for folds that are given as scikit-learn has them."""
        n_rows = X.table.n_rows if isinstance(X, Dataset) else _num_samples(X)
        if n_rows == 1:
            raise ValueError(
                f"Found array with n_samples = 1; {type(self).__name__} asks members about rows "
                "that they have not seen: at least 2 are needed"
            )
        if isinstance(cv, Real | str | None):
            return groups
        if hasattr(cv, "split"):
            known = X.y if y is None and isinstance(X, Dataset) else y
            cv = cv.split(np.zeros((n_rows, 1)), known, groups)
        try:
            splits = [(np.asarray(train), np.asarray(test)) for train, test in cv]
        except (TypeError, ValueError):
            raise ValueError(f"cv is {self.cv!r:.80}; expected {self._cv_expected}") from None
        part = np.full(n_rows, -1)
        for fold, (_, test) in enumerate(splits):
            part[test] = fold
        are_folds = all(
            np.array_equal(np.flatnonzero(part == fold), np.sort(test))
            and np.array_equal(np.flatnonzero(part != fold), np.sort(train))
            for fold, (train, test) in enumerate(splits)
        )
        if (part < 0).any() or not are_folds:
            raise ValueError(
                "cv holds splits in which rows are tested never or more than once, or are trained "
                f"on in part; expected {self._cv_expected}"
            )
        self._n_folds = len(splits)
        return part

    def _held_out(self) -> str:
        """Folds by their number, a share of the rows, or what weald calls either."""
        cv: Any = getattr(self, "cv", None)
        if isinstance(cv, Integral) and not isinstance(cv, bool):
            return f"folds:{int(cv)}"
        if isinstance(cv, Real) and not isinstance(cv, bool):
            return f"share:{text(cv)}"
        if isinstance(cv, str):
            return cv
        if cv is None or isinstance(cv, bool):
            raise ValueError(f"cv is {cv!r:.80}; expected {self._cv_expected}")
        return f"folds:{getattr(self, '_n_folds', 5)}"
