"""Weights of classes: how much the rows of each class count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ._labels import encode
from ._table import level_name
from ._words import shortened


def of_rows(class_weight: Any, columns: Sequence[np.ndarray]) -> np.ndarray:
    """The weight of each row by its classes, of one target or of each of several."""
    weights = np.ones(len(columns[0]))
    for given, column in zip(_of_targets(class_weight, len(columns)), columns, strict=True):
        classes, codes = encode(column)
        weights *= factors(given, classes, codes)[codes]
    if not weights.any():
        raise ValueError("class_weight gives every row the weight 0; one class must weigh more")
    return weights


def _of_targets(class_weight: Any, n_targets: int) -> Sequence[Any]:
    """The weights of the classes of each target."""
    if n_targets == 1 or isinstance(class_weight, str):
        return [class_weight] * n_targets
    if not isinstance(class_weight, list | tuple) or len(class_weight) != n_targets:
        raise ValueError(
            f"class_weight is {class_weight!r:.80}; expected None, 'balanced', or a list of "
            f"{n_targets} dicts, one for each target"
        )
    return class_weight


def factors(class_weight: Any, classes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The weight of each class."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(codes, minlength=len(classes))
        return len(codes) / (len(classes) * counts)
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight is {class_weight!r:.80}; expected None, 'balanced', or a dict by class"
        )
    given = checked(class_weight, classes.tolist())
    return np.array([given.get(label, 1.0) for label in classes.tolist()])


def checked(class_weight: Mapping[Any, Any], classes: Sequence[Any]) -> dict[Any, float]:
    """Weights by class, which must be numbers.

    A class that no row has is let pass where all others have weights: a fold may lack it. Otherwise
    it is likely a slip.
    """
    for label, weight in class_weight.items():
        if not isinstance(weight, Real) or not 0 <= float(weight) < np.inf:
            raise ValueError(
                f"class_weight gives {label!r:.80} the weight {weight!r:.80}; expected a number of "
                "at least 0"
            )
    others = [label for label in class_weight if label not in classes]
    if others and not all(label in class_weight for label in classes):
        names = ", ".join(shortened(level_name(label), 40) for label in classes[:5])
        raise ValueError(
            f"class_weight names {level_name(others[0])!r:.80}, which is not one of {names}"
            f"{', ...' if len(classes) > 5 else ''}"
        )
    return {label: float(weight) for label, weight in class_weight.items() if label in classes}
