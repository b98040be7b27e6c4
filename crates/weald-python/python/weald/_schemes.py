"""Several classes by classifiers of two."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from . import _text
from ._at_once import at_once
from ._base import OfBase
from ._describe import documented
from ._estimator import Classifier, Given
from ._weald import WealdError

AGGREGATES = ("coupling", "hastie-tibshirani", "vote", "dag")


@dataclass(eq=False, repr=False)
class _Scheme(OfBase, Classifier):
    estimator: Any = None

    _renamed: ClassVar[dict[str, str]] = {}
    _described: ClassVar[dict[str, str]] = {
        "estimator": (
            "What tells two classes apart: a classifier of weald or of scikit-learn; None: "
            "a linear model."
        ),
    }

    def _scheme(self) -> str:
        raise NotImplementedError

    def _settings(self, given: Given) -> dict[str, str]:
        return {"scheme": self._scheme()} | self._base_settings(given)

    def _classes_of_base(self, given: Given) -> np.ndarray | None:
        return np.array([0, 1])

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit a classifier for each task."""
        self._fit(X, y, self._check_base(X, y, sample_weight))
        return self

    def _fitted(self) -> None:
        self.n_estimators_ = self.model_.n_members


@documented
@dataclass(eq=False, repr=False)
class OneVsRestClassifier(_Scheme):
    """Several classes by a classifier of two: each class against all others.

    The class whose task is surest is predicted.
    """

    _method = "one-vs-rest"

    def _scheme(self) -> str:
        return "one-vs-rest"


@documented
@dataclass(eq=False, repr=False)
class OneVsOneClassifier(_Scheme):
    """Several classes by a classifier of two: each class against each other.

    ``aggregate`` says what is made of the answers: "coupling" (Wu, Lin & Weng 2004) and
    "hastie-tibshirani" (1998) find the probabilities that agree with them best, "vote" counts them,
    and "dag" rules out one class after the other, with one question less than there are classes.
    """

    _: KW_ONLY
    aggregate: str = "coupling"

    _method = "one-vs-one"
    _described: ClassVar[dict[str, str]] = _Scheme._described | {
        "aggregate": (
            'What is made of the answers: "coupling", "hastie-tibshirani", "vote" or "dag".'
        ),
    }

    def _scheme(self) -> str:
        if self.aggregate not in AGGREGATES:
            expected = ", ".join(map(repr, AGGREGATES))
            raise WealdError(f"aggregate is {self.aggregate!r:.80}; expected one of {expected}")
        return f"one-vs-one:{self.aggregate}"


@documented
@dataclass(eq=False, repr=False)
class OutputCodeClassifier(_Scheme):
    """Several classes by a classifier of two: sets of classes against others.

    The class whose code word is nearest to the answers is predicted, so that some of them may be
    wrong (Dietterich & Bakiri 1995).
    """

    _: KW_ONLY
    n_tasks: int | None = None

    _method = "output-codes"
    _described: ClassVar[dict[str, str]] = _Scheme._described | {
        "n_tasks": (
            "How many tasks; None: all there are for up to 7 classes, else 10 for each doubling "
            "of their number."
        ),
    }

    def _scheme(self) -> str:
        return f"output-codes:{'auto' if self.n_tasks is None else _text.text(self.n_tasks)}"
