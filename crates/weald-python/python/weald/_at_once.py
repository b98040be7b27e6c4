"""Fits that change an estimator all at once, or not at all.

What is learned is a dozen attributes: classes, names of columns, a model. A fit that set them one
by one and then failed would leave the old model under new names, so it works on a draft of the
estimator, whose attributes become the estimator's in one step when all is done.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")

_DRAFT = "_is_draft"
_INTERRUPT = "_interrupt"


def at_once(fit: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """A method that learns, or leaves the estimator as it was."""

    @functools.wraps(fit)
    def fit_draft(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        before = dict(vars(self))
        if _DRAFT in before:  # One method that learns has called another.
            return fit(self, *args, **kwargs)
        draft = object.__new__(type(self))
        learned = vars(draft)
        learned |= before | {_DRAFT: True}
        try:
            found = fit(draft, *args, **kwargs)
        except Exception:
            interrupt = learned.get(_INTERRUPT)
            if interrupt is not None:
                raise interrupt from None
            raise
        del learned[_DRAFT]
        interrupt = learned.pop(_INTERRUPT, None)
        changed = {
            name: value
            for name, value in learned.items()
            if name not in before or before[name] is not value
        }
        # Parameters may have been set meanwhile, by a callback or on another thread.
        after = {
            name: value
            for name, value in (vars(self) | changed).items()
            if name in learned or name not in before
        }
        cast(Any, self).__dict__ = after
        if interrupt is not None:
            raise interrupt
        return cast(R, self) if cast(Any, found) is draft else found

    return fit_draft


def keep_interrupted(draft: Any, interrupt: BaseException) -> None:
    """Note that a fit was broken off: what it has learned so far is kept, then this is raised."""
    vars(draft)[_INTERRUPT] = interrupt
