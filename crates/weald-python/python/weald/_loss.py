"""Losses of one's own: a function, or an object, as gradient boosting asks it."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from ._caller import Caller

LINKS = ("identity", "logistic", "log")


def is_own(loss: Any) -> bool:
    """Whether a loss is the user's own."""
    return callable(loss) or callable(getattr(loss, "gradient", None))


class Loss:
    """A user's loss, whose answers are checked before weald takes them."""

    def __init__(self, loss: Any, *, is_classifier: bool) -> None:
        own = getattr(loss, "gradient", None)
        self._gradient = own if callable(own) else loss
        self._loss: Any = getattr(loss, "loss", None)
        if self._loss is not None and not callable(self._loss):
            raise TypeError(f"loss.loss is {self._loss!r:.80}; expected a function of y and score")
        self._caller = Caller()
        self._negative: tuple[Any, ...] | None = None
        self.has_losses = self._loss is not None
        self.start = _start(getattr(loss, "start", None))
        link = getattr(loss, "link", None)
        self.link = link if link is not None else "logistic" if is_classifier else "identity"
        if self.link not in LINKS:
            raise ValueError(f"loss.link is {self.link!r:.80}; expected one of {', '.join(LINKS)}")
        if is_classifier != (self.link == "logistic"):
            expected = "logistic for classes" if is_classifier else "identity or log for numbers"
            raise ValueError(f"loss.link is {self.link!r}; expected {expected}")

    def gradients(self, y: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and second derivatives of each row's loss by its score."""
        found = self._caller.do(self._gradient, y, score.copy())
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise TypeError(
                f"loss returned {_kind(found)}; expected two arrays: the first and the second "
                "derivative of each row's loss by its score"
            )
        gradient = _checked("gradient", found[0], y, score)
        hessian = _checked("hessian", found[1], y, score)
        if self._negative is None and hessian.min(initial=0.0) < 0.0:
            at = int(np.argmax(hessian < 0.0))
            self._negative = (hessian[at], y[at], score[at])
        return gradient, hessian

    @property
    def warnings(self) -> list[str]:
        """What was suspicious, in words."""
        if self._negative is None:
            return []
        hessian, y, score = self._negative
        return [
            f"loss returned the hessian {hessian} where y is {y} and the score is {score}; what is "
            "negative counts as 0"
        ]

    def losses(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        """The loss of each row."""
        return _checked("loss", self._caller.do(self._loss, y, score.copy()), y, score)


def _checked(what: str, values: Any, y: np.ndarray, score: np.ndarray) -> np.ndarray:
    """An array of a finite number for each row."""
    if np.ma.isMaskedArray(values):
        if np.ma.getmaskarray(values).any():
            raise ValueError(f"loss returned a {what} with masked values; every row needs one")
        values = np.ma.getdata(values)
    values = np.asarray(values)
    if values.dtype.kind not in "fiub":
        raise TypeError(f"loss returned a {what} of type {values.dtype}; expected numbers")
    if values.shape != y.shape:
        raise ValueError(
            f"loss returned a {what} of shape {values.shape}; expected {y.shape}, a number for "
            "each row"
        )
    values = np.ascontiguousarray(values, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        at = bad[0]
        more = f" and in {len(bad) - 1} more" if len(bad) > 1 else ""
        raise ValueError(
            f"loss returned the {what} {values[at]} where y is {y[at]} and the score is "
            f"{score[at]}{more}; every {what} must be finite"
        )
    return values


def _start(start: Any) -> float | None:
    if start is None:
        return None
    if not isinstance(start, Real) or isinstance(start, bool) or not math.isfinite(start):
        raise ValueError(f"loss.start is {start!r:.80}; expected a finite number, or None")
    return float(start)


def _kind(found: Any) -> str:
    if isinstance(found, np.ndarray):
        return f"one array of shape {found.shape}"
    if isinstance(found, tuple | list):
        return f"{len(found)} values"
    return repr(found)[:80]
