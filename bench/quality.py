"""Compares sides fold by fold on public data sets, and says whether they differ by more than noise.

A difference is within noise if it is at most two standard errors over the folds, or under 1 % of
the reference's loss. A side diverges if its loss is not finite, or above both that of the best
constant and the reference's by a tenth; both diverge if both are above that of the constant by
half. Test rows of a class that the other folds do not have are left out.
"""

import argparse
import json
import math
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

import judge
import machine
import public_data
from race import ROOT, build_weald, command

TASKS = ("binary", "multiclass", "regression")
VERDICTS = ("within noise", "better", "worse", "diverged", "both diverged")


@dataclass(frozen=True)
class Comparison:
    """`sides` predict, by name, given training rows, test rows and the number of classes (0 for
    numbers); all but the last are compared with the last, by every one of `measures` (as
    `judge.loss`, None where one does not apply)."""

    title: str
    name: str
    about: str
    versions: str
    sides: dict
    measures: dict = field(default_factory=lambda: {"loss": judge.loss})
    takes: Callable = lambda entry: True

    @property
    def reference(self):
        return list(self.sides)[-1]

    @property
    def tables(self):
        """What is compared by what."""
        challengers = list(self.sides)[:-1]
        return [(side, measure) for side in challengers for measure in self.measures]


@dataclass
class Compared:
    """The losses on one set of a side, of the reference and of the best constant, fold by fold."""

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
        """The difference as a share of the reference's loss; NaN if that has none."""
        theirs = float(np.mean(self.losses[:, 1]))
        return self.difference / theirs if theirs > 0 else math.nan

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


def compared(comparison, entry, folds):
    """What was found on one set, for each table that it belongs to."""
    data = public_data.read(entry)
    is_classes = entry["task"] != "regression"
    kind = StratifiedKFold if is_classes else KFold
    parts = kind(folds, shuffle=True, random_state=0).split(data, data["y"])
    losses = {table: [] for table in comparison.tables}
    for train, test in parts:
        train, test = data.iloc[train], data.iloc[test]
        classes = 0
        if is_classes:
            train, test, classes = known_classes(train, test)
        truth = test["y"].to_numpy()
        sides = comparison.sides | {"constant": constant}
        given = {name: side(train, test, classes) for name, side in sides.items()}
        for (side, measure), found in losses.items():
            three = [given[name] for name in (side, comparison.reference, "constant")]
            found.append([comparison.measures[measure](truth, one, classes) for one in three])
    return {
        table: Compared(entry, len(data), np.array(found))
        for table, found in losses.items()
        if None not in found[0]
    }


def known_classes(train, test):
    """Codes of the classes in the training rows, and the test rows that have such."""
    seen = np.unique(train["y"])
    test = test[test["y"].isin(seen)]
    parts = [part.assign(y=np.searchsorted(seen, part["y"])) for part in (train, test)]
    return *parts, len(seen)


def weald(train, test, classes, words):
    """What weald predicts; `words`: those for weald-bench, from the method on."""
    program = str(ROOT / "target/release/weald-bench")
    task = "classification" if classes else "regression"
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{name}" for name in ("train.arrow", "test.arrow", "predictions")]
        public_data.write(train, files[0])
        public_data.write(test, files[1])
        command = [program, files[0], "y", task, "1", *words]
        command += ["--test", files[1], "--predictions", files[2]]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
        names = json.loads(done.stdout).get("classes")
        return judge.predictions(files[2], len(test), classes, names)


def constant(train, test, classes):
    if not classes:
        return np.full(len(test), train["y"].mean())
    shares = np.bincount(train["y"], minlength=classes) / len(train)
    return np.tile(shares, (len(test), 1))


def page(comparison, results, left_out):
    lines = [f"# {comparison.title}", ""]
    lines += [f"`bench/run {comparison.name} {command()}`".replace(" `", "`"), ""]
    lines += [f"Conditions: {machine.described()}; {comparison.versions}.", ""]
    rule = __doc__.split("\n\n", 1)[1]
    lines += [" ".join([*comparison.about.split(), *rule.split()]), ""]
    lines += summary(comparison, results)
    if left_out:
        lines += ["", "Left out for their size: " + ", ".join(left_out) + "."]
    for side, measure in comparison.tables:
        found = [result[side, measure] for result in results if (side, measure) in result]
        heads = ["set", "task", "rows", "features", "categories", "constant", side]
        heads += [comparison.reference, "difference", "standard error", "relative", "verdict"]
        lines += ["", f"## {side} by {measure}", ""]
        lines += [f"| {' | '.join(heads)} |", "|---|---|" + "--:|" * (len(heads) - 3) + "---|"]
        lines += [line(result) for result in found]
    return "\n".join(lines) + "\n"


def summary(comparison, results):
    heads = ["side", "by", "sets", *VERDICTS, "median of relative"]
    lines = [f"| {' | '.join(heads)} |", "|---|---|" + "--:|" * (len(heads) - 2)]
    for table in comparison.tables:
        found = [result[table] for result in results if table in result]
        verdicts = [result.verdict for result in found]
        relative = [r.relative for r in found if not math.isnan(r.relative)]
        cells = [*table, len(found), *(verdicts.count(kind) for kind in VERDICTS)]
        cells.append(f"{100 * np.median(relative):+.2f} %" if relative else "")
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def line(result):
    entry = result.entry
    ours, theirs, constant = result.losses.mean(axis=0)
    cells = [entry["name"], entry["task"], result.rows, entry["features"]]
    cells += [len(entry["categorical"]), f"{constant:.5g}", f"{ours:.5g}", f"{theirs:.5g}"]
    relative = "" if math.isnan(result.relative) else f"{100 * result.relative:+.1f} %"
    cells += [f"{result.difference:+.3g}", f"{result.error:.2g}", relative]
    return "| " + " | ".join(map(str, [*cells, result.verdict])) + " |"


def cost(entry):
    """The smallest first, so that a table that is cut short says most."""
    return entry["rows"] * entry["features"] * max(entry.get("classes", 2) - 1, 1)


def parser(description):
    found = argparse.ArgumentParser(description=description)
    found.add_argument("--sets", help="names; default: all with classes or numbers to predict")
    found.add_argument("--folds", type=int, default=5)
    found.add_argument("--max-rows", type=int, default=1_000_000)
    found.add_argument("--output", type=Path, help="where the record goes; default: printed only")
    return found


def run(comparison, args):
    build_weald()
    entries = public_data.entries()
    names = args.sets.split(",") if args.sets else list(entries)
    if unknown := [name for name in names if name not in entries]:
        raise SystemExit(f"no such set: {', '.join(unknown)}")
    if not args.sets:
        names = [n for n in names if entries[n]["task"] in TASKS and comparison.takes(entries[n])]
    names = sorted(names, key=lambda name: cost(entries[name]))
    left_out = [name for name in names if entries[name]["rows"] > args.max_rows]
    results = []
    for name in names:
        if name in left_out:
            continue
        results.append(compared(comparison, entries[name], args.folds))
        words = [f"{side} by {by}: {x.verdict}" for (side, by), x in results[-1].items()]
        print(f"{name}: {'; '.join(words)}", flush=True)
        if args.output:
            args.output.write_text(page(comparison, results, left_out))
    if not args.output:
        print(page(comparison, results, left_out))
