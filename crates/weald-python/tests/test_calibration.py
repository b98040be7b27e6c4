"""Calibrated classifiers."""

import pickle

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV as Theirs
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, StratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import weald
from conftest import numbers

METHODS = ["temperature", "sigmoid", "isotonic"]


def halves(load):
    X, y = load(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    varies = X.std(axis=0) > 0
    return X[:, varies], X_test[:, varies], y, y_test


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cv", [5, "out-of-bag", 0.3])
def test_a_forest_of_many_classes_learns_how_sure_to_be(method, cv):
    X, X_test, y, y_test = halves(load_digits)
    forest = weald.RandomForestClassifier(60, random_state=0)
    raw = log_loss(y_test, forest.fit(X, y).predict_proba(X_test))
    model = weald.CalibratedClassifierCV(forest, method=method, cv=cv, random_state=0).fit(X, y)
    proba = model.predict_proba(X_test)
    assert np.allclose(proba.sum(axis=1), 1)
    assert log_loss(y_test, proba) < 0.8 * raw
    assert (model.predict(X_test) == model.classes_[proba.argmax(axis=1)]).all()


@pytest.mark.parametrize("method", METHODS)
def test_naive_bayes_of_anyone_is_calibrated_as_well_as_by_scikit_learn(method):
    X, X_test, y, y_test = halves(load_breast_cancer)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    raw = log_loss(y_test, GaussianNB().fit(X, y).predict_proba(X_test))
    theirs = Theirs(GaussianNB(), method=method, cv=folds, ensemble=False).fit(X, y)
    theirs = log_loss(y_test, theirs.predict_proba(X_test))
    for base in (GaussianNB(), weald.NaiveBayes()):
        ours = weald.CalibratedClassifierCV(base, method=method, cv=folds).fit(X, y)
        ours = log_loss(y_test, ours.predict_proba(X_test))
        assert ours < 0.6 * raw, (base, ours, raw)
        # Theirs takes log odds for probabilities without bounds, and steps to 0 and 1.
        assert ours < 1.1 * theirs + 0.01, (base, ours, theirs)


def test_the_temperature_of_the_same_answers_is_theirs():
    X, X_test, y, _ = halves(load_digits)
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    theirs = Theirs(GaussianNB(), method="temperature", cv=folds, ensemble=False).fit(X, y)
    ours = weald.CalibratedClassifierCV(GaussianNB(), cv=folds).fit(X, y)
    # The two clip probabilities of 0 at different places.
    difference = np.abs(ours.predict_proba(X_test) - theirs.predict_proba(X_test))
    assert difference.mean() < 0.02, difference.mean()


def test_without_an_estimator_a_forest_is_calibrated(frame, tmp_path):
    X, y = frame
    model = weald.CalibratedClassifierCV(cv="out-of-bag", random_state=0).fit(X, y)
    forest = weald.RandomForestClassifier(random_state=0).fit(X, y)
    assert (model.predict(X) == forest.predict(X)).all()
    assert model.score(X, y) > 0.9
    model.save(tmp_path / "m.weald")
    loaded = weald.load(tmp_path / "m.weald")
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_estimators_of_python_and_pickles():
    X, y = numbers(200)
    model = weald.CalibratedClassifierCV(SVC(), method="sigmoid", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    assert isinstance(model.estimators_[0], SVC)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
    with pytest.raises(weald.WealdError, match="SVC"):
        model.save("m.weald")


def test_groups_are_kept_apart():
    X, y = numbers(120)
    groups = np.repeat(np.arange(40), 3)
    tree = weald.DecisionTreeClassifier(max_depth=2)
    by_groups = weald.CalibratedClassifierCV(tree, cv=4, random_state=0).fit(X, y, groups=groups)
    plain = weald.CalibratedClassifierCV(tree, cv=4, random_state=0).fit(X, y)
    assert not np.array_equal(by_groups.predict_proba(X), plain.predict_proba(X))
    given = weald.CalibratedClassifierCV(tree, cv=GroupKFold(4)).fit(X, y, groups=groups)
    assert given.score(X, y) > 0.7


def test_parameters_of_the_base_are_set_by_name():
    model = weald.CalibratedClassifierCV(weald.RandomForestClassifier(5))
    model.set_params(estimator__n_estimators=3, method="isotonic")
    assert model.get_params()["estimator__n_estimators"] == 3
    assert model.fit(*numbers(60)).method == "isotonic"


def test_wrong_words_are_named():
    X, y = numbers(60)
    for words, make in (
        ("method is 'platt'; expected one of 'temperature'", {"method": "platt"}),
        ("at least 2 folds", {"cv": 1}),
        ("cv is None", {"cv": None}),
        ("out-of-bag", {"cv": "bags"}),
        ("a regressor", {"estimator": LinearRegression()}),
        ("out-of-bag", {"estimator": TheirForest(5), "cv": "out-of-bag"}),
        ("out-of-bag", {"estimator": weald.DecisionTreeClassifier(), "cv": "out-of-bag"}),
        ("not itself calibration", {"estimator": weald.CalibratedClassifierCV()}),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            weald.CalibratedClassifierCV(**make).fit(X, y)
    groups = np.repeat(np.arange(20), 3)
    with pytest.raises(ValueError, match="where rows have groups"):
        weald.CalibratedClassifierCV(cv="out-of-bag").fit(X, y, groups=groups)


def test_one_class_is_certain():
    X, _ = numbers(30)
    with pytest.warns(weald.DataWarning):
        model = weald.CalibratedClassifierCV(weald.DecisionTreeClassifier()).fit(X, np.ones(30))
    assert (model.predict_proba(X) == 1).all()
