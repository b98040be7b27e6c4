"""Writes what scikit-learn's maps make of some probabilities, as fixtures for parity tests.

    python bench/make_calibration_parity.py > crates/weald/tests/it/parity/sklearn_calibration.json

Probabilities are those of a made classifier that is too sure of itself and favours a class. The
maps of several classes are those of each class against the rest, as `CalibratedClassifierCV` fits
them, and a temperature for all.
"""

import json

import numpy as np
import sklearn
from sklearn.calibration import _sigmoid_calibration, _TemperatureScaling
from sklearn.isotonic import IsotonicRegression

DIGITS = 6


def made(n, k, seed):
    """Log odds, classes drawn by them, and what is said: sharper, and shifted."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, k)) * 1.5
    true = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    y = (true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    said = 1.8 * logits + np.linspace(0, 0.7, k)
    said = np.exp(said) / np.exp(said).sum(axis=1, keepdims=True)
    said = said.round(DIGITS)
    said[:, 0] = 1 - said[:, 1:].sum(axis=1)
    return said.clip(0, 1), y


def fixture(n, k, seed):
    p, y = made(n, k, seed)
    classes = [1] if k == 2 else range(k)
    curves = []
    for c in classes:
        rest = p[:, 0] if k == 2 else 1 - p[:, c]
        a, b = _sigmoid_calibration(
            np.log(p[:, c].clip(2**-40)) - np.log(rest.clip(2**-40)), y == c
        )
        fit = IsotonicRegression(out_of_bounds="clip").fit(p[:, c], y == c)
        knots = np.column_stack([fit.X_thresholds_, fit.y_thresholds_])
        curves.append({"slope": -a, "intercept": -b, "knots": knots.round(12).tolist()})
    beta = float(_TemperatureScaling().fit(p, y).beta_)
    return {
        "classes": k,
        "answers": p[:, 1:].round(DIGITS).tolist(),
        "target": y.tolist(),
        "temperature": 1 / beta,
        "curves": curves,
    }


print(
    json.dumps(
        {
            "made_by": f"bench/make_calibration_parity.py, scikit-learn {sklearn.__version__}",
            "sets": [fixture(300, 2, 0), fixture(400, 4, 1)],
        }
    )
)
