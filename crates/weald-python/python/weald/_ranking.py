"""Gradient boosting for ranking."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.metrics import ndcg_score
from sklearn.utils.validation import column_or_1d

from . import _weald
from ._at_once import at_once
from ._boosting import Boosting
from ._describe import documented
from ._estimator import Given
from ._labels import check_finite, unmasked


@documented
@dataclass(eq=False, repr=False)
class GradientBoostingRanker(Boosting):
    """Gradient boosting for ranking, by LambdaMART (Burges 2010).

    ``y`` says how relevant each row is, in whole numbers from 0; ``groups`` names the query of each
    row. Predictions sort the rows of a query, the highest first.
    """

    _: KW_ONLY
    loss: Any = "lambdarank:10"

    def _parts(self, given: Given) -> dict[str, Any]:
        if self._has_own_loss:
            raise TypeError(
                "GradientBoostingRanker takes no loss of one's own; use GradientBoostingRegressor"
            )
        return {}

    def _target(self, y: Any, n_rows: int) -> _weald.Target:
        y = column_or_1d(unmasked(y, "y"), dtype=np.float64, warn=True)
        check_finite(y)
        return _weald.Target.of_numbers(y)

    @at_once
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        groups: Any = None,
        group_weight: Any = None,
        eval_set: Any = None,
    ) -> Self:
        """Boost trees.

        Parameters
        ----------
        X : array or frame
            The rows.
        y : array
            How relevant each row is: whole numbers from 0.
        groups : array, optional
            The query of each row; without it all rows belong to one.
        group_weight : array, optional
            The weight of each row's query; the mean is taken where rows of one differ.
        eval_set : (X, y, groups), optional
            Rows to end by, instead of a share of the queries trained on.
        """
        if groups is None and y is not None:
            groups = np.zeros(np.shape(y)[0], dtype=np.uint32)
        self._fit(X, y, group_weight, groups=groups, eval_set=eval_set)
        return self

    def _later_rows(self, table: _weald.Table, target: _weald.Target, third: Any) -> _weald.Rows:
        groups = np.zeros(table.n_rows, dtype=np.uint32) if third is None else third
        return self._rows(table, target, None, groups, None)

    def predict(self, X: Any) -> np.ndarray:
        """Predict scores by which to sort the rows of a query, the highest first."""
        return self._scores(X)[:, 0]

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """The mean NDCG over queries."""
        y, scores = np.asarray(y), self.predict(X)
        groups = np.zeros(len(y)) if groups is None else np.asarray(groups)
        found = [
            ndcg_score([y[groups == g]], [scores[groups == g]])
            for g in np.unique(groups)
            if (groups == g).sum() > 1
        ]
        return float(np.mean(found)) if found else 1.0
