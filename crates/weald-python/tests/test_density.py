"""Density forests, as users of scikit-learn's KernelDensity would use them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KernelDensity

import weald


def two_crowds(n=1000, seed=0):
    """Two normal crowds of different widths."""
    rng = np.random.default_rng(seed)
    near = rng.random(n) < 0.5
    return np.where(near[:, None], rng.normal(0, 0.1, (n, 2)), rng.normal(4, 1, (n, 2)))


def test_the_density_integrates_to_one_and_beats_one_kernel_width():
    X, test = two_crowds(), two_crowds(seed=1)
    model = weald.DensityForest(random_state=0).fit(X)
    steps = np.linspace(-30, 30, 1201)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    total = np.exp(model.score_samples(grid)).sum() * (steps[1] - steps[0]) ** 2
    assert 0.97 < total < 1.02, total
    assert model.score(test) == pytest.approx(model.score_samples(test).sum())
    kernels = [KernelDensity(bandwidth=width).fit(X).score(test) for width in (0.1, 0.3, 1.0)]
    assert model.score(test) > max(kernels)
    assert model.oob_log_density_ == pytest.approx(model.score_samples(test).mean(), abs=0.3)


def test_new_rows_are_drawn():
    X = two_crowds()
    model = weald.DensityForest(random_state=0).fit(X)
    drawn = model.sample(4000, random_state=1)
    assert drawn.shape == (4000, 2)
    assert np.allclose(np.median(drawn, axis=0), np.median(X, axis=0), atol=1.0)
    assert abs((drawn < 1).mean() - (X < 1).mean()) < 0.05
    assert np.array_equal(drawn, model.sample(4000, random_state=1))


def test_frames_with_categories_and_missing_values(frame):
    X, _ = frame
    X = X[["size", "colour", "town"]].assign(town=lambda f: f["town"].astype("category"))
    model = weald.DensityForest(random_state=0).fit(X)
    assert np.isfinite(model.score_samples(X)).all()
    drawn = model.sample(500, random_state=0)
    assert list(drawn.columns) == ["size", "colour", "town"]
    assert set(drawn["colour"].dropna()) <= {"red", "green", "blue"}
    assert isinstance(drawn["town"].dtype, pd.CategoricalDtype)
    # A row without a value has the density of what it has: that of all levels added up.
    one = X.iloc[[1, 1, 1, 1]].assign(colour=["red", "green", "blue", None])
    parts = np.exp(model.score_samples(one))
    assert parts[3] == pytest.approx(parts[:3].sum())


def test_the_rarest_rows_are_anomalies():
    X = two_crowds()
    model = weald.DensityForest(contamination=0.02, random_state=0).fit(X)
    assert (model.predict(X) == -1).sum() == 20
    assert model.predict([[1.5, 100.0]]) == [-1]
    assert (weald.DensityForest(random_state=0).fit(X).predict(X) == 1).all()


def test_the_lectures_score_sums_to_one():
    X = two_crowds(200)
    model = weald.DensityForest(keep_depths=True, random_state=0).fit(X)
    scores = model.depth_scores(X)
    assert scores.sum() == pytest.approx(1)
    # Rows of the narrow crowd lie deeper.
    assert scores[X[:, 0] < 0.5].mean() > scores[X[:, 0] > 5].mean()
    with pytest.raises(ValueError, match="depths"):
        weald.DensityForest(random_state=0).fit(X).depth_scores(X)


def test_a_stream_of_numbers():
    rng = np.random.default_rng(0)
    model = weald.DensityForest(50, random_state=0)
    model.partial_fit(rng.normal(size=(3000, 1)))
    at = np.array([[0.0], [2.0]])
    assert np.allclose(model.score_samples(at), -0.5 * at[:, 0] ** 2 - 0.919, atol=0.35)
    model.partial_fit(rng.normal(loc=50, size=(3000, 1)))
    assert model.score_samples([[0.0]]) < -6 < model.score_samples([[50.0]])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"max_samples": 1.5}, "max_samples"),
        ({"min_samples_split": 1}, "min_samples_split"),
        ({"contamination": 0.8}, "contamination"),
    ],
)
def test_bad_parameters_are_told(words, message):
    with pytest.raises(ValueError, match=message):
        weald.DensityForest(**words).fit(two_crowds(50))
    with pytest.raises(NotFittedError):
        weald.DensityForest().sample()
