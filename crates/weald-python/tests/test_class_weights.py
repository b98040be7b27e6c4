"""Weights of classes, by every way in."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

import weald
from conftest import numbers

MAKERS = [
    weald.DecisionTreeClassifier,
    weald.LogisticRegression,
    weald.LinearSVC,
    weald.NaiveBayes,
    weald.GradientBoostingClassifier,
    weald.RandomForestClassifier,
    weald.ExtraTreesClassifier,
]


def made(make, **parameters):
    small = {"n_estimators": 5} if hasattr(make(), "n_estimators") else {}
    small |= {"max_depth": 2} if hasattr(make(), "max_depth") else {}
    return make(**small, **parameters, random_state=1)


def said(model, X):
    return getattr(model, "predict_proba", getattr(model, "decision_function", None))(X)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("class_weight", ["balanced", {0: 1.0, 1: 9.0}])
def test_a_data_set_with_its_own_target_is_weighted_like_its_parts(make, class_weight):
    X, y = numbers()
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    expected = said(made(make, class_weight=class_weight).fit(X, y), X)
    found = said(made(make, class_weight=class_weight).fit(weald.Dataset(X, y)), X)
    assert np.array_equal(found, expected)
    assert not np.array_equal(expected, said(made(make).fit(X, y), X))


def test_weights_are_those_of_rows_times_those_of_classes():
    X, y = numbers()
    rows = np.random.default_rng(0).uniform(0.5, 2, len(y))
    counts = np.bincount(y)
    for given, factors in (
        ("balanced", len(y) / (2 * counts)),
        ({0: 3.0}, np.array([3.0, 1.0])),
        ({1: 0.25, 0: 1}, np.array([1.0, 0.25])),
    ):
        found = weald.NaiveBayes(class_weight=given).fit(X, y, sample_weight=rows)
        expected = weald.NaiveBayes().fit(X, y, sample_weight=rows * factors[y])
        assert np.array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_row_weights_are_checked_before_they_are_multiplied():
    X, y = numbers()
    tree = weald.DecisionTreeClassifier(class_weight="balanced")
    with pytest.raises(ValueError, match="sample_weight"):
        tree.fit(X, y, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="1D array or scalar"):
        tree.fit(X, y, sample_weight=np.ones((len(y), 1)))
    with pytest.raises(ValueError, match="sample_weight is masked in row 4"):
        tree.fit(X, y, sample_weight=np.ma.array(np.ones(len(y)), mask=np.arange(len(y)) == 4))


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_wrong_with_weights_is_told_of_them(make):
    X, y = numbers()

    def bad(words, value):
        with pytest.raises(ValueError, match=words):
            made(make, class_weight=value).fit(X, y)

    bad(r"class_weight gives 0 the weight nan; expected a number of at least 0", {0: np.nan})
    bad(r"class_weight gives 1 the weight -1", {0: 1, 1: -1})
    bad(r"class_weight gives 1 the weight 'x'", {1: "x"})
    bad(r"class_weight gives 1 the weight None", {1: None})
    bad(r"class_weight names '7', which is not one of 0, 1", {7: 2.0})
    bad(r"class_weight.? is .*balance", "balance")


@pytest.mark.parametrize("make", MAKERS)
def test_a_fold_may_lack_a_class_that_has_a_weight(make):
    X, y = numbers()
    labels = np.array(["no", "yes"], dtype=object)[y]
    labels[:2] = "rare"
    model = made(make, class_weight={"no": 1, "yes": 2, "rare": 50})
    folds = [(np.arange(2, len(y)), np.arange(20)), (np.arange(len(y)), np.arange(20))]
    assert np.isfinite(cross_val_score(model, X, labels, cv=folds, error_score="raise")).all()


def test_classes_without_weight_may_have_any_name():
    X, y = numbers()
    labels = np.array(["a", "b:c,d"])[y]
    expected = made(weald.RandomForestClassifier, class_weight={0: 2}).fit(X, y)
    found = made(weald.RandomForestClassifier, class_weight={"a": 2}).fit(X, labels)
    assert np.array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_a_list_of_weights_for_several_targets():
    X, y = numbers()
    Y = pd.DataFrame({"one": np.array(["n", "y"])[y], "two": X[:, 0] > 0})
    given = [{"n": 2.0}, {False: 1.0, True: 3.0}]
    found = weald.DecisionTreeClassifier(class_weight=given, max_depth=3).fit(X, Y)
    rows = np.where(y == 0, 2.0, 1.0) * np.where(X[:, 0] > 0, 3.0, 1.0)
    expected = weald.DecisionTreeClassifier(max_depth=3).fit(X, Y, sample_weight=rows)
    for one, other in zip(found.predict_proba(X), expected.predict_proba(X), strict=True):
        assert np.array_equal(one, other)
    for wrong in ([{"n": 2.0}], {"n": 2.0}, 3):
        with pytest.raises(ValueError, match="a list of 2 dicts, one for each target"):
            weald.DecisionTreeClassifier(class_weight=wrong).fit(X, Y)
