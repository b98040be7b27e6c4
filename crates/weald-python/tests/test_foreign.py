"""Estimators that are not weald's as members of its committees."""

import _thread
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import BaggingClassifier as TheirBagging
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import weald


@pytest.fixture
def classes():
    X, y = make_classification(
        240, 8, n_informative=5, n_classes=3, flip_y=0.1, class_sep=0.7, random_state=0
    )
    return X, np.array(["ash", "elm", "oak"])[y]


@pytest.fixture
def numbers():
    return make_regression(200, 6, noise=10.0, random_state=0)


class Recorder(RegressorMixin, BaseEstimator):
    """Remembers what it was given, and says the mean."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.X_, self.y_, self.weights_ = X, y, sample_weight
        self.mean_ = np.average(y, weights=sample_weight)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class Unweighted(Recorder):
    def fit(self, X, y):
        return super().fit(X, y)


@parametrize_with_checks(
    [
        weald.BaggingClassifier(estimator=LogisticRegression(), n_estimators=10),
        weald.BaggingRegressor(estimator=Ridge(), n_estimators=10),
        weald.BaggingClassifier(estimator=KNeighborsClassifier(), n_estimators=5, n_jobs=1),
    ],
)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def test_members_are_fitted_on_bags_and_averaged(classes):
    X, y = classes
    ours = weald.BaggingClassifier(LogisticRegression(), 30, random_state=1, oob_score=True)
    ours.fit(X, y)
    assert ours.n_estimators_ == len(ours.estimators_) == 30
    assert all(isinstance(member, LogisticRegression) for member in ours.estimators_)
    by_hand = np.mean([member.predict_proba(X) for member in ours.estimators_], axis=0)
    np.testing.assert_allclose(ours.predict_proba(X), by_hand, rtol=1e-12)
    assert (ours.predict(X) == ours.classes_[by_hand.argmax(axis=1)]).all()
    # As good as scikit-learn's own, within what the draws do.
    theirs = TheirBagging(LogisticRegression(), 30, random_state=1, oob_score=True).fit(X, y)
    assert abs(ours.oob_score_ - theirs.oob_score_) < 0.05
    assert abs(ours.score(X, y) - theirs.score(X, y)) < 0.05


def test_a_base_that_takes_weights_is_given_counts_and_another_one_rows_again(numbers):
    X, y = numbers
    for base in (Recorder(), Unweighted()):
        model = weald.BaggingRegressor(base, 5, random_state=3).fit(X, y)
        for member in model.estimators_:
            weights = np.ones(len(member.y_)) if member.weights_ is None else member.weights_
            assert weights.sum() == len(y)
            assert (weights > 0).all()
            assert set(map(tuple, member.X_)) <= set(map(tuple, X))
            n_distinct = len(np.unique(member.y_))
            assert n_distinct == len(np.unique(y[np.isin(y, member.y_)])) < len(y)
            assert (member.weights_ is None) == isinstance(base, Unweighted)
    weighted = weald.BaggingRegressor(Recorder(), 5, random_state=3).fit(X, y)
    drawn = weald.BaggingRegressor(Unweighted(), 5, random_state=3).fit(X, y)
    # The same bags, said in two ways.
    np.testing.assert_allclose(weighted.predict(X[:3]), drawn.predict(X[:3]), rtol=1e-12)


def test_real_weights_decide_how_often_rows_are_drawn_for_a_base_that_takes_none():
    X, y = np.arange(3000.0).reshape(-1, 1), np.repeat([0.0, 1.0, 2.0], 1000)
    weights = np.repeat([0.0, 0.25, 0.75], 1000)
    model = weald.BaggingRegressor(Unweighted(), 10, bootstrap=False, random_state=0)
    model.fit(X, y, sample_weight=weights)
    for member in model.estimators_:
        share = np.bincount(member.y_.astype(int), minlength=3) / len(member.y_)
        # 2000 draws: a standard deviation of 0.01.
        assert share[0] == 0 and abs(share[2] - 0.75) < 0.05
    assert len({tuple(member.X_[:, 0]) for member in model.estimators_}) == 10
    # Weights that a base takes are passed on as they are.
    model = weald.BaggingRegressor(Recorder(), 2, bootstrap=False).fit(X, y, sample_weight=weights)
    assert (model.estimators_[0].weights_ == weights[1000:]).all()
    assert model.predict(X[:1])[0] == pytest.approx(1.75)


def test_members_have_seeds_of_their_own_and_the_same_on_any_number_of_threads(classes):
    X, y = classes
    base = make_pipeline(StandardScaler(), ExtraTreeClassifier(max_features=1))

    def fit(n_jobs):
        return weald.BaggingClassifier(base, 12, random_state=5, n_jobs=n_jobs).fit(X, y)

    one, four = fit(1), fit(4)
    seeds = [member[-1].random_state for member in one.estimators_]
    assert len(set(seeds)) == 12 and all(isinstance(seed, int) for seed in seeds)
    assert seeds == [member[-1].random_state for member in four.estimators_]
    assert (one.predict_proba(X) == four.predict_proba(X)).all()
    assert base[-1].random_state is None


def test_a_member_that_has_seen_fewer_classes_says_nothing_of_the_others():
    X = np.arange(40.0).reshape(-1, 1)
    y = np.array(["a"] * 37 + ["b", "c", "c"])
    model = weald.BaggingClassifier(DecisionTreeClassifier(), 30, random_state=0).fit(X, y)
    assert {len(member.classes_) for member in model.estimators_} >= {2, 3}
    answers = np.zeros((40, 3))
    for member in model.estimators_:
        answers[:, np.searchsorted(["a", "b", "c"], member.classes_)] += member.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), answers / 30, rtol=1e-12)


def test_a_bag_of_one_class_is_no_error_for_a_base_that_needs_two():
    X = np.arange(12.0).reshape(-1, 1)
    y = np.array([0] * 11 + [1])
    model = weald.BaggingClassifier(LogisticRegression(), 20, random_state=0).fit(X, y)
    kinds = [type(member).__name__ for member in model.estimators_]
    assert "DummyClassifier" in kinds and "LogisticRegression" in kinds
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_base_without_probabilities_votes(classes):
    X, y = classes
    model = weald.BaggingClassifier(RidgeClassifier(), 9, random_state=0).fit(X, y)
    votes = np.stack([member.predict(X) for member in model.estimators_])
    for at, name in enumerate(model.classes_):
        shares = (votes == name).mean(axis=0)
        np.testing.assert_allclose(model.predict_proba(X)[:, at], shares, rtol=1e-12)
    counted = weald.BaggingClassifier(LogisticRegression(), 9, combine="vote", random_state=0)
    assert set(np.round(counted.fit(X, y).predict_proba(X).ravel() * 9, 9)) <= set(range(10))


def test_subspaces_out_of_bag_and_patience_work_as_for_weald_itself(numbers):
    X, y = numbers
    model = weald.BaggingRegressor(
        KNeighborsRegressor(), 200, max_features=0.5, oob_score=True, patience=5, random_state=2
    )
    model.fit(X, y)
    assert 10 <= model.n_estimators_ < 200
    assert len(model.model_.out_of_bag_errors) == model.n_estimators_
    assert all(len(columns) == 3 for columns in model.estimators_features_)
    members = zip(model.estimators_, model.estimators_features_, strict=True)
    by_hand = np.mean([member.predict(X[:, columns]) for member, columns in members], axis=0)
    np.testing.assert_allclose(model.predict(X), by_hand, rtol=1e-12)
    honest = np.mean((model.oob_prediction_ - y) ** 2)
    assert honest == pytest.approx(model.model_.out_of_bag_errors[-1])
    assert model.oob_score_ < model.score(X, y)


def test_several_outputs(numbers):
    X, y = numbers
    both = np.column_stack([y, -2 * y])
    model = weald.BaggingRegressor(LinearRegression(), 5, random_state=0).fit(X, both)
    assert model.predict(X).shape == both.shape
    np.testing.assert_allclose(model.predict(X)[:, 1], -2 * model.predict(X)[:, 0])


def test_frames_keep_names_and_categories(classes):
    X, y = classes
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    kinds = np.where(X[:, 0] > 0, "up", "down").astype(object)
    kinds[::10] = None
    frame["kind"] = pd.Categorical(kinds)
    numbers = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["kind"]), (StandardScaler(), ["a", "b", "c"])
    )
    base = make_pipeline(numbers, LogisticRegression())
    model = weald.BaggingClassifier(base, 5, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.5
    member = model.estimators_[0]
    assert list(member.feature_names_in_) == list(frame.columns)
    levels = member[0].named_transformers_["onehotencoder"].categories_[0]
    assert list(levels[:2]) == ["down", "up"] and pd.isna(levels[2])
    with pytest.warns(weald.DataWarning, match="levels that the model has not seen"):
        model.predict(frame.assign(kind="sideways"))


def test_polars_and_sparse_rows_give_the_same_members(numbers):
    X, y = numbers
    X = np.where(X > 0, X, 0.0)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    expected = weald.BaggingRegressor(Ridge(), 5, random_state=0).fit(frame, y).predict(frame)
    thin = sparse.csr_matrix(X)
    found = weald.BaggingRegressor(Ridge(), 5, random_state=0).fit(thin, y).predict(thin)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    frame = pl.DataFrame(frame.to_dict("list"))
    found = weald.BaggingRegressor(Ridge(), 5, random_state=0).fit(frame, y).predict(frame)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_what_a_member_raises_reaches_the_user_as_it_is(numbers):
    X, y = numbers

    class OddError(Exception):
        pass

    class Fails(Recorder):
        def fit(self, X, y):
            raise OddError("in fit", 7)

    model = weald.BaggingRegressor(Fails(), 10)
    with pytest.raises(OddError) as caught:
        model.fit(X, y)
    assert caught.value.args == ("in fit", 7)
    assert caught.traceback[-1].name == "fit"
    assert not hasattr(model, "model_")
    X = X.copy()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"Input X contains NaN"):
        weald.BaggingRegressor(Ridge(), 10).fit(X, y)
    sound = weald.BaggingRegressor(Ridge(), 10).fit(X[1:], y[1:])
    for _ in range(2):
        with pytest.raises(ValueError, match=r"Input X contains NaN"):
            sound.predict(X)
    assert np.isfinite(sound.predict(X[1:])).all()


def test_what_a_member_raises_when_asked_out_of_the_bag_reaches_the_user(numbers):
    X, y = numbers

    class Mute(Recorder):
        def predict(self, X):
            raise ArithmeticError("no answer")

    with pytest.raises(ArithmeticError, match="no answer"):
        weald.BaggingRegressor(Mute(), 50).fit(X, y)

    class Short(Recorder):
        def predict(self, X):
            return np.zeros(len(X) + 1)

    with pytest.raises(weald.WealdError, match=r"Short.predict returned an array of shape"):
        weald.BaggingRegressor(Short(), 50).fit(X, y)


def test_two_threads_that_predict_have_each_its_own_errors(numbers):
    X, y = numbers
    model = weald.BaggingRegressor(Ridge(), 20, random_state=0).fit(X, y)
    bad = X.copy()
    bad[:, 0] = np.nan
    expected, found = model.predict(X), []

    def ask(rows):
        for _ in range(20):
            try:
                found.append((rows is X, model.predict(rows)))
            except ValueError:
                found.append((rows is X, None))

    threads = [threading.Thread(target=ask, args=(rows,)) for rows in (X, bad, X, bad)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    for is_sound, answer in found:
        assert (answer is not None and (answer == expected).all()) if is_sound else answer is None


def test_ctrl_c_stops_between_members_and_keeps_those_that_are_done(numbers):
    X, y = numbers

    class Slow(Recorder):
        def fit(self, X, y):
            time.sleep(0.05)
            return super().fit(X, y)

    model = weald.BaggingRegressor(Slow(), 1000, random_state=0, n_jobs=2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(1.0, _thread.interrupt_main).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert time.monotonic() - start < 3.0
    assert 1 <= model.n_estimators_ < 1000
    n = model.n_estimators_
    whole = weald.BaggingRegressor(Unweighted(), n, random_state=0).fit(X, y)
    assert (model.predict(X) == whole.predict(X)).all()


def test_members_see_the_settings_of_the_thread_that_called_the_fit(numbers):
    X, y = numbers

    class Watches(Recorder):
        def fit(self, X, y):
            self.config_ = sklearn.get_config()["working_memory"]
            self.errstate_ = np.geterr()["over"]
            return super().fit(X, y)

    with sklearn.config_context(working_memory=77), np.errstate(over="raise"):
        model = weald.BaggingRegressor(Watches(), 4, n_jobs=2).fit(X, y)
    assert [(member.config_, member.errstate_) for member in model.estimators_] == [
        (77, "raise")
    ] * 4


def test_filters_of_warnings_are_after_a_fit_what_they_were_before(numbers):
    X, y = numbers

    class Warns(Recorder):
        def fit(self, X, y):
            warnings.simplefilter("ignore")  # as a thread does that comes between two others
            return super().fit(X, y)

    before = list(warnings.filters)
    weald.BaggingRegressor(Warns(), 4, n_jobs=2).fit(X, y)
    assert list(warnings.filters) == before


def test_pickles_and_clones_but_no_model_files(classes, tmp_path):
    X, y = classes
    model = weald.BaggingClassifier(
        LogisticRegression(), 6, max_features=0.5, oob_score=True, random_state=0
    ).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.model_.out_of_bag_errors == model.model_.out_of_bag_errors
    assert (again.model_.parameters, again.model_.seed) == (model.model_.parameters, 0)
    assert again.model_.parameters["base"] == "LogisticRegression"
    fresh = clone(model).set_params(estimator__C=0.5)
    assert fresh.estimator.C == 0.5 and not hasattr(fresh, "model_")
    with pytest.raises(weald.WealdError, match="cannot hold members of LogisticRegression"):
        model.save(tmp_path / "model.weald")
    assert not list(tmp_path.iterdir())
    with pytest.raises(AttributeError, match="they have no trees"):
        _ = model.feature_importances_
    assert not hasattr(model, "feature_importances_")
    one = model.model_.predict_row(X[0])
    np.testing.assert_allclose(one, model.predict_proba(X[:1])[0], rtol=1e-12)
    assert "6 members" in repr(model.model_) and "leaves" not in model.model_._repr_html_()


def test_a_grid_over_a_parameter_of_the_base(classes):
    X, y = classes
    grid = GridSearchCV(
        weald.BaggingClassifier(LogisticRegression(), 5, random_state=0),
        {"estimator__C": [1e-4, 1.0]},
        cv=2,
    )
    assert grid.fit(X, y).best_params_ == {"estimator__C": 1.0}


def test_a_base_of_weald_is_weald_itself(classes, tmp_path):
    X, y = classes
    base = weald.DecisionTreeClassifier(max_depth=3, n_jobs=2, random_state=9)
    model = weald.BaggingClassifier(base, 7, random_state=0).fit(X, y)
    model.save(tmp_path / "model.weald")
    read = weald.load(tmp_path / "model.weald")
    assert read.parameters["base"] == "decision-tree"
    assert read.parameters["base.max_depth"] == "3"
    boosted = weald.BaggingClassifier(
        weald.GradientBoostingClassifier(5, verbose=1, callbacks=[print]), 3
    )
    assert boosted.fit(X, y).model_.parameters["base.n_trees"] == "5"


def test_class_weights_of_a_base_of_weald_count():
    X, y = make_classification(400, 5, weights=[0.9], flip_y=0.2, random_state=0)
    heavy = {0: 1.0, 1: 20.0}

    def found(base, **more):
        model = weald.BaggingClassifier(base, 10, random_state=0).fit(X, y, **more)
        return model.predict_proba(X)

    tree = weald.DecisionTreeClassifier(max_depth=2)
    plain = found(tree)
    weighted = found(clone(tree).set_params(class_weight=heavy))
    by_rows = found(tree, sample_weight=np.where(y == 1, 20.0, 1.0))
    assert (weighted == by_rows).all()
    assert weighted[:, 1].mean() > plain[:, 1].mean() + 0.2
    forest = weald.RandomForestClassifier(3, max_depth=2, class_weight=heavy)
    assert found(forest)[:, 1].mean() > plain[:, 1].mean() + 0.2
    boosting = weald.GradientBoostingClassifier(5, class_weight="balanced")
    assert found(boosting)[:, 1].mean() > plain[:, 1].mean() + 0.2


def test_a_base_of_weald_with_a_function_is_fitted_as_any_other():
    X, y = make_regression(100, 3, random_state=0)
    base = weald.GradientBoostingRegressor(3, loss=lambda y, s: (s - y, np.ones_like(y)))
    model = weald.BaggingRegressor(base, 3, random_state=0).fit(X, y)
    assert isinstance(model.estimators_[0], weald.GradientBoostingRegressor)


@pytest.mark.parametrize(
    ("base", "error", "words"),
    [
        (LogisticRegression, TypeError, r"the class LogisticRegression; .* an instance"),
        (weald.DecisionTreeClassifier, TypeError, "the class DecisionTreeClassifier"),
        (object(), TypeError, "which has no fit"),
        ("tree", TypeError, "'tree', which has no fit"),
        (StandardScaler(), TypeError, "which has no predict"),
        (Ridge(), ValueError, r"a regressor; BaggingClassifier needs a classifier"),
        (weald.DecisionTreeRegressor(), ValueError, "needs a classifier"),
        (
            weald.DecisionTreeClassifier(categorical_features=[0]),
            ValueError,
            "give it to BaggingClassifier",
        ),
    ],
)
def test_a_bad_base_is_refused(classes, base, error, words):
    with pytest.raises(error, match=words):
        weald.BaggingClassifier(base, 3).fit(*classes)


def test_a_classifier_is_no_base_for_numbers(numbers):
    with pytest.raises(ValueError, match="a classifier; BaggingRegressor needs a regressor"):
        weald.BaggingRegressor(LogisticRegression(), 3).fit(*numbers)


def test_an_unknown_type_of_estimator_may_be_a_base(classes):
    class Untyped(BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.repeat(self.classes_[:1], len(X))

    model = weald.BaggingClassifier(Untyped(), 3).fit(*classes)
    assert (model.predict(classes[0]) == "ash").all()
    assert not isinstance(Untyped(), ClassifierMixin)
