"""Shows how many labels queries save: a forest that asks for labels, against one given random ones.

    bench/run active_learning [--sets spam,segment] [--repeats 10] [--output FILE]

A public set is cut into a pool (70 %) and test rows (30 %), alike in the classes, anew for each
repeat. A random forest of 100 trees, defaults otherwise, is trained on 20 labelled rows of the
pool, drawn at random such that two classes occur; then it is given the labels of 10 more rows and
trained again, until it has 300. `random` draws them; `tie`, `entropy` and `kl` take those of
`weald.query`. All sides begin with the same rows and test on the same rows. `error` is the share of
test rows that are misclassified, with 300 labels; `labels` is with how many of them the mean error
over the repeats is first at or below that of `random` with 300. A difference is within noise if it
is at most two standard errors over the repeats. It is a simulation: all labels are known.
"""

import argparse
import math
import warnings
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

import machine
import public_data
from race import build_python, command

SETS = ["spam", "kr_vs_kp", "segment", "satimage", "wdbc", "mushroom", "vehicle", "credit_g"]
SIDES = ["random", "tie", "entropy", "kl"]
FIRST, STEP, LAST, TREES = 20, 10, 300, 100


def first_rows(rng, y):
    """Rows to begin with, of two classes at least."""
    while True:
        rows = rng.permutation(len(y))[:FIRST]
        if len(np.unique(y[rows])) > 1:
            return rows


def errors(side, pool, test, seed):
    """The test error with each number of labels."""
    import weald

    # A few rows often make columns constant.
    warnings.simplefilter("ignore", weald.DataWarning)
    (X, y), (X_test, y_test) = pool, test
    rng = np.random.default_rng(seed)
    labelled = first_rows(rng, y)
    found = []
    while True:
        model = weald.RandomForestClassifier(TREES, random_state=seed)
        model.fit(X.iloc[labelled], y[labelled])
        found.append(np.mean(model.predict(X_test) != y_test))
        if len(labelled) >= LAST:
            return found
        others = np.setdiff1d(np.arange(len(y)), labelled)
        if side == "random":
            chosen = rng.permutation(len(others))[:STEP]
        else:
            chosen, _ = weald.query(model, X.iloc[others], STEP, by=side)
        labelled = np.concatenate([labelled, others[chosen]])


def simulated(entry, repeats):
    """Errors by side, repeat and number of labels."""
    data = public_data.read(entry)
    X, y = data.drop(columns="y"), data["y"].to_numpy()
    runs = {side: [] for side in SIDES}
    for seed in range(repeats):
        parts = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
        pool, test = (parts[0], parts[2]), (parts[1], parts[3])
        for side in SIDES:
            runs[side].append(errors(side, pool, test, seed))
    return len(data), {side: np.array(found) for side, found in runs.items()}


def labels_needed(curve, goal):
    """With how many labels a curve is first at or below a goal."""
    there = np.flatnonzero(curve <= goal)
    return str(FIRST + STEP * there[0]) if len(there) else f"over {LAST}"


def verdict(difference):
    error = difference.std(ddof=1) / math.sqrt(len(difference))
    mean = difference.mean()
    sure = "better" if mean < 0 else "worse"
    word = "within noise" if abs(mean) <= 2 * error else sure
    return f"{100 * mean:+.2f} ± {100 * error:.2f}, {word}"


def page(results, repeats):
    lines = ["# Labels that queries save: active learning against random labels", ""]
    lines += [f"`bench/run active_learning {command()}`".replace(" `", "`"), ""]
    lines += [f"Conditions: {machine.described()}; {repeats} repeats.", ""]
    lines += [" ".join(__doc__.split("\n\n", 2)[2].split()), ""]
    heads = ["set", "rows", *(f"error of {side}, %" for side in SIDES)]
    heads += [f"labels, {side}" for side in SIDES[1:]]
    heads += [f"{side} against random, points" for side in SIDES[1:]]
    lines += [f"| {' | '.join(heads)} |", "|---|" + "--:|" * 8 + "---|" * 3]
    for name, (rows, runs) in results.items():
        goal = runs["random"].mean(axis=0)[-1]
        cells = [name, rows, *(f"{100 * runs[side][:, -1].mean():.2f}" for side in SIDES)]
        cells += [labels_needed(runs[side].mean(axis=0), goal) for side in SIDES[1:]]
        last = runs["random"][:, -1]
        cells += [verdict(runs[side][:, -1] - last) for side in SIDES[1:]]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", help="names; default: all")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--output", type=Path, help="where the record goes; default: printed only")
    args = parser.parse_args()
    entries = public_data.entries()
    names = args.sets.split(",") if args.sets else SETS
    if unknown := [name for name in names if name not in entries]:
        raise SystemExit(f"no such set: {', '.join(unknown)}")
    build_python()
    results = {}
    for name in names:
        results[name] = simulated(entries[name], args.repeats)
        last = {side: runs[:, -1].mean() for side, runs in results[name][1].items()}
        print(f"{name}:", ", ".join(f"{side} {e:.4f}" for side, e in last.items()), flush=True)
        if args.output:
            args.output.write_text(page(results, args.repeats))
    if not args.output:
        print(page(results, args.repeats))


if __name__ == "__main__":
    main()
