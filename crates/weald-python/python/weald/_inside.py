"""Looking inside a fitted model: leaves, paths, importances, stages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ._estimator import Estimator, flat
from ._threads import n_threads


class Inside(Estimator):
    """What every model of trees can tell."""

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of the improvement that the splits on each column made; sums to 1."""
        check_is_fitted(self)
        return np.asarray(self.model_._core.importance())

    def apply(self, X: Any) -> np.ndarray:
        """Find the leaf of each row in each tree, as a node number of that tree."""
        table = self._predict_table(X)
        leaves = self.model_._core.leaves(table, n_threads(self.n_jobs))
        return leaves[:, 0] if self._is_one_tree else leaves

    def decision_path(self, X: Any) -> Any:
        """Find the nodes that each row passes, as a sparse matrix of 0 and 1.

        Of several trees the nodes are counted through, and where those of each begin comes with it.
        """
        table = self._predict_table(X)
        ends, nodes, sizes = self.model_._core.paths(table, n_threads(self.n_jobs))
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        shape = (table.n_rows, int(offsets[-1]))
        passed = sparse.csr_matrix((np.ones(len(nodes), dtype=np.int8), nodes, ends), shape=shape)
        return passed if self._is_one_tree else (passed, offsets)

    def get_depth(self) -> int:
        """Splits on the longest way from a root to a leaf."""
        check_is_fitted(self)
        return self.model_._core.depth

    def get_n_leaves(self) -> int:
        """How many leaves the trees have together."""
        check_is_fitted(self)
        return self.model_._core.n_leaves

    @property
    def _is_one_tree(self) -> bool:
        return self._method == "decision-tree"


@dataclass(eq=False, repr=False)
class Staged(Estimator):
    """Members one after the other: progress, and predictions of the first ones."""

    _: KW_ONLY
    verbose: int = 0
    callbacks: Any = None

    def _staged_scores(self, X: Any) -> Iterator[np.ndarray]:
        table = self._predict_table(X)
        yield from self.model_._core.staged(table, n_threads(self.n_jobs))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predict with one member, with two, and so on."""
        for scores in self._staged_scores(X):
            if hasattr(self, "classes_"):
                yield self._most_probable(scores)
            else:
                yield flat(scores)


class OfForest(Estimator):
    """What a forest knows beyond its mean."""

    @property
    def unbiased_importances_(self) -> np.ndarray | None:
        """Importances on rows in and out of the bag, which do not favour columns of many values.

        Noise has 0 in expectation, and may come out below (Zhou & Hooker 2021). None without rows
        out of the bag.
        """
        check_is_fitted(self)
        found = self.model_._core.unbiased_importance
        return None if found is None else np.asarray(found)

    @property
    def permutation_importances_(self) -> tuple[np.ndarray, np.ndarray] | None:
        """What the error of a tree rises by when a column is shuffled out of the bag.

        With it, the standard error of that mean. None unless ``permutation_importance=True``.
        """
        check_is_fitted(self)
        found = self.model_._core.permutation_importance
        return None if found is None else (np.asarray(found[0]), np.asarray(found[1]))

    def standard_errors(self, X: Any) -> np.ndarray:
        """How far predictions may be off by the choice of training rows.

        By the infinitesimal jackknife (Wager, Hastie & Efron 2014); needs ``keep_rows=True``.
        """
        table = self._predict_table(X)
        return flat(self.model_._core.standard_errors(table, n_threads(self.n_jobs)))

    def proximity(self, X: Any, other: Any = None) -> np.ndarray:
        """Find how near rows are to each other, or to ``other``: the share of trees in which two
        rows fall into one leaf.
        """
        table = self._predict_table(X)
        others = table if other is None else self._predict_table(other)
        return self.model_._core.proximity(table, others, n_threads(self.n_jobs))
