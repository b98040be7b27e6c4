"""Parameters and defaults are the same in Rust, in the program and here."""

import inspect
import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.ensemble import RandomForestRegressor as TheirRegressor
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeRegressor as TheirTree

import weald
from conftest import EVERY_ESTIMATOR, made, numbers
from weald import _weald
from weald._estimator import Given

GIVEN = Given(["a", "b", "c"], 300, 300.0, np.array([0, 1]))

# What stands for weald's "auto" where scikit-learn has a word for it.
AUTO = {
    ("max_features", "Classifier"): "sqrt",
    ("max_features", "Regressor"): "0.5",
    ("criterion", "Classifier"): "gini",
    ("criterion", "Regressor"): "variance",
    ("loss", "Ranker"): "lambdarank:10",
}
# Which estimator it is says what these are.
OF_THE_CLASS = {"splitter", "base", "class_weights", "members", "last", "prior"}


def kind(name):
    return next((k for k in ("Classifier", "Regressor", "Ranker") if name.endswith(k)), "")


@pytest.mark.parametrize("name", EVERY_ESTIMATOR)
def test_defaults_are_those_of_the_library(name):
    estimator = getattr(weald, name)()
    theirs = {key: value for key, value, _, _ in _weald.settings(estimator._method)}
    settings = list(estimator._settings(GIVEN).items())
    ours = {key: value for key, value, _, _ in _weald.settings(estimator._method, settings)}
    for key, value in theirs.items():
        expected = AUTO.get((key, kind(name)), value) if value == "auto" else value
        assert ours[key] in (value, expected), (key, value, ours[key])


@pytest.mark.parametrize("name", EVERY_ESTIMATOR)
def test_every_parameter_of_the_library_can_be_set(name):
    estimator = getattr(weald, name)()
    if "Boosting" in name:
        estimator.set_params(n_estimators=5, learning_rate=0.2, early_stopping_rounds=3)
    reached = set(estimator._settings(GIVEN))
    wanted = {key for key, *_ in _weald.settings(estimator._method)}
    wanted = {key for key in wanted if "." not in key} - OF_THE_CLASS
    if name in ("BaggingClassifier", "BaggingRegressor"):
        estimator.set_params(max_samples=0.5)
        reached = set(estimator._settings(GIVEN))
    assert wanted <= reached, wanted - reached


@pytest.mark.parametrize("name", EVERY_ESTIMATOR)
def test_every_parameter_is_documented(name):
    make = getattr(weald, name)
    for parameter in inspect.signature(make).parameters:
        assert f"\n{parameter} : default " in make.__doc__, parameter


BAD = (-1, -0.5, "nonsense", np.nan, None, [], {"q": 1}, object())
# What has errors of its own, or takes anything.
ANYTHING = {"callbacks", "verbose", "estimator", "estimators", "final_estimator", "oob_score"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", EVERY_ESTIMATOR)
def test_errors_name_parameters_as_they_are_called_here(name):
    X, y = numbers(60)
    ours = set(made(name).get_params(deep=False))
    settings = _weald.settings(getattr(weald, name)._method)
    theirs = {key for key, *_ in settings if "_" in key} - ours
    for parameter in sorted(ours - ANYTHING):
        for value in BAD:
            estimator = made(name)
            few = {"n_estimators", "n_rounds", "n_init"} & ours
            estimator.set_params(**dict.fromkeys(few, 3))
            setattr(estimator, parameter, value)
            try:
                estimator.fit(X, y)
            except (ValueError, TypeError) as error:
                words = set(re.findall(r"\w+", str(error)))
                assert parameter in words, (parameter, value, error)
                assert not words & theirs, (parameter, value, error)


def test_errors_name_parameters_of_members():
    X, y = numbers(60)
    for estimator, words in (
        (
            weald.BaggingClassifier(weald.DecisionTreeClassifier(max_depth=-1)),
            "estimator__max_depth",
        ),
        (
            weald.AdaBoostClassifier(weald.DecisionTreeClassifier(criterion="x")),
            "estimator__criterion",
        ),
        (
            weald.VotingClassifier([("rf", weald.RandomForestClassifier(n_estimators=0))]),
            "rf__n_estimators",
        ),
        (
            weald.StackingClassifier(
                [("tree", weald.DecisionTreeClassifier())], weald.KNeighborsClassifier(0)
            ),
            "final_estimator__n_neighbors",
        ),
        (weald.DensityForest(n_estimators=0), "`n_estimators`"),
        (weald.DensityForest(min_samples_split=-3), "`min_samples_split`"),
        (weald.Hedge(eta=-1.0), "eta"),
        (weald.Hedge(beta=2.0), "beta"),
        (weald.WeightedMajority(beta=-1.0), "beta"),
        (weald.ExponentiallyWeightedAverage(low="a"), "low"),
    ):
        with pytest.raises(ValueError, match=words):
            estimator.fit(np.column_stack([y, y]), y)
    with pytest.raises(ValueError, match="`n_estimators`"):
        weald.DensityForest(n_estimators=0).partial_fit(X)
    with pytest.raises(ValueError, match="`window`"):
        weald.IsolationForest(window=0).partial_fit(X)


def test_numbers_of_trees_mean_exactly_that():
    X, y = numbers(400)
    model = weald.GradientBoostingClassifier(n_estimators=77, learning_rate=0.3).fit(X, y)
    assert model.n_estimators_ == 77 and model.validation_curve_ is None
    stopped = weald.GradientBoostingClassifier(
        n_estimators=500, early_stopping_rounds=5, random_state=0
    ).fit(X, y)
    assert stopped.n_estimators_ < 200
    assert len(stopped.validation_curve_) <= stopped.n_estimators_ + 6
    auto = weald.GradientBoostingClassifier(random_state=0).fit(X, y)
    assert auto.n_estimators_ < 1000 and auto.validation_curve_ is not None


def test_a_validation_set_ends_the_fit():
    X, y = numbers(600)
    model = weald.GradientBoostingClassifier(n_estimators=400, early_stopping_rounds=5)
    model.fit(X[:300], y[:300], eval_set=(X[300:], y[300:]))
    assert 1 <= model.n_estimators_ < 300
    losses = [
        -np.log(p[np.arange(300), y[300:]]).mean() for p in model.staged_predict_proba(X[300:])
    ]
    assert np.argmin(losses) == len(losses) - 1
    assert model.validation_curve_[1 : len(losses) + 1] == pytest.approx(losses)
    with pytest.raises(ValueError, match="class 5"):
        model.fit(X, y, eval_set=(X, np.full(600, 5)))


def test_going_on_from_a_model():
    X, y = numbers(300)
    whole = weald.GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
    half = weald.GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X, y)
    rest = weald.GradientBoostingClassifier(n_estimators=10, random_state=0)
    rest.fit(X, y, init_model=half)
    assert rest.n_estimators_ == 20
    assert np.allclose(rest.predict_proba(X), whole.predict_proba(X), atol=1e-6)


def test_monotone_constraints_hold():
    X, y = numbers(500)
    for make in (weald.RandomForestClassifier, weald.GradientBoostingClassifier):
        model = make(n_estimators=20, monotone_constraints=[1, 0, 0, 0, 0], random_state=0)
        model.fit(X, y)
        grid = np.repeat(X[:50], 21, axis=0)
        grid[:, 0] = np.tile(np.linspace(-2, 2, 21), 50)
        rising = model.predict_proba(grid)[:, 1].reshape(50, 21)
        assert (np.diff(rising, axis=1) >= 0).all()


def test_a_tree_is_scikit_learns():
    # Splits of distinct sums have one best answer: the same tree comes out.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).astype(np.float32)
    y = rng.normal(size=300)
    for leaves in (2, 5, 20):
        ours = weald.DecisionTreeRegressor(max_leaf_nodes=leaves).fit(X, y)
        theirs = TheirTree(max_leaf_nodes=leaves, random_state=0).fit(X, y)
        assert np.allclose(ours.predict(X), theirs.predict(X))


def test_forests_are_as_good_as_scikit_learns():
    X, y = load_breast_cancer(return_X_y=True)
    ours = cross_val_score(weald.RandomForestClassifier(200, random_state=0), X, y, cv=5).mean()
    theirs = cross_val_score(TheirForest(200, random_state=0), X, y, cv=5).mean()
    assert ours > theirs - 0.012
    X, y = load_diabetes(return_X_y=True)
    ours = weald.RandomForestRegressor(200, max_features="third", random_state=0)
    theirs = TheirRegressor(200, max_features=1 / 3, random_state=0)
    ours, theirs = (cross_val_score(m, X, y, cv=5).mean() for m in (ours, theirs))
    assert ours > theirs - 0.02


def test_boosting_is_as_good_as_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    settings = {"learning_rate": 0.05, "max_depth": 3}
    ours = weald.GradientBoostingRegressor(n_estimators=80, random_state=0, **settings)
    theirs = HistGradientBoostingRegressor(
        max_iter=80, early_stopping=False, random_state=0, **settings
    )
    ours, theirs = (cross_val_score(m, X, y, cv=5).mean() for m in (ours, theirs))
    assert ours > theirs - 0.02


def test_ranking():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    groups = np.repeat(np.arange(60), 10)
    y = np.clip((X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=600)).round(), 0, 3)
    model = weald.GradientBoostingRanker(n_estimators=30, min_samples_leaf=5, random_state=0)
    model.fit(X, y, groups=groups)
    assert model.score(X, y, groups) > 0.95
    assert model.score(X, y, groups) > model.set_params(n_estimators=1).fit(
        X, y, groups=groups
    ).score(X, y, groups)
    ended = weald.GradientBoostingRanker(300, early_stopping_rounds=3, min_samples_leaf=5)
    ended.fit(X[:400], y[:400], groups=groups[:400], eval_set=(X[400:], y[400:], groups[400:]))
    assert ended.n_estimators_ < 250
    # The held-out loss is minus the mean NDCG at 10 over queries: other queries, another curve.
    other = weald.GradientBoostingRanker(300, early_stopping_rounds=3, min_samples_leaf=5)
    other.fit(X[:400], y[:400], groups=groups[:400], eval_set=(X[400:], y[400:]))
    assert ended.validation_curve_[0] != other.validation_curve_[0]
    shuffled = rng.permutation(600)
    again = weald.GradientBoostingRanker(n_estimators=30, min_samples_leaf=5, random_state=0)
    again.fit(X[shuffled], y[shuffled], groups=groups[shuffled])
    assert again.score(X, y, groups) > 0.95
