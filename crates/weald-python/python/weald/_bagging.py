"""Bagging of any estimator."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

from . import _text
from ._at_once import at_once
from ._base import OfBase
from ._committee import Committee, CommitteeClassifier, CommitteeRegressor
from ._describe import documented
from ._estimator import Given


@dataclass(eq=False, repr=False)
class _Bagging(Committee, OfBase):
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
            "feature_share": _text.share("max_features", self.max_features, len(given.names)),
        }
        if resampling != "none":
            settings["sample_share"] = _text.share("max_samples", self.max_samples, given.n_rows)
        return settings | self._base_settings(given)

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the members.

        Ctrl-C ends the fit; the members that are done by then are kept.
        """
        return super().fit(X, y, self._check_base(X, y, sample_weight))


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
