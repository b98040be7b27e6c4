"""Compares one decision tree with scikit-learn's on public data sets, same limits, same splits.

    python bench/tree_quality.py DATA_FOLDER [--splits 5]

DATA_FOLDER holds `index.json` and the sets. Sets without an official split are split 70 / 30 at
random, several times. Only numeric features: scikit-learn's tree takes no categories. Accuracy in
per cent; for regression R2 x 100. scikit-learn draws features in random order, so that equal gains
fall differently with each seed: the mean of three seeds is shown.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

ROOT = Path(__file__).resolve().parent.parent
LIMITS = {
    "full": ({}, []),
    "depth 5": ({"max_depth": 5}, ["max_depth=5"]),
    "leaf 5": ({"min_samples_leaf": 5}, ["min_leaf_rows=5"]),
    "16 leaves": ({"max_leaf_nodes": 16}, ["max_leaves=16"]),
}


def table(folder, entry):
    path = folder / entry["file"]
    data = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    return data.rename(columns={entry["target"]: "target"})


def splits(entry, n_rows, count):
    if entry.get("split"):
        parts = [np.arange(*entry["split"][part]) for part in ("train", "test")]
        return [parts]
    found = []
    for seed in range(count):
        order = np.random.default_rng(seed).permutation(n_rows)
        cut = round(0.7 * n_rows)
        found.append([np.sort(order[:cut]), np.sort(order[cut:])])
    return found


def score(task, truth, predicted):
    if task == "regression":
        truth, predicted = np.asarray(truth, float), np.asarray(predicted, float)
        return 100 * (1 - ((truth - predicted) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())
    return 100 * float((np.asarray(truth, str) == np.asarray(predicted, str)).mean())


def ours(folder, task, train, test, settings):
    kind = "regression" if task == "regression" else "classification"
    files = [folder / name for name in ("train.csv", "test.csv", "model.weald", "out.csv")]
    train.to_csv(files[0], index=False)
    test.drop(columns="target").to_csv(files[1], index=False)
    program = str(ROOT / "target/release/weald")
    options = [word for setting in settings for word in ("--set", setting)]
    command = [program, "train", str(files[0]), "--target", "target", "--task", kind]
    command += ["--method", "decision-tree", "--test", "0", "-o", str(files[2]), *options]
    subprocess.run(command, check=True, capture_output=True)
    with open(files[3], "wb") as out:
        command = [program, "predict", str(files[2]), str(files[1])]
        subprocess.run(command, check=True, stdout=out, stderr=subprocess.DEVNULL)
    return score(task, test["target"], pd.read_csv(files[3], dtype=str)["prediction"])


def theirs(task, train, test, limits):
    kind = DecisionTreeRegressor if task == "regression" else DecisionTreeClassifier
    scores = []
    for seed in range(3):
        tree = kind(random_state=seed, **limits)
        tree.fit(train.drop(columns="target"), train["target"])
        scores.append(score(task, test["target"], tree.predict(test.drop(columns="target"))))
    return float(np.mean(scores))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--tasks", default="binary,multiclass")
    args = parser.parse_args()
    build = ["cargo", "build", "--release", "--quiet", "-p", "weald-cli"]
    subprocess.run(build, cwd=ROOT, check=True)
    sets = [
        entry
        for entry in json.loads((args.data / "index.json").read_text())
        if entry["task"] in args.tasks.split(",") and not entry["categorical"]
    ]
    differences = {name: [] for name in LIMITS}
    print("| set | rows | " + " | ".join(f"{n}: weald | sklearn" for n in LIMITS) + " |")
    print("|---|--:|" + "--:|--:|" * len(LIMITS))
    for entry in sets:
        data = table(args.data, entry)
        cells = []
        for name, (limits, settings) in LIMITS.items():
            pairs = []
            for train_rows, test_rows in splits(entry, len(data), args.splits):
                train, test = data.iloc[train_rows], data.iloc[test_rows]
                with tempfile.TemporaryDirectory() as folder:
                    we = ours(Path(folder), entry["task"], train, test, settings)
                pairs.append((we, theirs(entry["task"], train, test, limits)))
            we, they = np.mean(pairs, axis=0)
            differences[name].append(we - they)
            cells.append(f"{we:.2f} | {they:.2f}")
        print(f"| {entry['name']} | {len(data)} | " + " | ".join(cells) + " |", flush=True)
    print()
    for name, found in differences.items():
        error = np.std(found, ddof=1) / len(found) ** 0.5
        print(f"{name}: mean difference {np.mean(found):+.3f} (standard error {error:.3f})")


if __name__ == "__main__":
    main()
