"""Looking inside a fitted model: leaves, paths, importances, stages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ._estimator import Estimator
from ._threads import n_threads


class Inside(Estimator):
    """What every model of trees can tell."""

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of the improvement that the splits on each column made; sums to 1."""
        check_is_fitted(self)
        return np.asarray(self.model_._core.importance())

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row in each tree, as a node number of that tree."""
        table = self._predict_table(X)
        leaves = self.model_._core.leaves(table, n_threads(self.n_jobs))
        return leaves[:, 0] if self._is_one_tree else leaves

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes, as a sparse matrix; and where each tree's nodes begin."""
        table = self._predict_table(X)
        ends, nodes, sizes = self.model_._core.paths(table, n_threads(self.n_jobs))
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        shape = (table.n_rows, int(offsets[-1]))
        passed = sparse.csr_matrix((np.ones(len(nodes), dtype=np.int8), nodes, ends), shape=shape)
        return passed if self._is_one_tree else (passed, offsets)

    @property
    def _is_one_tree(self) -> bool:
        return self._method == "decision-tree"


class Staged(Estimator):
    """Predictions of the first members, of one more, and so on."""

    def _staged_scores(self, X: Any) -> Iterator[np.ndarray]:
        table = self._predict_table(X)
        yield from self.model_._core.staged(table, n_threads(self.n_jobs))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predict with one member, with two, and so on."""
        for scores in self._staged_scores(X):
            if hasattr(self, "classes_"):
                yield self.classes_[np.argmax(scores, axis=1)]
            else:
                yield scores[:, 0] if scores.shape[1] == 1 else scores
