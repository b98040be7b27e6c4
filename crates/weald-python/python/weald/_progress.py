"""A progress bar, by tqdm where it is installed."""

from __future__ import annotations

from typing import Any

from ._listen import Progress


class Bar:
    """Shows members as they are done."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._bar: Any = None

    def __call__(self, progress: Progress) -> None:
        """Show what is told."""
        if progress.kind != "member" or progress.total is None:
            return
        if self._bar is None:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=progress.total, desc=self._title, leave=False)
        self._bar.n = progress.done
        self._bar.refresh()
