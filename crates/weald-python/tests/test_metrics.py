"""Metrics that decide when boosting ends."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    log_loss,
    make_scorer,
    mean_absolute_error,
    roc_auc_score,
)

import weald


@pytest.fixture
def classes():
    X, y = make_classification(900, 6, flip_y=0.2, random_state=0)
    y = np.array(["no", "yes"])[y]
    return (X[:500], y[:500]), (X[500:], y[500:])


@pytest.fixture
def numbers():
    X, y = make_regression(700, 5, noise=60.0, random_state=0)
    return (X[:400], y[:400]), (X[400:], y[400:])


def boosting(**changed):
    settings = {"n_estimators": 60, "early_stopping_rounds": 10, "random_state": 0}
    return weald.GradientBoostingClassifier(**(settings | changed))


def prefixes(train, rounds):
    """Models of so many rounds each."""
    for n in rounds:
        yield weald.GradientBoostingClassifier(n, random_state=0).fit(*train)


@pytest.mark.parametrize(
    ("metric", "by_hand"),
    [
        ("roc_auc", lambda y, model, X: roc_auc_score(y, model.predict_proba(X)[:, 1])),
        ("accuracy", lambda y, model, X: accuracy_score(y, model.predict(X))),
        ("neg_log_loss", lambda y, model, X: -log_loss(y, model.predict_proba(X))),
        (
            make_scorer(average_precision_score, response_method="predict_proba", pos_label="yes"),
            lambda y, model, X: average_precision_score(
                y, model.predict_proba(X)[:, 1], pos_label="yes"
            ),
        ),
    ],
    ids=["roc_auc", "accuracy", "neg_log_loss", "a scorer"],
)
def test_a_scorer_is_computed_after_each_round_and_the_best_one_is_kept(classes, metric, by_hand):
    train, other = classes
    model = boosting(eval_metric=metric).fit(*train, eval_set=other)
    curve = model.validation_curve_
    rounds = range(1, len(curve))
    expected = [by_hand(other[1], prefix, other[0]) for prefix in prefixes(train, rounds)]
    np.testing.assert_allclose(curve[1:], expected, rtol=1e-9)
    assert model.best_iteration_ == max(1, int(np.argmax(curve)))
    waited = len(curve) - 1 - int(np.argmax(curve))
    assert waited == 10 or len(curve) == 61
    as_many = next(prefixes(train, [model.n_estimators_]))
    assert (model.predict_proba(other[0]) == as_many.predict_proba(other[0])).all()


def test_a_function_is_better_the_lower_unless_it_says_otherwise(classes):
    train, other = classes
    given = []

    def metric(y_true, y_pred):
        given.append((y_true, y_pred))
        return -roc_auc_score(y_true, y_pred)

    lower = boosting(eval_metric=metric).fit(*train, eval_set=other)
    assert all((y_true == other[1]).all() for y_true, _ in given)
    assert all(y_pred.shape == (400,) and (y_pred <= 1).all() for _, y_pred in given)
    assert len(given) == len(lower.validation_curve_)

    def auc(y_true, y_pred):
        return roc_auc_score(y_true, y_pred)

    auc.greater_is_better = True
    greater = boosting(eval_metric=auc).fit(*train, eval_set=other)
    assert greater.n_estimators_ == lower.n_estimators_
    np.testing.assert_array_equal(greater.validation_curve_, -lower.validation_curve_)
    assert greater.model_.learning_curve[0] == "minus auc"
    assert lower.model_.learning_curve[0] == "metric"
    wrong = boosting(eval_metric=roc_auc_score).fit(*train, eval_set=other)
    assert wrong.n_estimators_ == max(1, int(np.argmin(wrong.validation_curve_)))


def test_the_curve_and_its_name_are_kept_in_the_file(classes, tmp_path):
    train, other = classes
    model = boosting(eval_metric="roc_auc").fit(*train, eval_set=other)
    model.save(tmp_path / "model.weald")
    name, rows, values = weald.load(tmp_path / "model.weald").learning_curve
    assert (name, rows) == ("minus roc_auc", "the validation table")
    np.testing.assert_array_equal(values, -model.validation_curve_)


@pytest.mark.parametrize("validation", ["random", "last", "folds:3", "auto"])
def test_rows_that_are_held_out_are_judged_too(numbers, validation):
    train, _ = numbers
    settings = {"validation": validation, "random_state": 0, "early_stopping_rounds": 5}
    plain = weald.GradientBoostingRegressor(**settings).fit(*train)

    def half_square(y, p):
        return np.mean((y - p) ** 2) / 2

    judged = weald.GradientBoostingRegressor(eval_metric=half_square, **settings).fit(*train)
    n = min(len(judged.validation_curve_), len(plain.validation_curve_))
    # Folds are not all of one size.
    np.testing.assert_allclose(judged.validation_curve_[:n], plain.validation_curve_[:n], rtol=0.02)
    if "folds" not in validation and validation != "auto":
        assert judged.n_estimators_ == plain.n_estimators_


def test_numbers_by_the_name_of_a_scorer(numbers):
    train, other = numbers
    model = weald.GradientBoostingRegressor(
        60, early_stopping_rounds=5, eval_metric="neg_mean_absolute_error", random_state=0
    ).fit(*train, eval_set=other)
    found = mean_absolute_error(other[1], model.predict(other[0]))
    assert found == pytest.approx(-model.validation_curve_.max())


def test_more_than_two_classes(numbers):
    (X, y), _ = numbers
    names = np.array(["low", "middle", "up"])[np.digitize(y, np.quantile(y, [0.3, 0.6]))]
    shapes = set()

    def metric(y_true, y_pred):
        shapes.add(y_pred.shape[1])
        return log_loss(y_true, y_pred, labels=["low", "middle", "up"])

    settings = {"n_estimators": 20, "early_stopping_rounds": 5, "validation": "random"}
    own = weald.GradientBoostingClassifier(eval_metric=metric, random_state=0, **settings)
    plain = weald.GradientBoostingClassifier(random_state=0, **settings).fit(X, names)
    assert own.fit(X, names).n_estimators_ == plain.n_estimators_ and shapes == {3}
    np.testing.assert_allclose(own.validation_curve_, plain.validation_curve_, rtol=1e-9)
    by_name = weald.GradientBoostingClassifier(eval_metric="roc_auc_ovr", **settings)
    assert by_name.fit(X, names).validation_curve_.max() > 0.6
    with pytest.raises(ValueError, match="multi_class must be in"):
        weald.GradientBoostingClassifier(eval_metric="roc_auc", **settings).fit(X, names)


def test_weights_reach_a_metric_that_takes_them(numbers):
    train, (X, y) = numbers
    weights = np.arange(len(y)) % 4 / 2.0
    given = []

    def metric(y_true, y_pred, sample_weight=None):
        given.append(sample_weight)
        return np.average((y_true - y_pred) ** 2 / 2, weights=sample_weight)

    settings = {"n_estimators": 20, "early_stopping_rounds": 5, "random_state": 0}
    own = weald.GradientBoostingRegressor(eval_metric=metric, **settings)
    own.fit(*train, eval_set=(X, y, weights))
    plain = weald.GradientBoostingRegressor(**settings).fit(*train, eval_set=(X, y, weights))
    assert (given[0] == weights[weights > 0]).all()
    np.testing.assert_allclose(own.validation_curve_, plain.validation_curve_, rtol=1e-9)
    own.fit(*train, eval_set=(X, y))
    assert given[-1] is None


def test_without_patience_a_metric_is_only_watched(classes):
    train, other = classes
    model = weald.GradientBoostingClassifier(12, eval_metric="roc_auc").fit(*train, eval_set=other)
    assert model.n_estimators_ == 12 and len(model.validation_curve_) == 13


def test_callbacks_are_told_what_the_metric_says(classes):
    train, other = classes
    told = []
    model = boosting(eval_metric="roc_auc", callbacks=[told.append]).fit(*train, eval_set=other)
    members = [event for event in told if event.kind == "member"]
    assert {event.name for event in members} == {"held-out metric"}
    assert [-event.value for event in members] == list(model.validation_curve_[1:])


def test_what_a_metric_raises_reaches_the_user_and_stops_the_fit(classes):
    train, other = classes
    calls = []

    def metric(y_true, y_pred):
        calls.append(1)
        if len(calls) == 4:
            raise LookupError("fourth")
        return 1.0 / len(calls)

    model = boosting(eval_metric=metric, n_estimators=1000)
    with pytest.raises(LookupError, match="fourth"):
        model.fit(*train, eval_set=other)
    assert len(calls) == 4 and not hasattr(model, "model_")


@pytest.mark.parametrize(
    ("metric", "error", "words"),
    [
        ("rocauc", ValueError, "eval_metric is 'rocauc'; expected the name"),
        (3, TypeError, "eval_metric is 3; expected a function"),
        (lambda y, p: "good", TypeError, "eval_metric returned 'good'; expected a number"),
        (lambda y, p: p, TypeError, "expected a number"),
    ],
)
def test_bad_metrics_are_named(classes, metric, error, words):
    with pytest.raises(error, match=words):
        boosting(eval_metric=metric).fit(*classes[0])


def test_a_metric_that_is_no_number_is_never_the_best(classes):
    train, other = classes
    calls = []

    def metric(y_true, y_pred):
        calls.append(1)
        return np.nan if len(calls) == 3 else abs(len(calls) - 6)

    with pytest.warns(weald.DataWarning, match=r"eval_metric returned nan 1 of \d+ times"):
        model = boosting(eval_metric=metric).fit(*train, eval_set=other)
    assert model.n_estimators_ == 5 and model.validation_curve_[2] == np.inf


def test_a_metric_without_rows_to_judge_is_refused(classes):
    with pytest.raises(ValueError, match="no rows are held out"):
        weald.GradientBoostingClassifier(5, eval_metric="roc_auc").fit(*classes[0])
