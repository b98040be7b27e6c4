"""Which rows are most worth a label."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._estimator import Estimator
from ._model import Model
from ._threads import n_threads


def query(
    model: Any, X: Any, n: int = 20, by: str = "tie", *, n_jobs: int | None = -1
) -> tuple[np.ndarray, np.ndarray]:
    """Find the rows that a committee of classes is most in doubt about.

    Gives the positions of up to ``n`` rows of X, the most doubtful first, and their scores.

    Parameters
    ----------
    model : a fitted estimator of weald, or a :class:`weald.Model`
    X : rows without labels
    n : default 20
        How many rows.
    by : default "tie"
        What is doubtful: "tie", how near the vote of the members is to a tie; "entropy", the
        entropy of the vote; "kl", the mean divergence of members from their mean. Without members
        the probabilities stand for the vote.
    n_jobs : default -1
        Threads: a count, -1 for as many as there are cores, None for 1.
    """
    if not isinstance(n, Integral) or isinstance(n, bool) or n < 0:
        raise ValueError(f"n is {n!r:.80}; expected a whole number of at least 0")
    if isinstance(model, Model):
        core, table = model._core, model.table(X)
    elif isinstance(model, Estimator):
        check_is_fitted(model)
        core, table = model.model_._core, model._predict_table(X)
    else:
        raise TypeError(f"model is {model!r:.80}; give a fitted estimator of weald, or a Model")
    doubts = core.doubts(table, by, n_threads(n_jobs))
    rows = np.argsort(-doubts, kind="stable")[:n]
    return rows, doubts[rows]
