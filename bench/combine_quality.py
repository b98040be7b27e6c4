"""Compares committees of several methods with their best member, on public data sets.

    bench/run combine_quality [--sets heart,spam] [--folds 5] [--output FILE]

Members are a random forest, gradient boosting and a linear model, all with their defaults. Log loss
for classes, root mean squared error for numbers, on K folds (stratified for classes). The best
member is the one with the least mean loss over the test folds, which nobody could know beforehand.
A committee is at least as good if its loss is no higher, or within noise: the difference at most
two standard errors over the folds, or under 1 % of the loss.
"""

import argparse
import math
from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

import judge
import machine
import public_data
import quality
from race import build_weald, command

MEMBERS = {
    "random-forest": ["random-forest"],
    "gradient-boosting": ["gradient-boosting"],
    "linear": ["linear"],
}
COMMITTEES = {
    name: [name] for name in ("voting", "stacking", "super-learner", "ensemble-selection")
}
SETS = (
    "spam,vehicle,credit_g,pima_diabetes,segment,waveform5000,boston,carseats,hitters,diabetes,"
    "la_ozone,bike_sharing"
)


def losses(entry, folds):
    """The loss of each side, fold by fold."""
    data = public_data.read(entry)
    is_classes = entry["task"] != "regression"
    kind = StratifiedKFold if is_classes else KFold
    parts = kind(folds, shuffle=True, random_state=0).split(data, data["y"])
    found = {name: [] for name in MEMBERS | COMMITTEES}
    for train, test in parts:
        train, test = data.iloc[train], data.iloc[test]
        classes = 0
        if is_classes:
            train, test, classes = quality.known_classes(train, test)
        for name, words in (MEMBERS | COMMITTEES).items():
            said = quality.weald(train, test, classes, words)
            found[name].append(judge.loss(test["y"].to_numpy(), said, classes))
    return {name: np.array(values) for name, values in found.items()}


def is_as_good(ours, theirs):
    difference = float(np.mean(ours - theirs))
    error = float(np.std(ours - theirs, ddof=1) / math.sqrt(len(ours)))
    return difference <= max(2 * error, 0.01 * float(np.mean(theirs)), 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--max-rows", type=int, default=25_000)
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    build_weald()
    entries = public_data.entries()
    names = [name for name in args.sets.split(",") if name in entries]
    heads = ["set", "task", "rows", *MEMBERS, *COMMITTEES, "as good as the best member"]
    lines = ["# Committees of several methods against their best member", ""]
    lines += [f"`bench/run combine_quality {command()}`".replace(" `", "`"), ""]
    lines += [f"Conditions: {machine.described()}.", ""]
    lines += [" ".join(__doc__.split("\n\n", 2)[2].split()), ""]
    lines += [f"| {' | '.join(heads)} |", "|---|---|" + "--:|" * (len(heads) - 3) + "---|"]
    wins = dict.fromkeys(COMMITTEES, 0)
    n_sets = 0
    for name in names:
        entry = entries[name]
        if entry["rows"] > args.max_rows:
            continue
        found = losses(entry, args.folds)
        best = min(MEMBERS, key=lambda member: found[member].mean())
        good = [side for side in COMMITTEES if is_as_good(found[side], found[best])]
        for side in good:
            wins[side] += 1
        n_sets += 1
        cells = [f"{found[side].mean():.5g}" for side in MEMBERS | COMMITTEES]
        cells = [name, entry["task"], entry["rows"], *cells, ", ".join(good) or "none"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
        print(lines[-1], flush=True)
    lines += ["", "At least as good as the best member:", ""]
    lines += [f"- {side}: {n} of {n_sets} sets" for side, n in wins.items()]
    text = "\n".join(lines) + "\n"
    if args.output:
        args.output.write_text(text)
    print("\n".join(lines[-6:]))


if __name__ == "__main__":
    main()
