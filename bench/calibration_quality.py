"""Measures what calibration does to the probabilities of forests and boosting, on public data sets.

    bench/run calibration_quality [--sets heart,spam] [--folds 2] [--output FILE]

Bases have their defaults and one thread, and are tested on stratified folds; of large sets as
many rows as `--max-rows` says are drawn first. Maps are learned from five folds of the training
rows, for forests also from rows out of the bag (`oob`). Log loss and Brier score (the sum over
classes) are those of scikit-learn; the calibration error is weald's `calibration-error`: 15 bins
of equal width, of the last of two classes, of several that of the predicted class. A map helps on
a set if its mean log loss is lower than the raw one's by more than 1 %, and harms if it is higher
by as much.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

import judge
import machine
import public_data
import quality
from race import build_bench, command

MAPS = ("temperature", "sigmoid", "isotonic")
BASES = {"random forest": "random-forest", "gradient boosting": "gradient-boosting"}
SETS = "heart,saheart,credit_g,pima_diabetes,titanic,oj,adult,spam,vehicle,waveform_esl"
N_BINS = 15
NOTABLE = 0.01


def sides(base):
    """What is measured, by name: the words for weald-bench, from the method on."""
    found = {"raw": [BASES[base]]}
    for name in MAPS:
        found[name] = ["calibration", f"base={BASES[base]}", f"map={name}"]
    if base == "random forest":
        for name in MAPS:
            found[f"{name}, oob"] = [*found[name], "held_out=out-of-bag"]
    return found


def brier(truth, predicted):
    return float(np.mean(((np.eye(predicted.shape[1])[truth] - predicted) ** 2).sum(axis=1)))


def calibration_error(truth, predicted):
    binary = predicted.shape[1] == 2
    said = np.ones(len(truth), int) if binary else predicted.argmax(axis=1)
    p = predicted[np.arange(len(truth)), said]
    bins = np.minimum((p * N_BINS).astype(int), N_BINS - 1)
    excess = np.bincount(bins, weights=(said == truth) - p, minlength=N_BINS)
    return float(np.abs(excess).sum() / len(truth))


def measured(entry, base, folds, max_rows):
    """Log loss, Brier score, calibration error and error rate of each side, over all folds."""
    data = public_data.read(entry)
    if len(data) > max_rows:
        data = data.sample(max_rows, random_state=0).reset_index(drop=True)
    found = {name: [] for name in sides(base)}
    split = StratifiedKFold(folds, shuffle=True, random_state=0).split(data, data["y"])
    for train, test in split:
        train, test, classes = quality.known_classes(data.iloc[train], data.iloc[test])
        truth = test["y"].to_numpy()
        for name, words in sides(base).items():
            said = quality.weald(train, test, classes, words)
            numbers = (
                judge.loss(truth, said, classes),
                brier(truth, said),
                calibration_error(truth, said),
                float(np.mean(said.argmax(axis=1) != truth)),
            )
            found[name].append(numbers)
    return len(data), {name: np.mean(values, axis=0) for name, values in found.items()}


def page(results, names):
    lines = []
    for base in BASES:
        columns = list(sides(base))
        for at, measure in enumerate(
            ("Log loss", "Brier score", "Calibration error", "Error rate")
        ):
            lines += ["", f"## {measure} of {base}", ""]
            lines += [
                f"| set | rows | {' | '.join(columns)} |",
                "|---|--:|" + "--:|" * len(columns),
            ]
            for name in names:
                rows, found = results[base, name]
                cells = [f"{found[side][at]:.4f}" for side in columns]
                lines.append(f"| {name} | {rows} | {' | '.join(cells)} |")
            means = [np.mean([results[base, n][1][side][at] for n in names]) for side in columns]
            lines.append("| mean | | " + " | ".join(f"{mean:.4f}" for mean in means) + " |")
    return lines


def summary(results, names):
    lines = ["| base | map | helps | harms | mean ratio of log losses | of calibration errors |"]
    lines.append("|---|---|--:|--:|--:|--:|")
    for base in BASES:
        for side in list(sides(base))[1:]:
            pairs = [(results[base, n][1][side], results[base, n][1]["raw"]) for n in names]
            losses = np.array([ours[0] / raw[0] for ours, raw in pairs])
            errors = np.array([ours[2] / raw[2] for ours, raw in pairs])
            helps, harms = (losses < 1 - NOTABLE).sum(), (losses > 1 + NOTABLE).sum()
            geometric = [np.exp(np.log(ratios).mean()) for ratios in (losses, errors)]
            cells = [base, side, helps, harms, *(f"{ratio:.3f}" for ratio in geometric)]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--max-rows", type=int, default=1500)
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    build_bench()
    entries = public_data.entries()
    names = [name for name in args.sets.split(",") if name in entries]
    results = {}
    for name in names:
        for base in BASES:
            results[base, name] = measured(entries[name], base, args.folds, args.max_rows)
            losses = {side: round(float(v[0]), 4) for side, v in results[base, name][1].items()}
            print(name, base, losses, flush=True)
    lines = ["# Calibration of forests and boosting", ""]
    lines += [f"`bench/run calibration_quality {command()}`".replace(" `", "`"), ""]
    lines += [f"Conditions: {machine.described()}.", ""]
    lines += [" ".join(__doc__.split("\n\n", 2)[2].split()), "", *summary(results, names)]
    lines += page(results, names)
    if args.output:
        args.output.write_text("\n".join(lines) + "\n")
    print("\n".join(summary(results, names)))


if __name__ == "__main__":
    main()
