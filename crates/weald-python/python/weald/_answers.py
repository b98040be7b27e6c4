"""What others' estimators answer, checked before weald takes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._labels import places
from ._weald import WealdError

TOLERANCE = 1e-4
"""How far probabilities may sum to something else than 1: many of them are in single precision."""


def numbers_said(who: str, said: Any, n_rows: int) -> np.ndarray:
    """Finite numbers, one or several for each row, as a matrix."""
    said = _array(who, "predict", said)
    if said.ndim not in (1, 2) or len(said) != n_rows or said.size == 0 < n_rows:
        raise _wrong_shape(who, "predict", said, f"({n_rows},)", "a number for each row")
    said = _floats(who, "predict", said)
    _check_finite(who, "predict", said)
    return np.ascontiguousarray(said.reshape(n_rows, -1))


def shares_said(who: str, said: Any, shape: tuple[int, int]) -> np.ndarray:
    """A probability for each row and class; those of a row sum to 1."""
    said = _array(who, "predict_proba", said)
    if said.shape != shape:
        expected = "a probability for each row and each of its classes_"
        raise _wrong_shape(who, "predict_proba", said, str(shape), expected)
    said = _floats(who, "predict_proba", said)
    _check_finite(who, "predict_proba", said)
    outside = (said < -TOLERANCE) | (said > 1.0 + TOLERANCE)
    bad = np.flatnonzero(outside.any(axis=1))
    if len(bad):
        value = said[bad[0]][outside[bad[0]]][0]
        raise WealdError(
            f"{who}.predict_proba returned {value:.6g} in row {_rows(bad)}; a probability lies "
            "between 0 and 1"
        )
    said = said.clip(0.0, 1.0)
    sums = said.sum(axis=1)
    bad = np.flatnonzero(np.abs(sums - 1.0) > TOLERANCE)
    if len(bad):
        raise WealdError(
            f"{who}.predict_proba returned probabilities that sum to {sums[bad[0]]:.6g} in row "
            f"{_rows(bad)}; those of a row sum to 1"
        )
    return said


def labels_said(who: str, said: Any, n_rows: int) -> np.ndarray:
    """A label for each row."""
    said = _array(who, "predict", said)
    if said.shape == (n_rows, 1):
        said = said[:, 0]
    if said.shape != (n_rows,):
        raise _wrong_shape(who, "predict", said, f"({n_rows},)", "a label for each row")
    return said


def places_of(who: str, method: str, labels: Any, classes: np.ndarray) -> np.ndarray:
    """The place of each label among the classes."""
    labels = np.asarray(labels)
    found = places(labels.ravel(), classes)
    bad = np.flatnonzero(found < 0)
    if len(bad):
        some = ", ".join(map(repr, classes[:5].tolist())) + (", …" if len(classes) > 5 else "")
        what = "has" if method == "classes_" else f"in row {_rows(bad)} returned"
        label = labels.ravel().tolist()[bad[0]]
        raise WealdError(
            f"{who}.{method} {what} {label!r:.80}, which is none of the classes {some}"
        )
    return found


def _array(who: str, method: str, said: Any) -> np.ndarray:
    if said is None:
        raise WealdError(f"{who}.{method} returned None")
    if np.ma.isMaskedArray(said):
        if np.ma.getmaskarray(said).any():
            raise WealdError(f"{who}.{method} returned an array with masked values")
        said = np.ma.getdata(said)
    try:
        return np.asarray(said)
    except (TypeError, ValueError) as error:
        raise WealdError(
            f"{who}.{method} returned {type(said).__name__} that is no array: {error}"
        ) from error


def _floats(who: str, method: str, said: np.ndarray) -> np.ndarray:
    if said.dtype.kind == "O":
        try:
            is_text = any(isinstance(value, str) for value in said.ravel())
            if not is_text:
                return said.astype(np.float64)
        except (TypeError, ValueError):
            pass
    if said.dtype.kind not in "fiub":
        raise WealdError(f"{who}.{method} returned values of type {said.dtype}; expected numbers")
    return said.astype(np.float64)


def _check_finite(who: str, method: str, said: np.ndarray) -> None:
    is_finite = np.isfinite(said).reshape(len(said), -1)
    bad = np.flatnonzero(~is_finite.all(axis=1))
    if len(bad):
        value = said.reshape(len(said), -1)[bad[0]][~is_finite[bad[0]]][0]
        raise WealdError(
            f"{who}.{method} returned {value} in row {_rows(bad)}; every answer must be a finite "
            "number"
        )


def _wrong_shape(who: str, method: str, said: np.ndarray, shape: str, what: str) -> WealdError:
    return WealdError(
        f"{who}.{method} returned an array of shape {said.shape}; expected {shape}, {what}"
    )


def _rows(bad: np.ndarray) -> str:
    """The first of some rows, and how many there are besides."""
    return f"{bad[0]} and {len(bad) - 1} more" if len(bad) > 1 else str(bad[0])
