"""What all estimators share: from X and y to a fitted model, and from a model to predictions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from . import _class_weights, _several, _table, _weald
from ._at_once import keep_interrupted
from ._dataset import Dataset
from ._html import Shown
from ._labels import check_finite, encode, labels, later_codes, unmasked
from ._listen import listening, stay
from ._model import Model, names_of
from ._naming import named_as_here
from ._text import text
from ._threads import n_threads, seed_of
from ._warn import tell
from ._words import shortened


@dataclass(frozen=True)
class Given:
    """What a fit is given, as far as parameters depend on it."""

    names: Sequence[str]
    n_rows: int
    weight: float
    classes: Any


@dataclass(eq=False, repr=False)
class Estimator(Shown):
    """An estimator that weald fits. Its parameters are its fields and those of its bases."""

    _: KW_ONLY
    categorical_features: Any = "from_dtype"
    n_jobs: int | None = -1
    random_state: Any = None

    _method: ClassVar[str]
    """weald's name for the method."""
    _renamed: ClassVar[dict[str, str]]
    """Parameters that are passed on as text: the name here, and weald's."""

    def _settings(self, given: Given) -> dict[str, str]:
        """The method's parameters as text, by weald's names."""
        return {theirs: text(getattr(self, ours)) for ours, theirs in self._renamed.items()}

    _weighs_classes_itself: ClassVar[bool] = False
    """Whether the weights of classes are a parameter of the method, not of its rows."""

    def _target_name(self, y: Any) -> str:
        return "" if self._needs_no_target else str(getattr(y, "name", None) or "target")

    _needs_no_target: ClassVar[bool] = False
    """Whether it learns from rows alone."""

    def _parts(self, given: Given) -> dict[str, Any]:
        """Parts of the method that are Python's: a base, a loss, a metric."""
        return {}

    @property
    def _parts_are_python(self) -> bool:
        """Whether it has such parts."""
        return False

    def _target(self, y: Any, n_rows: int) -> _weald.Target:
        """The target of a fit."""
        raise NotImplementedError

    # From X to a table.

    def _fit_table(self, X: Any) -> _weald.Table:
        """The table to fit on; learns the names of the columns."""
        X = _table.without_mask(X)
        if isinstance(X, Dataset):
            self._learn_names(X.table.names if X.has_names else None, len(X.table.names))
            return X.table
        if _table.is_frame(X):
            names = self._check_frame(X, reset=True)
            return _table.table_of_frame(X, names, self._chosen(X, names))
        X, meaning = _table.times_of_matrix(X)
        values = self._matrix(X, reset=True)
        names = _table.plain_names(values.shape[1])
        return _table.table_of_matrix(values, names, self._chosen(values, names), X, meaning)

    def _predict_table(self, X: Any) -> _weald.Table:
        """The table to predict; its columns must be those of the fit."""
        check_is_fitted(self)
        is_categorical = [levels is not None for levels in self.model_._core.levels]
        return self._later_table(X, self.model_.feature_names, is_categorical)

    def _later_table(
        self, X: Any, names: Sequence[str], categorical: Sequence[bool | None]
    ) -> _weald.Table:
        """The table of other rows than those of the fit."""
        X = _table.without_mask(X)
        if isinstance(X, Dataset):
            return X.table
        if _table.is_frame(X):
            own = self._check_frame(X, reset=False)
            if not hasattr(self, "feature_names_in_") and list(own) != list(names):
                X = _table.renamed(X, names)
            return _table.table_of_frame(X, names, categorical)
        X, meaning = _table.times_of_matrix(X)
        values = self._matrix(X, reset=False)
        return _table.table_of_matrix(values, names, categorical, X, meaning)

    def _matrix(self, X: Any, *, reset: bool) -> np.ndarray:
        """An array that is not a frame, as a matrix of floats."""
        X = validate_data(
            self, X, accept_sparse=True, dtype=_table.FLOATS, ensure_all_finite=False, reset=reset
        )
        return _table.dense(X)

    def _check_frame(self, X: Any, *, reset: bool) -> list[str]:
        """The names of a frame's columns, which must be those of the fit."""
        if _table.is_pandas(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
        names = _table.frame_names(X)
        n_columns = len(names) if names is not None else X.shape[1]
        if _table.n_rows_of(X) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape=(0, {n_columns})) "
                f"while a minimum of 1 is required by {type(self).__name__}."
            )
        if n_columns == 0:
            raise ValueError(
                f"Found array with 0 feature(s) (shape=({len(X)}, 0)) "
                f"while a minimum of 1 is required by {type(self).__name__}."
            )
        if not _table.is_pandas(X):
            if reset:
                self._learn_names(names, n_columns)
            else:
                self._check_names(names)
        return names if names is not None else _table.plain_names(n_columns)

    def _learn_names(self, names: Sequence[str] | None, n_columns: int) -> None:
        self.n_features_in_ = n_columns
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_names(self, names: Sequence[str] | None) -> None:
        """What scikit-learn checks of a pandas frame, for frames that it does not know."""
        known = list(getattr(self, "feature_names_in_", []))
        if names is None or list(names) == known:
            return
        if not known:
            itself = type(self).__name__
            if len(names) != self.n_features_in_:
                raise ValueError(
                    f"X has {len(names)} features, but {itself} is expecting {self.n_features_in_} "
                    "features as input"
                )
            tell([f"X has feature names, but {itself} was fitted without feature names"])
            return
        lines = ["The feature names should match those that were passed during fit."]
        for words, these, those in (
            ("Feature names unseen at fit time:", names, known),
            ("Feature names seen at fit time, yet now missing:", known, names),
        ):
            others = sorted(set(these) - set(those))
            listed = (f"- {shortened(name, 80)}" for name in others[:5])
            lines += [words, *listed] if others else []
        if len(lines) == 1:
            lines.append("Feature names must be in the same order as they were in fit.")
        raise ValueError("\n".join(lines) + "\n")

    def _chosen(self, X: Any, names: Sequence[str]) -> list[bool | None]:
        return _table.categorical(X, names, self.categorical_features)

    # Fitting.

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        offset: Any = None,
        eval_set: Any = None,
        continued: Model | None = None,
        out_of_bag: bool = False,
    ) -> np.ndarray | None:
        """Fit the model; what it says of rows out of the bag, if that is asked for."""
        if y is None and isinstance(X, Dataset):
            y = X.y
        if y is None and not self._needs_no_target:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None."
            )
        table = self._fit_table(X)
        if y is not None:
            check_consistent_length(np.empty(table.n_rows), y)
        target = self._target(y, table.n_rows)
        sample_weight = self._weighted(y, self._row_weights(sample_weight, table.n_rows))
        rows = self._rows(table, target, sample_weight, groups, offset)
        given = Given(table.names, table.n_rows, rows.weight, getattr(self, "classes_", None))
        validation = None if eval_set is None else self._validation(eval_set)
        parts = self._parts(given)
        with listening(self) as heard, self._during(parts), named_as_here(self):
            fitted = _weald.fit(
                self._method,
                list(self._settings(given).items()),
                rows,
                seed=seed_of(self.random_state),
                threads=n_threads(self.n_jobs),
                target_name=self._target_name(y),
                validation=validation,
                continued=None if continued is None else continued._core,
                out_of_bag=out_of_bag,
                listener=heard,
                **parts,
            )
            if fitted.raised is not None:
                stay(heard)
        if isinstance(fitted.raised, KeyboardInterrupt):
            keep_interrupted(self, fitted.raised)
        elif fitted.raised is not None:
            raise fitted.raised
        self.model_ = Model(fitted.model)
        self._fitted()
        told = (getattr(part, "warnings", []) for part in parts.values())
        tell([*fitted.warnings, *(words for of_part in told for words in of_part)])
        return fitted.out_of_bag

    def _during(self, parts: dict[str, Any]) -> AbstractContextManager[None]:
        """What holds while such parts are asked."""
        return nullcontext()

    def _fitted(self) -> None:
        """Whatever follows from a model."""

    def _rows(
        self, table: Any, target: Any, sample_weight: Any, groups: Any, offset: Any
    ) -> _weald.Rows:
        """The rows of a table with what belongs to them."""
        n_rows = table.n_rows
        sample_weight = self._row_weights(sample_weight, n_rows)
        if groups is not None:
            check_consistent_length(np.empty(n_rows), groups)
            groups = np.unique(labels(groups, "groups"), return_inverse=True)[1].astype(np.uint32)
        if offset is not None:
            offset = np.ascontiguousarray(unmasked(offset, "offset"), dtype=np.float64)
        return _weald.Rows(table, target, weights=sample_weight, groups=groups, offset=offset)

    def _row_weights(self, sample_weight: Any, n_rows: int) -> np.ndarray | None:
        """The weights of rows as numbers, one for each."""
        if sample_weight is None:
            return None
        shape = np.empty((n_rows, 1), dtype=np.float64)
        sample_weight = unmasked(sample_weight, "sample_weight")
        return _check_sample_weight(sample_weight, shape, dtype=np.float64)

    def _weighted(self, y: Any, sample_weight: np.ndarray | None) -> np.ndarray | None:
        """Row weights with those of the classes, unless the method weighs these itself."""
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None or self._weighs_classes_itself:
            return sample_weight
        columns = _several.columns(y) if _several.n_targets(y) > 1 else [y]
        by_class = _class_weights.of_rows(class_weight, [labels(column) for column in columns])
        return by_class if sample_weight is None else by_class * sample_weight

    def _validation(self, eval_set: Any) -> _weald.Rows:
        """Rows to stop early by: a pair, a triple with weights, or a list of one of these."""
        if isinstance(eval_set, list) and all(isinstance(one, tuple | list) for one in eval_set):
            if len(eval_set) > 1 and isinstance(eval_set[0], tuple):
                raise ValueError(
                    f"eval_set holds {len(eval_set)} pairs; a fit ends by one: give (X, y)"
                )
            eval_set = eval_set[0] if len(eval_set) == 1 else eval_set
        if not isinstance(eval_set, tuple | list) or len(eval_set) not in (2, 3):
            raise ValueError("eval_set must be (X, y), (X, y, sample_weight), or a list of one")
        X, y, third = (*eval_set, None)[:3]
        if y is None:
            raise ValueError("eval_set has no y; it must be (X, y), or (X, y, sample_weight)")
        names = getattr(self, "feature_names_in_", _table.plain_names(self.n_features_in_))
        table = self._later_table(X, list(names), self._chosen(X, names))
        target = self._later_target(y, table.n_rows)
        return self._later_rows(table, target, third)

    def _later_rows(self, table: _weald.Table, target: _weald.Target, third: Any) -> _weald.Rows:
        """Rows to stop early by, given what came with them: their weights."""
        return self._rows(table, target, third, None, None)

    def _later_target(self, y: Any, n_rows: int) -> _weald.Target:
        """The target of other rows than those of the fit."""
        return self._target(y, n_rows)

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self.model_.scores(self._predict_table(X), n_jobs=self.n_jobs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file, which :func:`weald.load` and the program read.

        A file that is no model is not replaced: that is a ``FileExistsError``.
        """
        check_is_fitted(self)
        self.model_.save(path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


class Classifier(ClassifierMixin, Estimator):
    """An estimator of classes."""

    _takes_several: ClassVar[bool] = False
    """Whether rows may have several targets."""

    @property
    def _has_several(self) -> bool:
        """Whether rows had several targets in the fit: then ``classes_`` is a list."""
        return isinstance(getattr(self, "classes_", None), list)

    def _target(self, y: Any, n_rows: int) -> _weald.Target:
        if _several.n_targets(y) > 1:
            return self._several_targets(y)
        y = labels(y)
        check_classification_targets(y)
        classes, codes = encode(y)
        # Of several targets a list for each.
        self.classes_: Any = classes
        self.n_classes_: Any = len(classes)
        if self._takes_several:
            self.n_outputs_ = 1
        return _weald.Target.of_classes(codes, names_of(self.classes_))

    def _several_targets(self, y: Any) -> _weald.Target:
        """The target of a fit of several."""
        if not self._takes_several:
            raise ValueError(
                f"y should be a 1d array, got an array of shape {np.shape(y)} instead: "
                f"{type(self).__name__} predicts one target. Wrap it in scikit-learn's "
                "MultiOutputClassifier, which fits one for each target, or use "
                "GradientBoostingClassifier, RandomForestClassifier, ExtraTreesClassifier or "
                "DecisionTreeClassifier"
            )
        columns = [labels(column) for column in _several.columns(y)]
        for column in columns:
            check_classification_targets(column)
        encoded = [encode(column) for column in columns]
        self.classes_ = [classes for classes, _ in encoded]
        self.n_classes_ = [len(classes) for classes in self.classes_]
        self.n_outputs_ = len(encoded)
        codes = np.stack([codes for _, codes in encoded], axis=1)
        classes = [names_of(own) for own in self.classes_]
        return _weald.Target.of_several_classes(codes, _several.names(y), classes)

    def _later_target(self, y: Any, n_rows: int) -> _weald.Target:
        if not self._has_several:
            codes = later_codes(labels(y), self.classes_)
            return _weald.Target.of_classes(codes, names_of(self.classes_))
        columns = _several.columns(y)
        if len(columns) != len(self.classes_):
            raise ValueError(
                f"eval_set has {len(columns)} targets, the training rows {len(self.classes_)}"
            )
        known = zip(columns, self.classes_, strict=True)
        codes = np.stack([later_codes(column, classes) for column, classes in known], axis=1)
        classes = [names_of(own) for own in self.classes_]
        return _weald.Target.of_several_classes(codes, _several.names(y), classes)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row."""
        check_is_fitted(self)
        if self._has_several:
            return self._most_probable(self._scores(X))
        codes = self.model_.most_probable(self._predict_table(X), n_jobs=self.n_jobs)
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> Any:
        """Predict the probability of each class, in the order of ``classes_``.

        Of several targets, a list with an array for each.
        """
        return self._probabilities(self._scores(X))

    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithms of the classes' probabilities, as ``predict_proba`` has them."""
        with np.errstate(divide="ignore"):
            return self._probabilities(np.log(self._scores(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the share of rows predicted right; of several targets, of rows with all right."""
        if not self._has_several:
            return super().score(X, labels(y), sample_weight)
        return _several.exact_match(y, self.predict(X), sample_weight)

    def _most_probable(self, scores: np.ndarray) -> np.ndarray:
        """The class of each row, a column for each target where there are several."""
        if self._has_several:
            return _several.predicted(scores, self.classes_)
        return self.classes_[np.argmax(scores, axis=1)]

    def _probabilities(self, scores: np.ndarray) -> Any:
        return _several.parts(scores, self.classes_) if self._has_several else scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._takes_several
        tags.classifier_tags.multi_label = self._takes_several
        return tags


class Regressor(RegressorMixin, Estimator):
    """An estimator of numbers."""

    _takes_several: ClassVar[bool] = True

    def _target(self, y: Any, n_rows: int) -> _weald.Target:
        if getattr(getattr(y, "dtype", None), "kind", "f") in "mM":
            raise ValueError(
                f"y holds times, of type {y.dtype}; make numbers of them, such as days since a date"
            )
        y = check_array(
            unmasked(y, "y"),
            ensure_2d=False,
            dtype=np.float64,
            ensure_all_finite=False,
            input_name="y",
        )
        check_finite(y)
        if y.ndim == 2 and (y.shape[1] == 1 or not self._takes_several):
            y = column_or_1d(y, warn=True)
        self.n_outputs_ = 1 if y.ndim == 1 else y.shape[1]
        if y.ndim == 1:
            return _weald.Target.of_numbers(y)
        return _weald.Target.of_several(y, [f"y{i}" for i in range(y.shape[1])])

    def predict(self, X: Any) -> np.ndarray:
        """Predict the number, or numbers, of each row."""
        return flat(self._scores(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._takes_several
        return tags


def flat(scores: np.ndarray) -> np.ndarray:
    """Numbers of rows, as a list where a row has one."""
    return scores[:, 0] if scores.shape[1] == 1 else scores
