"""Tables of what users bring: NumPy, pandas, polars, Arrow, SciPy.

Floats stay where they are; everything else becomes floats or categories, column by column.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from scipy import sparse

from . import _times
from ._warn import tell
from ._weald import Table, WealdError, nearly_numbers, spelled

_Values = tuple[Any, list[str] | None, str | None]
"""The values of a column, or a table of it; the names of its levels; what both stand for."""
_Column = tuple[str, Any, list[str] | None, str | None]
"""The same with the column's name."""

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


def renamed(X: Any, names: Sequence[str]) -> Any:
    """A frame whose columns have other names, in their order; pandas' go by position anyway."""
    if is_pandas(X):
        return X
    if hasattr(X, "rename_columns"):  # pyarrow
        return X.rename_columns(list(names))
    if hasattr(X, "get_columns") and hasattr(X, "rename"):  # polars
        return X.rename(dict(zip(X.columns, names, strict=True)))
    raise ValueError(
        f"X is a {type(X).__name__} with names of columns, but there were none in the fit; pass an "
        "array, or fit on a frame"
    )


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


def times_of_matrix(X: Any) -> tuple[Any, str | None]:
    """An array of dates or spans as seconds, with what they stand for; others as they are."""
    first = X
    while isinstance(first, list | tuple) and first:
        first = first[0]
    is_listed = first is not X and isinstance(first, np.datetime64 | np.timedelta64)
    if is_listed:
        X = np.asarray(X)
    kind = getattr(X, "dtype", None)
    if _times.is_time(kind):
        found, n_rounded = _times.seconds(X)
        _tell_rounded("X", n_rounded, "times", "finer than seconds in double precision tell apart")
        return found, _times.meaning(X.dtype)
    if isinstance(X, np.ndarray) and kind == np.dtype(object):
        times = [v for v in X.ravel() if isinstance(v, np.datetime64 | np.timedelta64)]
        if times:
            raise WealdError(
                f"X holds {times[0]!r} among other objects; pass a frame, whose columns have types"
            )
    return X, None


def table_of_matrix(
    X: np.ndarray,
    names: Sequence[str],
    categorical: Sequence[bool | None],
    given: Any,
    meaning: str | None = None,
) -> Table:
    """Make the table of a matrix of floats.

    ``given`` is what the floats were made of: levels are those of the user's own integers, and
    integers that floats cannot hold are reported. ``meaning`` is what all of the floats stand for.
    """
    own = _own_columns(given, X.shape)
    for i, name in enumerate(names):
        if own is not None and not categorical[i]:
            _tell_integers(name, own(i))
    if meaning is None and not any(categorical):
        return Table.of_matrix(list(names), _usable(X))
    columns: list[_Column] = []
    for i, (name, is_categorical) in enumerate(zip(names, categorical, strict=True)):
        if is_categorical:
            columns.append((name, *_of_values(name, X[:, i] if own is None else own(i))))
        else:
            columns.append((name, _usable(X[:, i]), None, meaning))
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
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "shape") and not hasattr(X, "__len__"):
        raise ValueError(
            f"X is a {type(X).__name__}, which can be read only once; make a table of it first, "
            "for instance by X.read_all()"
        )
    if hasattr(X, "collect_schema") and not hasattr(X, "__arrow_c_stream__"):
        raise ValueError(f"X is a {type(X).__name__}, which has no rows yet; collect it first")
    if not np.ma.isMaskedArray(X):
        return X
    if not np.ma.getmaskarray(X).any():
        return np.ma.getdata(X)
    if X.dtype.kind in "mM":
        return np.ma.filled(X, X.dtype.type("NaT"))
    # Integers of 64 bits keep their digits as objects.
    if X.dtype.kind not in "fiub" or (X.dtype.kind in "iu" and X.dtype.itemsize == 8):
        objects = np.ma.getdata(X).astype(object)
        objects[np.ma.getmaskarray(X)] = None
        return objects
    return np.ma.filled(X.astype(X.dtype if X.dtype.kind == "f" else np.float64), np.nan)


def _own_columns(given: Any, shape: tuple[int, ...]) -> Callable[[int], np.ndarray] | None:
    """The columns of what the user gave, where floats may not say the same."""
    if sparse.issparse(given):
        if given.dtype.kind not in "iub" or given.shape != shape:
            return None
        by_column = sparse.csc_array(given)
        return lambda i: by_column[:, [i]].toarray()[:, 0]
    kind = getattr(given, "dtype", None)
    if isinstance(kind, np.dtype) and (
        kind.kind == "f" or (kind.itemsize < 8 and kind.kind != "b")
    ):
        return None
    array = np.asarray(given)
    if array.dtype.kind not in "iubO" or array.shape != shape:
        return None
    return lambda i: array[:, i]


def n_rounded_integers(values: np.ndarray) -> int:
    """How many integers double precision does not hold: those of more than 53 digits of two."""
    if values.dtype == np.dtype(object):
        integers = (v for v in values if isinstance(v, int | np.integer))
        return sum(abs(int(v)) > 2**53 and _is_rounded(int(v)) for v in integers)
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return 0
    big = values[(values > 2**53) | (values < -(2**53))] if len(values) else values
    size = big.astype(np.uint64)
    size = np.where(big < 0, ~size + np.uint64(1), size) if values.dtype.kind == "i" else size
    lowest = size & (~size + np.uint64(1))
    return int(np.count_nonzero(size // np.maximum(lowest, np.uint64(1)) >= 2**53))


def _is_rounded(value: int) -> bool:
    try:
        return int(float(value)) != value
    except OverflowError:
        return True


def _tell_integers(name: str, values: np.ndarray) -> None:
    _tell_rounded(
        f"the column {name!r}",
        n_rounded_integers(values),
        "integers",
        "beyond 2**53",
        "; if they are identifiers, name the column in categorical_features",
    )


def _tell_rounded(place: str, n: int, what: str, why: str, advice: str = "") -> None:
    """Warn of numbers that lose digits."""
    if n:
        what = what if n > 1 else what.removesuffix("s")
        tell([f"{place} holds {n} {what} {why}, which are rounded{advice}"])


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
    places = {name: i for i, name in enumerate(names)}
    positions = {_position(column, places) for column in chosen.tolist()}
    return [True if i in positions else by_type for i in range(len(names))]


def _position(column: Any, places: dict[str, int]) -> int:
    """Where a column stands that is given by name or position."""
    if isinstance(column, str):
        if column not in places:
            raise ValueError(f"categorical_features names {column!r}, which is not a column of X")
        return places[column]
    n = len(places)
    if not -n <= column < n:
        raise ValueError(f"categorical_features has {column}, but X has {n} features")
    return int(column) % n


def _arrow_table(X: Any, names: Sequence[str] | None, categorical: Sequence[bool | None]) -> Table:
    names = names or []
    _check_named(names)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(X, polars.DataFrame):
        _check_named(X.columns)
        _check_flat(X)
    if polars is not None and isinstance(X, polars.DataFrame) and polars.Null in X.dtypes:
        X = X.cast({polars.Null: polars.Float64})  # It hands these over in a way of its own.
    chosen = list(zip(names, categorical, strict=False))
    table = Table.of_arrow(
        X,
        [name for name, is_categorical in chosen if is_categorical is True],
        [name for name, is_categorical in chosen if is_categorical is False],
    )
    tell(table.warnings)
    return table


def _check_named(names: Iterable[str]) -> None:
    """Names end at a NUL where Arrow hands them over; polars ends the process."""
    for name in names:
        if "\0" in name:
            raise WealdError(f"the column {name!r:.80} has a NUL character in its name; rename it")


def _check_flat(X: Any) -> None:
    """Columns of lists are refused before polars hands them over: names within may end it too."""
    for name, kind in X.schema.items():
        if kind.is_nested():
            raise WealdError(
                f"the column {name!r:.80} is of type {kind!s:.80}; numbers, text, booleans, dates "
                "and categories are read; drop the column, or convert it to one of these"
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


def _of_series(name: str, series: Any, categorical: bool | None) -> _Values:
    """The values of a pandas column, the names of its levels, and what both stand for."""
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        if categorical is False:
            return _numbers(name, series.astype(object))
        return _of_codes(name, series.cat.codes.to_numpy(), list(series.cat.categories))
    if getattr(kind, "pyarrow_dtype", None) is not None:
        import pyarrow as pa

        part = pa.table({name: series.array.__arrow_array__()})
        return _arrow_table(part, [name], [categorical]), None, None
    if kind == np.dtype(object) or pd.api.types.is_string_dtype(kind):
        return _of_objects(name, series, categorical)
    is_boolean = pd.api.types.is_bool_dtype(kind)
    if categorical or (categorical is None and is_boolean):
        codes, levels = pd.factorize(series, use_na_sentinel=True)
        return _of_codes(name, codes, list(levels))
    return _numbers(name, series)


def _of_objects(name: str, series: Any, categorical: bool | None) -> _Values:
    """Text and booleans are categories, numbers and times that are kept as objects are those."""
    import pandas as pd

    values = series.to_numpy(dtype=object, na_value=None)
    is_text = np.fromiter((isinstance(v, str) for v in values), bool, len(values))
    is_missing = np.asarray(pd.isna(series))
    is_guess = categorical is None
    if categorical is None:
        categorical = bool(is_text.any()) or bool(is_missing.all() and len(values) == 0)
        if categorical and not (is_text | is_missing).all():
            row = int(np.flatnonzero(~(is_text | is_missing))[0])
            raise WealdError(
                f"the column {name!r} holds text, but {values[row]!r} in row {row + 1} is not; "
                "convert the column to one type, or name it in categorical_features"
            )
        categorical = categorical or _are_booleans(values[~is_missing])
    if not categorical:
        return _numbers(name, series)
    codes, levels = pd.factorize(np.where(is_missing, None, values), use_na_sentinel=True)
    if is_guess and is_text.any():
        _refuse_suspects(name, codes, list(levels))
    return _of_codes(name, codes, list(levels))


def _refuse_suspects(name: str, codes: np.ndarray, levels: Sequence[str]) -> None:
    """Refuse text that is nearly all numbers: a slip would make a category of each of them."""
    counts = np.bincount(codes[codes >= 0], minlength=len(levels)).tolist()
    found = nearly_numbers(list(levels), counts)
    if found is None:
        return
    numbers, others, first = found
    row = int(np.flatnonzero(codes == first)[0]) + 1
    values = "1 other value," if others == 1 else f"{others} other values, the first"
    raise WealdError(
        f"the column {name!r} holds {numbers} numbers as text and {values} "
        f"{repr(levels[first])[:80]} in row {row}; make numbers of it, for instance by "
        "pandas.to_numeric, or name it in categorical_features"
    )


def _are_booleans(values: np.ndarray) -> bool:
    return len(values) > 0 and all(isinstance(v, bool | np.bool_) for v in values)


def _numbers(name: str, series: Any) -> _Values:
    """The numbers of a pandas column, NaN where one is missing, and what they stand for."""
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, np.dtype) and kind in (np.float32, np.float64):
        return _usable(series.to_numpy()), None, None
    if isinstance(kind, np.dtype) and kind.kind in "biu":
        values = series.to_numpy()
        _tell_integers(name, values)
        return values.astype(np.float32 if kind.itemsize <= 2 else np.float64), None, None
    if getattr(kind, "kind", "") == "c":
        raise ValueError(f"Complex data not supported: the column {name!r} is of type {kind}")
    if getattr(kind, "kind", "") in "mM":
        times = series.to_numpy()
        if not _times.is_time(times.dtype):  # with a time zone
            times = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        return _seconds(name, _times.seconds(times), _times.meaning(times.dtype))
    if pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind):
        if getattr(kind, "kind", "") in "iu":
            _tell_integers(name, series.dropna().to_numpy())
        return series.to_numpy(dtype=np.float64, na_value=np.nan), None, None
    values = series.to_numpy(dtype=object, na_value=None)
    is_missing = np.asarray(pd.isna(series))
    meaning = _times.kind_of_objects(values[~is_missing])
    if meaning is not None:
        times = [None if m else v for v, m in zip(values, is_missing, strict=True)]
        return _seconds(name, _times.seconds_of_objects(times), meaning)
    _tell_integers(name, values[~is_missing])
    return _parsed(name, series), None, None


def _seconds(name: str, found: tuple[np.ndarray, int], meaning: str) -> _Values:
    values, n_rounded = found
    why = "finer than seconds in double precision tell apart"
    _tell_rounded(f"the column {name!r}", n_rounded, "times", why)
    return values, None, meaning


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


def _of_values(name: str, values: np.ndarray) -> _Values:
    """Categories that are kept as numbers, or as objects."""
    if values.dtype == np.dtype(object):
        places: dict[Any, int] = {}
        is_missing = [v is None or v != v for v in values]
        places_of_rows = [
            -1 if m else places.setdefault(v, len(places))
            for v, m in zip(values, is_missing, strict=True)
        ]
        return _of_codes(name, np.array(places_of_rows, dtype=np.int64), list(places))
    levels, codes = np.unique(values, return_inverse=True)
    if values.dtype.kind == "f":
        codes = np.where(np.isnan(values), -1, codes)
        levels = levels[~np.isnan(levels)]
    return _of_codes(name, codes, list(levels))


def _of_codes(name: str, codes: np.ndarray, levels: Sequence[Any]) -> _Values:
    """Codes of levels, -1 for what is missing, with the levels' names in order.

    Text of nothing but blanks is missing, as it is in files.
    """
    named = [level_name(level) for level in levels]
    names = sorted({level for level in named if level.strip()})
    places = {level: place for place, level in enumerate(names)}
    recoded = np.array([places.get(level, MISSING) for level in named] + [MISSING], dtype=np.uint32)
    _check_spellings(name, levels, named)
    return recoded[np.asarray(codes)], names, _meaning(levels)


def _check_spellings(column: str, levels: Sequence[Any], named: Sequence[str]) -> None:
    """Levels of several kinds must not be spelled alike, or they would be one."""
    if len(set(named)) == len(named):
        return
    first: dict[str, Any] = {}
    for level, word in zip(levels, named, strict=True):
        other = first.setdefault(word, level)
        if other is not level and word.strip():
            raise WealdError(
                f"the column {column!r:.80} holds the levels {other!r:.80} and {level!r:.80}, "
                "which are spelled alike; make them of one type"
            )


def _meaning(levels: Sequence[Any]) -> str | None:
    """What levels stand for, unless they are text or of several kinds."""
    if not levels:
        return None
    if all(isinstance(level, bool | np.bool_) for level in levels):
        return "boolean"
    numbers = int | float | np.integer | np.floating | Decimal
    are_numbers = all(
        isinstance(level, numbers) and not isinstance(level, bool | np.bool_) for level in levels
    )
    return "number" if are_numbers else None


def level_name(value: Any) -> str:
    """What a level is called, in the spelling of its kind: 3 and 3.0 are one level."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        return spelled(float(value), isinstance(value, np.float16 | np.float32))
    if isinstance(value, Decimal):
        return spelled(f"{value:f}", False)
    if _times.kind_of_objects([value]) is not None:
        return _times.words(value)
    return str(value)


def frame_of_columns(
    columns: Sequence[tuple[str, np.ndarray, list[str] | None, str | None]],
) -> Any:
    """A pandas frame of numbers, of times, and of codes with their levels."""
    import pandas

    def values(codes: np.ndarray, levels: list[str] | None, meaning: str | None) -> Any:
        if levels is None:
            return codes if meaning is None else _times.times_of_seconds(codes, meaning)
        known = np.where(codes < len(levels), codes, -1).astype(np.int64)
        return pandas.Categorical.from_codes(known, levels)

    return pandas.DataFrame({name: values(v, levels, m) for name, v, levels, m in columns})
