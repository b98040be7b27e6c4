"""Density forests: how likely rows are."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from . import _table, _weald
from ._at_once import at_once
from ._describe import documented
from ._estimator import Given
from ._stream import Streaming
from ._text import share
from ._threads import n_threads, seed_of


@documented
@dataclass(eq=False, repr=False)
class DensityForest(DensityMixin, Streaming):
    """A density from the cells of completely random trees.

    The mass of a cell over its volume, averaged over trees: a density that integrates to one, is
    positive everywhere, and adapts to crowds of different widths. How fine cells are is chosen by
    rows that trees have not seen. Rows with missing values have the density of the columns they
    have; categories need no preparation. ``sample`` draws new rows.

    ``partial_fit`` learns from a stream of numbers instead: trees hold rows of the last ``window``
    ones.
    """

    n_estimators: int = 100
    _: KW_ONLY
    max_samples: Any = 0.65
    max_tree_rows: int = 16384
    min_samples_split: Any = "auto"
    contamination: Any = "auto"
    keep_depths: bool = False

    _method = "density-forest"
    _needs_no_target = True
    _of_model = ("min_samples_split_", "oob_log_density_")
    _renamed: ClassVar[dict[str, str]] = {
        "n_estimators": "n_trees",
        "max_tree_rows": "max_tree_rows",
        "min_samples_split": "min_split_rows",
        "contamination": "contamination",
        "keep_depths": "keep_depths",
    }
    _described: ClassVar[dict[str, str]] = {
        "max_samples": "Rows that each tree sees: a share, or a count.",
        "window": "For how many rows ``partial_fit`` remembers a row.",
    }

    def _settings(self, given: Given) -> dict[str, str]:
        return super()._settings(given) | {
            "sample_share": share("max_samples", self.max_samples, given.n_rows)
        }

    def _stream_settings(self, given: Given) -> dict[str, str]:
        own = self._settings(given)
        rows = min(int(float(own["sample_share"]) * given.n_rows) or 1, 256)
        split = own["min_split_rows"]
        return {
            "n_trees": own["n_trees"],
            "sample_rows": str(rows),
            "min_leaf_rows": "none" if split == "auto" else split,
        }

    def _target(self, y: Any, n_rows: int) -> _weald.Target:
        return _weald.Target.none(n_rows)

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> DensityForest:
        """Learn where rows are many; ``y`` is ignored.

        Rows are drawn by ``sample_weight``; a whole number is a row that stands there so often.
        """
        self._fit(X, None, sample_weight)
        self._forget_stream()
        return self

    @at_once
    def partial_fit(self, X: Any, y: Any = None) -> DensityForest:
        """Learn from the next rows of a stream of numbers, in their order; ``y`` is ignored."""
        self._take(X)
        self.offset_ = -np.inf
        return self

    def _fitted(self) -> None:
        core = self.model_._core
        threshold = core.density_threshold
        self.offset_ = -np.inf if threshold is None else threshold
        self.min_samples_split_, self.oob_log_density_ = core.chosen_cells or (0, None)

    def score_samples(self, X: Any) -> np.ndarray:
        """Tell the natural logarithm of the density of each row."""
        if self._is_streaming:
            return self.stream_.log_density(self._stream_table(X), n_threads(self.n_jobs))
        return self._scores(X)[:, 0]

    def score(self, X: Any, y: Any = None) -> float:
        """Tell the log-likelihood of all rows together."""
        return float(np.sum(self.score_samples(X)))

    def predict(self, X: Any) -> np.ndarray:
        """Predict -1 for anomalies, whose density is below that of a ``contamination`` share."""
        return np.where(self.score_samples(X) < self.offset_, -1, 1)

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Draw new rows: a frame where the fit was given one, otherwise an array."""
        check_is_fitted(self, "model_")
        if not isinstance(n_samples, Integral) or isinstance(n_samples, bool) or n_samples < 0:
            raise ValueError(f"n_samples is {n_samples!r:.80}; expected a count of at least 0")
        columns = self.model_._core.draw(int(n_samples), seed_of(random_state))
        is_plain = all(levels is None and meaning is None for _, _, levels, meaning in columns)
        if is_plain and not hasattr(self, "feature_names_in_"):
            return np.column_stack([values for _, values, _, _ in columns])
        return _table.frame_of_columns(columns)

    def depth_scores(self, X: Any) -> np.ndarray:
        """Tell the lecture's score: how deep rows lie in completely random trees.

        The mean depth of each row, divided by the sum over all rows; needs ``keep_depths=True``.
        """
        check_is_fitted(self, "model_")
        table = self._predict_table(X)
        return self.model_._core.depth_scores(table, n_threads(self.n_jobs))
