"""Several targets at once, with scikit-learn's surface."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor

import weald

CLASSIFIERS = [
    weald.DecisionTreeClassifier,
    weald.RandomForestClassifier,
    weald.ExtraTreesClassifier,
    weald.GradientBoostingClassifier,
]


def small(make, **more):
    """An estimator that takes little time."""
    if make is weald.DecisionTreeClassifier:
        return make(random_state=0, **more)
    return make(n_estimators=20, random_state=0, **more)


@pytest.fixture
def fruit():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 4))
    colour = np.array(["green", "red", "yellow"])[np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])]
    ripe = np.array(["no", "yes"])[(X[:, 1] + 0.2 * rng.normal(size=400) > 0).astype(int)]
    return X, np.column_stack([colour, ripe])


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_classes_of_several_targets(make, fruit):
    X, Y = fruit
    model = small(make).fit(X, Y)
    assert [list(own) for own in model.classes_] == [["green", "red", "yellow"], ["no", "yes"]]
    assert (model.n_outputs_, model.n_classes_) == (2, [3, 2])
    proba = model.predict_proba(X)
    assert [part.shape for part in proba] == [(400, 3), (400, 2)]
    assert all(np.allclose(part.sum(axis=1), 1) for part in proba)
    for part, log in zip(proba, model.predict_log_proba(X), strict=True):
        assert np.array_equal(np.exp(log) > 0, part > 0)
    found = model.predict(X)
    assert found.shape == (400, 2)
    for at in range(2):
        assert np.array_equal(found[:, at], model.classes_[at][np.argmax(proba[at], axis=1)])
    assert model.score(X, Y) == np.mean((found == Y).all(axis=1)) > 0.85
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), found)
    assert np.array_equal(again.model_.predict(X), found)
    assert [part.shape for part in again.model_.predict_proba(X)] == [(400, 3), (400, 2)]
    assert again.model_.classes is None and again.model_.class_lists[1] == ["no", "yes"]
    assert again.model_.target_names == ["y0", "y1"]
    assert "several probabilities" in model.model_._repr_html_()
    # One target again: everything is as it is for one.
    model.fit(X, Y[:, 0])
    assert list(model.classes_) == ["green", "red", "yellow"]
    assert (model.n_classes_, model.n_outputs_) == (3, 1)
    assert model.predict(X).shape == (400,)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_a_frame_of_targets_of_several_kinds(make, fruit):
    X, Y = fruit
    frame = pd.DataFrame({"colour": Y[:, 0], "ripe": Y[:, 1] == "yes", "size": np.arange(400) % 3})
    model = small(make).fit(X, frame)
    assert model.model_.target_names == ["colour", "ripe", "size"]
    assert [own.dtype.kind for own in model.classes_][1:] == ["b", "i"]
    found = model.predict(X)
    assert found.dtype == object and found.shape == (400, 3)
    assert set(found[:, 1]) == {True, False}
    assert model.score(X, frame) == np.mean((found == frame.to_numpy()).all(axis=1))
    if make is weald.RandomForestClassifier:
        assert 0.1 < small(make, oob_score=True).fit(X, frame).oob_score_ < 0.7


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_labels_as_indicators(make):
    X, Y = make_multilabel_classification(300, n_classes=5, random_state=0)
    model = small(make).fit(X, Y)
    found = model.predict(X)
    assert found.dtype == Y.dtype and found.shape == Y.shape
    assert model.score(X, Y) == pytest.approx(accuracy_score(Y, found))
    assert len(cross_val_score(small(make), X, Y, cv=3)) == 3
    staged = getattr(model, "staged_predict", None)
    if staged is not None:
        assert np.array_equal(list(staged(X))[-1], found)


def test_about_as_good_as_scikit_learn():
    X, Y = make_multilabel_classification(
        1200, n_features=12, n_classes=4, n_labels=2, random_state=1
    )
    weight = np.random.default_rng(0).normal(size=(12, 2))
    Y = np.column_stack([Y, np.digitize(X @ weight[:, 0], [-8.0, 8.0])])
    train, test = slice(0, 800), slice(800, None)
    for name in ("RandomForestClassifier", "ExtraTreesClassifier"):
        ours = getattr(weald, name)(100, random_state=0).fit(X[train], Y[train])
        theirs = getattr(sklearn.ensemble, name)(100, random_state=0).fit(X[train], Y[train])
        right = [(model.predict(X[test]) == Y[test]).mean() for model in (ours, theirs)]
        assert right[0] > right[1] - 0.015, (name, right)


def test_out_of_bag_rows_and_importances(fruit):
    X, Y = fruit
    forest = weald.RandomForestClassifier(
        40, oob_score=True, permutation_importance=True, keep_rows=True, random_state=0
    ).fit(X, Y)
    assert [part.shape for part in forest.oob_decision_function_] == [(400, 3), (400, 2)]
    assert 0.7 < forest.oob_score_ < 0.99
    errors = forest.model_.out_of_bag_errors
    assert len(errors) == 40 and errors[-1] < 0.25
    assert set(np.argsort(forest.feature_importances_)[-2:]) == {0, 1}
    assert set(np.argsort(forest.permutation_importances_[0])[-2:]) == {0, 1}
    assert forest.standard_errors(X).shape == (400, 5)


def test_weights_of_rows_and_of_classes(fruit):
    X, Y = fruit
    counts = np.random.default_rng(0).integers(1, 4, 400)
    for make in (weald.DecisionTreeClassifier, weald.RandomForestClassifier):
        model = make(random_state=0)
        weighted = clone(model).fit(X, Y, sample_weight=counts)
        spelled = clone(model).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts, axis=0))
        for a, b in zip(weighted.predict_proba(X), spelled.predict_proba(X), strict=True):
            assert np.array_equal(a, b), make
    for make in (weald.DecisionTreeClassifier, weald.RandomForestClassifier):
        assert small(make, class_weight="balanced").fit(X, Y).score(X, Y) > 0.8
    with pytest.raises(ValueError, match="class_weight of several targets"):
        small(weald.RandomForestClassifier, class_weight={"no": 2}).fit(X, Y)


def test_validation_rows_of_several_targets(fruit):
    X, Y = fruit
    model = weald.GradientBoostingClassifier(random_state=0)
    model.fit(X[:300], Y[:300], eval_set=(X[300:], Y[300:]))
    assert 1 <= model.best_iteration_ < 1000
    with pytest.raises(ValueError, match="eval_set holds the class blue"):
        model.fit(X[:300], Y[:300], eval_set=(X[:1], [["blue", "no"]]))
    with pytest.raises(ValueError, match="eval_set has 3 targets"):
        model.fit(X[:300], Y[:300], eval_set=(X[:1], [["red", "no", "no"]]))
    numbers = np.column_stack([X[:, 0] * X[:, 1], 100 * X[:, 2], X[:, 3] ** 2])
    boosted = weald.GradientBoostingRegressor(random_state=0)
    boosted.fit(X[:300], numbers[:300], eval_set=(X[300:], numbers[300:]))
    assert boosted.predict(X).shape == (400, 3) and boosted.score(X, numbers) > 0.8
    with pytest.raises(ValueError, match="several targets"):
        weald.GradientBoostingRegressor(eval_metric="r2").fit(X, numbers)
    with pytest.raises(ValueError, match="a model for each target"):
        weald.GradientBoostingRegressor(loss="cox").fit(X, numbers)


@pytest.mark.parametrize("loss", ["squared", "absolute", "quantile:0.5", "huber:1.0"])
def test_boosting_of_several_numbers_does_not_depend_on_units(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    Y = np.column_stack([X[:, 0] * X[:, 1], np.sin(X[:, 2]) + X[:, 3]])
    model = weald.GradientBoostingRegressor(loss=loss, random_state=0)
    plain = model.fit(X, Y).predict(X)
    if loss != "huber:1.0":
        other = model.fit(X, Y * [1.0, 2.0**20]).predict(X)
        assert np.array_equal(other, plain * [1.0, 2.0**20])
    assert np.mean(np.abs(plain - Y)) < 0.5 * np.mean(np.abs(Y - np.median(Y, axis=0)))


def test_what_predicts_one_target_says_what_predicts_several(fruit):
    X, Y = fruit
    for make in (
        weald.AdaBoostClassifier,
        weald.LogisticRegression,
        weald.NaiveBayes,
        weald.KNeighborsClassifier,
    ):
        with pytest.raises(ValueError, match="y should be a 1d array") as found:
            make().fit(X, Y)
        assert "MultiOutputClassifier" in str(found.value)
        assert "RandomForestClassifier" in str(found.value)
        wrapped = MultiOutputClassifier(make()).fit(X, Y)
        assert wrapped.predict(X).shape == Y.shape
    chain = ClassifierChain(weald.RandomForestClassifier(10, random_state=0))
    codes = (Y == ["green", "yes"]).astype(int)
    assert chain.fit(X, codes).predict(X).shape == codes.shape
    both = MultiOutputRegressor(weald.AdaBoostRegressor()).fit(X, X[:, :2])
    assert both.predict(X).shape == (400, 2)
    from scipy.sparse import csr_matrix

    with pytest.raises(ValueError, match="toarray"):
        weald.RandomForestClassifier().fit(X, csr_matrix(codes))
    with pytest.raises(ValueError, match="Unknown label type"):
        weald.RandomForestClassifier().fit(X, X[:, :2])
