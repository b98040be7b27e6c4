"""A progress bar, by tqdm: in terminals and in notebooks, and nowhere else."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Self

from ._listen import Progress

UNITS = {"boosting": "round", "boosting on folds": "round", "growing trees": "tree"}
"""What the members of a stage are called."""


def is_watched() -> bool:
    """Whether somebody sees a bar: stderr is a terminal, or there is a notebook."""
    return _in_notebook() or bool(getattr(sys.stderr, "isatty", bool)())


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config


class Bar:
    """Shows members as they are done, and how good they are on rows that they have not seen.

    It is made by the thread that fits, as notebooks want it, and may be told by any other. It is
    closed when the fit is over, also when that fails or is interrupted.
    """

    def __init__(self, title: str) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError(
                "verbose shows a progress bar, which needs tqdm: pip install weald[progress]"
            ) from error
        self.stays = False
        self._title = title
        self._bar: Any = tqdm(desc=title, unit="member", dynamic_ncols=True)

    def __call__(self, progress: Progress) -> None:
        """Show what is told."""
        if progress.kind == "stage":
            self._bar.unit = UNITS.get(progress.name or "", "member")
            self._bar.set_description_str(f"{self._title}, {progress.name}", refresh=False)
        if progress.kind != "member" or progress.done is None:
            return
        if progress.total != self._bar.total or progress.done < self._bar.n:
            self._bar.reset(progress.total)  # another stage begins
        if progress.value is not None:
            self._bar.set_postfix_str(f"{progress.name} {progress.value:.4g}", refresh=False)
        self._bar.update(progress.done - self._bar.n)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None and self._bar.n and not self.stays:
            self._bar.total = self._bar.n  # it ended early because that is best
        self._bar.close()
