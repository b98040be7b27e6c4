"""A fitted model, apart from any estimator: what a file holds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_array

from . import _several, _table
from ._threads import n_threads
from ._warn import tell_unseen
from ._weald import Model as Core
from ._weald import Table
from ._words import shortened

ROUND = ("error", "edge", "coefficient", "normaliser", "bound", "training_error", "min_margin")
"""What is known of a round of AdaBoost."""


class Model:
    """A fitted model of any method.

    Made by :func:`weald.load`, and kept by estimators as ``model_``. Columns are matched by name,
    in any order, and levels by name; levels that the model has not seen count as missing.
    """

    __slots__ = ("_core",)

    def __init__(self, core: Core) -> None:
        self._core = core

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self._core,)

    def __repr__(self) -> str:
        inside = f"{self.n_members} members, " if self.n_members != 1 else ""
        method = shortened(self.method, 40)
        return f"<weald.Model: {method}, {inside}{len(self.feature_names)} columns>"

    def _repr_html_(self) -> str:
        from ._html import model_html

        return model_html(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; the old file is there until the new one is.

        A file that is no model is not replaced: that is a ``FileExistsError``.
        """
        self._core.save(os.fspath(path))

    @property
    def method(self) -> str:
        """The method that made it."""
        return self._core.method

    @property
    def parameters(self) -> dict[str, str]:
        """The method's parameters, as text."""
        return self._core.parameters

    @property
    def feature_names(self) -> list[str]:
        """The columns that it was trained on."""
        return self._core.names

    @property
    def target_names(self) -> list[str]:
        """What it predicts."""
        return self._core.target_names

    @property
    def classes(self) -> list[str] | None:
        """The names of its classes; None if it predicts numbers, or classes of several targets."""
        return self._core.classes

    @property
    def class_lists(self) -> list[list[str]] | None:
        """The names of the classes of each target; None if it predicts numbers."""
        return self._core.class_lists

    @property
    def output(self) -> str:
        """What its numbers are.

        Probabilities, several probabilities, value, values, quantiles, hazard or ranking.
        """
        return self._core.output

    @property
    def n_members(self) -> int:
        """How many members, or rounds, it has."""
        return self._core.n_members

    @property
    def n_trees(self) -> int:
        """How many trees it has."""
        return self._core.n_trees

    def to_bytes(self) -> bytes:
        """Give what a file of the model holds."""
        return self._core.to_bytes()

    @property
    def n_rows(self) -> int:
        """Rows that it was trained on."""
        return self._core.n_rows

    @property
    def seed(self) -> int:
        """The seed that it was trained with."""
        return self._core.seed

    @property
    def n_leaves(self) -> int:
        """How many leaves its trees have together."""
        return self._core.n_leaves

    @property
    def feature_importances(self) -> np.ndarray:
        """The share of the improvement that the splits on each column made; sums to 1."""
        return np.asarray(self._core.importance())

    @property
    def out_of_bag_errors(self) -> list[float] | None:
        """The error on rows out of the bag after each member; None if there were none."""
        return self._core.out_of_bag_errors

    @property
    def learning_curve(self) -> tuple[str, str, list[float]] | None:
        """The held-out loss: its name, what rows were held out, and its value round by round."""
        return self._core.learning_curve

    @property
    def rounds(self) -> dict[str, np.ndarray] | None:
        """The record of AdaBoost's rounds, an array for each of its numbers; None of others.

        What there is not of numbers, such as a margin, is NaN. Where nothing bounds the training
        error there is no ``bound``.
        """
        rounds = self._core.rounds
        if rounds is None:
            return None
        record = dict(zip(ROUND, np.array(rounds, dtype=np.float64).T, strict=True))
        if np.isnan(record["bound"]).any():
            del record["bound"]  # nothing bounds the error
        return record

    def predict(self, X: Any, *, n_jobs: int | None = -1) -> np.ndarray:
        """Class names, or numbers, for each row of a frame or a matrix."""
        table = self.table(X)
        if self.classes is not None:
            codes = self.most_probable(table, n_jobs=n_jobs)
            return np.asarray(self.classes, dtype=object)[codes]
        scores = self.scores(table, n_jobs=n_jobs)
        if self.class_lists is not None:
            return _several.predicted(scores, _objects(self.class_lists))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any, *, n_jobs: int | None = -1) -> np.ndarray | list[np.ndarray]:
        """The probability of each class, for each row of a frame or a matrix.

        Of several targets, a list with an array for each.
        """
        if self.class_lists is None:
            raise AttributeError(f"the model predicts a {self.output}, not classes")
        scores = self.scores(self.table(X), n_jobs=n_jobs)
        if self.classes is not None:
            return scores
        return _several.parts(scores, _objects(self.class_lists))

    def predict_row(self, row: Sequence[float] | np.ndarray) -> np.ndarray:
        """Predict one row, with the least delay: probabilities, or numbers.

        ``row`` holds a number for each column of ``feature_names``: the position of its level for a
        category, NaN for what is missing.
        """
        values = np.ascontiguousarray(row, dtype=np.float64)
        if values.ndim != 1:
            raise ValueError(f"row is an array of shape {values.shape}; expected a list of numbers")
        return self._core.predict_row(values)

    def table(self, X: Any) -> Table:
        """X as a table; a matrix has the model's columns in the model's order."""
        if isinstance(X, Table):
            return X
        X = _table.without_mask(X)
        is_categorical = [levels is not None for levels in self._core.levels]
        names = self.feature_names
        if _table.is_frame(X):
            given = _table.frame_names(X)
            if given is None:
                return _table.table_of_frame(X, names, is_categorical)
            known = dict(zip(names, is_categorical, strict=True))
            return _table.table_of_frame(X, given, [known.get(name) for name in given])
        X, meaning = _table.times_of_matrix(X)
        values = check_array(X, accept_sparse=True, dtype=_table.FLOATS, ensure_all_finite=False)
        if values.shape[1] != len(names):
            raise ValueError(
                f"X has {values.shape[1]} features, but the model is expecting "
                f"{len(names)} features"
            )
        dense = _table.dense(values)
        return _table.table_of_matrix(dense, names, is_categorical, X, meaning)

    def scores(self, table: Table, *, n_jobs: int | None = -1) -> np.ndarray:
        """What the model says of each row of a table: rows by classes, or rows by numbers."""
        scores, unseen, _ = self._core.scores(table, n_threads(n_jobs))
        tell_unseen(unseen)
        return scores

    def most_probable(self, table: Table, *, n_jobs: int | None = -1) -> np.ndarray:
        """The number of the most probable class of each row of a table, the first of equals."""
        codes, unseen, _ = self._core.most_probable(table, n_threads(n_jobs))
        tell_unseen(unseen)
        return codes


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model from a file that weald wrote: here, in Rust or by the program."""
    return Model(Core.load(os.fspath(path)))


def _objects(lists: Iterable[Sequence[str]]) -> list[np.ndarray]:
    return [np.asarray(names, dtype=object) for names in lists]


def names_of(levels: Iterable[Any]) -> list[str]:
    """What levels or classes are called."""
    return [_table.level_name(level) for level in levels]
