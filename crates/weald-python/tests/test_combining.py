"""Committees of several estimators, mixtures of experts, and schemes for several classes."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import weald
from conftest import numbers

FEW = [("tree", weald.DecisionTreeClassifier(max_depth=3)), ("linear", weald.LogisticRegression())]
THEIRS = [("bayes", GaussianNB()), ("tree", weald.DecisionTreeClassifier(max_depth=3))]


def test_voting_is_the_mean_of_its_members_and_weights_count():
    X, y = numbers(200)
    parts = [("a", GaussianNB()), ("b", TheirLogistic())]
    voting = weald.VotingClassifier(parts, weights=[1, 3], random_state=0).fit(X, y)
    alone = [clone(member).fit(X, y).predict_proba(X) for _, member in parts]
    assert np.allclose(voting.predict_proba(X), 0.25 * alone[0] + 0.75 * alone[1])
    hard = weald.VotingClassifier([*parts, ("c", SVC())], voting="hard").fit(X, y)
    votes = sum(clone(m).fit(X, y).predict(X) for m in (GaussianNB(), TheirLogistic(), SVC()))
    assert (hard.predict(X) == (votes >= 2)).all()
    for rule in ("median", "min", "max", "product", "trimmed-mean:0.2", "borda"):
        proba = weald.VotingClassifier(FEW, voting=rule).fit(X, y).predict_proba(X)
        assert np.allclose(proba.sum(axis=1), 1), rule


@pytest.mark.parametrize("members", [FEW, THEIRS], ids=["weald", "mixed"])
@pytest.mark.parametrize(
    "make",
    [
        weald.VotingClassifier,
        weald.StackingClassifier,
        weald.SuperLearnerClassifier,
        weald.EnsembleSelectionClassifier,
        weald.BayesOptimalClassifier,
        weald.DynamicSelectionClassifier,
    ],
    ids=lambda make: make.__name__,
)
def test_members_of_any_kind_and_pickles(make, members):
    X, y = numbers(200)
    model = make(members, random_state=1).fit(X, y)
    assert model.score(X, y) > 0.75
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
    assert len(model.estimators_) == 2
    if members is THEIRS:
        assert isinstance(model.estimators_[0], GaussianNB) and model.estimators_[1] is None
        with pytest.raises(weald.WealdError, match="GaussianNB"):
            model.save("m.weald")


def test_a_saved_stack_is_the_same(tmp_path, frame):
    X, y = frame
    model = weald.StackingClassifier(FEW, passthrough=True, random_state=1).fit(X, y)
    model.save(tmp_path / "m.weald")
    loaded = weald.load(tmp_path / "m.weald")
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_parameters_of_members_are_set_by_name():
    model = weald.StackingClassifier(FEW, final_estimator=weald.DecisionTreeClassifier())
    model.set_params(tree__max_depth=2, cv=3)
    assert model.get_params()["tree__max_depth"] == 2
    assert model.get_params()["final_estimator__max_depth"] is None
    dropped = weald.VotingClassifier([("a", "drop"), *FEW]).fit(*numbers(60))
    assert dropped.n_estimators_ == 2
    FEW[0][1].set_params(max_depth=3)


def test_stacking_learns_whom_to_believe():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = 3 * X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * rng.normal(size=600)
    parts = [("linear", LinearRegression()), ("forest", weald.RandomForestRegressor(50))]
    alone = [cross_val_score(member, X, y, cv=3).mean() for _, member in parts]
    for make in (weald.StackingRegressor, weald.SuperLearnerRegressor):
        together = cross_val_score(make(parts, random_state=0), X, y, cv=3).mean()
        assert together > max(alone), (make, together, alone)
    weights = weald.SuperLearnerRegressor(parts, random_state=0).fit(X, y).weights_
    assert weights.min() >= 0 and np.isclose(weights.sum(), 1)
    blended = weald.StackingRegressor(parts, LinearRegression(), cv=0.3, random_state=0)
    assert blended.fit(X, y).score(X, y) > 0.9


def test_groups_are_kept_apart():
    X, y = numbers(120)
    groups = np.repeat(np.arange(40), 3)
    model = weald.SuperLearnerClassifier(FEW, random_state=0).fit(X, y, groups=groups)
    assert np.isclose(model.weights_.sum(), 1)
    folds = list(GroupKFold(4).split(X, y, groups))
    for cv in (folds, GroupKFold(4)):
        given = weald.SuperLearnerClassifier(FEW, cv=cv, random_state=0).fit(X, y, groups=groups)
        assert np.isclose(given.weights_.sum(), 1)
    with pytest.raises(ValueError, match="never or more than once"):
        weald.StackingClassifier(FEW, cv=folds[:2]).fit(X, y)
    with pytest.raises(ValueError, match="groups"):
        weald.StackingClassifier(FEW).fit(X, y, groups=np.zeros(120))


def test_wrong_members_are_named():
    X, y = numbers(60)
    for words, make in (
        ("pairs of a name and an estimator", lambda: weald.VotingClassifier([GaussianNB()])),
        ("empty list", lambda: weald.VotingClassifier([])),
        ("a regressor", lambda: weald.VotingClassifier([("a", LinearRegression())])),
        ("not unique", lambda: weald.VotingClassifier([("a", SVC()), ("a", SVC())])),
        ("2 members", lambda: weald.VotingClassifier(FEW, weights=[1, 2, 3])),
        ("cv is", lambda: weald.StackingClassifier(FEW, cv=None)),
        ("at least 2 folds", lambda: weald.StackingClassifier(FEW, cv=1)),
        ("trimmed-mean", lambda: weald.VotingClassifier(FEW, voting="loudest")),
        ("prior", lambda: weald.BayesOptimalClassifier(FEW, prior=[1, 0])),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            make().fit(X, y)


def test_a_mixture_finds_two_lines():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(500, 1))
    y = np.where(X[:, 0] < 0, 2 * X[:, 0], 5 - 3 * X[:, 0]) + 0.1 * rng.normal(size=500)
    model = weald.MixtureOfExpertsRegressor(n_experts=2, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.97 > weald.Ridge().fit(X, y).score(X, y) + 0.3
    gate = model.gate_proba(X)
    assert gate.shape == (500, 2) and np.allclose(gate.sum(axis=1), 1)
    left, right = gate[X[:, 0] < -0.2], gate[X[:, 0] > 0.2]
    assert (left.argmax(axis=1) == left[0].argmax()).all()
    assert (right.argmax(axis=1) == 1 - left[0].argmax()).all()
    assert (np.diff(model.log_likelihoods_) >= -1e-9).all()
    theirs = weald.MixtureOfExpertsRegressor(LinearRegression(), 2, n_init=2, random_state=0)
    assert theirs.fit(X, y).score(X, y) > 0.98


def test_a_wrong_aggregate_is_named_as_it_was_given():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(weald.WealdError, match="aggregate is 'dog'; expected one of 'coupling'"):
        weald.OneVsOneClassifier(aggregate="dog").fit(X, y)


@pytest.mark.parametrize("base", [None, TheirLogistic(max_iter=1000), SVC()], ids=str)
def test_schemes_tell_several_classes_apart(base):
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    for model in (
        weald.OneVsRestClassifier(base),
        *(
            weald.OneVsOneClassifier(base, aggregate=rule)
            for rule in ("vote", "coupling", "hastie-tibshirani", "dag")
        ),
        weald.OutputCodeClassifier(base),
    ):
        model.fit(X, y)
        assert model.score(X, y) > 0.9, model
        assert model.n_estimators_ == 3
        assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict(X), model.predict(X))
