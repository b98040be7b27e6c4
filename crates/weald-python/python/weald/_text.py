"""Parameters as text, which is how weald's methods are told them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from . import _class_weights
from ._table import level_name
from ._weald import WealdError


def text(value: Any) -> str:
    """A value as weald reads it."""
    if value is None:
        return "none"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    if isinstance(value, str):
        return value.replace("_", "-")
    if isinstance(value, Sequence | np.ndarray):
        return ",".join(text(part) for part in value)
    return repr(value)[:80]


def known(words: Mapping[str, str], value: Any) -> str:
    """weald's word for one of scikit-learn's, or the value as text."""
    return text(words.get(value, value) if isinstance(value, str) else value)


def feature_count(value: Any) -> str:
    """How many features: a name, a count or a share; None means all."""
    if value == 1 / 3:  # the share would be rounded down to less than a third of nine
        return "third"
    is_all = value is None or (isinstance(value, float) and value == 1.0)
    return "all" if is_all else text(value)


def share(name: str, value: Any, n_rows: int) -> str:
    """How many rows: a share, or a count of them; None means as many as there are."""
    if value is None:
        return "1"
    is_count = isinstance(value, Integral) and not isinstance(value, bool)
    # A share of this many rows is beyond what can be drawn, and a count of them too.
    most = 2**32 / n_rows
    part = int(value) / n_rows if is_count else value
    if isinstance(part, Real) and not isinstance(part, bool) and float(part) > most:
        raise WealdError(
            f"{name} is {value!s:.80}; expected a share, or a count of those there are"
        )
    return text(part)


def class_weights(value: Any, classes: Sequence[Any]) -> str:
    """Weights of classes: None, "balanced", or a dict by class."""
    if not isinstance(value, Mapping):
        return text(value)
    weights = _class_weights.checked(value, list(classes))
    given = {level_name(label): weight for label, weight in weights.items()}
    _check_plain("class", given)
    return ",".join(f"{name}:{text(weight)}" for name, weight in given.items()) or "none"


def monotone(value: Any, names: Sequence[str]) -> str:
    """Directions: 1, 0 or -1 for each column, or a dict by name."""
    if value is None or isinstance(value, str):
        return "none" if value is None else value
    if not isinstance(value, Mapping):
        if np.ndim(value) != 1:
            raise WealdError(
                f"monotone_constraints is {value!r:.80}; expected 1, 0 or -1 for each column, a "
                "dict by name, or None"
            )
        if len(value) != len(names):
            raise WealdError(
                f"monotone_constraints has {len(value)} values, but there are {len(names)} columns"
            )
        value = dict(zip(names, value, strict=True))
    given = {
        _column(column, names, "monotone_constraints"): direction
        for column, direction in value.items()
    }
    signs = {1: "+", -1: "-", "+": "+", "-": "-"}
    for column, direction in given.items():
        if direction not in signs and direction != 0:
            raise WealdError(
                f"monotone_constraints is {direction!r} for the column {column!r}; "
                "expected 1 (rising), -1 (falling) or 0"
            )
    given = {column: signs[direction] for column, direction in given.items() if direction != 0}
    _check_plain("column", given)
    return ",".join(f"{column}:{sign}" for column, sign in given.items()) or "none"


def interactions(value: Any, names: Sequence[str]) -> str:
    """Sets of columns, by name or position, that may be used together."""
    if value is None or isinstance(value, str):
        return "none" if value is None else value
    name = "interaction_constraints"
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise WealdError(f"{name} is {value!r:.80}; expected a list of lists of columns, or None")
    for columns in value:
        if not isinstance(columns, Iterable) or isinstance(columns, str):
            raise WealdError(f"{name} holds {columns!r:.80}; expected a list of columns")
    sets = [[_column(column, names, name) for column in columns] for columns in value]
    for columns in sets:
        _check_plain("column", columns)
    return ";".join(",".join(columns) for columns in sets) or "none"


def _column(column: Any, names: Sequence[str], parameter: str) -> str:
    """A column by name or position."""
    if isinstance(column, Integral) and not isinstance(column, bool):
        at = int(column)
        if not -len(names) <= at < len(names):
            raise WealdError(f"{parameter} names the column {at}, but there are {len(names)}")
        return names[at]
    if column not in names:
        raise WealdError(f"{parameter} names {column!r:.80}, which is not a column of X")
    return str(column)


def _check_plain(what: str, names: Any) -> None:
    bad = [name for name in names if any(sign in name for sign in ",:;")]
    if bad:
        raise WealdError(
            f"the {what} {bad[0]!r} cannot be named here, because of its punctuation; rename it"
        )


Writer = Callable[..., str]
