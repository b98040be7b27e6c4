"""Writes scikit-learn's trees on the example data as fixtures for the parity tests.

    python bench/make_parity.py > crates/weald/tests/it/parity/sklearn_trees.json

Best-first trees with as many leaves, up to 20, as can be had without two splits that gain the
same: scikit-learn tries features in random order, so such trees are those that no seed changes.
Any exact tree must find the same splits.
"""

import json
from pathlib import Path

import pandas as pd
import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

DATA = Path(__file__).resolve().parent.parent / "data"
JOBS = [
    ("wine", DecisionTreeClassifier, "gini"),
    ("wine", DecisionTreeClassifier, "entropy"),
    ("wdbc", DecisionTreeClassifier, "gini"),
    ("wdbc", DecisionTreeClassifier, "entropy"),
    ("digits", DecisionTreeClassifier, "gini"),
    ("digits", DecisionTreeClassifier, "entropy"),
    ("diabetes", DecisionTreeRegressor, "squared_error"),
]


def splits(fit):
    inner = fit.tree_.feature >= 0
    pairs = zip(fit.tree_.feature[inner].tolist(), fit.tree_.threshold[inner].tolist(), strict=True)
    return sorted(pairs)


def fixture(name, kind, criterion):
    data = pd.read_csv(DATA / f"{name}.csv")
    x, y = data.drop(columns="target"), data["target"]
    for leaves in range(20, 1, -1):
        fits = [
            kind(criterion=criterion, max_leaf_nodes=leaves, random_state=seed).fit(x, y)
            for seed in range(20)
        ]
        if all(splits(fit) == splits(fits[0]) for fit in fits):
            break
    tree = fits[0].tree_
    ends = tree.feature < 0
    return {
        "set": name,
        "criterion": "variance" if criterion == "squared_error" else criterion,
        "leaves": leaves,
        "splits": splits(fits[0]),
        "cost": float((tree.impurity[ends] * tree.weighted_n_node_samples[ends]).sum()),
    }


if __name__ == "__main__":
    jobs = [fixture(*job) for job in JOBS]
    print(json.dumps({"scikit-learn": sklearn.__version__, "trees": jobs}, indent=1))
