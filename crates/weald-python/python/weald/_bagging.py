"""Bagging of any estimator."""

from __future__ import annotations

from typing import Any, ClassVar

from . import _text
from ._committee import Committee, CommitteeClassifier, CommitteeRegressor
from ._describe import documented
from ._estimator import Given


class _Bagging(Committee):
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
        if self.estimator is None:
            return {}
        base = self.estimator
        own = base._settings(given)
        return {"base": base._method} | {f"base.{name}": value for name, value in own.items()}


@documented
class BaggingClassifier(_Bagging, CommitteeClassifier):
    """Bagging of any classifier (Breiman 1996).

    Members are fitted on bootstraps of the rows and averaged, or vote. Pasting, random subspaces
    and random patches are settings of ``bootstrap``, ``max_samples`` and ``max_features``.
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        max_samples: int | float | None = None,
        max_features: int | float | None = None,
        bootstrap: bool = True,
        resampling: str | None = None,
        combine: str = "mean",
        oob_score: Any = False,
        patience: int | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.resampling = resampling
        self.combine = combine
        self.oob_score = oob_score
        self.patience = patience
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks


@documented
class BaggingRegressor(_Bagging, CommitteeRegressor):
    """Bagging of any regressor (Breiman 1996).

    Members are fitted on bootstraps of the rows and averaged. Pasting, random subspaces and random
    patches are settings of ``bootstrap``, ``max_samples`` and ``max_features``.
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        max_samples: int | float | None = None,
        max_features: int | float | None = None,
        bootstrap: bool = True,
        resampling: str | None = None,
        oob_score: Any = False,
        patience: int | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.resampling = resampling
        self.oob_score = oob_score
        self.patience = patience
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    combine = "mean"
