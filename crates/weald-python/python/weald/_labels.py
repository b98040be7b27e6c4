"""Labels of rows and the codes of their classes, and checks of what comes with rows."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from . import _table
from ._words import shortened


def unmasked(values: Any, name: str) -> Any:
    """Values none of which is masked."""
    if np.ma.isMaskedArray(values):
        masked = np.atleast_1d(np.ma.getmaskarray(values))
        bad = np.flatnonzero(masked.reshape(len(masked), -1).any(axis=1))
        if len(bad):
            more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
            raise ValueError(
                f"{name} is masked in row {bad[0]}{more}; every row needs a value: drop these rows"
            )
        return np.ma.getdata(values)
    return values


def check_finite(y: np.ndarray) -> None:
    """Numbers must be finite; the error says where they are not."""
    if y.dtype.kind != "f":
        return
    bad = np.flatnonzero(~np.isfinite(y).reshape(len(y), -1).all(axis=1))
    if len(bad) == 0:
        return
    what = "NaN" if np.isnan(y[bad[0]]).any() else "infinity"
    more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    raise ValueError(
        f"Input y contains {what}: in row {bad[0]}{more}. "
        "Every target value must be a finite number: drop these rows."
    )


def labels(y: Any, name: str = "y") -> np.ndarray:
    """Labels of rows, one for each, none of which is missing."""
    if isinstance(y, list | tuple) and len({isinstance(label, str) for label in y}) == 2:
        y = np.array(y, dtype=object)  # NumPy would make text of everything, NaN too.
    y = column_or_1d(unmasked(y, name), warn=True)
    if name == "y":
        check_finite(y)
    elif y.dtype.kind == "f" and np.isnan(y).any():
        raise _lacking(name, "nan", np.flatnonzero(np.isnan(y)))
    if y.dtype.kind == "O":
        _check_there(name, y)
        if all(isinstance(label, Real) for label in y):
            numbers = np.array(y.tolist())
            y = numbers if numbers.dtype.kind in "iubf" else y
    if y.dtype.kind in "mM":
        bad = np.flatnonzero(np.isnat(y))
        if len(bad):
            raise _lacking(name, "NaT", bad)
    return y


def _check_there(name: str, y: np.ndarray) -> None:
    """Objects must be labels of one kind; None, NaN and the like are none."""
    # Nothing else than what is missing differs from itself, or cannot tell.
    is_lacking = np.fromiter((_is_lacking(label) for label in y), bool, len(y))
    bad = np.flatnonzero(is_lacking)
    if len(bad):
        raise _lacking(name, str(y[bad[0]]), bad)
    is_text = np.fromiter((isinstance(label, str) for label in y), bool, len(y))
    if is_text.any() and not is_text.all():
        row = int(np.flatnonzero(is_text != is_text[0])[0])
        raise ValueError(
            f"{name} holds {y[0]!r:.80} in row 0 but {y[row]!r:.80} in row {row}; labels must be "
            "of one type: make all of them text, or none"
        )
    if name == "y" and not is_text.all() and not all(isinstance(label, Real) for label in y):
        odd = next(label for label in y if not isinstance(label, Real))
        raise ValueError(
            f"Unknown label type: {name} holds {odd!r:.80}, which is neither text nor a number; "
            f"make text of it, for instance by {name}.astype(str)"
        )


def _is_lacking(label: Any) -> bool:
    if label is None:
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError):  # pandas.NA is neither equal to itself nor not.
        return True


def _lacking(name: str, what: str, bad: np.ndarray) -> ValueError:
    more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    return ValueError(
        f"Input {name} contains {'NaN' if what == 'nan' else what}: in row {bad[0]}{more}. "
        "Every row needs a label: drop these rows, or give them one of their own."
    )


def places(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The place of each label among sorted classes; -1 of one that is none of them."""
    if labels.dtype == classes.dtype and labels.dtype.kind != "O":
        nearest = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
        return np.where(classes[nearest] == labels, nearest, -1)
    # Of two types NumPy makes a third, in which labels may be equal that are not.
    known = {label: place for place, label in enumerate(classes.tolist())}
    return np.array([_place(known, label) for label in labels.tolist()], dtype=np.intp)


def _place(known: dict[Any, int], label: Any) -> int:
    try:
        return known.get(label, -1)
    except TypeError:  # What cannot be a key is none of them.
        return -1


def later_codes(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The codes of rows of an eval_set, whose classes must be known."""
    codes = places(y, classes)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        raise ValueError(
            f"eval_set holds the class {shortened(_table.level_name(y[unknown[0]]), 80)}, "
            "which the training rows do not"
        )
    return codes.astype(np.uint32)


def encode(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes, sorted, and the code of each row; without sorting where numbers are small."""
    if y.dtype.kind in "iub" and len(y):
        first = y.min()
        if int(y.max()) - int(first) < 1 << 16:
            # Wide enough for differences, and for 2^64 - 1.
            wide = np.uint64 if y.dtype.kind == "u" else np.int64
            shifted = (y.astype(wide) - first.astype(wide)).astype(np.uint32)
            is_there = np.bincount(shifted, minlength=int(y.max()) - int(first) + 1) > 0
            codes = (np.cumsum(is_there) - 1).astype(np.uint32)
            classes = (np.flatnonzero(is_there).astype(wide) + first.astype(wide)).astype(y.dtype)
            return classes, shifted if is_there.all() else codes[shifted]
    classes, places = np.unique(y, return_inverse=True)
    return classes, places.astype(np.uint32)
