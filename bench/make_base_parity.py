"""Writes what scikit-learn's simple learners say of the example data, as fixtures for parity tests.

    python bench/make_base_parity.py > crates/weald/tests/it/parity/sklearn_base.json

Columns are made alike first (mean 0, deviation 1), as weald does by itself.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

DATA = Path(__file__).resolve().parent.parent / "data"
# Rows whose predictions are written.
STEP = 7


def read(name):
    data = pd.read_csv(DATA / f"{name}.csv")
    return data.drop(columns="target"), data["target"]


def alike(x):
    return StandardScaler().fit_transform(x)


def ridge(name, alpha):
    x, y = read(name)
    fit = Ridge(alpha=alpha).fit(alike(x), y)
    predicted = fit.predict(alike(x))[::STEP].tolist()
    return {"set": name, "l2": alpha, "coefficients": fit.coef_.tolist(), "predicted": predicted}


def logistic(name, l2):
    x, y = read(name)
    fit = LogisticRegression(C=1 / l2, tol=1e-12, max_iter=100_000).fit(alike(x), y)
    p = fit.predict_proba(alike(x))
    loss = -np.log(p[np.arange(len(y)), np.searchsorted(fit.classes_, y)]).sum()
    return {
        "set": name,
        "l2": l2,
        "objective": float(loss + 0.5 * l2 * (fit.coef_**2).sum()),
        "coefficients": fit.coef_.tolist(),
        "predicted": p[::STEP].tolist(),
    }


def svm(name, l2):
    x, y = read(name)
    fit = SVC(kernel="linear", C=1 / l2, tol=1e-9).fit(alike(x), y)
    signs = np.where(y == fit.classes_[1], 1.0, -1.0)
    hinge = np.maximum(0.0, 1.0 - signs * fit.decision_function(alike(x))).sum()
    objective = float(hinge + 0.5 * l2 * (fit.coef_**2).sum())
    return {"set": name, "l2": l2, "objective": objective}


def naive_bayes(name):
    x, y = read(name)
    fit = GaussianNB().fit(x, y)
    return {"set": name, "predicted": fit.predict_proba(x)[::STEP].tolist()}


if __name__ == "__main__":
    fixtures = {
        "scikit-learn": sklearn.__version__,
        "step": STEP,
        "ridge": [ridge("diabetes", 1.0), ridge("diabetes", 50.0)],
        "logistic": [logistic("wdbc", 1.0), logistic("wine", 1.0), logistic("wine", 20.0)],
        "svm": [svm("wdbc", 1.0), svm("wdbc", 10.0)],
        "naive_bayes": [naive_bayes("wdbc"), naive_bayes("wine")],
    }
    print(json.dumps(fixtures, indent=1))
