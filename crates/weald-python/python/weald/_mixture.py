"""Mixtures of experts."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ._at_once import at_once
from ._base import OfBase
from ._describe import documented
from ._estimator import Classifier, Given, Regressor
from ._threads import n_threads


@dataclass(eq=False, repr=False)
class _MixtureOfExperts(OfBase):
    estimator: Any = None
    n_experts: int = 4
    _: KW_ONLY
    n_rounds: int = 100
    tol: float = 1e-5
    gate_alpha: float = 0.01
    n_init: int = 5

    _method = "mixture-of-experts"
    _renamed: ClassVar[dict[str, str]] = {
        "n_experts": "n_experts",
        "n_rounds": "n_rounds",
        "tol": "tolerance",
        "gate_alpha": "gate_l2",
        "n_init": "n_starts",
    }
    _described: ClassVar[dict[str, str]] = {
        "estimator": (
            "What experts are fitted by: an estimator of weald or of scikit-learn; None: a linear "
            "model."
        ),
    }

    def _settings(self, given: Given) -> dict[str, str]:
        return super()._settings(given) | self._base_settings(given)

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the gate and the experts.

        Ctrl-C ends the fit; what there is by then is kept.
        """
        self._fit(X, y, self._check_base(X, y, sample_weight))
        return self

    def _fitted(self) -> None:
        self.n_experts_ = self.model_.n_members
        self.log_likelihoods_ = np.asarray(self.model_._core.likelihoods)

    def gate_proba(self, X: Any) -> np.ndarray:
        """Tell how much each expert is believed, row by row."""
        return self.model_._core.gate(self._predict_table(X), n_threads(self.n_jobs))


@documented
@dataclass(eq=False, repr=False)
class MixtureOfExpertsClassifier(_MixtureOfExperts, Classifier):
    """Experts, each for a region, and a gate that tells whom to believe where.

    Gate and experts are fitted together by expectation and maximisation (Jordan & Jacobs 1994);
    ``log_likelihoods_`` has the mean log-likelihood of a row after each round, which never falls.
    """


@documented
@dataclass(eq=False, repr=False)
class MixtureOfExpertsRegressor(_MixtureOfExperts, Regressor):
    """Experts, each for a region, and a gate that tells whom to believe where.

    Gate and experts are fitted together by expectation and maximisation (Jordan & Jacobs 1994);
    ``log_likelihoods_`` has the mean log-likelihood of a row after each round, which never falls.
    """
