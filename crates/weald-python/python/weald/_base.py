"""Methods whose members are fitted by another estimator: weald's, or anyone's."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from . import _table
from ._estimator import Estimator, Given
from ._foreign import Base, check_base


@dataclass(eq=False, repr=False)
class OfBase(Estimator):
    """An estimator with a base of its members."""

    estimator: Any = None

    def _base_settings(self, given: Given) -> dict[str, str]:
        base = self.estimator
        if base is None or not is_ours(base):
            return {}
        own = base._settings(given)
        return {"base": base._method} | {f"base.{name}": value for name, value in own.items()}

    def _parts(self, given: Given) -> dict[str, Any]:
        base = self.estimator
        if base is None or is_ours(base):
            return {}
        has_names = hasattr(self, "feature_names_in_")
        classes = self._classes_of_base(given)
        return {"bases": [("base", Base(base, classes, has_names=has_names))]}

    def _classes_of_base(self, given: Given) -> np.ndarray | None:
        """The classes that members tell apart; None if they say numbers."""
        return given.classes

    @contextmanager
    def _during(self, parts: dict[str, Any]) -> Iterator[None]:
        with during_bases(parts):
            yield

    def _check_base(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Whether the base fits; the row weights, with the class weights of the base."""
        base = self.estimator
        if base is None:
            return sample_weight
        check_base(base, self._kind_of_base(), type(self).__name__)
        if not is_ours(base):
            return sample_weight
        check_categories(base, self)
        known = getattr(X, "y", None) if y is None else y
        if getattr(base, "class_weight", None) is None:
            return sample_weight
        return base._weighted(known, base._row_weights(sample_weight, _table.n_rows_of(X)))

    def _kind_of_base(self) -> str:
        """Whether members are classifiers or regressors."""
        return str(get_tags(self).estimator_type)

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members, where they are not weald's."""
        return [member for member, _ in self._members()]

    @property
    def estimators_features_(self) -> list[np.ndarray]:
        """The columns that each member sees, where members are not weald's."""
        columns = (columns for _, columns in self._members())
        everything = range(self.n_features_in_)
        return [np.asarray(everything if seen is None else seen) for seen in columns]

    def _members(self) -> list[tuple[Any, list[int] | None]]:
        check_is_fitted(self)
        members = self.model_._core.members
        if members is None:
            raise AttributeError("members that weald has fitted are no estimators; see model_")
        return members

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = self.estimator
        has_tags = hasattr(base, "__sklearn_tags__") and not inspect.isclass(base)
        if has_tags and not is_ours(base):
            theirs = get_tags(base)
            tags.input_tags.allow_nan = theirs.input_tags.allow_nan
            tags.target_tags.multi_output &= theirs.target_tags.multi_output
            tags.target_tags.positive_only = theirs.target_tags.positive_only
            tags.input_tags.positive_only = theirs.input_tags.positive_only
            tags.non_deterministic = theirs.non_deterministic
        return tags


@contextmanager
def during_bases(parts: dict[str, Any]) -> Iterator[None]:
    """What holds while members are fitted that are not weald's."""
    bases = parts.get("bases", [])
    # They may change the filters of warnings side by side.
    with warnings.catch_warnings() if bases else nullcontext():
        yield
    for _, base in bases:
        base.end_fit()


def is_ours(base: Any) -> bool:
    """Whether members are fitted by weald alone, without a function in Python."""
    return isinstance(base, Estimator) and not base._parts_are_python


def check_categories(base: Any, owner: Any) -> None:
    """Columns are read once, as the committee says."""
    own = getattr(base, "categorical_features", "from_dtype")
    if isinstance(own, str) and own == "from_dtype":
        return
    if own is not owner.categorical_features and own != owner.categorical_features:
        raise ValueError(
            f"estimator has categorical_features={own!r:.80}; give it to {type(owner).__name__} "
            "instead, which reads the columns"
        )
