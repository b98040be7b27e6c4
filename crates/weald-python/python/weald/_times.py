"""Dates, times and spans of any unit as seconds in double precision.

Seconds are exact, and so are microseconds of the years 1684 to 2255; without a time zone they are
UTC. NaT is missing.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

PER_SECOND = {
    "s": 1,
    "ms": 10**3,
    "us": 10**6,
    "ns": 10**9,
    "ps": 10**12,
    "fs": 10**15,
    "as": 10**18,
}
"""How many of a unit make a second."""
SECONDS = {"W": 604_800, "D": 86_400, "h": 3_600, "m": 60}
"""How many seconds make a unit."""


def is_time(kind: Any) -> bool:
    """Whether NumPy's type is of dates or spans."""
    return isinstance(kind, np.dtype) and kind.kind in "mM"


def meaning(kind: np.dtype) -> str:
    """What such values stand for."""
    return "instant" if kind.kind == "M" else "duration"


def seconds(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Dates or spans as seconds, and how many of them are rounded."""
    unit, step = np.datetime_data(values.dtype)
    kind = values.dtype.kind
    if unit == "generic":
        return np.full(values.shape, np.nan), 0
    if unit in ("Y", "M"):
        if kind == "m":
            raise ValueError(
                f"spans of {'years' if unit == 'Y' else 'months'} have no fixed length; "
                "convert them to days"
            )
        values, unit, step = values.astype("datetime64[D]"), "D", 1
    is_missing = np.isnat(values)
    native = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("=")))
    counts = native.view(np.int64)
    if unit in SECONDS:
        factor = SECONDS[unit] * step
        found = counts.astype(np.float64) * factor
        is_rounded = np.abs(found) >= 2.0**53
    else:
        per = PER_SECOND[unit]
        part = np.fmod(counts, per)
        whole = (counts - part) // per
        if step != 1:
            found = (whole.astype(np.float64) + part / per) * step
            is_rounded = np.zeros(counts.shape, dtype=bool)
        else:
            found = whole.astype(np.float64) + part / per
            over = np.rint((found - whole.astype(np.float64)) * per)
            is_rounded = (over != part) | (np.abs(whole) > 2**53)
    found = np.where(is_missing, np.nan, found)
    return found, int(np.count_nonzero(is_rounded & ~is_missing))


def kind_of_objects(values: Iterable[Any]) -> str | None:
    """What objects stand for, if all of them are times of one kind."""
    found = {_kind(value) for value in values}
    return found.pop() if len(found) == 1 else None


def _kind(value: Any) -> str | None:
    if isinstance(value, datetime.date | np.datetime64):
        return "instant"
    if isinstance(value, datetime.timedelta | np.timedelta64):
        return "duration"
    return "time-of-day" if isinstance(value, datetime.time) else None


def seconds_of_objects(values: Sequence[Any]) -> tuple[np.ndarray, int]:
    """Times that are kept as objects, as seconds; ``None`` is missing."""
    found, n_rounded = np.full(len(values), np.nan), 0
    by_type: dict[np.dtype, tuple[list[int], list[Any]]] = {}
    for row, value in enumerate(values):
        if value is not None:
            plain = _plain(value)
            rows, plains = by_type.setdefault(plain.dtype, ([], []))
            rows.append(row)
            plains.append(plain)
    for kind, (rows, plains) in by_type.items():
        found[rows], more = seconds(np.array(plains, dtype=kind))
        n_rounded += more
    return found, n_rounded


def _plain(value: Any) -> np.datetime64 | np.timedelta64:
    """A time as NumPy has it, in UTC."""
    if hasattr(value, "asm8"):  # pandas' own, which know nanoseconds
        return value.asm8
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return np.datetime64(value, "us")
    if isinstance(value, datetime.date):
        return np.datetime64(value, "D")
    if isinstance(value, datetime.time):
        clock = datetime.timedelta(
            hours=value.hour,
            minutes=value.minute,
            seconds=value.second,
            microseconds=value.microsecond,
        )
        return np.timedelta64(clock, "us")
    if isinstance(value, datetime.timedelta):
        return np.timedelta64(value, "us")
    return value


def words(value: Any) -> str:
    """What a level is called that is a date, a time or a span."""
    is_time_of_day = isinstance(value, datetime.time)
    plain = _plain(value)
    if plain.dtype.kind == "M" and not is_time_of_day:
        text = str(plain).replace("T", " ")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        if len(text) == len("2024-03-01 10"):
            text += ":00:00"
        elif len(text) == len("2024-03-01 10:30"):
            text += ":00"
        return text.removesuffix(" 00:00:00")
    unit, step = np.datetime_data(plain.dtype)
    count, per = int(plain.astype(np.int64)) * step, PER_SECOND.get(unit, 1)
    count *= SECONDS.get(unit, 1)
    second, part = divmod(abs(count), per)
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    if part:
        clock += f".{part:0{len(str(per)) - 1}}".rstrip("0")
    return f"-{clock}" if count < 0 else clock


def times_of_seconds(values: np.ndarray, what: str) -> Any:
    """What seconds stand for, to the microsecond."""
    counts = np.where(np.isnan(values), 0.0, np.rint(values * 1e6)).astype(np.int64)
    is_missing = np.isnan(values)
    if what == "instant":
        return np.where(is_missing, np.datetime64("NaT", "us"), counts.view("datetime64[us]"))
    spans = np.where(is_missing, np.timedelta64("NaT", "us"), counts.view("timedelta64[us]"))
    if what == "duration":
        return spans
    noon = datetime.datetime(1970, 1, 1)
    day = 86_400_000_000
    return np.array(
        [
            None if m else (noon + datetime.timedelta(microseconds=int(c) % day)).time()
            for c, m in zip(counts, is_missing, strict=True)
        ],
        dtype=object,
    )
