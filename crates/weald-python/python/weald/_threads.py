"""How many threads, and which seed."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ._weald import WealdError

MOST_THREADS = 1024
"""As many as the library starts, and more than any machine has cores; what is more is a mistake."""


def n_threads(n_jobs: int | None) -> int:
    """As many as scikit-learn would: None is 1, -1 is all, -2 is all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool):
        raise WealdError(f"n_jobs is {n_jobs!r:.80}; expected a count, -1, or None")
    if abs(n_jobs) > MOST_THREADS:
        raise WealdError(f"n_jobs is {n_jobs!s:.80}; expected at most {MOST_THREADS}")
    if n_jobs == 0:
        raise WealdError("n_jobs is 0; expected a count, or -1 for as many as there are cores")
    if n_jobs > 0:
        return int(n_jobs)
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (n_cores or 1) + 1 + int(n_jobs))


def seed_of(random_state: Any) -> int:
    """The seed: an integer is taken as it is, a generator draws one, None draws from NumPy's."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state is {random_state}; expected 0 to 2**64 - 1")
        return int(random_state)
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError:
        raise ValueError(
            f"random_state is {random_state!r:.80}; expected a whole number, a generator of "
            "NumPy's, or None"
        ) from None
