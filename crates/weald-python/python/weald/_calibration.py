"""Probabilities that come true as often as they say."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

from ._at_once import at_once
from ._base import OfBase
from ._describe import documented
from ._estimator import Classifier, Given
from ._unseen import AsksUnseen
from ._weald import WealdError

METHODS = ("temperature", "sigmoid", "isotonic")


@documented
@dataclass(eq=False, repr=False)
class CalibratedClassifierCV(AsksUnseen, OfBase, Classifier):
    """A classifier whose probabilities are put right by what it says of rows that it has not seen.

    "temperature" (Guo et al. 2017) divides the logarithms of probabilities by one number, so that
    the predicted class stays; "sigmoid" (Platt 1999) fits two numbers for each class; "isotonic"
    (Zadrozny & Elkan 2002) fits a rising curve, and needs a thousand rows or more. The classifier
    itself is fitted once, on all rows: no rows are lost, and it is predicted by one model.
    """

    estimator: Any = None
    _: KW_ONLY
    method: str = "temperature"
    cv: Any = 5

    _method = "calibration"
    _renamed: ClassVar[dict[str, str]] = {"method": "map"}
    _cv_expected: ClassVar[str] = (
        "a count of folds, a share of the rows, time:5, out-of-bag, or folds as scikit-learn has "
        "them"
    )
    _described: ClassVar[dict[str, str]] = {
        "estimator": (
            "Whose probabilities are put right: a classifier of weald or of scikit-learn; None: a "
            "random forest."
        ),
        "method": 'By what: "temperature", "sigmoid" or "isotonic".',
        "cv": (
            "Which rows the classifier is asked about that it has not seen: a count of folds, a "
            'share of the rows to hold out, "time:5" for rows in the order of time, folds as '
            'scikit-learn has them, or "out-of-bag", which takes no fit more, for random forests, '
            "extra trees and bagging of weald. With a share, the classifier stays as it was asked."
        ),
    }

    def _settings(self, given: Given) -> dict[str, str]:
        if self.method not in METHODS:
            expected = ", ".join(map(repr, METHODS))
            raise WealdError(f"method is {self.method!r:.80}; expected one of {expected}")
        own = super()._settings(given) | {"held_out": self._held_out()}
        return own | self._base_settings(given)

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the classifier, and the map of its probabilities.

        ``groups`` says which rows belong together: the classifier is never asked about rows of a
        group that it has seen.
        """
        sample_weight = self._check_base(X, y, sample_weight)
        self._fit(X, y, sample_weight, groups=self._groups_of(self.cv, X, y, groups))
        return self
