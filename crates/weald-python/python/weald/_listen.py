"""Hearing how a fit goes: progress bars, callbacks, and the log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
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


@contextmanager
def listening(estimator: Any) -> Iterator[Callable[..., bool] | None]:
    """What to call with each event of a fit; None if nobody listens.

    A callback is given a :class:`Progress`; a true answer ends the fit, which keeps the members it
    has. What is shown of a fit is gone when the block is left.
    """
    bars = []
    callbacks: list[Callable[[Progress], Any]] = list(getattr(estimator, "callbacks", None) or [])
    if log.isEnabledFor(logging.DEBUG):
        callbacks.append(_log)
    with ExitStack() as shown:
        if getattr(estimator, "verbose", 0):
            from ._progress import Bar, is_watched

            if is_watched():
                bars.append(shown.enter_context(Bar(type(estimator).__name__)))
                callbacks.extend(bars)

        def tell(*event: Any) -> bool:
            progress = Progress(*event)
            answers = [callback(progress) for callback in callbacks]
            return any(answer is True for answer in answers)

        tell.bars = bars  # type: ignore[attr-defined]
        yield tell if callbacks else None


def stay(heard: Callable[..., bool] | None) -> None:
    """Leave bars where they are: the fit was interrupted."""
    for bar in getattr(heard, "bars", ()):
        bar.stays = True


def _log(progress: Progress) -> None:
    if progress.kind == "stage":
        log.debug("%s", progress.name)
    elif progress.kind == "member" and progress.value is not None:
        log.debug("%d of %d, %s %.6g", progress.done, progress.total, progress.name, progress.value)
    elif progress.kind == "member":
        log.debug("%d of %d", progress.done, progress.total)
