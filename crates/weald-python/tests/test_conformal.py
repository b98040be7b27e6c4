"""Quantiles moved by held-out rows."""

import numpy as np
import pytest

import weald


def made(n, seed):
    draws = np.random.default_rng(seed)
    X = draws.uniform(size=(n, 4))
    return X, 3 * X[:, 0] + (0.3 + X[:, 1]) * draws.standard_normal(n)


def covered(model, X, y):
    return (y[:, None] <= model.predict(X)).mean(axis=0)


def test_new_rows_are_covered_as_promised(tmp_path):
    X_new, y_new = made(3000, 99)
    found = []
    for seed in range(4):
        model = weald.GradientBoostingRegressor(
            loss="quantile:0.1,0.9", conformal=True, random_state=seed
        )
        model.fit(*made(400, seed))
        found.append(covered(model, X_new, y_new))
    low, high = np.mean(found, axis=0)
    assert 0.06 < low < 0.115 and 0.885 < high < 0.94
    model.save(tmp_path / "bands.weald")
    again = weald.load(tmp_path / "bands.weald")
    np.testing.assert_array_equal(again.predict(X_new), model.predict(X_new))


def test_only_the_start_of_scores_changes():
    X, y = made(300, 5)
    plain, moved = (
        weald.GradientBoostingRegressor(loss="quantile:0.9", conformal=conformal, random_state=0)
        for conformal in (False, True)
    )
    shift = moved.fit(X, y).predict(X) - plain.fit(X, y).predict(X)
    np.testing.assert_allclose(shift, shift[0], rtol=1e-9)
    assert shift[0] > 0


def test_what_cannot_be_promised_is_refused():
    X, y = made(300, 6)
    with pytest.raises(ValueError, match="the loss squared, which has no level"):
        weald.GradientBoostingRegressor(conformal=True).fit(X, y)
    with pytest.raises(ValueError, match="no rows are held out"):
        weald.GradientBoostingRegressor(50, loss="quantile:0.9", conformal=True).fit(X, y)
