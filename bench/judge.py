"""How good predictions are, by one judge for all sides: scikit-learn's definitions."""

import numpy as np
from sklearn import metrics


def predictions(file, rows, classes=None, names=None):
    """What a side has written: numbers, or a probability for each class, in the order of their
    codes. `names`: the codes in the order of the side's own columns."""
    found = np.fromfile(file, dtype="<f8").reshape(rows, -1)
    if not classes:
        return found[:, 0]
    if found.shape[1] == 1:
        found = np.column_stack([1 - found[:, 0], found[:, 0]])
    if names is not None:
        ordered = np.zeros((rows, classes))
        ordered[:, [int(float(name)) for name in names]] = found
        found = ordered
    return found / found.sum(axis=1, keepdims=True)  # single precision sums to one but nearly


def loss(truth, predicted, classes):
    """What the fits make small on new rows: the log loss, or the root mean squared error."""
    if not classes:
        return float(np.sqrt(np.mean((truth - predicted) ** 2)))
    return float(metrics.log_loss(truth, predicted, labels=range(classes)))


def score(truth, predicted, classes):
    """What users ask for first: the accuracy, or R²."""
    if not classes:
        return float(metrics.r2_score(truth, predicted))
    return float(np.mean(predicted.argmax(axis=1) == truth))


def quality(truth, predicted, classes):
    """The measures of a race's table, by name."""
    if not classes:
        return {"RMSE": loss(truth, predicted, 0), "R2": float(metrics.r2_score(truth, predicted))}
    found = {"log loss": loss(truth, predicted, classes)}
    if classes == 2:
        found["AUC"] = float(metrics.roc_auc_score(truth, predicted[:, 1]))
    found["accuracy"] = float(np.mean(predicted.argmax(axis=1) == truth))
    return found
