"""The sets of the study and their splits: the same rows for every side.

Every public set with classes or numbers to predict and at least 500 rows; of larger ones 60,000
rows, drawn once. Three quarters of the rows are trained on, anew for each split.
"""

import numpy as np

import aside
import made
import public_data
import quality

COLLECTIONS = {"public": public_data, "aside": aside, "made": made}
LEAST_ROWS = 500
MOST_ROWS = 60_000
TRAINED_ON = 0.75


def entries(collection):
    """What the index says of the sets, by name, the quickest first."""
    found = COLLECTIONS[collection].entries().values()
    found = [e for e in found if e["task"] in quality.TASKS and e["rows"] >= LEAST_ROWS]
    return {entry["name"]: entry for entry in sorted(found, key=quality.cost)}


def read(entry, collection):
    data = COLLECTIONS[collection].read(entry)
    if len(data) > MOST_ROWS:
        data = data.iloc[np.sort(np.random.default_rng(0).permutation(len(data))[:MOST_ROWS])]
    return data.reset_index(drop=True)


def split(entry, data, number):
    """Training rows, test rows, and the number of classes (0 for numbers)."""
    order = np.random.default_rng([1, number]).permutation(len(data))
    if entry["task"] != "regression":  # each class in the same shares, as far as that goes
        order = order[np.argsort(spread(data["y"].to_numpy()[order]), kind="stable")]
    cut = round(TRAINED_ON * len(data))
    train, test = data.iloc[np.sort(order[:cut])], data.iloc[np.sort(order[cut:])]
    if entry["task"] == "regression":
        return train, test, 0
    return quality.known_classes(train, test)


def spread(classes):
    """Where in its class each row stands, as a share of it."""
    places = np.empty(len(classes))
    for code in np.unique(classes):
        rows = np.flatnonzero(classes == code)
        places[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return places


def option(parser):
    """Which sets: those that weald's defaults were chosen on, or those kept aside."""
    parser.add_argument("--collection", choices=COLLECTIONS, default="public")
