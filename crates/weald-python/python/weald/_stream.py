"""Estimators that learn from rows as they come."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from . import _weald
from ._estimator import Estimator, Given
from ._naming import named_as_here
from ._text import text
from ._threads import n_threads, seed_of


@dataclass(eq=False, repr=False)
class Streaming(Estimator):
    """An estimator without a target that can also learn from a stream."""

    _: KW_ONLY
    window: int = 2048

    _of_model: ClassVar[tuple[str, ...]] = ()
    """What is known after ``fit`` alone."""
    _of_stream: ClassVar[tuple[str, ...]] = ()
    """What is known after ``partial_fit`` alone."""

    def _stream_settings(self, given: Given) -> dict[str, str]:
        """The parameters of the streaming forest as text, by weald's names."""
        raise NotImplementedError

    @property
    def _is_streaming(self) -> bool:
        return hasattr(self, "stream_")

    def _take(self, X: Any) -> np.ndarray:
        """Learn from rows in their order; the score of each before it was learned from."""
        if self._is_streaming:
            table = self._stream_table(X)
        else:
            table = self._fit_table(X)
            given = Given(table.names, int(self.window), float(self.window), None)
            settings = self._stream_settings(given) | {"window": text(self.window)}
            seed = seed_of(self.random_state)
            with named_as_here(self):
                stream = _weald.Stream(list(settings.items()), table, seed)
            for name in ("model_", *self._of_model):
                self.__dict__.pop(name, None)
            self.stream_ = stream
        return self.stream_.update(table, n_threads(self.n_jobs))

    def _stream_table(self, X: Any) -> _weald.Table:
        return self._later_table(X, self.stream_.names, self.stream_.is_categorical)

    def _forget_stream(self) -> None:
        """A fit begins anew."""
        for name in ("stream_", *self._of_stream):
            self.__dict__.pop(name, None)

    @property
    def n_samples_seen_(self) -> int:
        """How many rows ``partial_fit`` has been given."""
        return self.stream_.n_seen
