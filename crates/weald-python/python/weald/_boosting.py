"""Gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _text
from ._at_once import at_once
from ._describe import documented
from ._estimator import Classifier, Estimator, Given, Regressor, flat
from ._inside import Inside, Staged
from ._loss import Loss, is_own
from ._metric import MINUS, Metric
from ._model import Model
from ._threads import n_threads

LOSSES = {"log_loss": "auto", "squared_error": "squared", "absolute_error": "absolute"}
"""scikit-learn's names of losses that weald calls otherwise."""


@dataclass(eq=False, repr=False)
class Boosting(Staged, Inside, Estimator):
    """What boosting of trees is done by, whatever is learnt."""

    n_estimators: int | str = "auto"
    learning_rate: float | str = "auto"
    _: KW_ONLY
    max_leaves: int | str = "auto"
    max_depth: int | None = None
    loss: Any = "auto"
    subsample: float | str = "auto"
    colsample: float | str = "auto"
    colsample_bynode: float | str = "auto"
    reg_alpha: float = 0.0
    reg_lambda: float | str = "auto"
    min_child_weight: float | str = "auto"
    min_samples_leaf: int | str = "auto"
    min_gain: float = 0.0
    growth: str = "auto"
    goss: tuple[float, float] | None = None
    drop_rate: float = 0.0
    linear_leaves: bool = False
    linear_l2: float = 1.0
    vector_leaves: bool | str = "auto"
    start: str = "best"
    early_stopping_rounds: int | None = None
    validation: str = "auto"
    validation_fraction: float = 0.1
    n_runs: int | str = "auto"
    bins: str = "fast"
    conformal: bool | str = "auto"
    level_smoothing: float = 10.0
    level_charge: float = 1.0
    min_level_rows: int = 20
    target_statistics: bool | str = "auto"
    monotone_constraints: Any = None
    interaction_constraints: Any = None

    _method = "gradient-boosting"
    _renamed: ClassVar[dict[str, str]] = {
        "max_leaves": "max_leaves",
        "max_depth": "max_depth",
        "min_samples_leaf": "min_leaf_rows",
        "min_child_weight": "min_child_weight",
        "min_gain": "min_gain",
        "reg_alpha": "l1",
        "reg_lambda": "l2",
        "subsample": "subsample",
        "colsample": "colsample",
        "colsample_bynode": "node_colsample",
        "growth": "growth",
        "linear_leaves": "linear_leaves",
        "linear_l2": "linear_l2",
        "vector_leaves": "vector_leaves",
        "drop_rate": "drop_rate",
        "bins": "bins",
        "level_smoothing": "level_smoothing",
        "level_charge": "level_charge",
        "min_level_rows": "min_level_rows",
        "target_statistics": "target_statistics",
        "start": "start",
        "validation": "validation",
        "validation_fraction": "validation_share",
        "n_runs": "n_runs",
        "conformal": "conformal",
    }
    _described: ClassVar[dict[str, str]] = {
        "n_estimators": (
            "Rounds. A number is exactly so many, unless ``early_stopping_rounds`` is given; "
            '"auto" is up to 1000, ended by the loss of held-out rows.'
        ),
        "learning_rate": (
            'How far the scores move along each tree; "auto" is 0.15, 0.1 with vector '
            "leaves, and 0.07 in a ranker."
        ),
        "max_leaves": (
            'Leaves of a tree at the most; "auto" is 16, 31 from 10,000 rows on, 8 in a ranker, '
            "and 64 (16 in a ranker) in oblivious trees."
        ),
        "growth": (
            'In what order a tree grows: "leaf-wise", "level-wise", or "oblivious", one question '
            'for all nodes of a level; "auto" is leaf-wise, and oblivious in two of three runs '
            "where the model is the mean of several, ``max_leaves`` is left to it too, and at most "
            "a quarter of the columns are categories."
        ),
        "early_stopping_rounds": (
            "Rounds without a better loss of held-out rows after which boosting ends; None: none, "
            'or 30 where ``n_estimators`` is "auto".'
        ),
        "min_samples_leaf": (
            'Rows that each leaf must keep; "auto" is 3, and more where leaves are quantiles: as '
            "many as have two rows beyond it on the mean, 20 for the level 0.1, at least 10."
        ),
        "loss": (
            'What is made small: "auto", "logistic", "softmax", "exponential", "hinge", '
            '"squared-hinge", "squared", "absolute", "poisson", "gamma", "cox", "huber:1.0", '
            '"quantile:0.5", "quantile:0.1,0.5,0.9", "tweedie:1.5", "lambdarank:10"; or a function '
            "``loss(y, score)`` that returns the first and the second derivative of each row's "
            "loss by its score, as two arrays (classes are 0 and 1, and two; row weights are "
            "weald's affair); or an object with such a method ``gradient`` and, as it likes, "
            "``loss(y, score)``, the loss of each row, which early stopping needs, ``start``, the "
            'score before the first round, and ``link``: "identity", "log" or "logistic".'
        ),
        "eval_metric": (
            "What held-out rows are judged by, instead of the loss, to decide after how many "
            "rounds to end: one of scikit-learn's scorers or its name, or a function "
            "``metric(y_true, y_pred)``, better the lower unless it has a true attribute "
            "``greater_is_better``. It is given the probability of the second of two classes, a "
            "column for each of more, or numbers; and ``sample_weight`` if it has that parameter "
            "and rows are weighted. In folds the mean over them decides."
        ),
        "conformal": (
            "Whether quantiles are moved, by what held-out rows say, so far that at least the "
            "share of new rows that their levels promise is covered (conformal prediction); "
            '"auto": those of levels other than 0.5, where enough rows are held out. The rows are '
            "those held out to end by."
        ),
        "goss": (
            "The share of rows with the largest gradients that each round keeps, and the share "
            "that it draws from the others; None: all rows."
        ),
    }

    def _settings(self, given: Given) -> dict[str, str]:
        settings = super()._settings(given) | {
            "loss": "auto" if self._has_own_loss else _text.known(LOSSES, self.loss),
            "goss": self._goss(),
            "monotone": _text.monotone(self.monotone_constraints, given.names),
            "interactions": _text.interactions(self.interaction_constraints, given.names),
        }
        if self.learning_rate != "auto":
            settings["learning_rate"] = _text.text(self.learning_rate)
        if self.n_estimators != "auto":
            settings["n_trees"] = _text.text(self.n_estimators)
        if self.n_estimators != "auto" or self.early_stopping_rounds is not None:
            settings["early_stopping_rounds"] = _text.text(self.early_stopping_rounds)
        return settings

    def _goss(self) -> str:
        if self.goss is None or isinstance(self.goss, str):
            return _text.text(self.goss)
        if not isinstance(self.goss, Sequence) or len(self.goss) != 2:
            raise ValueError(f"goss is {self.goss!r:.80}; expected a pair of shares, or None")
        return ":".join(map(_text.text, self.goss))

    @property
    def _has_own_loss(self) -> bool:
        return not isinstance(self.loss, str) and is_own(self.loss)

    def _fitted(self) -> None:
        self.n_estimators_ = self.model_.n_members

    @property
    def best_iteration_(self) -> int:
        """How many rounds there are: those with the lowest loss of held-out rows."""
        return self.n_estimators_

    @property
    def validation_curve_(self) -> np.ndarray | None:
        """What held-out rows say before the first round and after each; None without them.

        The loss, or ``eval_metric`` as it is: the best is the greatest then, where that is better.
        """
        curve = self.model_.learning_curve
        if curve is None:
            return None
        values = np.asarray(curve[2])
        return -values if curve[0].startswith(MINUS) else values


@dataclass(eq=False, repr=False)
class _Fits(Boosting):
    _: KW_ONLY
    eval_metric: Any = None

    _is_for_classes: ClassVar[bool]

    def _parts(self, given: Given) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        if self.eval_metric is not None:
            parts["metric"] = Metric(self.eval_metric, given.classes)
        if self._has_own_loss:
            parts["loss"] = own = Loss(self.loss, is_classifier=self._is_for_classes)
            if self._ends_early and not own.has_losses and self.eval_metric is None:
                raise ValueError(
                    "loss gives derivatives alone, which do not say after how many rounds to end; "
                    "give eval_metric, or an object with a method loss(y, score), or a number of "
                    "rounds as n_estimators without early_stopping_rounds"
                )
        return parts

    @property
    def _parts_are_python(self) -> bool:
        return self.eval_metric is not None or self._has_own_loss

    @property
    def _ends_early(self) -> bool:
        return self.n_estimators == "auto" or self.early_stopping_rounds is not None

    @at_once
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        offset: Any = None,
        init_model: Any = None,
    ) -> Self:
        """Boost trees.

        Parameters
        ----------
        X : array or frame
            The rows.
        y : array
            The target.
        sample_weight : array, optional
            The weight of each row.
        eval_set : (X, y) or (X, y, sample_weight), optional
            Rows to end by, instead of a share of those trained on.
        offset : array, optional
            Scores that the trees add to, such as the logarithm of an exposure.
        init_model : estimator or weald.Model, optional
            A model to go on from.

        Notes
        -----
        Ctrl-C ends the fit; the rounds that are done by then are kept.
        """
        if self.eval_metric is not None and eval_set is None and not self._ends_early:
            raise ValueError(
                "eval_metric is given, but no rows are held out to be judged by it; give eval_set "
                "or early_stopping_rounds"
            )
        if offset is not None and getattr(self.loss, "start", None) is not None:
            raise ValueError(
                "loss has a start and offset is given; with an offset that is where scores start"
            )
        self._fit(
            X,
            y,
            sample_weight,
            eval_set=eval_set,
            offset=offset,
            continued=_model_of(init_model),
        )
        return self


def _model_of(init_model: Any) -> Model | None:
    if isinstance(init_model, Estimator):
        check_is_fitted(init_model)
    model = getattr(init_model, "model_", init_model)
    if model is not None and not isinstance(model, Model):
        raise TypeError(
            f"init_model is {init_model!r:.80}; give a fitted estimator of weald, or a weald.Model"
        )
    return model


def _has_one_target(model: Any) -> bool:
    """Whether scores have a form that scikit-learn knows.

    Of several targets it expects ``classes_`` to be an array where there is a ``decision_function``
    (``check_classifier_multioutput``), and a list where ``predict_proba`` gives one.
    """
    return not isinstance(getattr(model, "classes_", None), list)


@documented
@dataclass(eq=False, repr=False)
class GradientBoostingClassifier(_Fits, Classifier):
    """Gradient boosting of trees for classes (Friedman 2001; Chen & Guestrin 2016).

    The method to prefer on tables. By default rows are held out to find out after how many rounds
    to end; missing values and categories need no preparation.
    """

    _: KW_ONLY
    class_weight: Any = None

    _is_for_classes = True
    _takes_several = True

    @available_if(_has_one_target)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores before they become probabilities: log-odds, or one score for each class."""
        table = self._predict_table(X)
        return flat(self.model_._core.raw_scores(table, n_threads(self.n_jobs)))

    def staged_predict_proba(self, X: Any) -> Iterator[Any]:
        """Predict probabilities after one round, after two, and so on."""
        yield from map(self._probabilities, self._staged_scores(X))


@documented
@dataclass(eq=False, repr=False)
class GradientBoostingRegressor(_Fits, Regressor):
    """Gradient boosting of trees for numbers (Friedman 2001; Chen & Guestrin 2016).

    The method to prefer on tables. By default rows are held out to find out after how many rounds
    to end; missing values and categories need no preparation.
    ``loss="quantile:0.1,0.5,0.9"`` predicts several quantiles that never cross.
    """

    _is_for_classes = False
