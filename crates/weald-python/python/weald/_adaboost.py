"""The AdaBoost family."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _text
from ._at_once import at_once
from ._base import OfBase
from ._describe import documented
from ._estimator import Classifier, Estimator, Given, Regressor
from ._inside import Inside, Staged
from ._threads import n_threads

LOSSES = ("linear", "square", "exponential")
"""How far off a row may be in R2."""
OF_NUMBERS = ("gentle", "logit")
"""Algorithms for classes whose members are regressors."""


@dataclass(eq=False, repr=False)
class _AdaBoost(Staged, Inside, OfBase, Estimator):
    estimator: Any = None
    n_estimators: int = 100
    _: KW_ONLY
    learning_rate: float = 1.0
    resampling: str = "none"
    max_tries: int = 10

    _renamed: ClassVar[dict[str, str]] = {
        "n_estimators": "n_rounds",
        "learning_rate": "learning_rate",
        "max_tries": "max_tries",
    }
    _described: ClassVar[dict[str, str]] = {
        "n_estimators": "How many rounds, at the most: a perfect member, or none, ends them.",
        "resampling": (
            'How members learn of the weights: "none", as weights; "once", by rows drawn with '
            'them; "restart", by rows drawn again until the member is of use. An estimator that '
            "takes no weights is given drawn rows in any case."
        ),
        "estimator": (
            "What members are fitted by: an estimator of weald or of scikit-learn; None: a stump, "
            'and for numbers a tree of three levels. The stump of "adaboost", "star", "m1" and '
            '"samme" minimises the weighted error, as in their papers, that of all others Gini; '
            "DecisionTreeClassifier(max_depth=1) minimises Gini, as scikit-learn's stump does."
        ),
    }

    def _settings(self, given: Given) -> dict[str, str]:
        own = {"algorithm": self._algorithm(), "resampling": _text.text(self.resampling)}
        return super()._settings(given) | own | self._base_settings(given)

    def _algorithm(self) -> str:
        raise NotImplementedError

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the members, one after the other.

        Ctrl-C ends the fit; the rounds that are done by then are kept.
        """
        self._fit(X, y, self._check_base(X, y, sample_weight))
        return self

    def _fitted(self) -> None:
        rounds = self.model_.rounds or {}
        self.n_estimators_ = self.model_.n_members
        self.rounds_ = rounds
        self.estimator_weights_ = rounds["coefficient"]
        self.estimator_errors_ = rounds["error"]


@documented
@dataclass(eq=False, repr=False)
class AdaBoostClassifier(_AdaBoost, Classifier):
    """AdaBoost and its variants for classes (Freund & Schapire 1997).

    Members are fitted one after the other, each to weights that dwell on what those before it got
    wrong. ``rounds_`` has the record of the rounds: the weighted ``error`` of each member, its
    ``edge`` over chance, its ``coefficient``, the ``normaliser`` of the weights, a ``bound`` of the
    training error, the ``training_error`` itself and the ``min_margin``.

    With K classes the bound is so many times the product of the normalisers so far: 1 for
    "adaboost", "star", "m1" and "logit", K/2 for "mh" and "gentle" (1 for two classes), K - 1 for
    "m2" and "mr". "samme" and "real" have one for two classes only; for more no multiple of the
    product bounds the error, and ``rounds_`` has no ``bound``. Of "mh" the product itself bounds
    the Hamming loss, of "m2" and "mr" the ranking loss. Where the first member is no better than
    chance, or none tells any row from another, the model says nothing and the prior is predicted.
    """

    _: KW_ONLY
    algorithm: str = "auto"

    _method = "adaboost"
    _described: ClassVar[dict[str, str]] = _AdaBoost._described | {
        "algorithm": (
            'Which variant: "adaboost" (two classes), "samme", "m1", "mh", "m2", "mr", "real", '
            '"gentle", "logit", "star" (two classes; "star:0.1" says how near the largest '
            'margin); "auto" is "adaboost" for two classes and "samme" for more. Members of '
            '"gentle" and "logit" are regressors.'
        ),
    }

    def _algorithm(self) -> str:
        return _text.text(self.algorithm)

    def _kind_of_base(self) -> str:
        return "regressor" if self.algorithm in OF_NUMBERS else "classifier"

    def _classes_of_base(self, given: Given) -> np.ndarray | None:
        return None if self.algorithm in OF_NUMBERS else given.classes

    def decision_function(self, X: Any) -> np.ndarray:
        """What the members say together: a score for each class; of two, that of the second."""
        check_is_fitted(self)
        raw = self.model_._core.raw_scores(self._predict_table(X), n_threads(self.n_jobs))
        if raw.shape[1] == 2:
            return raw[:, 1] - raw[:, 0]
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def margins(self, X: Any, y: Any) -> np.ndarray:
        """Find how far the score of each row's class leads over all others, from -1 to 1.

        It is positive where the row is classified rightly, and 1 where all members agree on that.
        """
        check_is_fitted(self)
        table = self._predict_table(X)
        target = self._later_target(y, table.n_rows)
        return self.model_._core.margins(table, target, n_threads(self.n_jobs))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Predict probabilities after one round, after two, and so on."""
        yield from self._staged_scores(X)


@documented
@dataclass(eq=False, repr=False)
class AdaBoostRegressor(_AdaBoost, Regressor):
    """AdaBoost for numbers: R2 (Drucker 1997), R (Freund & Schapire 1997) and RT.

    Rows that are predicted badly get heavier; the prediction is the members' weighted median, in RT
    (Solomatine & Shrestha 2004) their weighted mean.
    """

    _: KW_ONLY
    algorithm: str = "r2"
    loss: str = "linear"
    resampling: str = "once"

    _method = "adaboost-r2"
    _takes_several: ClassVar[bool] = False
    _described: ClassVar[dict[str, str]] = _AdaBoost._described | {
        "algorithm": (
            'Which variant: "r2", "r", or "rt", of which "rt:0.1,2" says the threshold on the '
            "relative error and the power of the error rate."
        ),
        "loss": (
            'How far off a row is in R2, as a share of the farthest: "linear", "square" or '
            '"exponential".'
        ),
    }

    def _algorithm(self) -> str:
        if self.algorithm == "r2":
            if self.loss not in LOSSES:
                expected = ", ".join(map(repr, LOSSES))
                raise ValueError(f"loss is {self.loss!r:.80}; expected one of {expected}")
            return f"r2:{self.loss}"
        return _text.text(self.algorithm)
