"""The AdaBoost family in Python: scikit-learn's answers, the record of rounds, any base."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier as TheirClassifier
from sklearn.ensemble import AdaBoostRegressor as TheirRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import weald
from conftest import numbers

OF_CLASSES = ("auto", "samme", "m1", "mh", "m2", "mr", "real", "gentle", "logit")


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_samme_is_scikit_learns(load):
    X, y = load(return_X_y=True)
    stump = weald.DecisionTreeClassifier(max_depth=1)  # by Gini, as theirs
    ours = weald.AdaBoostClassifier(stump, n_estimators=30, algorithm="samme").fit(X, y)
    theirs = TheirClassifier(n_estimators=30, random_state=0).fit(X, y)
    assert ours.estimator_errors_ == pytest.approx(theirs.estimator_errors_)
    assert ours.estimator_weights_ == pytest.approx(theirs.estimator_weights_)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.995


def test_two_classes_are_halves_of_samme():
    X, y = numbers(300)
    binary = weald.AdaBoostClassifier(n_estimators=20).fit(X, y)
    samme = weald.AdaBoostClassifier(n_estimators=20, algorithm="samme").fit(X, y)
    assert np.array_equal(2 * binary.estimator_weights_, samme.estimator_weights_)
    assert np.allclose(binary.predict_proba(X), samme.predict_proba(X))
    assert np.allclose(2 * binary.decision_function(X), samme.decision_function(X))


@pytest.mark.parametrize("algorithm", [*OF_CLASSES, "star"])
def test_the_record_and_the_margins_agree(algorithm):
    X, y = numbers(300)
    model = weald.AdaBoostClassifier(n_estimators=15, algorithm=algorithm).fit(X, y)
    rounds = model.rounds_
    assert set(rounds) == set(weald._model.ROUND)
    assert all(len(values) == model.n_estimators_ for values in rounds.values())
    wrong = 1 - model.score(X, y)
    assert rounds["training_error"][-1] == pytest.approx(wrong)
    assert (rounds["training_error"] <= rounds["bound"] + 1e-9).all()
    margins = model.margins(X, y)
    assert margins.min() == pytest.approx(rounds["min_margin"][-1])
    assert (margins <= 0).mean() == pytest.approx(wrong)
    stages = list(model.staged_predict_proba(X))
    assert np.array_equal(stages[-1], model.predict_proba(X))
    assert len(stages) == model.n_estimators_


@pytest.mark.parametrize("algorithm", OF_CLASSES)
def test_several_classes(algorithm):
    X, y = load_iris(return_X_y=True)
    tree = weald.DecisionTreeClassifier(max_depth=2)
    if algorithm in ("gentle", "logit"):
        tree = weald.DecisionTreeRegressor(max_depth=2)
    model = weald.AdaBoostClassifier(tree, n_estimators=20, algorithm=algorithm).fit(X, y)
    assert model.score(X, y) > 0.97
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    restored = pickle.loads(pickle.dumps(model))
    assert np.array_equal(restored.predict_proba(X), model.predict_proba(X))


def test_anybodys_classifier_is_a_base(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for base in (
        LogisticRegression(max_iter=1000),
        DecisionTreeClassifier(max_depth=2),
        KNeighborsClassifier(3),  # takes no weights: rows are drawn for it
    ):
        model = weald.AdaBoostClassifier(clone(base), n_estimators=5, random_state=0).fit(X, y)
        assert model.score(X, y) > 0.97
        assert len(model.estimators_) == model.n_estimators_
        assert isinstance(model.estimators_[0], type(base))
        restored = pickle.loads(pickle.dumps(model))
        assert np.array_equal(restored.predict_proba(X), model.predict_proba(X))
        assert np.array_equal(restored.rounds_["error"], model.rounds_["error"])
        assert model.margins(X, y).min() == pytest.approx(model.rounds_["min_margin"][-1])
        with pytest.raises(weald.WealdError, match="cannot hold members"):
            model.save(tmp_path / "model.weald")


def test_the_stump_by_itself_has_the_least_weighted_error():
    X, y = load_breast_cancer(return_X_y=True)
    model = weald.AdaBoostClassifier(n_estimators=1).fit(X, y)
    columns = [(column, np.unique(column)) for column in X.T]
    below = [column[:, None] < cuts for column, cuts in columns]
    wrong = [(below == y[:, None]).mean(axis=0) for below in below]
    least = min(min(share.min(), 1 - share.max()) for share in wrong)
    assert model.estimator_errors_[0] == pytest.approx(least)
    gini = weald.DecisionTreeClassifier(max_depth=1, criterion="gini")
    by_gini = weald.AdaBoostClassifier(gini, n_estimators=1).fit(X, y)
    assert by_gini.estimator_errors_[0] >= least


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_bounds_are_told_where_they_are_true(load):
    X, y = load(return_X_y=True)
    factors = {"m1": 1, "mh": 1.5, "gentle": 1.5, "m2": 2, "mr": 2, "logit": 1}
    for algorithm in OF_CLASSES:
        model = weald.AdaBoostClassifier(n_estimators=20, algorithm=algorithm).fit(X, y)
        rounds = model.rounds_
        if algorithm not in factors:
            assert "bound" not in rounds, algorithm
            continue
        products = factors[algorithm] * np.cumprod(rounds["normaliser"])
        assert rounds["bound"] == pytest.approx(products)
        assert (rounds["training_error"] <= rounds["bound"] + 1e-9).all(), algorithm
        assert "bound" in pickle.loads(pickle.dumps(model)).model_.rounds
    numbers = weald.AdaBoostRegressor(n_estimators=5, random_state=0).fit(X, y.astype(float))
    assert "bound" not in numbers.rounds_


@pytest.mark.parametrize("algorithm", [*OF_CLASSES, "star"])
def test_what_nothing_tells_apart_has_the_prior(algorithm):
    X = np.zeros((40, 2))
    for y in (np.arange(40) % 2, np.arange(40) % 4 // 3):
        with pytest.warns(weald.DataWarning):
            model = weald.AdaBoostClassifier(algorithm=algorithm).fit(X, y)
        assert np.array_equal(model.predict_proba(X)[0], np.bincount(y) / 40)
        score = model.decision_function(X)[0]
        assert (score > 0) == (y.mean() > 0.5)
        assert (model.margins(X, y) == 0).all()
        assert np.array_equal(next(model.staged_predict_proba(X)), model.predict_proba(X))


def test_a_stump_of_anybodys_is_ours():
    X, y = load_wine(return_X_y=True)
    ours = weald.DecisionTreeClassifier(max_depth=1)
    ours = weald.AdaBoostClassifier(ours, n_estimators=15).fit(X, y)
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    theirs = weald.AdaBoostClassifier(stump, n_estimators=15).fit(X, y)
    assert np.allclose(ours.estimator_errors_[:5], theirs.estimator_errors_[:5])


def test_regressors_for_gentle_and_logit_alone():
    X, y = numbers(200)
    for algorithm in ("gentle", "logit"):
        base = DecisionTreeRegressor(max_depth=2)
        model = weald.AdaBoostClassifier(base, n_estimators=10, algorithm=algorithm).fit(X, y)
        assert model.score(X, y) > 0.85
        with pytest.raises(ValueError, match="needs a regressor"):
            weald.AdaBoostClassifier(DecisionTreeClassifier(), algorithm=algorithm).fit(X, y)
    with pytest.raises(ValueError, match="needs a classifier"):
        weald.AdaBoostClassifier(LinearRegression()).fit(X, y)


def test_r2_is_as_good_as_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    for loss in ("linear", "square", "exponential"):
        ours = weald.AdaBoostRegressor(
            n_estimators=50, loss=loss, resampling="once", random_state=0
        )
        theirs = TheirRegressor(n_estimators=50, loss=loss, random_state=0)
        ours, theirs = (cross_val_score(m, X, y, cv=5).mean() for m in (ours, theirs))
        assert ours > theirs - 0.03
    for algorithm in ("r", "r1", "rt", "rt:0.2,1"):
        model = weald.AdaBoostRegressor(n_estimators=20, algorithm=algorithm).fit(X, y)
        assert model.score(X, y) > 0.3
    base = weald.AdaBoostRegressor(LinearRegression(), n_estimators=5).fit(X, y)
    assert base.score(X, y) > 0.4 and np.isnan(base.rounds_["min_margin"]).all()


def test_mistakes_are_named():
    X, y = numbers(100)
    with pytest.raises(ValueError, match="expected auto, adaboost, m1, samme"):
        weald.AdaBoostClassifier(algorithm="samme.r").fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        weald.AdaBoostClassifier(algorithm="adaboost").fit(X, y + (X[:, 1] > 0))
    with pytest.raises(ValueError, match="needs classes"):
        weald.AdaBoostRegressor(algorithm="samme").fit(X, y)
    with pytest.raises(ValueError, match="not itself adaboost"):
        weald.AdaBoostClassifier(weald.AdaBoostClassifier()).fit(X, y)
    model = weald.AdaBoostClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="holds the class 7"):
        model.margins(X, np.full(100, 7))
