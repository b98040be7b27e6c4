"""Repeats published results of bagging and random forests, beside scikit-learn.

    bench/run forest_papers [--seeds 5] [--output FILE]

- Spam, official split, 500 trees: forest and bagging (Hastie, Tibshirani & Friedman, chapter 15).
- Letter, official split, 100 trees (Breiman 2001, table 2, has a tenth of the rows at random).
- Boston, the split of the ISLP lab: bagging and six features a node, 100 and 500 trees (James et
  al., chapter 8).
- The error of a forest and of bagging as trees are added, with the time that they take.

`scikit-learn` has the same settings. Every figure is a mean over seeds; in brackets the standard
deviation over them.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import sklearn
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import train_test_split

import judge
import machine
import public_data
from race import ROOT, build_weald, command

THREADS = 2
COUNTS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)


def weald(parts, classes, trees, features, seed):
    """The test error, the out-of-bag error and the seconds of a fit."""
    program = str(ROOT / "target/release/weald-bench")
    task = "classification" if classes else "regression"
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{name}" for name in ("train.arrow", "test.arrow", "predictions")]
        for part, file in zip(parts, files, strict=False):
            public_data.write(part, file)
        words = [program, files[0], "y", task, str(THREADS), "random-forest"]
        words += [f"n_trees={trees}", f"max_features={features}", "--seed", str(seed)]
        words += ["--test", files[1], "--predictions", files[2]]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        said = json.loads(done.stdout)
        found = judge.predictions(files[2], len(parts[1]), classes, said.get("classes"))
    return error(parts[1], found, classes), said.get("out_of_bag_error"), said["fit"]


def scikit_learn(parts, classes, trees, features, seed):
    kind = RandomForestClassifier if classes else RandomForestRegressor
    train, test = parts
    model = kind(trees, max_features=features, n_jobs=THREADS, random_state=seed)
    start = time.perf_counter()
    model.fit(train.drop(columns="y").to_numpy(), train["y"])
    seconds = time.perf_counter() - start
    ask = model.predict_proba if classes else model.predict
    return error(test, ask(test.drop(columns="y").to_numpy()), classes), None, seconds


def error(test, found, classes):
    """The share of wrong classes in percent, or the mean squared error."""
    truth = test["y"].to_numpy()
    if classes:
        return 100 * float(np.mean(found.argmax(axis=1) != truth))
    return float(np.mean((found - truth) ** 2))


def official(name):
    entry = public_data.entries()[name]
    return public_data.parts(entry, public_data.read(entry)), entry.get("classes", 0)


def boston():
    """Without the column `black`, as in the second edition, and in the lab's parts."""
    entry = public_data.entries()["boston"]
    data = public_data.read(entry)
    names = (public_data.FOLDER / entry["file"]).read_text().splitlines()[0].split(",")
    names = [name.strip('"') for name in names if name.strip('"') != entry["target"]]
    data = data.drop(columns=f"x{names.index('black')}")
    return list(train_test_split(data, test_size=0.3, random_state=0)), 0


def jobs():
    """What is fitted: the data, trees, features a node chooses from, what is published."""
    spam, letter, houses = official("spam"), official("letter"), boston()
    features = [part[0][0].shape[1] - 1 for part in (spam, letter, houses)]
    yield "spam, forest", spam, 500, int(features[0] ** 0.5), "4.88 %"
    yield "spam, bagging", spam, 500, features[0], "5.4 %"
    yield "letter, forest", letter, 100, int(features[1] ** 0.5), "3.5 %"
    yield "Boston, bagging", houses, 100, features[2], "14.63"
    yield "Boston, bagging", houses, 500, features[2], "14.61"
    yield "Boston, 6 features", houses, 100, 6, "20.04"


def mean(values):
    values = [value for value in values if value is not None]
    if not values:
        return ""
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.2f} ({spread:.2f})"


def published(seeds):
    heads = ["what", "trees", "features", "published", "weald", "out of bag", "scikit-learn"]
    yield f"| {' | '.join(heads)} |"
    yield "|---|" + "--:|" * (len(heads) - 1)
    for name, (parts, classes), trees, features, known in jobs():
        ours = [weald(parts, classes, trees, features, seed) for seed in range(seeds)]
        theirs = [scikit_learn(parts, classes, trees, features, seed) for seed in range(seeds)]
        out = [o * 100 if classes else o for _, o, _ in ours if o is not None]
        cells = [name, trees, features, known, mean([e for e, _, _ in ours]), mean(out)]
        yield "| " + " | ".join(map(str, [*cells, mean([e for e, _, _ in theirs])])) + " |"


def growth(seeds):
    parts, classes = official("spam")
    columns = parts[0].shape[1] - 1
    heads = ["trees", "forest, %", "out of bag, %", "seconds"]
    heads += ["bagging, %", "out of bag, %", "seconds"]
    yield f"| {' | '.join(heads)} |"
    yield "|--:|" + "--:|" * (len(heads) - 1)
    for trees in COUNTS:
        cells = [trees]
        for features in (int(columns**0.5), columns):
            found = [weald(parts, classes, trees, features, seed) for seed in range(seeds)]
            cells += [mean([e for e, _, _ in found]), mean([100 * o for _, o, _ in found])]
            cells.append(f"{statistics.median([s for _, _, s in found]):.3f}")
        yield "| " + " | ".join(map(str, cells)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--output", type=Path, help="where the record goes; default: printed only")
    args = parser.parse_args()
    build_weald()
    lines = ["# Bagging and random forests: published results", ""]
    lines += [f"`bench/run forest_papers {command()}`".replace(" `", "`"), ""]
    lines += [f"Conditions: {machine.described()}; scikit-learn {sklearn.__version__}.", ""]
    lines += [" ".join(__doc__.split("\n\n")[-1].split()), ""]
    lines += ["Test error in percent; for Boston the mean squared error.", ""]
    lines += [*published(args.seeds), "", "## A forest and bagging as trees are added, spam", ""]
    lines += [f"Medians of the seconds of a fit, {THREADS} threads.", "", *growth(args.seeds)]
    text = "\n".join(lines) + "\n"
    if args.output:
        args.output.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
