"""Estimators side by side: cross-validated on the same folds, and tested against the best."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils import indexable
from sklearn.utils._indexing import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from . import _adaboost, _bagging, _boosting, _combining, _forest, _tree
from ._weald import WealdError, corrected_t_test
from ._words import shortened

BASELINE = "constant"
STACK = "stack of the best"
STACKED = 3
"""How many of the best are stacked."""
MOST_CLASSES = 20
COLUMNS = ("score", "deviation", "difference", "t", "p", "seconds", "bytes")


class Comparison(list[dict[str, Any]]):
    """A row for each estimator, the best first; printed as a table."""

    def __repr__(self) -> str:
        heads = ("estimator", *COLUMNS)
        lines = [heads, *(tuple(_shown(row[head]) for head in heads) for row in self)]
        widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
        return "\n".join(
            "  ".join(
                word.ljust(width) if at == 0 else word.rjust(width)
                for at, (word, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in lines
        )


def compare(
    X: Any,
    y: Any,
    estimators: Any = None,
    cv: Any = 5,
    *,
    scoring: Any = None,
    groups: Any = None,
    random_state: int = 0,
    stack: bool = False,
) -> Any:
    """Cross-validate estimators on the same folds.

    Gives a table with a row for each estimator, the best first: the mean ``score`` over folds and
    its standard ``deviation``; the mean ``difference`` to the best, with ``t`` and the two-sided
    ``p`` of the corrected resampled t test (Nadeau & Bengio 2003), of that one comparison; the
    ``seconds`` of a fit and the ``bytes`` of the model (weald's own file, or a pickle), on the mean
    over folds. It is a pandas frame if pandas is there, otherwise a list of dicts. The baseline
    ``constant`` always takes part.

    Parameters
    ----------
    X, y : the rows and what is to be predicted
    estimators : default None
        A dict by name, or a list; weald's for the kind of ``y`` by default.
    cv : default 5
        How many folds, alike in the classes and drawn by ``random_state``; or whatever
        scikit-learn takes as ``cv``.
    scoring : default None
        A name of scikit-learn's, or a function of an estimator, X and y; the higher, the better.
        Accuracy for classes, the negative root mean squared error for numbers by default.
    groups : default None
        The group of each row, for a ``cv`` that keeps groups together, and for estimators whose
        ``fit`` takes groups.
    random_state : default 0
        The seed of the folds, and of weald's own estimators.
    stack : default False
        Whether the best three estimators, of those that are not themselves made of others, are
        stacked under a linear model and measured on the same folds, as the row
        ``stack of the best``. They were chosen by these folds, so its score flatters it a little.
    """
    X, y, groups = indexable(X, y, groups)
    named = None if estimators is None else _named(estimators)
    is_of_classes = _is_of_classes(y, named)
    contenders = _ours(is_of_classes, random_state) if named is None else named
    if not any(name == BASELINE for name, _ in contenders):
        dummy = DummyClassifier(strategy="prior") if is_of_classes else DummyRegressor()
        contenders.append((BASELINE, dummy))
    if scoring is None:
        scoring = "accuracy" if is_of_classes else "neg_root_mean_squared_error"
    score = get_scorer(scoring) if isinstance(scoring, str) else scoring
    folds = list(_folds(cv, y, is_of_classes, random_state).split(X, y, groups))
    results = _results(contenders, score, (X, y, groups), folds)
    if stack:
        stacked = _stack_of_best(results, dict(contenders), is_of_classes, random_state)
        results |= _results([(STACK, stacked)], score, (X, y, groups), folds)
    per_train = float(np.mean([len(test) / len(train) for train, test in folds]))
    return _table_of(results, per_train)


def _results(
    contenders: list[tuple[str, Any]],
    score: Any,
    data: tuple[Any, Any, Any],
    folds: list[Any],
) -> dict[str, list[tuple[float, float, int]]]:
    """The score, the seconds and the bytes of each estimator on each fold."""
    results: dict[str, list[tuple[float, float, int]]] = {name: [] for name, _ in contenders}
    X, y, groups = data
    for train, test in folds:
        rows = [_safe_indexing(part, at) for part in (X, y) for at in (train, test)]
        of_train = None if groups is None else _safe_indexing(groups, train)
        for name, estimator in contenders:
            takes_groups = of_train is not None and has_fit_parameter(estimator, "groups")
            given = {"groups": of_train} if takes_groups else {}
            results[name].append(_measured(estimator, score, *rows, given=given))
    return results


def _ranking(results: Mapping[str, list[tuple[float, float, int]]]) -> list[str]:
    """The names of estimators, the best first; those without a score last."""
    means = {name: float(np.mean([one[0] for one in folds])) for name, folds in results.items()}
    return sorted(results, key=lambda name: (np.isnan(means[name]), -means[name]))


def _stack_of_best(
    results: Mapping[str, list[tuple[float, float, int]]],
    contenders: Mapping[str, Any],
    is_of_classes: bool,
    random_state: int,
) -> Any:
    """Stacking of the best estimators that are not themselves made of others."""
    plain = [
        (name, contenders[name])
        for name in _ranking(results)
        if name != BASELINE and not _is_made_of_others(contenders[name])
    ]
    if len(plain) < 2:
        raise ValueError(
            "stack=True needs two estimators to stack; those made of other estimators do not count"
        )
    kind = _combining.StackingClassifier if is_of_classes else _combining.StackingRegressor
    return kind(plain[:STACKED], random_state=random_state)


def _is_made_of_others(estimator: Any) -> bool:
    made_of = {"estimator", "estimators", "base_estimator", "steps", "experts"}
    return not made_of.isdisjoint(estimator.get_params(deep=False))


def _measured(
    estimator: Any,
    score: Any,
    X: Any,
    X_test: Any,
    y: Any,
    y_test: Any,
    *,
    given: dict[str, Any],
) -> tuple[float, float, int]:
    """The score, the seconds and the bytes of one fit."""
    start = time.perf_counter()
    fitted = clone(estimator).fit(X, y, **given)
    seconds = time.perf_counter() - start
    return float(score(fitted, X_test, y_test)), seconds, _n_bytes(fitted)


def _n_bytes(fitted: Any) -> int:
    try:
        return len(fitted.model_.to_bytes())
    except (AttributeError, WealdError):
        return len(pickle.dumps(fitted))


def _table_of(results: Mapping[str, list[tuple[float, float, int]]], per_train: float) -> Any:
    scores = {name: np.array([one[0] for one in folds]) for name, folds in results.items()}
    ranking = _ranking(results)
    best = scores[ranking[0]]
    rows = Comparison()
    for place, name in enumerate(ranking):
        tested = corrected_t_test(list(scores[name] - best), per_train) if place else None
        difference, t, p = (np.nan,) * 3 if tested is None else tested
        rows.append(
            {
                "estimator": name,
                "score": float(np.mean(scores[name])),
                "deviation": float(np.std(scores[name], ddof=1)) if len(best) > 1 else np.nan,
                "difference": difference,
                "t": t,
                "p": p,
                "seconds": float(np.mean([one[1] for one in results[name]])),
                "bytes": float(np.mean([one[2] for one in results[name]])),
            }
        )
    try:
        import pandas as pd
    except ImportError:
        return rows
    return pd.DataFrame(list(rows)).set_index("estimator")


def _folds(cv: Any, y: Any, is_of_classes: bool, random_state: int) -> Any:
    if not isinstance(cv, int):
        return check_cv(cv, y, classifier=is_of_classes)
    kind = StratifiedKFold if is_of_classes else KFold
    return kind(cv, shuffle=True, random_state=random_state)


def _is_of_classes(y: Any, named: list[tuple[str, Any]] | None) -> bool:
    """Whether classes are predicted: as estimators say, or by the values."""
    for _, estimator in named or []:
        if is_classifier(estimator) or is_regressor(estimator):
            return bool(is_classifier(estimator))
    y = np.asarray(y)
    if y.dtype.kind not in "iuf":
        return True
    distinct = np.unique(y)
    return bool((distinct == np.round(distinct)).all() and len(distinct) <= MOST_CLASSES)


def _named(estimators: Any) -> list[tuple[str, Any]]:
    """Estimators by name; those of a list are called by their class."""
    if not isinstance(estimators, Iterable) or isinstance(estimators, str):
        raise TypeError(f"estimators is {estimators!r:.80}; give a dict by name, or a list")
    given = estimators.values() if isinstance(estimators, Mapping) else estimators
    for estimator in given:
        if not hasattr(estimator, "fit") or isinstance(estimator, type):
            raise TypeError(f"estimators holds {estimator!r:.80}, which is no estimator")
    if isinstance(estimators, Mapping):
        return list(estimators.items())
    named: dict[str, Any] = {}
    for estimator in given:
        name, n = type(estimator).__name__, 2
        while name in named:
            name, n = f"{type(estimator).__name__} {n}", n + 1
        named[name] = estimator
    return list(named.items())


def _ours(is_of_classes: bool, random_state: int) -> list[tuple[str, Any]]:
    kind = "Classifier" if is_of_classes else "Regressor"
    makes = [
        getattr(module, f"{name}{kind}")
        for module, names in (
            (_boosting, ("GradientBoosting",)),
            (_forest, ("RandomForest", "ExtraTrees")),
            (_bagging, ("Bagging",)),
            (_adaboost, ("AdaBoost",)),
            (_tree, ("DecisionTree",)),
        )
        for name in names
    ]
    return [(make.__name__, make(random_state=random_state)) for make in makes]


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return shortened(value, 60)
    return "" if value != value else f"{value:.4g}"
