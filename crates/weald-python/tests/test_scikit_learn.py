"""scikit-learn's contract: its own checks, and its tools on weald's estimators."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import weald
from conftest import EVERY_ESTIMATOR, made, numbers


@pytest.mark.parametrize("name", EVERY_ESTIMATOR)
def test_check_estimator_finds_no_failure(name):
    found = check_estimator(made(name), on_skip=None, on_fail="raise")
    assert {one["status"] for one in found} <= {"passed", "skipped"}
    # The first needs an environment variable and another array library; the second a
    # `decision_function`, which trees and forests do not have.
    may_skip = {
        "check_array_api_input",
        "check_classifiers_multilabel_output_format_decision_function",
    }
    assert {one["check_name"] for one in found if one["status"] == "skipped"} <= may_skip


def test_cross_validation_on_frames_with_categories_and_missing_values(frame):
    X, y = frame
    for model in (
        weald.GradientBoostingClassifier(n_estimators=40, random_state=0),
        weald.RandomForestClassifier(n_estimators=40, random_state=0),
    ):
        scores = cross_val_score(model, X, y, cv=4)
        assert scores.mean() > 0.8, scores


def test_grid_search_and_pipelines(frame):
    X, y = frame
    numeric = ["size", "count"]
    scaled = ColumnTransformer([("scale", StandardScaler(), numeric)], remainder="passthrough")
    scaled.set_output(transform="pandas")
    pipeline = make_pipeline(scaled, weald.RandomForestClassifier(n_estimators=20, random_state=0))
    search = GridSearchCV(pipeline, {"randomforestclassifier__max_depth": [2, None]}, cv=3)
    search.fit(X, y)
    assert search.best_score_ > 0.75
    assert search.best_params_ == {"randomforestclassifier__max_depth": None}


def test_calibration_and_permutation_importance(frame):
    X, y = frame
    model = weald.GradientBoostingClassifier(n_estimators=40, random_state=0)
    calibrated = CalibratedClassifierCV(model, cv=3).fit(X, y)
    proba = calibrated.predict_proba(X)
    assert np.allclose(proba.sum(axis=1), 1)
    found = permutation_importance(model.fit(X, y), X, y, n_repeats=3, random_state=0)
    best = X.columns[np.argsort(found.importances_mean)[::-1][:2]]
    assert sorted(best) == ["colour", "size"]


@pytest.mark.parametrize("name", EVERY_ESTIMATOR)
def test_a_pickle_and_a_clone_are_the_same_model(name):
    X, y = numbers(80)
    model = made(name, random_state=3).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict(X), again.predict(X))
    assert model.model_._core.to_bytes() == again.model_._core.to_bytes()
    anew = clone(model).fit(X, y)
    assert model.model_._core.to_bytes() == anew.model_._core.to_bytes()


def test_a_pickle_holds_the_bytes_of_the_model_file(tmp_path):
    X, y = numbers(80)
    model = weald.RandomForestClassifier(10, random_state=3).fit(X, y)
    model.save(tmp_path / "m.weald")
    assert (tmp_path / "m.weald").read_bytes() in pickle.dumps(model.model_)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_seed_gives_the_same_bytes_on_any_number_of_threads(threads):
    X, y = numbers(500)
    for name in EVERY_ESTIMATOR:
        make = getattr(weald, name)
        one = make(random_state=7, n_jobs=1).fit(X, y).model_._core.to_bytes()
        assert make(random_state=7, n_jobs=threads).fit(X, y).model_._core.to_bytes() == one


def test_random_states_of_every_kind():
    X, y = numbers(100)

    def fitted(state):
        return weald.RandomForestClassifier(5, random_state=state).fit(X, y).model_._core.to_bytes()

    assert fitted(5) == fitted(np.int64(5))
    assert fitted(np.random.RandomState(5)) == fitted(np.random.RandomState(5))
    assert fitted(np.random.default_rng(5)) == fitted(np.random.default_rng(5))
    state = np.random.RandomState(5)
    assert fitted(state) != fitted(state)
    assert fitted(None) != fitted(None)


def test_weights_change_the_model_and_are_routed():
    import sklearn

    X, y = numbers(200)
    weights = np.where(y == 1, 5.0, 0.5)
    plain = weald.GradientBoostingClassifier(n_estimators=5, random_state=0)
    before = plain.fit(X, y).predict_proba(X)[:, 1].mean()
    after = plain.fit(X, y, sample_weight=weights).predict_proba(X)[:, 1].mean()
    assert after > before + 0.05
    with sklearn.config_context(enable_metadata_routing=True):
        routed = plain.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(routed, {"max_leaves": [4]}, cv=2)
        search.fit(X, y, sample_weight=weights)
        assert search.best_estimator_.predict_proba(X)[:, 1].mean() > before + 0.05


def test_transformed_output_and_names(frame):
    X, y = frame
    model = weald.RandomForestClassifier(5, random_state=0).fit(X, y)
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.n_features_in_ == 6
    assert list(model.classes_) == ["no", "yes"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="yet now missing"):
        model.predict(X.drop(columns="size"))
