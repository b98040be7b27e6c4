"""Warnings about what users should know of their data."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable


class DataWarning(UserWarning, ValueError):
    """Something about the data that does not stop a fit, but may surprise.

    Where warnings are errors it is a ``ValueError``, as bad data is.
    """


def tell(words: Iterable[str]) -> None:
    """Warn, as if from the line that called weald."""
    here = os.path.dirname(__file__)
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        frame, level = frame.f_back, level + 1
    for warning in words:
        warnings.warn(warning, DataWarning, stacklevel=level)


def tell_unseen(unseen: Iterable[tuple[str, int]]) -> None:
    """Warn of levels that a model has not seen."""
    tell(
        f"the column {column!r} holds levels that the model has not seen in {n} rows; "
        "they count as missing"
        for column, n in unseen
    )
