"""Losses of one's own in gradient boosting."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression

import weald


@pytest.fixture
def numbers():
    return make_regression(400, 5, noise=5.0, random_state=0)


@pytest.fixture
def classes():
    X, y = make_classification(400, 6, flip_y=0.1, random_state=0)
    return X, np.array(["no", "yes"])[y]


def squared(y, score):
    return score - y, np.ones_like(y)


class Logistic:
    """The logistic loss, as an object."""

    link = "logistic"

    def __init__(self, start=None):
        self.start = start

    def gradient(self, y, score):
        p = 1.0 / (1.0 + np.exp(-score))
        return p - y, p * (1.0 - p)

    def loss(self, y, score):
        return np.logaddexp(0.0, score) - y * score


class SquaredLog:
    """The squared error of logarithms; predictions are what they are the logarithms of."""

    link = "log"
    start = None

    def gradient(self, y, score):
        return score - np.log(y), np.ones_like(y)

    def loss(self, y, score):
        return 0.5 * (score - np.log(y)) ** 2


def test_a_function_of_the_squared_loss_is_the_squared_loss(numbers):
    X, y = numbers
    own = weald.GradientBoostingRegressor(30, loss=squared, random_state=0).fit(X, y)
    built_in = weald.GradientBoostingRegressor(30, loss="squared", random_state=0).fit(X, y)
    assert np.abs(own.predict(X) - built_in.predict(X)).max() < 0.01 * y.std()


def test_from_the_same_start_it_is_the_same_model_to_the_bit(numbers):
    X, y = numbers

    class FromZero:
        gradient = staticmethod(squared)
        start = 0.0

    for weights in (None, np.arange(len(y)) % 3, 0.5 + np.arange(len(y)) % 7 / 3):
        own = weald.GradientBoostingRegressor(30, loss=FromZero(), random_state=0)
        built_in = weald.GradientBoostingRegressor(30, loss="squared", start="zero", random_state=0)
        own.fit(X, y, sample_weight=weights)
        built_in.fit(X, y, sample_weight=weights)
        assert (own.predict(X) == built_in.predict(X)).all()


def test_an_object_for_two_classes_ends_early_as_the_built_in_loss_does(classes):
    X, y = classes
    own = weald.GradientBoostingClassifier(loss=Logistic(), random_state=0).fit(X, y)
    built_in = weald.GradientBoostingClassifier(random_state=0).fit(X, y)
    assert abs(own.n_estimators_ - built_in.n_estimators_) <= 3
    assert np.abs(own.predict_proba(X) - built_in.predict_proba(X)).max() < 0.05
    assert own.model_.learning_curve[0] == "custom"
    n = min(len(own.validation_curve_), len(built_in.validation_curve_))
    np.testing.assert_allclose(own.validation_curve_[:n], built_in.validation_curve_[:n], rtol=0.02)


def test_the_start_is_the_best_constant_or_what_the_loss_says(classes):
    X, y = classes
    log_odds = np.log((y == "yes").mean() / (y == "no").mean())

    def start_of(loss):
        # So slow that the first tree does not count.
        model = weald.GradientBoostingClassifier(1, 1e-9, loss=loss).fit(X, y)
        return model.decision_function(X).mean()

    assert start_of(Logistic()) == pytest.approx(log_odds, abs=1e-5)
    assert start_of(Logistic(start=-2.5)) == pytest.approx(-2.5, abs=1e-5)
    weighted = weald.GradientBoostingClassifier(1, 1e-9, loss=Logistic(), class_weight="balanced")
    assert weighted.fit(X, y).decision_function(X).mean() == pytest.approx(0.0, abs=1e-5)


def test_a_link_turns_scores_into_predictions_and_goes_into_the_file(numbers, tmp_path):
    X, y = numbers
    y = np.exp(y / np.abs(y).max())
    model = weald.GradientBoostingRegressor(loss=SquaredLog(), random_state=0).fit(X, y)
    by_hand = weald.GradientBoostingRegressor(loss="squared", random_state=0).fit(X, np.log(y))
    np.testing.assert_allclose(model.predict(X), np.exp(by_hand.predict(X)), rtol=0.1)
    assert (model.predict(X) > 0).all()
    model.save(tmp_path / "model.weald")
    read = weald.load(tmp_path / "model.weald")
    assert (read.predict(X) == model.predict(X)).all()
    assert read.parameters["loss"] == "custom"
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    assert isinstance(clone(model).loss, SquaredLog)


def test_all_rows_of_a_round_are_given_at_once_without_those_of_weight_0(numbers):
    X, y = numbers
    seen = []

    def loss(y, score):
        assert not y.flags.writeable
        seen.append((y.copy(), score.copy()))
        score[:] = np.nan  # weald's own scores are not what is given
        return score - y if np.isfinite(score).all() else -y, np.ones_like(y)

    weights = np.arange(len(y)) % 2
    weald.GradientBoostingRegressor(4, loss=loss, start="zero").fit(X, y, sample_weight=weights)
    assert len(seen) == 4
    assert all((given == y[1::2]).all() for given, _ in seen)
    assert (seen[0][1] == 0).all() and np.isfinite(seen[3][1]).all()


def test_an_offset_is_where_scores_start(numbers):
    X, y = numbers
    offset = np.full(len(y), 3.0)
    own = weald.GradientBoostingRegressor(10, loss=squared, random_state=0)
    own.fit(X, y, offset=offset)
    built_in = weald.GradientBoostingRegressor(10, start="zero", random_state=0)
    built_in.fit(X, y, offset=offset)
    assert (own.predict(X) == built_in.predict(X)).all()
    with pytest.raises(ValueError, match="start and offset"):
        weald.GradientBoostingClassifier(10, loss=Logistic(start=0.5)).fit(X, y > 0, offset=offset)


def test_the_same_bytes_on_any_number_of_threads(classes):
    X, y = classes
    found = [
        weald.GradientBoostingClassifier(loss=Logistic(), random_state=0, n_jobs=n).fit(X, y)
        for n in (1, 3)
    ]
    assert pickle.dumps(found[0].model_) == pickle.dumps(found[1].model_)


def test_what_the_function_raises_reaches_the_user_as_it_is(numbers):
    class OddError(Exception):
        pass

    calls = []

    def fails_later(y, score):
        calls.append(1)
        if len(calls) > 60:
            raise OddError("later")
        return squared(y, score)

    def fails(y, score):
        raise OddError("at once")

    for loss, words in ((fails, "at once"), (fails_later, "later")):
        model = weald.GradientBoostingRegressor(500, loss=loss)
        with pytest.raises(OddError, match=words):
            model.fit(*numbers)
        assert not hasattr(model, "model_")
    assert len(calls) == 61


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (lambda y, s: s - y, TypeError, r"one array of shape \(400,\); expected two arrays"),
        (lambda y, s: None, TypeError, "loss returned None"),
        (lambda y, s: (s, s, s), TypeError, "loss returned 3 values"),
        (lambda y, s: (s[:-1], s), ValueError, r"gradient of shape \(399,\); expected \(400,\)"),
        (lambda y, s: (s, 1.0), ValueError, r"hessian of shape \(\)"),
        (lambda y, s: (s, s.reshape(-1, 1)), ValueError, r"hessian of shape \(400, 1\)"),
        (lambda y, s: (s.astype(str), s), TypeError, "gradient of type <U"),
        (lambda y, s: (s, s + 1j), TypeError, "hessian of type complex128"),
        (lambda y, s: (s / 0.0 * 0.0, s), ValueError, "gradient nan where y is .* 399 more"),
        (lambda y, s: (s, np.where(y == y[3], np.inf, 1.0)), ValueError, "hessian inf where y is"),
        (lambda y, s: (s - y, 0.0 * y), weald.WealdError, "second derivative .* is 0 in every row"),
        (lambda y, s: (1e300 * y, 0 * y + 1), weald.WealdError, "finite in single precision"),
    ],
)
def test_bad_answers_are_named(numbers, answer, error, words):
    with np.errstate(all="ignore"), pytest.raises(error, match=words):
        weald.GradientBoostingRegressor(3, loss=answer).fit(*numbers)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"link": "probit"}, ValueError, "loss.link is 'probit'; expected one of identity"),
        ({"link": "identity"}, ValueError, "expected logistic for classes"),
        ({"start": "best"}, ValueError, "loss.start is 'best'"),
        ({"start": np.inf}, ValueError, "loss.start is inf"),
        ({"loss": 3}, TypeError, "loss.loss is 3"),
    ],
)
def test_bad_attributes_are_named(classes, changed, error, words):
    loss = type("Odd", (Logistic,), changed)()
    if "start" in changed:
        loss.start = changed["start"]
    with pytest.raises(error, match=words):
        weald.GradientBoostingClassifier(3, loss=loss).fit(*classes)


def test_numbers_have_no_logistic_link(numbers):
    with pytest.raises(ValueError, match="expected identity or log for numbers"):
        weald.GradientBoostingRegressor(3, loss=Logistic()).fit(*numbers)


def test_derivatives_alone_cannot_end_early(numbers):
    words = "derivatives alone, .* give eval_metric"
    with pytest.raises(ValueError, match=words):
        weald.GradientBoostingRegressor(loss=squared).fit(*numbers)
    with pytest.raises(ValueError, match=words):
        weald.GradientBoostingRegressor(9, loss=squared, early_stopping_rounds=2).fit(*numbers)
    patient = {"early_stopping_rounds": 30, "random_state": 0}
    model = weald.GradientBoostingRegressor(
        loss=squared, eval_metric=lambda y, p: np.mean((y - p) ** 2), **patient
    ).fit(*numbers)
    built_in = weald.GradientBoostingRegressor(**patient).fit(*numbers)
    assert abs(model.n_estimators_ - built_in.n_estimators_) <= built_in.n_estimators_ / 4
    # Rows to look at need no losses where they decide nothing.
    watched = weald.GradientBoostingRegressor(4, loss=squared).fit(*numbers, eval_set=numbers)
    assert watched.n_estimators_ == 4 and watched.validation_curve_ is None


def test_three_classes_and_rankings_are_refused(numbers):
    X, y = numbers
    with pytest.raises(weald.WealdError, match="needs two classes"):
        weald.GradientBoostingClassifier(3, loss=Logistic()).fit(X, np.arange(len(y)) % 3)
    with pytest.raises(TypeError, match="takes no loss of one's own"):
        weald.GradientBoostingRanker(3, loss=squared).fit(X, np.arange(len(y)) % 3)
