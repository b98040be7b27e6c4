"""Bagging of any estimator."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from . import _text
from ._committee import Committee, CommitteeClassifier, CommitteeRegressor
from ._describe import documented
from ._estimator import Estimator, Given
from ._foreign import Base, check_base


@dataclass(eq=False, repr=False)
class _Bagging(Committee):
    estimator: Any = None
    n_estimators: int = 100
    _: KW_ONLY
    max_features: int | float | None = None

    _method = "bagging"
    _renamed: ClassVar[dict[str, str]] = {
        "n_estimators": "n_members",
        "combine": "combine",
        "patience": "patience",
    }
    _described: ClassVar[dict[str, str]] = {
        "max_features": "How many columns a member sees: a share, or a count.",
    }

    def _settings(self, given: Given) -> dict[str, str]:
        resampling = self.resampling or ("bootstrap" if self.bootstrap else "subsample")
        if resampling == "subsample" and self.max_samples in (None, 1.0):
            resampling = "none"
        settings = super()._settings(given) | {
            "resampling": _text.text(resampling),
            "feature_share": _text.share(self.max_features, len(given.names)),
        }
        if resampling != "none":
            settings["sample_share"] = _text.share(self.max_samples, given.n_rows)
        return settings | self._base_settings(given)

    def _base_settings(self, given: Given) -> dict[str, str]:
        base = self.estimator
        if base is None or not _is_ours(base):
            return {}
        own = base._settings(given)
        return {"base": base._method} | {f"base.{name}": value for name, value in own.items()}

    def _parts(self, given: Given) -> dict[str, Any]:
        base = self.estimator
        if base is None or _is_ours(base):
            return {}
        has_names = hasattr(self, "feature_names_in_")
        return {"base": Base(base, given.classes, has_names=has_names)}

    @contextmanager
    def _during(self, parts: dict[str, Any]) -> Iterator[None]:
        # Members that are not weald's may change the filters of warnings side by side.
        with warnings.catch_warnings() if parts else nullcontext():
            yield
        if parts:
            parts["base"].end_fit()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the members.

        Ctrl-C ends the fit; the members that are done by then are kept.
        """
        base = self.estimator
        if base is not None:
            check_base(base, get_tags(self).estimator_type, type(self).__name__)
            if _is_ours(base):
                known = getattr(X, "y", None) if y is None else y
                sample_weight = _with_class_weights(base, known, sample_weight)
                _check_categories(base, self)
        return super().fit(X, y, sample_weight)

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
        if has_tags and not _is_ours(base):
            theirs = get_tags(base)
            tags.input_tags.allow_nan = theirs.input_tags.allow_nan
            tags.target_tags.multi_output &= theirs.target_tags.multi_output
            tags.target_tags.positive_only = theirs.target_tags.positive_only
            tags.input_tags.positive_only = theirs.input_tags.positive_only
            tags.non_deterministic = theirs.non_deterministic
        return tags


def _is_ours(base: Any) -> bool:
    """Whether members are fitted by weald alone, without a function in Python."""
    return isinstance(base, Estimator) and not base._parts_are_python


def _with_class_weights(base: Estimator, y: Any, sample_weight: Any) -> Any:
    """Row weights with the class weights of a base that is told them no other way."""
    if getattr(base, "class_weight", None) is None or base._weighs_classes_itself:
        return sample_weight
    return base._weighted(y, sample_weight)


def _check_categories(base: Any, owner: Any) -> None:
    """Columns are read once, as the committee says."""
    own = getattr(base, "categorical_features", "from_dtype")
    if isinstance(own, str) and own == "from_dtype":
        return
    if own is not owner.categorical_features and own != owner.categorical_features:
        raise ValueError(
            f"estimator has categorical_features={own!r:.80}; give it to {type(owner).__name__} "
            "instead, which reads the columns"
        )


@documented
@dataclass(eq=False, repr=False)
class BaggingClassifier(_Bagging, CommitteeClassifier):
    """Bagging of any classifier (Breiman 1996).

    Members are fitted on bootstraps of the rows and averaged, or vote. Pasting, random subspaces
    and random patches are settings of ``bootstrap``, ``max_samples`` and ``max_features``.
    """

    _: KW_ONLY
    combine: str = "mean"


@documented
@dataclass(eq=False, repr=False)
class BaggingRegressor(_Bagging, CommitteeRegressor):
    """Bagging of any regressor (Breiman 1996).

    Members are fitted on bootstraps of the rows and averaged. Pasting, random subspaces and random
    patches are settings of ``bootstrap``, ``max_samples`` and ``max_features``.
    """

    combine: ClassVar[str] = "mean"
