"""Compares gradient boosting with LightGBM's on public data sets, same settings, same folds.

    bench/run boost_quality [--sets adult,spam] [--folds 5] [--max-rows 1000000] [--output FILE]

100 trees of 31 leaves, rate 0.1, no l2, at least 20 rows per leaf, the same columns as categories
on both sides; LightGBM's handling of categories is at its defaults. Log loss for classes, root
mean squared error for numbers, on K folds (stratified for classes). Test rows of a class that the
other folds do not have are left out. A difference is within noise if it is at most two standard
errors over the folds, or under 1 % of LightGBM's loss. weald diverges if its loss is not finite, or
above both that of the best constant and LightGBM's by a tenth; both diverge if both are above that
of the constant by half.
"""

import argparse
import json
import math
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import lightgbm
import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

import boost_settings
import judge
import machine
import public_data

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = boost_settings.Settings(leaves=31)


@dataclass
class Compared:
    """The losses of weald, of LightGBM and of the best constant, fold by fold."""

    entry: dict
    rows: int
    losses: np.ndarray

    @property
    def difference(self):
        return float(np.mean(self.losses[:, 0] - self.losses[:, 1]))

    @property
    def error(self):
        differences = self.losses[:, 0] - self.losses[:, 1]
        return float(np.std(differences, ddof=1) / math.sqrt(len(differences)))

    @property
    def relative(self):
        return self.difference / max(float(np.mean(self.losses[:, 1])), 1e-12)

    @property
    def verdict(self):
        ours, theirs, constant = self.losses.mean(axis=0)
        if math.isfinite(ours) and min(ours, theirs) > 1.5 * constant:
            return "both diverged"
        if not math.isfinite(ours) or ours > 1.1 * max(theirs, constant):
            return "diverged"
        if abs(self.difference) <= 2 * self.error or abs(self.relative) < 0.01:
            return "within noise"
        return "better" if self.difference < 0 else "worse"


def compared(entry, folds):
    data = public_data.read(entry)
    is_classes = entry["task"] != "regression"
    kind = StratifiedKFold if is_classes else KFold
    parts = kind(folds, shuffle=True, random_state=0).split(data, data["y"])
    losses = []
    for train, test in parts:
        train, test = data.iloc[train], data.iloc[test]
        classes = 0
        if is_classes:
            train, test, classes = known_classes(train, test)
        sides = (ours, theirs, constant)
        truth = test["y"].to_numpy()
        found = [judge.loss(truth, side(train, test, classes), classes) for side in sides]
        losses.append(found)
    return Compared(entry, len(data), np.array(losses))


def known_classes(train, test):
    """Codes of the classes in the training rows, and the test rows that have such."""
    seen = np.unique(train["y"])
    test = test[test["y"].isin(seen)]
    parts = [part.assign(y=np.searchsorted(seen, part["y"])) for part in (train, test)]
    return *parts, len(seen)


def ours(train, test, classes):
    program = str(ROOT / "target/release/weald-bench")
    task = "classification" if classes else "regression"
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{name}" for name in ("train.arrow", "test.arrow", "predictions")]
        public_data.write(train, files[0])
        public_data.write(test, files[1])
        command = [program, files[0], "y", task, "1", "gradient-boosting"]
        command += [*boost_settings.weald(SETTINGS), "--test", files[1], "--predictions", files[2]]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        names = json.loads(done.stdout).get("classes")
        return judge.predictions(files[2], len(test), classes, names)


def theirs(train, test, classes):
    settings = boost_settings.lightgbm(SETTINGS, classes, 1) | {"deterministic": True}
    x, y = train.drop(columns="y"), train["y"].to_numpy()
    model = lightgbm.train(settings, lightgbm.Dataset(x, y), SETTINGS.trees)
    found = model.predict(test.drop(columns="y"))
    return np.column_stack([1 - found, found]) if classes == 2 else found


def constant(train, test, classes):
    if not classes:
        return np.full(len(test), train["y"].mean())
    shares = np.bincount(train["y"], minlength=classes) / len(train)
    return np.tile(shares, (len(test), 1))


def page(results, left_out, folds):
    verdicts = [result.verdict for result in results]
    kinds = ("within noise", "better", "worse", "diverged", "both diverged")
    counts = [f"{verdicts.count(kind)} {kind}" for kind in kinds]
    lines = ["# Gradient boosting against LightGBM: quality at the same settings", ""]
    lines += [
        f"`bench/run boost_quality --folds {folds}`",
        "",
        f"Conditions: {machine.described()}",
    ]
    lines[-1] += f"; LightGBM {lightgbm.__version__}."
    lines += ["", " ".join(__doc__.split("\n\n")[2].split()), ""]
    lines += [f"{len(results)} sets: {', '.join(counts)}."]
    if left_out:
        lines += ["Left out for their size: " + ", ".join(left_out) + "."]
    lines += ["", f"| {' | '.join(HEADS)} |", "|---|---|" + "--:|" * (len(HEADS) - 3) + "---|"]
    return "\n".join([*lines, *map(line, results)]) + "\n"


HEADS = ["set", "task", "rows", "features", "categories", "constant", "weald", "LightGBM"]
HEADS += ["difference", "standard error", "relative", "verdict"]


def line(result):
    entry = result.entry
    ours, theirs, constant = result.losses.mean(axis=0)
    cells = [entry["name"], entry["task"], result.rows, entry["features"]]
    cells += [len(entry["categorical"]), f"{constant:.5g}", f"{ours:.5g}", f"{theirs:.5g}"]
    cells += [f"{result.difference:+.3g}", f"{result.error:.2g}", f"{100 * result.relative:+.1f} %"]
    return "| " + " | ".join(map(str, [*cells, result.verdict])) + " |"


def cost(entry):
    """The smallest first, so that a table that is cut short says most."""
    return entry["rows"] * entry["features"] * max(entry.get("classes", 2) - 1, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", help="names; default: all with classes or numbers to predict")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--max-rows", type=int, default=1_000_000)
    parser.add_argument("--output", type=Path, help="where the record goes; default: printed only")
    args = parser.parse_args()
    build = ["cargo", "build", "--release", "--quiet", "-p", "weald-bench"]
    subprocess.run(build, cwd=ROOT, check=True)
    entries = public_data.entries()
    tasks = ("binary", "multiclass", "regression")
    names = (
        args.sets.split(",") if args.sets else [n for n in entries if entries[n]["task"] in tasks]
    )
    if unknown := [name for name in names if name not in entries]:
        parser.error(f"no such set: {', '.join(unknown)}")
    names = sorted(names, key=lambda name: cost(entries[name]))
    left_out = [name for name in names if entries[name]["rows"] > args.max_rows]
    results = []
    for name in names:
        if name not in left_out:
            results.append(compared(entries[name], args.folds))
            print(line(results[-1]), flush=True)
    record = page(results, left_out, args.folds)
    if args.output:
        args.output.write_text(record)
    else:
        print(record)


if __name__ == "__main__":
    main()
