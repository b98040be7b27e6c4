"""What forests and bagging share: members that test themselves on rows they have not seen."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.metrics import accuracy_score, r2_score

from . import _several
from ._at_once import at_once
from ._estimator import Classifier, Estimator, Regressor, flat
from ._inside import Inside, Staged
from ._labels import labels


@dataclass(eq=False, repr=False)
class Committee(Staged, Inside, Estimator):
    """Members that are fitted apart and answer together."""

    _: KW_ONLY
    max_samples: int | float | None = None
    bootstrap: bool = True
    resampling: str | None = None
    oob_score: Any = False
    patience: int | None = None

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the members.

        Ctrl-C ends the fit; the members that are done by then are kept.
        """
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)
        honest = self._fit(X, y, sample_weight, out_of_bag=bool(self.oob_score))
        if self.oob_score:
            if honest is None:
                raise ValueError(
                    "Out of bag estimation only available if bootstrap=True, "
                    "or if members miss some rows otherwise"
                )
            self._keep_honest(honest, np.asarray(X.y if y is None else y))
        return self

    def _fitted(self) -> None:
        self.n_estimators_ = self.model_.n_members

    def _keep_honest(self, honest: np.ndarray, y: np.ndarray) -> None:
        """Keep what members say of rows out of their bags, and the score of that."""
        raise NotImplementedError


class CommitteeClassifier(Committee, Classifier):
    """A committee for classes."""

    def _keep_honest(self, honest: np.ndarray, y: np.ndarray) -> None:
        self.oob_decision_function_ = self._probabilities(honest)
        there = ~np.isnan(honest[:, 0])
        found = self._most_probable(honest[there])
        if self._has_several:
            truth = _several.joined(_several.columns(y))[there]
            own = self.oob_score if callable(self.oob_score) else _several.exact_match
            self.oob_score_ = own(truth, found)
            return
        score = self.oob_score if callable(self.oob_score) else accuracy_score
        self.oob_score_ = score(labels(y)[there], found)


class CommitteeRegressor(Committee, Regressor):
    """A committee for numbers."""

    def _keep_honest(self, honest: np.ndarray, y: np.ndarray) -> None:
        self.oob_prediction_ = flat(honest)
        there = ~np.isnan(honest[:, 0])
        score = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = score(y.reshape(honest.shape)[there], honest[there])
