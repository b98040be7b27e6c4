"""A table that is binned once and fitted many times."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _table
from ._weald import Table


class Dataset:
    """Rows that are looked at once.

    The first fit cuts the columns into bins and the data set keeps them: later fits, with other
    parameters or by other methods, start at once. Estimators take it in place of ``X``.

    Parameters
    ----------
    X : array or frame
        The rows. Floats are not copied and must not be changed afterwards.
    y : array, optional
        The target, for ``fit(dataset)`` without one.
    categorical_features : "from_dtype", None, or list of positions or names
        Which columns hold categories.
    """

    def __init__(self, X: Any, y: Any = None, *, categorical_features: Any = "from_dtype") -> None:
        from ._estimator import Estimator, _written_out

        class _Reader(Estimator):
            def __init__(self, categorical_features: Any) -> None:
                self.categorical_features = categorical_features

        reader = _Reader(categorical_features)
        if not _table.is_frame(X) and not hasattr(X, "tocsc"):
            X = np.asarray(X) if not isinstance(X, np.ndarray) else X
        self.table: Table = reader._fit_table(X if not hasattr(X, "tocsc") else _written_out(X))
        self.has_names = hasattr(reader, "feature_names_in_")
        self.y = y

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.table.n_rows, len(self.table.names)

    def __len__(self) -> int:
        return self.table.n_rows

    def __repr__(self) -> str:
        n_rows, n_columns = self.shape
        n_categorical = sum(levels is not None for levels in self.table.levels)
        return f"<weald.Dataset: {n_rows} rows, {n_columns} columns, {n_categorical} categorical>"
