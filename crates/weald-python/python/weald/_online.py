"""Online committees: experts advise, a master decides, then the truth is told."""

from __future__ import annotations

import copy
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from . import _table, _weald
from ._at_once import at_once
from ._experts import FIRST_FIT, Codes, Fixed, Refitted, experts_of
from ._labels import check_finite, labels, unmasked
from ._naming import named_as_here
from ._text import text
from ._threads import seed_of


@dataclass(eq=False, repr=False)
class Master(BaseEstimator):
    """What all masters share: steps, and where they stand."""

    _: KW_ONLY
    experts: Any = None

    _algorithm: ClassVar[str]

    def _parameters(self) -> dict[str, str]:
        return {}

    def _seed(self) -> int:
        return 0

    # From X to advice.

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """X as rows that can be told apart: what experts say, or what they are asked about."""
        if self.experts is None:
            return self._advice_of_columns(X, reset=reset)
        if _table.is_pandas(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
            return X
        return validate_data(self, _table.without_mask(X), reset=reset)

    def _advice_of_columns(self, X: Any, *, reset: bool) -> np.ndarray:
        """What the columns of X say, as numbers."""
        raise NotImplementedError

    def _start(self, n_columns: int) -> None:
        """Begin with nothing learned."""
        self.experts_ = None if self.experts is None else experts_of(self.experts)
        n_experts = n_columns if self.experts_ is None else len(self.experts_)
        if n_experts == 0:
            raise ValueError("experts is an empty list; give at least one, or None")
        self._seen_X: list[Any] = []
        self._seen_y: list[np.ndarray] = []
        parameters = list(self._parameters().items())
        with named_as_here(self):
            self.master_ = _weald.Online(self._algorithm, parameters, n_experts, self._seed())

    # Steps.

    def _take(self, rows: Any, y: np.ndarray, truth: np.ndarray) -> None:
        """Take rows in their order, each in one step."""
        self._branch()
        if self.experts_ is None:
            self.predictions_ = self._said(self.master_.update(rows, truth))
        else:
            said = [
                self._stretch(self.experts_, rows[start:stop], y[start:stop], truth[start:stop])
                for start, stop in _stretches(self.master_.standing[0], len(y))
            ]
            self.predictions_ = self._said(np.concatenate(said))
        self._stand()

    def _branch(self) -> None:
        """Leave what learns from each row to those who look at this master meanwhile."""
        self.master_ = copy.copy(self.master_)
        if self.experts_ is not None:
            self.experts_ = [expert.branch() for expert in self.experts_]
            self._seen_X, self._seen_y = list(self._seen_X), list(self._seen_y)

    def _stretch(
        self, experts: list[Fixed], rows: Any, y: np.ndarray, truth: np.ndarray
    ) -> np.ndarray:
        """Take rows up to where experts are fitted again."""
        codes = self._codes()
        advice = np.column_stack([expert.advise(rows, y, codes) for expert in experts])
        said = self.master_.update(advice, truth)
        again = [expert for expert in experts if isinstance(expert, Refitted)]
        if again:
            self._seen_X.append(rows.copy())  # Streams may come in one array, filled anew.
            self._seen_y.append(y.copy())
            if _is_due(self.master_.standing[0]):
                X, y = _joined(self._seen_X), np.concatenate(self._seen_y)
                self._seen_X, self._seen_y = [X], [y]
                for expert in again:
                    expert.fit(X, y, codes)
        return said

    def _asked(self, X: Any) -> np.ndarray:
        """What the master would say of each row if it came next."""
        check_is_fitted(self, "master_")
        rows = self._rows(X, reset=False)
        if self.experts_ is not None:
            codes, n_rows = self._codes(), len(rows)
            said = (codes.of(expert.answers(rows), n_rows) for expert in self.experts_)
            rows = np.column_stack(list(said))
        return self._said(self.master_.predict(rows))

    def _codes(self) -> Codes:
        return Codes(None)

    def _said(self, numbers: np.ndarray) -> np.ndarray:
        return numbers

    def _stand(self) -> None:
        """Keep where master and experts stand."""
        n_steps, of_experts, _, of_master, _, bound = self.master_.standing
        self.n_steps_ = n_steps
        self.bound_ = bound
        self.weights_ = np.asarray(self.master_.weights)
        self._keep(of_master, np.asarray(of_experts))

    def _keep(self, of_master: float, of_experts: np.ndarray) -> None:
        raise NotImplementedError


class ClassMaster(ClassifierMixin, Master):
    """A master of experts that name classes."""

    @at_once
    def fit(self, X: Any, y: Any) -> Self:
        """Take all rows in their order, with nothing learned before."""
        for name in ("master_", "classes_"):
            self.__dict__.pop(name, None)
        return self.partial_fit(X, y)

    @at_once
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Take further rows in their order.

        ``classes`` are all classes that there can be, at the first call; without them those of
        ``y``, and of the columns where these are what experts say.
        """
        is_first = not hasattr(self, "master_")
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None."
            )
        y = labels(y)
        check_classification_targets(y)
        if is_first:
            self.classes_ = self._first_classes(X, y, classes)
        rows = self._rows(X, reset=is_first)
        if len(rows) != len(y):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: "
                f"[{len(rows)}, {len(y)}]"
            )
        truth = self._codes().of(y, len(y))
        unknown = np.flatnonzero(np.isnan(truth))
        if len(unknown):
            raise ValueError(
                f"y holds {y[unknown[0]]!r} in row {unknown[0]}, which is not one of the classes "
                f"{list(self.classes_[:5])}; give all classes at the first call of partial_fit"
            )
        if is_first:
            self._start(self.n_features_in_)
        self._take(rows, y, truth)
        return self

    def _first_classes(self, X: Any, y: np.ndarray, classes: Any) -> np.ndarray:
        if classes is not None:
            return np.unique(np.asarray(classes))
        return np.unique(y)

    def predict(self, X: Any) -> np.ndarray:
        """Tell the class that the master would say of each row if it came next."""
        return self._asked(X)

    def _advice_of_columns(self, X: Any, *, reset: bool) -> np.ndarray:
        X = validate_data(
            self, _table.without_mask(X), dtype=None, ensure_all_finite=False, reset=reset
        )
        said = np.column_stack([self._codes().of(column, len(X)) for column in X.T])
        bad = np.argwhere(np.isnan(said) & ~_is_missing(X))
        if len(bad):
            row, column = bad[0]
            found, known = X[row : row + 1, column].tolist()[0], self.classes_[:5].tolist()
            raise ValueError(
                f"X holds {found!r:.80} in row {row} of column {column}, which is not one of the "
                f"classes {known}. Without experts the columns of X are what experts say: labels, "
                "or NaN; give experts to be asked about other X, or classes"
            )
        return said

    def _codes(self) -> Codes:
        return Codes(self.classes_)

    def _said(self, numbers: np.ndarray) -> np.ndarray:
        return self.classes_[numbers.astype(np.intp)]

    def _keep(self, of_master: float, of_experts: np.ndarray) -> None:
        self.mistakes_ = int(of_master)
        self.expert_mistakes_ = of_experts.astype(np.int64)


@dataclass(eq=False, repr=False)
class Halving(ClassMaster):
    """Drop every expert that errs; the majority of the others decides.

    At most ``log2(n)`` mistakes if one of ``n`` experts is perfect. When the last one has erred,
    that is an error, or all come back.

    Parameters
    ----------
    experts : default None
        Estimators that are asked about the rows of X and then told the truth: by ``partial_fit``
        where they have it; those that are fitted already and have none stay as they are, others
        are fitted again whenever the rows have doubled. None: the columns of X are what experts
        say, NaN for one that says nothing, which counts as a mistake.
    restart : default False
        Whether all experts come back when the last one has erred.
    """

    _: KW_ONLY
    restart: bool = False

    _algorithm = "halving"

    def _parameters(self) -> dict[str, str]:
        return {"restart": text(self.restart)}


@dataclass(eq=False, repr=False)
class WeightedMajority(ClassMaster):
    """Experts vote by weight; who errs has its weight multiplied by ``beta``.

    At most ``(k log2(1/beta) + log2(n)) / log2(2/(1+beta))`` mistakes, with ``k`` those of the best
    of ``n`` experts (Littlestone & Warmuth 1994): ``bound_``, beside ``mistakes_`` and
    ``expert_mistakes_``. It holds for any stream and any number of classes.

    Parameters
    ----------
    beta : default 0.5
        What a mistake leaves of an expert's weight: at least 0, below 1. 0 is halving.
    experts : default None
        Estimators that are asked about the rows of X and then told the truth: by ``partial_fit``
        where they have it; those that are fitted already and have none stay as they are, others
        are fitted again whenever the rows have doubled. None: the columns of X are what experts
        say, NaN for one that says nothing, which counts as a mistake.
    """

    beta: float = 0.5

    _algorithm = "weighted-majority"

    def _parameters(self) -> dict[str, str]:
        return {"beta": text(self.beta)}


@dataclass(eq=False, repr=False)
class RandomizedWeightedMajority(ClassMaster):
    """Follow one expert, drawn by weight; who errs has its weight multiplied by ``beta``.

    At most ``(k ln(1/beta) + ln(n)) / (1-beta)`` mistakes on the mean over its draws
    (``expected_mistakes_``), with ``k`` those of the best of ``n`` experts. ``predict`` follows,
    for all rows alike, the expert that is drawn for the next step.

    Parameters
    ----------
    beta : default 0.5
        What a mistake leaves of an expert's weight: at least 0, below 1.
    experts : default None
        Estimators that are asked about the rows of X and then told the truth: by ``partial_fit``
        where they have it; those that are fitted already and have none stay as they are, others
        are fitted again whenever the rows have doubled. None: the columns of X are what experts
        say, NaN for one that says nothing, which counts as a mistake.
    random_state : default None
        The seed. The draw of a step depends on the seed and the number of the step alone.
    """

    beta: float = 0.5
    _: KW_ONLY
    random_state: Any = None

    _algorithm = "randomized-weighted-majority"

    def _parameters(self) -> dict[str, str]:
        return {"beta": text(self.beta)}

    def _seed(self) -> int:
        return seed_of(self.random_state)

    def _keep(self, of_master: float, of_experts: np.ndarray) -> None:
        super()._keep(of_master, of_experts)
        self.expected_mistakes_ = self.master_.standing[4]


@dataclass(eq=False, repr=False)
class Hedge(ClassMaster):
    """Divide trust among experts in proportion to ``beta ** loss`` (Freund & Schapire 1997).

    With ``y`` a loss is 1 for a mistake; with ``partial_fit(losses)`` alone the columns are losses
    between 0 and 1. The master loses the mean by trust: ``loss_``, at most ``bound_``, the smaller
    of ``(L ln(1/beta) + ln(n)) / (1-beta)`` and ``L + ln(n)/eta + eta T/8``, with ``L`` the loss of
    the best of ``n`` experts after ``T`` steps and ``eta = ln(1/beta)``. ``weights_`` is the trust.

    Parameters
    ----------
    beta : default 0.9
        What a loss of 1 leaves of an expert's weight: above 0, below 1.
    eta : default None
        Instead of ``beta``: weights are ``exp(-eta * loss)``.
    experts : default None
        Estimators that are asked about the rows of X and then told the truth: by ``partial_fit``
        where they have it; those that are fitted already and have none stay as they are, others
        are fitted again whenever the rows have doubled. None: the columns of X are what experts
        say, or lose; NaN for one that says nothing, which is charged a loss of 1.
    """

    beta: float = 0.9
    _: KW_ONLY
    eta: float | None = None

    _algorithm = "hedge"

    def _parameters(self) -> dict[str, str]:
        if self.eta is not None and not (isinstance(self.eta, Real) and 0 < self.eta < np.inf):
            raise ValueError(f"eta is {self.eta!r:.80}; expected a number above 0, or None")
        beta = self.beta if self.eta is None else float(np.exp(-self.eta))
        return {"beta": text(beta)}

    @at_once
    def fit(self, X: Any, y: Any) -> Self:
        """Take all rows in their order, with nothing learned before."""
        if y is None:
            raise ValueError(
                "This Hedge estimator requires y to be passed, but the target y is None; "
                "partial_fit learns from losses"
            )
        return super().fit(X, y)

    @at_once
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Take further rows in their order; without ``y``, as the losses of experts."""
        if y is not None:
            return super().partial_fit(X, y, classes)
        if self.experts is not None:
            raise ValueError("without y the columns of X are losses, but experts are given")
        is_first = not hasattr(self, "master_")
        losses = validate_data(
            self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=is_first
        )
        if is_first:
            self._start(self.n_features_in_)
        self._branch()
        self.predictions_ = self.master_.update_losses(losses)
        self._stand()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Tell the class with the most trust for each row."""
        check_is_fitted(self, "master_")
        if not hasattr(self, "classes_"):
            raise ValueError("Hedge has learned from losses, not from classes; see weights_")
        return super().predict(X)

    def _keep(self, of_master: float, of_experts: np.ndarray) -> None:
        self.loss_ = of_master
        self.expert_losses_ = of_experts
        if hasattr(self, "classes_"):
            self.mistakes_ = int(self.master_.n_wrong or 0)
            self.expert_mistakes_ = of_experts.astype(np.int64)


@dataclass(eq=False, repr=False)
class ExponentiallyWeightedAverage(RegressorMixin, Master):
    """Average numbers by weights ``exp(-eta * squared loss)`` (Cesa-Bianchi & Lugosi 2006).

    Where targets lie between ``low`` and ``high`` the master loses at most ``2 (high-low)² ln(n)``
    more than the best of ``n`` experts, however long the stream is: ``bound_``, beside ``loss_``
    and ``expert_losses_``. What experts say outside of the range is moved to its nearer end; a
    target outside of it is an error.

    Parameters
    ----------
    low, high : default None
        The range of targets; None: that of ``y`` at the first call.
    experts : default None
        Estimators that are asked about the rows of X and then told the truth: by ``partial_fit``
        where they have it; those that are fitted already and have none stay as they are, others
        are fitted again whenever the rows have doubled. None: the columns of X are what experts
        say, NaN for one that says nothing, which is charged the greatest loss.
    """

    low: float | None = None
    high: float | None = None

    _algorithm = "exponentially-weighted-average"

    def _parameters(self) -> dict[str, str]:
        return {"low": text(float(self.range_[0])), "high": text(float(self.range_[1]))}

    @at_once
    def fit(self, X: Any, y: Any) -> Self:
        """Take all rows in their order, with nothing learned before."""
        self.__dict__.pop("master_", None)
        return self.partial_fit(X, y)

    @at_once
    def partial_fit(self, X: Any, y: Any) -> Self:
        """Take further rows in their order."""
        is_first = not hasattr(self, "master_")
        if y is None:
            raise ValueError(
                "This ExponentiallyWeightedAverage estimator requires y to be passed, "
                "but the target y is None."
            )
        rows = self._rows(X, reset=is_first)
        y = column_or_1d(unmasked(y, "y"), warn=True)
        y = np.asarray(y, dtype=np.float64)
        check_finite(y)
        if len(rows) != len(y):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: "
                f"[{len(rows)}, {len(y)}]"
            )
        if is_first:
            self.range_ = self._range(y)
            self._start(self.n_features_in_)
        self._take(rows, y, y)
        return self

    def _range(self, y: np.ndarray) -> tuple[float, float]:
        for name in ("low", "high"):
            end = getattr(self, name)
            if end is not None and not (isinstance(end, Real) and np.isfinite(float(end))):
                raise ValueError(f"{name} is {end!r:.80}; expected a finite number, or None")
        low = float(y.min()) if self.low is None else float(self.low)
        high = float(y.max()) if self.high is None else float(self.high)
        # Of one value any range will do.
        return (low, low + 1.0) if low == high and self.high is None else (low, high)

    def predict(self, X: Any) -> np.ndarray:
        """Tell the number that the master would say of each row if it came next."""
        return self._asked(X)

    def _advice_of_columns(self, X: Any, *, reset: bool) -> np.ndarray:
        X = _table.without_mask(X)
        return validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=reset)

    def _keep(self, of_master: float, of_experts: np.ndarray) -> None:
        self.loss_ = of_master
        self.expert_losses_ = of_experts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.experts is None
        # Without experts the columns are answers, not features to learn from.
        tags.regressor_tags.poor_score = self.experts is None
        return tags


def _is_due(n_seen: int) -> bool:
    """Whether experts are fitted again after so many rows."""
    return n_seen >= FIRST_FIT and n_seen & (n_seen - 1) == 0


def _stretches(n_seen: int, n_rows: int) -> list[tuple[int, int]]:
    """Rows up to each place where experts are fitted again."""
    due = FIRST_FIT
    while due <= n_seen:
        due *= 2
    places = [0]
    while due - n_seen < n_rows:
        places.append(due - n_seen)
        due *= 2
    return list(zip(places, [*places[1:], n_rows], strict=True))


def _joined(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if _table.is_pandas(parts[0]):
        import pandas as pd

        return pd.concat(parts)
    return np.concatenate(parts)


def _is_missing(X: np.ndarray) -> np.ndarray:
    """Where nothing is said: NaN and None."""
    if X.dtype.kind in "fc":
        return np.isnan(X)
    if X.dtype.kind != "O":
        return np.zeros(X.shape, dtype=bool)
    return np.array([[x is None or x != x for x in row] for row in X], dtype=bool)
