"""Hearing how a fit goes: progress bars, callbacks, and the log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

log = logging.getLogger("weald")


@dataclass(frozen=True)
class Progress:
    """How far a fit is."""

    kind: str
    """"stage", "member" (a tree, round or member is done) or "rows" (of a single tree)."""
    name: str | None
    """What the stage, or the value, is called."""
    done: int | None
    """Members or rows done."""
    total: int | None
    """Members or rows in all, at the most."""
    value: float | None
    """How good the members are so far, on rows that they have not seen."""


def listener(estimator: Any) -> Callable[..., bool] | None:
    """What to call with each event of a fit; None if nobody listens.

    A callback is given a :class:`Progress`; a true answer ends the fit, which keeps the members it
    has.
    """
    callbacks = list(getattr(estimator, "callbacks", None) or [])
    if getattr(estimator, "verbose", 0):
        from ._progress import Bar

        callbacks.append(Bar(type(estimator).__name__))
    if log.isEnabledFor(logging.DEBUG):
        callbacks.append(_log)
    if not callbacks:
        return None

    def tell(*event: Any) -> bool:
        progress = Progress(*event)
        answers = [callback(progress) for callback in callbacks]
        return any(answer is True for answer in answers)

    return tell


def _log(progress: Progress) -> None:
    if progress.kind == "stage":
        log.debug("%s", progress.name)
    elif progress.kind == "member" and progress.value is not None:
        log.debug("%d of %d, %s %.6g", progress.done, progress.total, progress.name, progress.value)
    elif progress.kind == "member":
        log.debug("%d of %d", progress.done, progress.total)
