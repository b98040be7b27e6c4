"""Learners that are not trees: linear models, naive Bayes and nearest neighbours."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor as TheirNeighbours
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weald
from conftest import numbers


def scaled(model):
    return make_pipeline(StandardScaler(), model)


def test_ridge_is_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    for targets in (y, np.column_stack([y, X[:, 0], -y])):
        ours = weald.Ridge(alpha=3.0).fit(X, targets)
        theirs = scaled(TheirRidge(alpha=3.0)).fit(X, targets)
        assert np.allclose(ours.predict(X), theirs.predict(X), atol=1e-7)
        assert ours.coef_.shape == theirs[-1].coef_.shape
        assert np.allclose(ours.coef_ * X.std(axis=0), theirs[-1].coef_, atol=1e-7)
        assert np.allclose(X @ ours.coef_.T + ours.intercept_, ours.predict(X))


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_logistic_regression_is_scikit_learns(load):
    X, y = load(return_X_y=True)
    ours = weald.LogisticRegression(C=0.5, tol=1e-9).fit(X, y)
    theirs = scaled(TheirLogistic(C=0.5, tol=1e-10, max_iter=10_000)).fit(X, y)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert ours.coef_.shape == theirs[-1].coef_.shape
    assert np.allclose(ours.coef_ * X.std(axis=0), theirs[-1].coef_, atol=1e-4)
    scores = X @ ours.coef_.T + ours.intercept_
    assert np.allclose(scores.squeeze(), ours.decision_function(X))


def test_naive_bayes_is_scikit_learns():
    for load in (load_breast_cancer, load_iris):
        X, y = load(return_X_y=True)
        ours = weald.NaiveBayes().fit(X, y).predict_proba(X)
        assert np.allclose(ours, GaussianNB().fit(X, y).predict_proba(X), atol=1e-9)


def test_neighbours_are_scikit_learns_where_no_distances_are_equal():
    X, y = np.random.default_rng(0).normal(size=(200, 4)), np.arange(200.0)
    for k in (1, 5, 17):
        ours = weald.KNeighborsRegressor(k).fit(X, y)
        theirs = scaled(TheirNeighbours(k)).fit(X, y)
        new = np.random.default_rng(1).normal(size=(100, 4))
        assert np.allclose(ours.predict(new), theirs.predict(new))


def test_margins_and_probabilities_say_the_same_class():
    X, y = load_iris(return_X_y=True)
    for targets in (y, y > 0):
        model = weald.LinearSVC().fit(X, targets)
        margins = model.decision_function(X)
        best = margins.argmax(axis=1) if margins.ndim == 2 else (margins > 0).astype(int)
        assert np.array_equal(model.classes_[best], model.predict(X))
        assert model.score(X, targets) > 0.9


def test_frames_with_categories_and_missing_values(frame):
    X, y = frame
    for model in (
        weald.LogisticRegression(),
        weald.LinearSVC(),
        weald.NaiveBayes(),
        weald.KNeighborsClassifier(),
    ):
        assert cross_val_score(model, X, y, cv=4).mean() > 0.55, model
    model = weald.LogisticRegression().fit(X, y)
    names = model.coef_names_
    assert model.coef_.shape == (1, len(names))
    assert names[0] == "size" and "colour=red" in names and "town is missing" in names


def test_a_column_that_does_not_vary_has_a_coefficient_of_zero():
    X, y = numbers(100)
    X[:, 2] = 7.0
    with pytest.warns(weald.DataWarning, match="constant"):
        model = weald.LogisticRegression().fit(X, y)
    assert model.coef_.shape == (1, 5) and model.coef_[0, 2] == 0 and model.coef_[0, 0] != 0


def test_they_are_bases_of_committees():
    X, y = numbers(200)
    for base in (weald.LogisticRegression(C=0.3), weald.NaiveBayes(), weald.LinearSVC()):
        for committee in (
            weald.BaggingClassifier(base, n_estimators=7, random_state=0),
            weald.AdaBoostClassifier(base, n_estimators=5, random_state=0),
        ):
            assert committee.fit(X, y).score(X, y) > 0.7, committee
    neighbours = weald.BaggingRegressor(weald.KNeighborsRegressor(3), 5, random_state=0)
    assert neighbours.fit(X, X[:, 0]).score(X, X[:, 0]) > 0.7


def test_bad_parameters_are_named():
    X, y = numbers(50)
    for model, words in (
        (weald.LogisticRegression(C=0), "C is 0; expected above 0"),
        (weald.LinearSVC(C=-1.0), "C is -1.0; expected above 0"),
        (weald.Ridge(alpha=-1.0), "`alpha` is"),
        (weald.NaiveBayes(alpha=0.0), "`alpha` is"),
        (weald.KNeighborsClassifier(0), "`n_neighbors` is"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(X, y)
    with pytest.warns(weald.DataWarning, match="not yet the best"):
        weald.LogisticRegression(max_iter=1).fit(X, y)
    with pytest.raises(weald.WealdError, match="only a linear model"):
        weald.NaiveBayes().fit(X, y).model_._core.coefficients()
