"""A table that is binned once and fitted many times."""

from __future__ import annotations

from typing import Any

from sklearn.utils import check_array

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
        X = _table.without_mask(X)
        names = _table.frame_names(X) if _table.is_frame(X) else None
        self.has_names = names is not None
        self.y = y
        if _table.is_frame(X):
            names = names or _table.plain_names(X.shape[1])
            chosen = _table.categorical(X, names, categorical_features)
            self.table: Table = _table.table_of_frame(X, names, chosen)
        else:
            X, meaning = _table.times_of_matrix(X)
            values = check_array(
                X, accept_sparse=True, dtype=_table.FLOATS, ensure_all_finite=False
            )
            names = _table.plain_names(values.shape[1])
            chosen = _table.categorical(values, names, categorical_features)
            dense = _table.dense(values)
            self.table = _table.table_of_matrix(dense, names, chosen, X, meaning)

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
