"""An estimator changes all at once or not at all, whatever fails and wherever."""

import copy
import os
import pickle
import signal
import sys
import threading
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.tree import DecisionTreeClassifier as TheirTree
from sklearn.utils.validation import check_is_fitted

import weald
from conftest import EVERY_ESTIMATOR, WITHOUT_TARGET, made, numbers

X, y = numbers(60)
MASTERS = [
    "ExponentiallyWeightedAverage",
    "Halving",
    "Hedge",
    "RandomizedWeightedMajority",
    "WeightedMajority",
]
WITH_CALLBACKS = [name for name in EVERY_ESTIMATOR if hasattr(getattr(weald, name), "callbacks")]


def small(name, **parameters):
    """An estimator that is fitted fast."""
    estimator = made(name, random_state=0, **parameters)
    if "n_estimators" in estimator.get_params(deep=False):
        estimator.set_params(n_estimators=4)
    return estimator


def old_rows(name):
    """Rows to fit on at first: two classes, columns with names."""
    target = y if not name.endswith("Classifier") else np.where(y == 1, "yes", "no")
    return pd.DataFrame(X, columns=list("abcde")), target


def other_rows(name):
    """Rows to fit on again: other columns, and other classes."""
    n = 40
    target = np.arange(n) % 3
    return pd.DataFrame(X[:n, :3], columns=["k", "l", "m"]), target


def state(estimator):
    """All that an estimator is."""
    return dict(vars(estimator)), pickle.dumps(estimator)


def assert_unchanged(estimator, before, said, rows):
    names, bytes_before = before
    after = vars(estimator)
    assert list(after) == list(names)
    assert all(after[name] is names[name] for name in names)
    assert pickle.dumps(estimator) == bytes_before
    assert np.array_equal(estimator.predict(rows), said)


class Stop(Exception):
    pass


class Late(TheirTree):
    """It fails where a column is large."""

    def predict(self, X):
        if (X[:, 0] > 90).any():
            raise Stop
        return super().predict(X)


class BrokenClassifier(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise Stop

    def predict(self, X):
        raise Stop


class BrokenRegressor(RegressorMixin, BaseEstimator):
    fit = BrokenClassifier.fit
    predict = BrokenClassifier.predict


def failures(name):
    """Refits that fail, each with what is changed before."""
    rows, target = other_rows(name)
    n = len(rows)
    bad = np.array([*target[:-1], np.nan], dtype=float)
    huge = sparse.coo_matrix(([1.0], ([0], [0])), shape=(1 << 24, 1 << 20))
    without = name in WITHOUT_TARGET
    found = [
        ("no rows", {}, (rows[:0], target[:0])),
        ("no columns", {}, (rows[[]], target)),
        ("sparse beyond memory", {}, (huge, np.zeros(huge.shape[0], dtype=int))),
        ("text", {}, ([["a", "b"]] * n, target)),
        ("threads", {"n_jobs": 0}, (rows, target)),
        ("seed", {"random_state": -1}, (rows, target)),
        ("categories", {"categorical_features": ["z"]}, (rows, target)),
    ]
    if not without:
        found += [
            ("y is NaN", {}, (rows, bad)),
            ("y is None", {}, (rows, None)),
            ("y is short", {}, (rows, target[:-1])),
        ]
    if name != "GradientBoostingRanker":
        found += [
            ("negative weights", {}, (rows, target, -np.ones(n))),
            ("weights of NaN", {}, (rows, target, np.full(n, np.nan))),
            ("no weight", {}, (rows, target, np.zeros(n))),
            ("short weights", {}, (rows, target, np.ones(n - 1))),
        ]
    broken = BrokenClassifier() if name.endswith("Classifier") else BrokenRegressor()
    parameters = getattr(weald, name)().get_params(deep=False)
    if "estimator" in parameters:
        found.append(("member", {"estimator": broken}, (rows, target)))
    if "estimators" in parameters:
        found.append(("member", {"estimators": [("one", broken)]}, (rows, target)))
    if "callbacks" in parameters:
        for k in (1, 2, 4):
            found.append((f"event {k}", {"callbacks": [failing_at(k)]}, (rows, target)))
    return found


def failing_at(k, error=Stop):
    """A callback that fails at the k-th event."""
    events = []

    def fail(event):
        events.append(event)
        if len(events) >= k:
            raise error

    return fail


@pytest.mark.parametrize("name", EVERY_ESTIMATOR)
def test_a_refit_that_fails_changes_nothing(name):
    rows, target = old_rows(name)
    estimator = small(name).fit(rows, target)
    said = estimator.predict(rows)
    for what, changed, given in failures(name):
        original = estimator.get_params(deep=False)
        for parameter, value in changed.items():
            setattr(estimator, parameter, value)
        before = dict(vars(estimator))
        with pytest.raises((ValueError, TypeError, MemoryError, Stop)):
            estimator.fit(*given)
            pytest.fail(what)
        assert list(vars(estimator)) == list(before), what
        assert all(vars(estimator)[key] is before[key] for key in before), what
        for parameter in changed:
            setattr(estimator, parameter, original[parameter])
        assert np.array_equal(estimator.predict(rows), said), what


@pytest.mark.parametrize("name", EVERY_ESTIMATOR)
def test_a_first_fit_that_fails_leaves_it_unfitted(name):
    for what, changed, given in failures(name)[:9]:
        estimator = small(name)
        for parameter, value in changed.items():
            setattr(estimator, parameter, value)
        before = dict(vars(estimator))
        with pytest.raises((ValueError, TypeError, MemoryError, Stop)):
            estimator.fit(*given)
        assert vars(estimator) == before, what
        with pytest.raises(NotFittedError):
            check_is_fitted(estimator)


def calls_of(work, fail_at):
    """Does work; at the `fail_at`-th call of a function of weald's an exception comes up, as that
    of a signal's handler would. How many calls there were.
    """
    here = os.path.dirname(weald.__file__)
    n_calls = 0

    def look(frame, event, argument):
        nonlocal n_calls
        if event == "call" and frame.f_code.co_filename.startswith(here):
            n_calls += 1
            if n_calls == fail_at:
                raise Stop

    sys.setprofile(look)
    try:
        work()
    except Stop:
        pass
    finally:
        sys.setprofile(None)
    return n_calls


@pytest.mark.parametrize("name", EVERY_ESTIMATOR)
def test_what_comes_up_in_the_midst_changes_all_or_nothing(name):
    rows, target = old_rows(name)
    others, labels = other_rows(name)
    estimator = small(name).fit(rows, target)
    anew = copy.deepcopy(estimator)
    before, said = state(estimator), estimator.predict(rows)
    n_calls = calls_of(lambda: anew.fit(others, labels), 0)
    after = state(anew)[1]
    for k in sorted({1, 2, *range(3, n_calls, max(1, n_calls // 20)), n_calls - 1, n_calls}):
        calls_of(partial(estimator.fit, others, labels), k)
        if pickle.dumps(estimator) == after:
            estimator = small(name).fit(rows, target)
            before = state(estimator)
        else:
            assert_unchanged(estimator, before, said, rows)


@pytest.mark.parametrize("name", WITH_CALLBACKS)
def test_an_interrupt_keeps_all_of_what_there_is_or_nothing(name):
    rows, target = old_rows(name)
    others, labels = other_rows(name)
    for k in (1, 2, 4):
        estimator = small(name).fit(rows, target)
        known = set(vars(estimator))

        estimator.set_params(callbacks=[failing_at(k, KeyboardInterrupt)])
        before, said = dict(vars(estimator)), estimator.predict(rows)
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(others, labels)
        assert set(vars(estimator)) == known
        if estimator.model_ is before["model_"]:
            assert np.array_equal(estimator.predict(rows), said)
            assert all(vars(estimator)[key] is before[key] for key in before)
        else:
            assert list(estimator.feature_names_in_) == ["k", "l", "m"]
            assert estimator.n_features_in_ == 3
            if hasattr(estimator, "classes_"):
                assert list(estimator.classes_) == [0, 1, 2]
            assert len(estimator.predict(others)) == 40


def test_a_signal_keeps_all_of_what_there_is():
    rng = np.random.default_rng(0)
    big = pd.DataFrame(rng.normal(size=(20_000, 6)), columns=list("uvwxyz"))
    labels = np.where(big["u"] > 0, "up", "down")
    forest = weald.RandomForestClassifier(100_000, oob_score=True, random_state=0)
    forest.set_params(n_estimators=5).fit(pd.DataFrame(X, columns=list("abcde")), y)
    old = forest.oob_score_
    forest.set_params(n_estimators=100_000)
    threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        forest.fit(big, labels)
    assert list(forest.feature_names_in_) == list("uvwxyz")
    assert list(forest.classes_) == ["down", "up"]
    assert forest.oob_score_ != old and len(forest.oob_decision_function_) == 20_000
    assert forest.n_estimators_ == forest.model_.n_members < 100_000
    assert forest.score(big, labels) > 0.9


def test_warnings_that_are_errors_change_nothing():
    rows, target = old_rows("RandomForestClassifier")
    forest = small("RandomForestClassifier").fit(rows, target)
    before, said = state(forest), forest.predict(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(weald.DataWarning):
            forest.fit(pd.DataFrame({"p": X[:, 0], "q": 1.0}), np.full(len(X), 3))
    assert_unchanged(forest, before, said, rows)


def test_a_metric_or_a_loss_that_fails_changes_nothing():
    rows, target = old_rows("GradientBoostingClassifier")
    boosting = small("GradientBoostingClassifier").fit(rows, target)
    others, labels = other_rows("GradientBoostingClassifier")

    def fail(*_):
        raise Stop

    for changed in (
        {"eval_metric": fail, "early_stopping_rounds": 2},
        {"loss": fail},
        {"loss": "no such loss"},
        {"loss": lambda y, s: (s, s[:3])},
    ):
        boosting.set_params(**{"eval_metric": None, "loss": "auto", **changed})
        before, said = dict(vars(boosting)), boosting.predict(rows)
        with pytest.raises((Stop, ValueError)):
            boosting.fit(others, labels % 2)
        assert all(vars(boosting)[key] is before[key] for key in before)
        assert np.array_equal(boosting.predict(rows), said)
    boosting.set_params(loss="auto", eval_metric=None)
    for given in ({"eval_set": (others, labels)}, {"init_model": boosting}, {"offset": np.ones(3)}):
        before, said = state(boosting), boosting.predict(rows)
        with pytest.raises(ValueError):
            boosting.fit(others, labels + 10, **given)
        assert_unchanged(boosting, before, said, rows)


def test_attributes_of_an_earlier_fit_go_with_it():
    forest = weald.RandomForestClassifier(5, oob_score=True, random_state=0)
    forest.fit(pd.DataFrame(X, columns=list("abcde")), y)
    forest.set_params(oob_score=False).fit(X, y)
    assert not hasattr(forest, "oob_score_") and not hasattr(forest, "feature_names_in_")
    isolation = weald.IsolationForest(5, random_state=0).partial_fit(X)
    isolation.fit(X)
    assert not hasattr(isolation, "recent_scores_") and not hasattr(isolation, "stream_")
    density = weald.DensityForest(5, random_state=0).fit(X)
    density.partial_fit(X)
    assert not hasattr(density, "oob_log_density_") and not hasattr(density, "model_")


# Streams.


def streaming(name):
    if name in WITHOUT_TARGET:
        return made(name, random_state=0, window=64).set_params(n_estimators=4)
    return getattr(weald, name)()


def of_stream(name):
    """A stretch of a stream, and stretches that fail."""
    if name in WITHOUT_TARGET:
        good = (X[:, :3], None)
        return good, [
            (X[:, :2], None),
            (X[:0, :3], None),
            ([["a", "b", "c"]] * 3, None),
        ]
    if name == "ExponentiallyWeightedAverage":
        good = (X[:, :3], X[:, 0].clip(-1, 1))
        late = good[1].copy()
        late[30] = 50.0
        return good, [(X[:, :3], late), (X[:, :2], good[1]), (good[0], np.full(60, np.nan))]
    advice = np.column_stack([y, 1 - y, np.zeros(60, dtype=int)])
    wrong = advice.copy()
    wrong[40] = 7
    truth = y.copy()
    truth[50] = 9
    return (advice, y), [(wrong, y), (advice, truth), (advice[:, :2], y), (advice, y[:-1])]


@pytest.mark.parametrize("name", [*WITHOUT_TARGET, *MASTERS])
def test_a_stretch_of_a_stream_that_fails_changes_nothing(name):
    good, bad = of_stream(name)
    estimator = streaming(name).partial_fit(*good)
    before, said = state(estimator), estimator.predict(good[0])
    for stretch in bad:
        with pytest.raises(ValueError):
            estimator.partial_fit(*stretch)
        assert_unchanged(estimator, before, said, good[0])
        if name in MASTERS and len(stretch[0]) == len(good[0]) == len(stretch[1]):
            continue
        with pytest.raises(ValueError):
            estimator.fit(stretch[0][:0], stretch[1])
        assert_unchanged(estimator, before, said, good[0])
    again = pickle.loads(pickle.dumps(estimator)).partial_fit(*good)
    estimator.partial_fit(*good)
    assert np.array_equal(again.predict(good[0]), estimator.predict(good[0]))
    if name in MASTERS:
        assert again.master_.standing == estimator.master_.standing


def test_parameters_that_turn_bad_in_a_stream():
    isolation = weald.IsolationForest(5, window=32, random_state=0).partial_fit(X)
    before, said = state(isolation), isolation.predict(X)
    for changed in ({"window": "wide"}, {"contamination": 3.0}, {"cuts": "oblique"}, {"n_jobs": 0}):
        good = {key: isolation.get_params()[key] for key in changed}
        isolation.set_params(**changed)
        with pytest.raises(ValueError):
            isolation.partial_fit(X)
        isolation.set_params(**good)
        assert_unchanged(isolation, before, said, X)


def test_an_expert_that_fails_late_changes_nothing():
    master = weald.WeightedMajority(
        experts=[SGDClassifier(random_state=0), Late(random_state=0), weald.NaiveBayes()]
    )
    master.partial_fit(X[:30], y[:30])
    before, said = state(master), master.predict(X)
    late = X[30:].copy()
    late[-1, 0] = 99.0
    with pytest.raises(Stop):
        master.partial_fit(late, y[30:])
    assert_unchanged(master, before, said, X)
    whole = weald.WeightedMajority(
        experts=[SGDClassifier(random_state=0), Late(random_state=0), weald.NaiveBayes()]
    )
    whole.partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    master.partial_fit(X[30:], y[30:])
    assert np.array_equal(master.weights_, whole.weights_)
    assert np.array_equal(master.predict(X), whole.predict(X))


def test_an_array_that_is_filled_anew_teaches_what_it_held():
    def taught(buffer):
        master = weald.WeightedMajority(experts=[TheirTree(random_state=0)])
        for start in range(0, 60, 4):
            stretch = X[start : start + 4]
            if buffer is not None:
                buffer[:] = stretch
                stretch = buffer
            master.partial_fit(stretch, y[start : start + 4], classes=[0, 1])
        return master.predict(X)

    assert np.array_equal(taught(None), taught(np.empty((4, 5))))


# Copies.


@pytest.mark.parametrize("name", [*EVERY_ESTIMATOR, *MASTERS])
def test_copies_are_apart(name):
    if name in MASTERS:
        rows, target = of_stream(name)[0]
        estimator = streaming(name)
    else:
        (rows, target), estimator = old_rows(name), small(name)
    estimator.fit(rows, target)
    said = estimator.predict(rows)
    for copied in (copy.deepcopy(estimator), pickle.loads(pickle.dumps(estimator))):
        check_is_fitted(copied)
        assert list(vars(copied)) == list(vars(estimator))
        assert np.array_equal(copied.predict(rows), said)
        copied.fit(rows[::-1], target[::-1])
        assert np.array_equal(estimator.predict(rows), said)
    shallow = copy.copy(estimator)
    shallow.fit(rows[:50], target[:50])
    assert np.array_equal(estimator.predict(rows), said)


def test_a_callback_may_set_parameters():
    forest = weald.RandomForestRegressor(4, random_state=0)
    forest.set_params(callbacks=[lambda _: forest.set_params(n_jobs=1)])
    forest.fit(X, y)
    assert forest.n_jobs == 1 and forest.n_estimators_ == 4


def test_fit_returns_the_estimator_itself():
    for name in EVERY_ESTIMATOR:
        estimator = small(name)
        assert estimator.fit(X, y) is estimator


def test_other_threads_see_the_old_model_or_the_new_one():
    forest = weald.RandomForestClassifier(3, random_state=0, n_jobs=1).fit(X, np.where(y, "a", "b"))
    wrong = []
    done = threading.Event()

    def look():
        while not done.is_set():
            state = vars(forest)
            if state["model_"].classes != [str(label) for label in state["classes_"]]:
                wrong.append(state)

    looking = threading.Thread(target=look)
    looking.start()
    for k in range(30):
        forest.fit(X, np.where(y, "a", "b") if k % 2 else np.where(y, "up", "down"))
    done.set()
    looking.join()
    assert not wrong
