"""Compares densities with scikit-learn's, by the likelihood of held-out rows.

    bench/run density_quality [--sets faithful,claw] [--splits 10] [--output FILE]

Public sets are cut into K folds. Times in minutes or seconds have atoms, which a density may
follow or not; where they are `smeared` a number within the rounding was added. Of made sets K
samples are drawn, 1000 rows to train on and 2000 to test. Numbers are mean log densities of test
rows, over the splits, the higher the better. weald has its default settings. `kernel` is
scikit-learn's KernelDensity with a Gaussian kernel, whose width is chosen by five-fold
cross-validation among 20 from 0.01 to 2 standard deviations; `scott` the same with Scott's rule;
`mixture` is GaussianMixture of full covariances with 1 to 10 components, chosen by BIC. All three
are given columns of mean 0 and standard deviation 1, and their densities are turned back. A
difference is within noise if it is at most two standard errors over the splits.
"""

import argparse
import json
import math
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KernelDensity

import machine
import public_data
from race import ROOT, command

TRAIN, TEST = 1000, 2000
SIDES = ["weald", "kernel", "scott", "mixture"]


def normals(parts):
    """Normal distributions in one column: their weights, means and standard deviations."""
    weights, means, widths = map(np.array, zip(*parts, strict=True))

    def draw(rng, n):
        part = rng.choice(len(parts), n, p=weights / weights.sum())
        return (means[part] + widths[part] * rng.standard_normal(n))[:, None]

    return draw


def uniform_and_normal(rng, n):
    is_flat = rng.random(n) < 0.5
    return np.where(is_flat, rng.random(n), 3 + 0.1 * rng.standard_normal(n))[:, None]


def lognormal(rng, n):
    return np.exp(rng.standard_normal((n, 1)))


def heavy(rng, n):
    return rng.standard_t(2, (n, 1))


def rings(rng, n):
    radius = rng.choice([1.0, 3.0], n) + 0.1 * rng.standard_normal(n)
    angle = 2 * np.pi * rng.random(n)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)]


def spirals(rng, n):
    turn = 3 * np.pi * np.sqrt(rng.random(n))
    angle = turn + np.pi * rng.integers(0, 2, n)
    points = np.c_[turn * np.cos(angle), turn * np.sin(angle)]
    return points + 0.2 * rng.standard_normal((n, 2))


def crowds(columns, parts, seed):
    """Round normal distributions of different widths, at random places."""
    made = np.random.default_rng(seed)
    means = 4 * made.standard_normal((parts, columns))
    widths = np.exp(made.standard_normal(parts) - 0.5)

    def draw(rng, n):
        part = rng.integers(0, parts, n)
        return means[part] + widths[part][:, None] * rng.standard_normal((n, columns))

    return draw


MADE = {
    "normal": normals([(1, 0, 1)]),
    "claw": normals([(0.5, 0, 1)] + [(0.1, i / 2 - 1, 0.1) for i in range(5)]),
    "three_widths": normals([(1, 0, 1), (1, 10, 0.1), (1, 14, 0.01)]),
    "uniform_and_normal": uniform_and_normal,
    "lognormal": lognormal,
    "student_t2": heavy,
    "rings": rings,
    "spirals": spirals,
    "crowds_2": crowds(2, 4, 3),
    "crowds_5": crowds(5, 6, 5),
    "crowds_10": crowds(10, 6, 10),
}
MINUTE, SECOND = 1.0, 1 / 60
# The columns of each, and to what they were rounded, if that is to be made good.
PUBLIC = {
    "faithful": ("faithful.csv", {"eruptions": 0, "waiting": 0}),
    "faithful_smeared": ("faithful.csv", {"eruptions": SECOND, "waiting": MINUTE}),
    "waiting": ("faithful.csv", {"waiting": 0}),
    "waiting_smeared": ("faithful.csv", {"waiting": MINUTE}),
    "geyser": ("geyser.csv", {"waiting": 0, "duration": 0}),
    "geyser_smeared": ("geyser.csv", {"waiting": MINUTE, "duration": SECOND}),
    "galaxies": ("galaxies.csv", {"velocity": 0}),
}


def splits(name, n):
    if name in PUBLIC:
        file, columns = PUBLIC[name]
        rows = pd.read_csv(public_data.FOLDER / file)[list(columns)].to_numpy("float64")
        smear = np.random.default_rng(0).random(rows.shape) - 0.5
        rows = rows + smear * list(columns.values())
        for train, test in KFold(n, shuffle=True, random_state=0).split(rows):
            yield rows[train], rows[test]
    else:
        for seed in range(n):
            rng = np.random.default_rng(seed)
            yield MADE[name](rng, TRAIN), MADE[name](rng, TEST)


def weald(train, test, seed):
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/train.arrow", f"{folder}/test.arrow"]
        for rows, file in zip((train, test), files, strict=True):
            names = [f"x{i}" for i in range(rows.shape[1])]
            public_data.write(pd.DataFrame(rows, columns=names), file)
        program = str(ROOT / "target/release/weald-density")
        words = [program, *files, "2", "--seed", str(seed)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(words)}\n{done.stderr}")
        found = json.loads(done.stdout)
        return found["log_density"], found["min_split_rows"]


def theirs(train, test):
    mean, width = train.mean(axis=0), train.std(axis=0)
    train, test = (train - mean) / width, (test - mean) / width
    back = -np.log(width).sum()
    grid = {"bandwidth": np.logspace(-2, math.log10(2), 20)}
    chosen = GridSearchCV(KernelDensity(rtol=1e-4), grid, cv=5).fit(train).best_estimator_
    scott = KernelDensity(bandwidth="scott").fit(train)
    mixtures = [
        GaussianMixture(k, n_init=2, random_state=0).fit(train)
        for k in range(1, 11)
        if k <= len(train)
    ]
    mixture = min(mixtures, key=lambda model: model.bic(train))
    return [model.score_samples(test).mean() + back for model in (chosen, scott, mixture)]


def compared(name, n):
    """The mean log density of each side on each split, weald's cells, and the sizes."""
    found, cells = [], []
    for seed, (train, test) in enumerate(splits(name, n)):
        ours, rows = weald(train, test, seed)
        found.append([ours, *theirs(train, test)])
        cells.append(rows)
    return np.array(found), cells, train.shape


def verdict(difference):
    error = difference.std(ddof=1) / math.sqrt(len(difference))
    mean = difference.mean()
    sure = "better" if mean > 0 else "worse"
    word = "within noise" if abs(mean) <= 2 * error else sure
    return f"{mean:+.3f} ± {error:.3f}, {word}"


def page(results, n):
    lines = ["# Densities against scikit-learn: the likelihood of held-out rows", ""]
    lines += [f"`bench/run density_quality {command()}`".replace(" `", "`"), ""]
    lines += [
        f"Conditions: {machine.described()}; scikit-learn {sklearn.__version__}; K = {n}.",
        "",
    ]
    lines += [" ".join(__doc__.split("\n\n", 2)[2].split()), ""]
    heads = ["set", "rows", "columns", *SIDES, "weald's rows for a split", "against kernel"]
    heads += ["against mixture"]
    lines += [f"| {' | '.join(heads)} |", "|---|" + "--:|" * (len(heads) - 3) + "---|---|"]
    for name, (found, cells, (rows, columns)) in results.items():
        logs = [f"{log:.3f}" for log in found.mean(axis=0)]
        fine = f"{min(cells)} to {max(cells)}"
        against = [verdict(found[:, 0] - found[:, side]) for side in (1, 3)]
        cells = [name, rows, columns, *logs, fine, *against]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", help="names; default: all")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--output", type=Path, help="where the record goes; default: printed only")
    args = parser.parse_args()
    names = args.sets.split(",") if args.sets else [*PUBLIC, *MADE]
    if unknown := [name for name in names if name not in PUBLIC and name not in MADE]:
        raise SystemExit(f"no such set: {', '.join(unknown)}")
    build = [
        "cargo",
        "build",
        "--release",
        "--quiet",
        "-p",
        "weald-bench",
        "--bin",
        "weald-density",
    ]
    subprocess.run(build, cwd=ROOT, check=True)
    results = {}
    for name in names:
        results[name] = compared(name, args.splits)
        means = zip(SIDES, results[name][0].mean(axis=0), strict=True)
        print(f"{name}:", ", ".join(f"{side} {log:.3f}" for side, log in means), flush=True)
        if args.output:
            args.output.write_text(page(results, args.splits))
    if not args.output:
        print(page(results, args.splits))


if __name__ == "__main__":
    main()
