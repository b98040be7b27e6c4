"""Isolation forests: which rows are unlike the others."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from . import _text, _weald
from ._at_once import at_once
from ._describe import documented
from ._estimator import Given
from ._stream import Streaming
from ._threads import n_threads


@documented
@dataclass(eq=False, repr=False)
class IsolationForest(OutlierMixin, Streaming):
    """Anomalies by isolation (Liu, Ting & Zhou 2008).

    Completely random trees, each on a few rows: a row that few splits part from the others is an
    anomaly. Missing values and categories need no preparation. With ``cuts="oblique"`` rows are cut
    across random directions (Hariri, Carrasco Kind & Brunner 2019), with ``cuts="separating"``
    where they separate best (Liu, Ting & Zhou 2010), which finds anomalies that lie together.

    Scores have scikit-learn's sign: ``score_samples`` is the negative of the paper's score, which
    is near 1 for anomalies and well below one half for others.

    ``partial_fit`` learns from a stream instead: trees hold rows of the last ``window`` ones and
    change with each, exactly as if they had been grown on those rows.
    """

    n_estimators: int = 100
    _: KW_ONLY
    max_samples: Any = "auto"
    contamination: Any = "auto"
    max_features: Any = 1.0
    max_depth: Any = "auto"
    cuts: str = "axis"
    cut_features: Any = None
    cut_trials: int = 10

    _method = "isolation-forest"
    _needs_no_target = True
    _of_stream = ("recent_scores_",)
    _renamed: ClassVar[dict[str, str]] = {
        "n_estimators": "n_trees",
        "contamination": "contamination",
        "max_depth": "max_depth",
        "cuts": "cuts",
        "cut_trials": "cut_trials",
    }
    _described: ClassVar[dict[str, str]] = {
        "max_samples": 'Rows that each tree sees: "auto" for 256, a count, or a share.',
        "max_features": "Columns that each tree sees: a count or a share.",
        "window": "For how many rows ``partial_fit`` remembers a row.",
        "cut_features": (
            "Columns that a direction is made of: a count or a share; None: two where the best cut "
            "is sought, else all."
        ),
    }

    def _settings(self, given: Given) -> dict[str, str]:
        features = self.cut_features
        if features is None and self.cuts == "separating":
            features = 2
        return super()._settings(given) | {
            "sample_rows": self._sample_rows(given),
            "max_features": _text.feature_count(self.max_features),
            "cut_features": _text.feature_count(features),
        }

    def _sample_rows(self, given: Given) -> str:
        if isinstance(self.max_samples, str) and self.max_samples == "auto":
            return "256"
        is_count = isinstance(self.max_samples, Integral) and not isinstance(self.max_samples, bool)
        if is_count or isinstance(self.max_samples, str):
            return _text.text(self.max_samples)
        is_number = isinstance(self.max_samples, Real) and not isinstance(self.max_samples, bool)
        share = float(self.max_samples) if is_number else 0.0
        if not 0.0 < share <= 1.0:
            raise ValueError(
                f"max_samples is {self.max_samples!r:.80}; expected 'auto', a count, or a share up "
                "to 1"
            )
        # Rows that stand there several times count as often.
        n_rows = given.weight if float(given.weight).is_integer() else given.n_rows
        return str(max(2, int(share * n_rows)))

    def _target(self, y: Any, n_rows: int) -> _weald.Target:
        return _weald.Target.none(n_rows)

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> IsolationForest:
        """Learn which rows are usual; ``y`` is ignored.

        Rows are drawn by ``sample_weight``; a whole number is a row that stands there so often.
        """
        self._fit(X, None, sample_weight)
        self._forget_stream()
        return self

    @at_once
    def partial_fit(self, X: Any, y: Any = None) -> IsolationForest:
        """Learn from the next rows of a stream, in their order; ``y`` is ignored.

        The first call finds out the columns. ``recent_scores_`` are the scores of the last rows,
        each before it was learned from; with a share for ``contamination`` they say where
        anomalies begin.
        """
        if self.cuts != "axis":
            raise ValueError(f'partial_fit needs cuts="axis"; cuts is {self.cuts!r}')
        share = 0.0 if self.contamination == "auto" else float(self.contamination)
        if not 0.0 <= share <= 0.5 or (share == 0.0 and self.contamination != "auto"):
            raise ValueError(f'contamination is {share}; expected "auto", or a share up to 0.5')
        window = int(self.window)
        before = getattr(self, "recent_scores_", np.empty(0)) if self._is_streaming else np.empty(0)
        recent: np.ndarray = np.concatenate([before, -self._take(X)])[-window:]
        self.recent_scores_ = recent
        if self.contamination == "auto":
            self.offset_ = -0.5
        else:
            n_strange = int(share * len(recent) * (1 + 1e-12))
            self.offset_ = float(np.sort(recent)[n_strange])
        return self

    def _stream_settings(self, given: Given) -> dict[str, str]:
        own = self._settings(given)
        depth = own["max_depth"]
        sample_rows = min(int(own["sample_rows"]), int(self.window))
        self.max_samples_ = sample_rows
        return {
            "n_trees": own["n_trees"],
            "sample_rows": str(sample_rows),
            "max_depth": "none" if depth == "auto" else depth,
        }

    def _fitted(self) -> None:
        self.offset_ = -(self.model_._core.threshold or 0.0)
        self.max_samples_ = self.model_._core.sample_rows or 0

    def score_samples(self, X: Any) -> np.ndarray:
        """Score each row: the lower, the more anomalous."""
        if self._is_streaming:
            return -self.stream_.scores(self._stream_table(X), n_threads(self.n_jobs))
        return -self._scores(X)[:, 0]

    def decision_function(self, X: Any) -> np.ndarray:
        """Score each row, below 0 for anomalies."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """Predict -1 for anomalies and 1 for other rows."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def path_lengths(self, X: Any) -> np.ndarray:
        """Count the splits that isolate each row, on the mean over trees."""
        check_is_fitted(self, "model_")
        table = self._predict_table(X)
        return self.model_._core.path_lengths(table, n_threads(self.n_jobs))[:, 0]

    def contributions(self, X: Any) -> np.ndarray:
        """Tell how much each column isolates each row: rows by columns.

        Above 0 a column makes a row more anomalous. The paper's score of a row, ``-score_samples``,
        is ``2 ** (typical_ + contributions.sum())``.
        """
        check_is_fitted(self, "model_")
        table = self._predict_table(X)
        return self.model_._core.credits(table, n_threads(self.n_jobs))

    @property
    def typical_(self) -> float | None:
        """The binary logarithm of the score of a row that no column isolates."""
        return self.model_._core.typical
