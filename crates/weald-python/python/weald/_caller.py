"""Work for the thread that called a fit, done by another one."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

from sklearn import config_context, get_config


class Caller:
    """The settings of the thread that makes it: scikit-learn's, NumPy's, and other variables.

    A fit runs on threads of its own, whose settings are the defaults; what a user's function does
    there should not depend on that.
    """

    def __init__(self) -> None:
        self._config = get_config()
        self._context = contextvars.copy_context()

    def do(self, work: Callable[..., Any], *given: Any) -> Any:
        """Do work under these settings."""

        def configured() -> Any:
            with config_context(**self._config):
                return work(*given)

        return self._context.copy().run(configured)
