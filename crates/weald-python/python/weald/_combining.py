"""Combining estimators of different kinds: voting, weights that are learned, stacking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from . import _text
from ._describe import documented
from ._estimator import Classifier, Given, Regressor
from ._members import OfMembers

ESTIMATORS = (
    "The members: pairs of a name and an estimator, weald's or scikit-learn's; None: gradient "
    "boosting, a random forest and a linear model."
)
CV = (
    "Which rows members are asked about that they have not seen: a count of folds, a share of the "
    'rows to hold out, "time:5" for rows in the order of time, or folds as scikit-learn has them. '
    "With a share, members stay as they were asked, and no row is trained on twice."
)
ALIASES = {"soft": "mean", "hard": "vote"}


@dataclass(eq=False, repr=False)
class _Voting(OfMembers):
    estimators: Any = None
    _: KW_ONLY
    voting: str = "mean"
    weights: Sequence[float] | None = None

    _method = "voting"
    _renamed: ClassVar[dict[str, str]] = {"weights": "weights"}
    _described: ClassVar[dict[str, str]] = {
        "estimators": ESTIMATORS,
        "voting": (
            'How answers become one: "mean", "vote", "median", "min", "max", "product", '
            '"trimmed-mean:0.2" or "borda"; "soft" and "hard" are other names of "mean" and "vote".'
        ),
        "weights": "What the answer of each member weighs; None: all the same.",
    }

    def _settings(self, given: Given) -> dict[str, str]:
        return super()._settings(given) | {"combine": _text.known(ALIASES, self.voting)}


@documented
@dataclass(eq=False, repr=False)
class VotingClassifier(_Voting, Classifier):
    """Classifiers of different kinds, each fitted on all rows, whose answers a rule combines."""

    _: KW_ONLY
    voting: str = "soft"


@documented
@dataclass(eq=False, repr=False)
class VotingRegressor(_Voting, Regressor):
    """Regressors of different kinds, each fitted on all rows, whose answers a rule combines."""


@dataclass(eq=False, repr=False)
class _Weighted(OfMembers):
    estimators: Any = None
    _: KW_ONLY
    cv: Any = 5

    _method = "super-learner"
    _renamed: ClassVar[dict[str, str]] = {}
    _described: ClassVar[dict[str, str]] = {
        "estimators": ESTIMATORS,
        "cv": CV,
        "n_rounds": "How many times a member is added, at the most.",
        "prior": "How likely each member is beforehand; None: all the same.",
    }

    def _weighing(self) -> str:
        return "least-squares"

    def _settings(self, given: Given) -> dict[str, str]:
        own = {"weighing": self._weighing(), "held_out": self._held_out()}
        return super()._settings(given) | own

    def _fitted(self) -> None:
        super()._fitted()
        self.weights_ = np.asarray(self.model_._core.weights)


@documented
@dataclass(eq=False, repr=False)
class SuperLearnerClassifier(_Weighted, Classifier):
    """The mean of classifiers with the least squared error on rows that they have not seen.

    Weights are at least 0 and sum to 1 (van der Laan, Polley & Hubbard 2007); they are in
    ``weights_``.
    """


@documented
@dataclass(eq=False, repr=False)
class SuperLearnerRegressor(_Weighted, Regressor):
    """The mean of regressors with the least squared error on rows that they have not seen.

    Weights are at least 0 and sum to 1 (van der Laan, Polley & Hubbard 2007); they are in
    ``weights_``.
    """


@dataclass(eq=False, repr=False)
class _EnsembleSelection(_Weighted):
    _: KW_ONLY
    n_rounds: int = 50

    _method = "ensemble-selection"

    def _weighing(self) -> str:
        return f"selection:{_text.text(self.n_rounds)}"


@documented
@dataclass(eq=False, repr=False)
class EnsembleSelectionClassifier(_EnsembleSelection, Classifier):
    """Classifiers added one by one to the committee that they help most (Caruana et al. 2004).

    A member may be added several times; ``weights_`` has the share of each.
    """


@documented
@dataclass(eq=False, repr=False)
class EnsembleSelectionRegressor(_EnsembleSelection, Regressor):
    """Regressors added one by one to the committee that they help most (Caruana et al. 2004).

    A member may be added several times; ``weights_`` has the share of each.
    """


@dataclass(eq=False, repr=False)
class _BayesOptimal(_Weighted):
    _: KW_ONLY
    prior: Sequence[float] | None = None

    _method = "bayes-optimal"
    _renamed: ClassVar[dict[str, str]] = {"prior": "prior"}

    def _weighing(self) -> str:
        return "bayes"


@documented
@dataclass(eq=False, repr=False)
class BayesOptimalClassifier(_BayesOptimal, Classifier):
    """Classifiers, each believed as far as it has foreseen rows that it has not seen.

    The posterior of each member, its prior times the likelihood of the rows, is in ``weights_``.
    """


@documented
@dataclass(eq=False, repr=False)
class BayesOptimalRegressor(_BayesOptimal, Regressor):
    """Regressors, each believed as far as it has foreseen rows that it has not seen.

    The posterior of each member, its prior times the likelihood of the rows, is in ``weights_``.
    """


@dataclass(eq=False, repr=False)
class _Stacking(OfMembers):
    estimators: Any = None
    final_estimator: Any = None
    _: KW_ONLY
    cv: Any = 5
    passthrough: bool = False

    _method = "stacking"
    _renamed: ClassVar[dict[str, str]] = {"passthrough": "pass_through"}
    _described: ClassVar[dict[str, str]] = {
        "estimators": ESTIMATORS,
        "final_estimator": (
            "What learns from what members say: an estimator of weald or of scikit-learn; None: a "
            "linear model."
        ),
        "cv": CV,
        "passthrough": "Whether the final estimator also sees the columns.",
    }

    def _last(self) -> Any:
        return self.final_estimator

    def _settings(self, given: Given) -> dict[str, str]:
        return super()._settings(given) | {"held_out": self._held_out()}


@documented
@dataclass(eq=False, repr=False)
class StackingClassifier(_Stacking, Classifier):
    """Classifiers, and one that learns whom of them to believe (Wolpert 1992).

    The final estimator learns from what members say of rows that they have not seen. With a share
    of the rows held out for it (``cv=0.2``) this is blending.
    """


@documented
@dataclass(eq=False, repr=False)
class StackingRegressor(_Stacking, Regressor):
    """Regressors, and one that learns whom of them to believe (Wolpert 1992).

    The final estimator learns from what members say of rows that they have not seen. With a share
    of the rows held out for it (``cv=0.2``) this is blending.
    """


@documented
@dataclass(eq=False, repr=False)
class DynamicSelectionClassifier(OfMembers, Classifier):
    """Classifiers, of which those answer for a row that are right about the rows near it.

    With ``rule="eliminate"`` those that are right about all of the nearest rows vote (KNORA-E),
    with "union" each as often as it is right (KNORA-U; Ko, Sabourin & Britto 2008).
    """

    estimators: Any = None
    _: KW_ONLY
    rule: str = "eliminate"
    n_neighbors: int = 7
    cv: Any = 5

    _method = "dynamic-selection"
    _renamed: ClassVar[dict[str, str]] = {"rule": "rule", "n_neighbors": "k"}
    _described: ClassVar[dict[str, str]] = {"estimators": ESTIMATORS, "cv": CV}

    def _settings(self, given: Given) -> dict[str, str]:
        return super()._settings(given) | {"held_out": self._held_out()}
