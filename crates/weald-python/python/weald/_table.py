"""Tables of what users bring: NumPy, pandas, polars, Arrow, SciPy.

Floats stay where they are; everything else becomes floats or categories, column by column.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ._weald import Table, WealdError

FLOATS = (np.float64, np.float32)
"""Types of arrays that are not copied."""
MISSING = np.uint32(0xFFFFFFFF)
"""The code of a missing category."""


def is_frame(X: Any) -> bool:
    """Whether X has columns of its own: pandas, polars, pyarrow or another Arrow stream."""
    return is_pandas(X) or hasattr(X, "__arrow_c_stream__")


def is_pandas(X: Any) -> bool:
    """Whether X is a pandas DataFrame."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def frame_names(X: Any) -> list[str] | None:
    """The names of a frame's columns; None if they are not text."""
    columns = list(X.columns if is_pandas(X) else _arrow_names(X))
    return columns if columns and all(isinstance(name, str) for name in columns) else None


def _arrow_names(X: Any) -> Iterable[Any]:
    for attribute in ("column_names", "columns"):
        names = getattr(X, attribute, None)
        if names is not None and all(isinstance(name, str) for name in names):
            return names
    return _arrow_table(X, None, []).names


def plain_names(n: int) -> list[str]:
    """Names for columns that have none."""
    return [f"x{i}" for i in range(n)]


def n_rows_of(X: Any) -> int:
    """How many rows X has."""
    if hasattr(X, "shape"):
        return int(X.shape[0])
    return len(X)


def table_of_frame(X: Any, names: Sequence[str], categorical: Sequence[bool | None]) -> Table:
    """The table of a frame.

    ``categorical`` says of each column whether it holds categories; None: as its type says.
    """
    if not is_pandas(X):
        return _arrow_table(X, names, categorical)
    columns = (X.iloc[:, i] for i in range(X.shape[1]))
    parts = zip(names, columns, categorical, strict=True)
    return Table.of_columns([(name, *_of_series(name, s, c)) for name, s, c in parts])


def table_of_matrix(
    X: np.ndarray, names: Sequence[str], categorical: Sequence[bool | None]
) -> Table:
    """Make the table of a matrix of floats."""
    if not any(categorical):
        return Table.of_matrix(list(names), _usable(X))
    columns = []
    for i, (name, is_categorical) in enumerate(zip(names, categorical, strict=True)):
        values = _usable(X[:, i])
        columns.append((name, *(_of_values(values) if is_categorical else (values, None))))
    return Table.of_columns(columns)


def without_mask(X: Any) -> Any:
    """A matrix in which what was masked is missing."""
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    if isinstance(X, np.ndarray) and kind == "V":
        raise ValueError(
            f"X is a structured array of type {X.dtype!s:.80}; expected a matrix of numbers, or a "
            "frame: pandas.DataFrame(X) makes one of it"
        )
    if hasattr(X, "__arrow_c_stream__") and (
        len(getattr(X, "shape", (0, 0))) == 1 or hasattr(X, "chunks")
    ):
        raise ValueError(
            f"Expected 2D array, got 1D array instead: X is a {type(X).__name__}; make it a frame "
            "of one column (X.to_frame()), or of one row"
        )
    if hasattr(X, "collect_schema") and not hasattr(X, "__arrow_c_stream__"):
        raise ValueError(f"X is a {type(X).__name__}, which has no rows yet; collect it first")
    if not np.ma.isMaskedArray(X):
        return X
    if not np.ma.getmaskarray(X).any():
        return np.ma.getdata(X)
    if X.dtype.kind not in "fiub":
        return np.ma.filled(X.astype(object), None)
    return np.ma.filled(X.astype(X.dtype if X.dtype.kind == "f" else np.float64), np.nan)


def dense(X: Any) -> np.ndarray:
    """A matrix; a sparse one is written out, with an error if memory is too small for that."""
    if not sparse.issparse(X):
        return X
    kind = np.float32 if X.dtype == np.float32 else np.float64
    needed = X.shape[0] * X.shape[1] * np.dtype(kind).itemsize
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > 0.8 * there:
        raise MemoryError(
            f"the sparse matrix of shape {X.shape} takes {needed / 2**30:.1f} GiB written out, "
            f"the machine has {there / 2**30:.1f} GiB; drop columns that are nearly all zero"
        )
    return sparse.csc_array(X).astype(kind, copy=False).toarray(order="F")


def categorical(X: Any, names: Sequence[str], chosen: Any) -> list[bool | None]:
    """Which columns hold categories, as ``categorical_features`` says; None: as their type says."""
    by_type = None if is_frame(X) else False
    if chosen is None:
        return [False] * len(names)
    if isinstance(chosen, str):
        if chosen != "from_dtype":
            raise ValueError(
                f"categorical_features is {chosen!r}; expected 'from_dtype', None, or the columns "
                "that hold categories"
            )
        return [by_type] * len(names)
    if np.ndim(chosen) != 1:
        raise ValueError(
            f"categorical_features is {chosen!r:.80}; expected 'from_dtype', None, or a list of "
            "the columns that hold categories"
        )
    chosen = np.asarray(chosen)
    if chosen.dtype == bool:
        if len(chosen) != len(names):
            raise ValueError(
                f"categorical_features has {len(chosen)} values, but X has {len(names)} features"
            )
        return [True if is_so else by_type for is_so in chosen]
    positions = {_position(column, names) for column in chosen.tolist()}
    return [True if i in positions else by_type for i in range(len(names))]


def _position(column: Any, names: Sequence[str]) -> int:
    """Where a column stands that is given by name or position."""
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"categorical_features names {column!r}, which is not a column of X")
        return list(names).index(column)
    if not -len(names) <= column < len(names):
        raise ValueError(f"categorical_features has {column}, but X has {len(names)} features")
    return int(column) % len(names)


def _arrow_table(X: Any, names: Sequence[str] | None, categorical: Sequence[bool | None]) -> Table:
    names = names or []
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(X, polars.DataFrame) and polars.Null in X.dtypes:
        X = X.cast({polars.Null: polars.Float64})  # It hands these over in a way of its own.
    chosen = list(zip(names, categorical, strict=False))
    return Table.of_arrow(
        X,
        [name for name, is_categorical in chosen if is_categorical is True],
        [name for name, is_categorical in chosen if is_categorical is False],
    )


def _usable(values: np.ndarray) -> np.ndarray:
    """Memory that runs forwards and is aligned; a copy only if it is not."""
    values = np.require(values, requirements="A")
    runs_forwards = all(
        n < 2 or (step > 0 and step % values.itemsize == 0)
        for n, step in zip(values.shape, values.strides, strict=True)
    )
    swapped = values.dtype.newbyteorder("=")
    if runs_forwards and values.dtype == swapped and values.dtype.isnative:
        return values
    return np.ascontiguousarray(values, dtype=swapped)


def _of_series(name: str, series: Any, categorical: bool | None) -> tuple[np.ndarray, Any]:
    """The values of a pandas column, and the names of its levels if it holds categories."""
    import pandas as pd

    kind = series.dtype
    arrow = getattr(kind, "pyarrow_dtype", None)
    if isinstance(kind, pd.CategoricalDtype):
        if categorical is False:
            return _numbers(name, series.astype(object)), None
        return _of_codes(series.cat.codes.to_numpy(), list(series.cat.categories))
    is_text = kind == np.dtype(object) or pd.api.types.is_string_dtype(kind)
    if arrow is not None and str(arrow).startswith("dictionary"):
        is_text = True
    if is_text:
        return _of_objects(name, series, categorical)
    is_boolean = pd.api.types.is_bool_dtype(kind)
    if categorical or (categorical is None and is_boolean):
        codes, levels = pd.factorize(series, sort=True, use_na_sentinel=True)
        return _of_codes(codes, list(levels))
    return _numbers(name, series), None


def _of_objects(name: str, series: Any, categorical: bool | None) -> tuple[np.ndarray, Any]:
    """Text is categories, numbers that are kept as objects are numbers."""
    import pandas as pd

    values = series.to_numpy(dtype=object, na_value=None)
    is_text = np.fromiter((isinstance(v, str) for v in values), bool, len(values))
    is_missing = np.asarray(pd.isna(series))
    if categorical is None:
        categorical = bool(is_text.any()) or bool(is_missing.all() and len(values) == 0)
        if categorical and not (is_text | is_missing).all():
            row = int(np.flatnonzero(~(is_text | is_missing))[0])
            raise WealdError(
                f"the column {name!r} holds text, but {values[row]!r} in row {row + 1} is not; "
                "convert the column to one type, or name it in categorical_features"
            )
    if not categorical:
        return _numbers(name, series), None
    words = np.array(
        [None if m else level_name(v) for v, m in zip(values, is_missing, strict=True)]
    )
    codes, levels = pd.factorize(words, sort=True, use_na_sentinel=True)
    return _of_codes(codes, list(levels))


def _numbers(name: str, series: Any) -> np.ndarray:
    """The numbers of a pandas column, NaN where one is missing."""
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, np.dtype) and kind in (np.float32, np.float64):
        return _usable(series.to_numpy())
    if isinstance(kind, np.dtype) and kind.kind in "biu":
        return series.to_numpy(dtype=np.float32 if kind.itemsize <= 2 else np.float64)
    if getattr(kind, "kind", "") == "c":
        raise ValueError(f"Complex data not supported: the column {name!r} is of type {kind}")
    if getattr(kind, "kind", "") in "mM":
        seconds = series.to_numpy()
        if getattr(seconds.dtype, "kind", "O") not in "mM":  # with a time zone
            seconds = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        values = seconds.astype(f"{seconds.dtype.kind}8[ns]").view(np.int64) / 1e9
        return np.where(np.isnat(seconds), np.nan, values)
    if pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind):
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    return _parsed(name, series)


def _parsed(name: str, series: Any) -> np.ndarray:
    """Numbers that are kept as objects."""
    import pandas as pd

    objects = series.astype(object)
    numbers = pd.to_numeric(objects, errors="coerce")
    bad = np.flatnonzero(np.asarray(pd.isna(numbers)) & ~np.asarray(pd.isna(objects)))
    if len(bad):
        row, more = int(bad[0]), len(bad) - 1
        value = repr(objects.iloc[row])[:80]
        raise WealdError(
            f"the column {name!r} should hold numbers, but row {row + 1} has {value}"
            f"{f' (and {more} more rows have others)' if more else ''}; "
            "clean the column, or make it a category"
        )
    return np.asarray(numbers, dtype=np.float64)


def _of_values(values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Categories that are kept as floats."""
    levels, codes = np.unique(values, return_inverse=True)
    is_missing = np.isnan(values)
    levels = levels[~np.isnan(levels)]
    codes = np.where(is_missing, -1, codes)
    return _of_codes(codes, list(levels))


def _of_codes(codes: np.ndarray, levels: Sequence[Any]) -> tuple[np.ndarray, list[str]]:
    """Codes with -1 for what is missing, and the names of the levels."""
    codes = np.asarray(codes)
    return np.where(codes < 0, MISSING, codes).astype(np.uint32), [level_name(v) for v in levels]


def level_name(value: Any) -> str:
    """What a level is called: 3 and 3.0 are one level."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def frame_of_columns(columns: Sequence[tuple[str, np.ndarray, list[str] | None]]) -> Any:
    """A pandas frame of numbers and of codes with their levels."""
    import pandas

    def values(codes: np.ndarray, levels: list[str] | None) -> Any:
        if levels is None:
            return codes
        known = np.where(codes < len(levels), codes, -1).astype(np.int64)
        return pandas.Categorical.from_codes(known, levels)

    return pandas.DataFrame({name: values(array, levels) for name, array, levels in columns})
