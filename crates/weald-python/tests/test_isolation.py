"""Isolation forests, as users of scikit-learn's would use them."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

import weald

CUTS = ("axis", "oblique", "separating")


def cloud(n=1000, n_strange=20, seed=0):
    """Normal rows, and then some that lie far out in all directions."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[-n_strange:] *= 5
    return X, np.arange(n) >= n - n_strange


@pytest.mark.parametrize("cuts", CUTS)
def test_strange_rows_are_found(cuts):
    X, is_strange = cloud()
    model = weald.IsolationForest(cuts=cuts, random_state=0).fit(X)
    assert roc_auc_score(is_strange, -model.score_samples(X)) > 0.97
    assert model.offset_ == -0.5
    assert model.max_samples_ == 256
    assert np.array_equal(model.predict(X) == -1, model.score_samples(X) < -0.5)


def test_scores_are_those_of_scikit_learn_but_for_chance():
    X, _ = cloud()
    ours = weald.IsolationForest(500, random_state=0).fit(X).score_samples(X)
    theirs = sklearn.ensemble.IsolationForest(n_estimators=500, random_state=0).fit(X)
    # Over seeds the mean difference is below 0.01, and scores are between -0.8 and -0.35.
    assert np.abs(ours - theirs.score_samples(X)).mean() < 0.015


def test_the_share_that_is_asked_for_is_flagged():
    X, _ = cloud()
    model = weald.IsolationForest(contamination=0.03, random_state=0)
    assert (model.fit_predict(X) == -1).sum() == 30
    assert (model.decision_function(X) < 0).sum() == 30


@pytest.mark.parametrize("cuts", CUTS)
def test_contributions_add_up_to_the_score(cuts):
    X, _ = cloud(300)
    X[0] = [0, 0, 12, 0]
    model = weald.IsolationForest(cuts=cuts, random_state=0).fit(X)
    parts = model.contributions(X)
    assert parts.shape == X.shape
    assert parts[0].argmax() == 2
    told = np.exp2(model.typical_ + parts.sum(axis=1))
    assert np.allclose(told, -model.score_samples(X), atol=1e-12)
    assert model.path_lengths(X).argmin() == model.score_samples(X).argmin()


@pytest.mark.parametrize("cuts", CUTS)
def test_whole_weights_are_rows_that_stand_there_so_often(cuts):
    X, _ = cloud(400)
    counts = np.random.default_rng(1).integers(0, 4, len(X))
    model = weald.IsolationForest(20, cuts=cuts, contamination=0.1, max_samples=0.5, random_state=0)
    weighted = model.fit(X, sample_weight=counts).decision_function(X)
    repeated = model.fit(np.repeat(X, counts, axis=0)).decision_function(X)
    assert np.array_equal(weighted, repeated)


@pytest.mark.parametrize("cuts", CUTS)
def test_categories_and_missing_values_need_no_preparation(frame, cuts):
    X, _ = frame
    X = pd.concat([X, X.iloc[:1].assign(colour="red", town="Oslo", size=40.0)], ignore_index=True)
    X["town"] = X["town"].astype("category")
    model = weald.IsolationForest(cuts=cuts, random_state=0).fit(X)
    assert model.score_samples(X).argmin() == len(X) - 1
    assert list(X.columns)[model.contributions(X)[-1].argmax()] == "size"


def test_a_saved_model_is_the_same(tmp_path):
    X, _ = cloud()
    model = weald.IsolationForest(random_state=0).fit(X)
    model.save(tmp_path / "m.weald")
    loaded = weald.load(tmp_path / "m.weald")
    assert np.array_equal(loaded.predict(X), -model.score_samples(X))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"max_samples": 0.0}, "max_samples is 0.0"),
        ({"max_samples": 1}, "max_samples"),
        ({"contamination": 0.8}, "contamination"),
        ({"cuts": "diagonal"}, "cuts"),
        ({"max_depth": 0}, "max_depth"),
    ],
)
def test_bad_parameters_are_told(words, message):
    X, _ = cloud(50)
    with pytest.raises(ValueError, match=message):
        weald.IsolationForest(**words).fit(X)


def test_a_stream_is_learned_from_as_it_comes():
    X, is_strange = cloud(6000, 60)
    order = np.random.default_rng(2).permutation(len(X))
    X, is_strange = X[order], is_strange[order]
    model = weald.IsolationForest(50, random_state=0)
    for start in range(0, len(X), 500):
        model.partial_fit(X[start : start + 500])
    assert model.n_samples_seen_ == len(X)
    assert len(model.recent_scores_) == 2048
    batch = weald.IsolationForest(50, random_state=0).fit(X)
    of_stream = roc_auc_score(is_strange, -model.score_samples(X))
    assert of_stream > roc_auc_score(is_strange, -batch.score_samples(X)) - 0.02
    assert np.array_equal(model.predict(X) == -1, model.score_samples(X) < -0.5)
    # However rows are cut into batches.
    once = weald.IsolationForest(50, random_state=0).partial_fit(X)
    assert np.array_equal(once.score_samples(X), model.score_samples(X))


def test_a_stream_forgets_and_adapts():
    rng = np.random.default_rng(3)
    model = weald.IsolationForest(50, window=1000, contamination=0.05, random_state=0)
    model.partial_fit(rng.normal(size=(3000, 3)))
    moved = rng.normal(loc=8, size=(3000, 3))
    assert (model.predict(moved[:100]) == -1).all()
    model.partial_fit(moved)
    assert (model.predict(moved[:1000]) == 1).mean() > 0.9
    assert (model.predict(rng.normal(size=(100, 3))) == -1).all()
    bytes_before = model.stream_.n_bytes
    model.partial_fit(rng.normal(loc=8, size=(5000, 3)))
    assert model.stream_.n_bytes == bytes_before


def test_a_pickled_stream_goes_on(frame):
    X, _ = frame
    model = weald.IsolationForest(20, window=200, max_samples=50, random_state=0).partial_fit(X)
    again = pickle.loads(pickle.dumps(model))
    more = X.assign(town="Trondheim").iloc[::-1]
    for one in (model, again):
        one.partial_fit(more)
    assert np.array_equal(model.score_samples(X), again.score_samples(X))
    assert model.fit(X).score_samples(X).shape == (len(X),)
    assert not hasattr(model, "stream_")


def test_what_a_stream_cannot_do_is_told():
    X, _ = cloud(50)
    with pytest.raises(ValueError, match="cuts"):
        weald.IsolationForest(cuts="oblique").partial_fit(X)
    with pytest.raises(ValueError, match="contamination"):
        weald.IsolationForest(contamination=0.9).partial_fit(X)
    with pytest.raises(ValueError, match="window"):
        weald.IsolationForest(window=0).partial_fit(X)
    model = weald.IsolationForest().partial_fit(X)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2])
    with pytest.raises(NotFittedError):
        model.contributions(X)
