"""Online committees: bounds, experts that learn, and scikit-learn's contract.

A master without ``experts`` reads what experts say from the columns of X. Where these must be
labels, the numbers of scikit-learn's checks are no advice, and are refused with an error that says
so; so the checks run on masters that have experts, whose X is anything. Halving takes part with
``restart=True``: without it a pool that noise has emptied is an error. The average of numbers takes
any columns and is checked both ways.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, SGDClassifier, SGDRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

import weald
from conftest import numbers


def classifiers():
    return [SGDClassifier(random_state=0), DecisionTreeClassifier(max_depth=3, random_state=0)]


def regressors():
    return [LinearRegression(), DecisionTreeRegressor(max_depth=3, random_state=0)]


MASTERS = {
    "halving": lambda **more: weald.Halving(restart=True, **more),
    "weighted majority": lambda **more: weald.WeightedMajority(0.5, **more),
    "randomized": lambda **more: weald.RandomizedWeightedMajority(0.5, random_state=0, **more),
    "hedge": lambda **more: weald.Hedge(0.8, **more),
}


@pytest.mark.parametrize(
    "master",
    [make(experts=classifiers()) for make in MASTERS.values()]
    + [
        weald.ExponentiallyWeightedAverage(),
        weald.ExponentiallyWeightedAverage(experts=regressors()),
    ],
    ids=[*MASTERS, "average of columns", "average of experts"],
)
def test_check_estimator_finds_no_failure(master):
    found = check_estimator(master, on_skip=None, on_fail="raise")
    assert {one["status"] for one in found} <= {"passed", "skipped"}


def advice(n=400, n_experts=6, n_classes=3, seed=0):
    """What experts say, some of them often right; labels as text, silence as None."""
    rng = np.random.default_rng(seed)
    labels = np.array(["ash", "elm", "oak"][:n_classes], dtype=object)
    truth = rng.integers(0, n_classes, n)
    said = rng.integers(0, n_classes, (n, n_experts))
    is_right = rng.random((n, n_experts)) < np.linspace(0.1, 0.8, n_experts)
    said = labels[np.where(is_right, truth[:, None], said)]
    said[rng.random(said.shape) < 0.05] = None
    return said, labels[truth]


@pytest.mark.parametrize("name", MASTERS)
def test_masters_keep_their_bounds_and_count_rightly(name):
    X, y = advice()
    model = MASTERS[name]().fit(X, y)
    assert model.n_steps_ == 400
    assert np.array_equal(model.expert_mistakes_, (y[:, None] != X).sum(axis=0))
    assert model.mistakes_ == (model.predictions_ != y).sum()
    bounded = {"randomized": "expected_mistakes_", "hedge": "loss_"}.get(name, "mistakes_")
    assert getattr(model, bounded) <= model.bound_
    assert model.weights_.sum() == pytest.approx(1)
    assert set(model.predict(X)) <= {"ash", "elm", "oak"}


def test_the_bound_is_the_formula():
    X, y = advice()
    model = weald.WeightedMajority(0.3).fit(X, y)
    k = model.expert_mistakes_.min()
    expected = (k * np.log2(1 / 0.3) + np.log2(6)) / np.log2(2 / 1.3)
    assert model.bound_ == pytest.approx(expected)
    assert model.mistakes_ < 0.5 * model.expert_mistakes_.mean()


@pytest.mark.parametrize("name", MASTERS)
@pytest.mark.parametrize("with_experts", [False, True])
def test_a_batch_is_its_rows_one_by_one_and_a_pickle_goes_on(name, with_experts):
    X, y = numbers(70) if with_experts else advice(70)
    more = {"experts": classifiers()} if with_experts else {}
    whole = MASTERS[name](**more).fit(X, y)
    parts, said = MASTERS[name](**more), []
    for row in range(70):
        parts.partial_fit(X[row : row + 1], y[row : row + 1], classes=np.unique(y))
        said += list(parts.predictions_)
        if row == 40:
            parts = pickle.loads(pickle.dumps(parts))
    assert list(whole.predictions_) == said
    assert whole.mistakes_ == parts.mistakes_ and whole.bound_ == parts.bound_
    assert np.array_equal(whole.weights_, parts.weights_)
    assert np.array_equal(whole.predict(X), parts.predict(X))


def test_experts_learn_from_the_stream():
    X, y = numbers(600)
    fitted = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X[:100], y[:100])
    never = DecisionTreeClassifier(max_depth=1).fit(X[:1], y[:1])
    experts = [
        never,
        fitted,
        SGDClassifier(random_state=0),
        weald.RandomForestClassifier(10, random_state=0),
    ]
    model = weald.WeightedMajority(experts=experts).fit(X[100:], y[100:])
    assert model.expert_mistakes_.argmax() == 0
    # What has learned is better than what has not, and the list itself is as it was.
    assert model.mistakes_ < 0.7 * model.expert_mistakes_[0]
    assert not hasattr(experts[2], "classes_") and not hasattr(experts[3], "model_")
    assert model.score(X[:100], y[:100]) > 0.75
    again = clone(model)
    assert len(again.experts) == 4 and not hasattr(again, "master_")


def test_hedge_learns_from_losses():
    rng = np.random.default_rng(0)
    losses = rng.random((200, 4)) * [1.0, 0.8, 0.3, 1.0]
    losses[::9, 0] = np.nan
    model = weald.Hedge(eta=0.4)
    for part in np.array_split(losses, 5):
        model.partial_fit(part)
    charged = np.where(np.isnan(losses), 1.0, losses)
    assert np.allclose(model.expert_losses_, charged.sum(axis=0))
    assert model.weights_.argmax() == 2
    assert charged.sum(axis=0).min() <= model.loss_ <= model.bound_
    with pytest.raises(ValueError, match="learned from losses"):
        model.predict(losses)
    with pytest.raises(weald.WealdError, match=r"a loss is 1\.5 at step 201"):
        model.partial_fit([[0.1, 0.2, 0.3, 1.5]])


def test_the_average_keeps_its_bound():
    rng = np.random.default_rng(0)
    y = rng.uniform(-2, 3, 300)
    X = y[:, None] + rng.normal(size=(300, 5)) * [3, 2, 1, 0.5, 4]
    model = weald.ExponentiallyWeightedAverage(-2, 3).fit(X, y)
    assert model.bound_ == pytest.approx(model.expert_losses_.min() + 2 * 25 * np.log(5))
    assert model.loss_ == pytest.approx(((model.predictions_ - y) ** 2).sum())
    assert model.loss_ <= model.bound_ and model.weights_.argmax() == 3
    with pytest.raises(weald.WealdError, match="the target is 9 at step 301"):
        model.partial_fit(X[:1], [9.0])
    constant = weald.ExponentiallyWeightedAverage().fit(X, np.full(300, 2.0))
    assert constant.range_ == (2.0, 3.0) and constant.loss_ <= constant.bound_


def test_frames_are_asked_as_they_are(frame):
    X, y = frame
    experts = [weald.DecisionTreeClassifier(max_depth=4), weald.RandomForestClassifier(20)]
    model = weald.WeightedMajority(experts=experts).fit(X, y)
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.score(X, y) > 0.8
    said = pd.DataFrame({"a": y, "b": y.shift(fill_value="no")})
    columns = weald.WeightedMajority().fit(said, y)
    # The tie of the first step goes to the lowest class; then the expert that is right has more.
    assert y[0] == "yes" and columns.mistakes_ == 1 and columns.expert_mistakes_[0] == 0


def test_bad_input_is_named():
    X, y = advice(20)
    with pytest.raises(ValueError, match="which is not one of the classes"):
        weald.WeightedMajority().fit(np.random.default_rng(0).normal(size=(20, 3)), y)
    with pytest.raises(ValueError, match="give all classes at the first call"):
        weald.WeightedMajority().partial_fit(X, y).partial_fit(X[:1], ["yew"])
    with pytest.raises(weald.WealdError, match='`beta` is "1"'):
        weald.WeightedMajority(1.0).fit(X, y)
    with pytest.raises(weald.WealdError, match="no expert is left after step"):
        weald.Halving().fit(X, y)
    with pytest.raises(TypeError, match="is a class; give estimators"):
        weald.WeightedMajority(experts=[SGDClassifier]).fit([[0.0]], [1])
    with pytest.raises(ValueError, match="empty list"):
        weald.WeightedMajority(experts=[]).fit([[0.0]], [1])
    with pytest.raises(NotFittedError):
        weald.WeightedMajority().predict(X)
    with pytest.raises(weald.WealdError, match="`high`"):
        weald.ExponentiallyWeightedAverage(3.0, 2.0).fit([[0.0]], [1.0])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        weald.WeightedMajority().fit(X, y[:-1])


def test_an_expert_that_learns_numbers():
    X, _ = numbers(300)
    y = X @ [1.0, 0.5, 0, 0, 0]
    experts = [SGDRegressor(random_state=0), *regressors()]
    model = weald.ExponentiallyWeightedAverage(experts=experts).fit(X, y)
    # A line is exact once it is fitted; before that silence is charged the greatest loss.
    greatest = (model.range_[1] - model.range_[0]) ** 2
    assert model.expert_losses_[1] == pytest.approx(8 * greatest)
    assert model.expert_losses_[0] > greatest  # and it was silent once
    assert model.loss_ <= model.bound_
    said = np.column_stack([expert.answers(X) for expert in model.experts_])
    assert np.allclose(model.predict(X), said.clip(*model.range_) @ model.weights_)
