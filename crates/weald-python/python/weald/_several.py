"""Several targets of classes at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._weald import WealdError


def n_targets(y: Any) -> int:
    """How many targets a row has."""
    shape = getattr(y, "shape", None)
    if shape is None:
        shape = np.asarray(y).shape  # lists, and what only says that it can be an array
    return 1 if len(shape) != 2 else int(shape[1])


def columns(y: Any) -> list[np.ndarray]:
    """The targets one by one; a frame's columns may be of several kinds."""
    if hasattr(y, "toarray"):
        raise WealdError("sparse multilabel-indicator for y is not supported: pass y.toarray()")
    if hasattr(y, "columns") and hasattr(y, "iloc"):
        found = [y.iloc[:, at].to_numpy() for at in range(y.shape[1])]
    elif hasattr(y, "get_columns"):
        found = [column.to_numpy() for column in y.get_columns()]
    else:
        y = np.asarray(y)
        found = [y[:, at] for at in range(y.shape[1])]
    return [_plain(column) for column in found]


def _plain(column: np.ndarray) -> np.ndarray:
    """A column of one kind where an array of objects held several."""
    if column.dtype.kind == "O":
        kinds = {type(value) for value in column.tolist()}
        if len(kinds) == 1:
            column = np.asarray(column.tolist())
    return column


def names(y: Any) -> list[str]:
    """What the targets are called."""
    if hasattr(y, "columns"):
        return [str(name) for name in y.columns]
    return [f"y{at}" for at in range(n_targets(y))]


def parts(scores: np.ndarray, classes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What is said of each target; their classes stand one after the other."""
    ends = np.cumsum([len(own) for own in classes])
    return [
        scores[:, end - len(own) : end] for own, end in zip(classes, ends.tolist(), strict=True)
    ]


def predicted(scores: np.ndarray, classes: Sequence[np.ndarray]) -> np.ndarray:
    """The most probable class of each target, a column for each."""
    found = [
        own[np.argmax(part, axis=1)]
        for own, part in zip(classes, parts(scores, classes), strict=True)
    ]
    return joined(found)


def joined(found: Sequence[np.ndarray]) -> np.ndarray:
    """Columns side by side, as objects if they are of several kinds."""
    kinds = {"n" if column.dtype.kind in "iufb" else column.dtype.kind for column in found}
    if len(kinds) > 1 or "O" in kinds:
        found = [column.astype(object) for column in found]
    return np.stack(found, axis=1)


def exact_match(y: Any, found: np.ndarray, sample_weight: Any = None) -> float:
    """The share of rows of which every target is right."""
    truth = columns(y)
    if len(truth) != found.shape[1]:
        raise WealdError(f"y has {len(truth)} targets, but {found.shape[1]} were fitted")
    right = np.all([own == found[:, at] for at, own in enumerate(truth)], axis=0)
    return float(np.average(right, weights=sample_weight))
