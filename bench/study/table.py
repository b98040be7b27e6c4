"""What the study has found, as a page: mean ranks, the worst set, times, and every loss.

A loss is the log loss, or the root mean squared error as a share of that of the best constant; the
mean over the splits that all sides have fitted, up to three. A side's rank on a set is its place
among all sides by that mean, ties sharing theirs. How far a side is above the best is told as a
share of the best loss; where that is below a hundredth of the constant's, of that hundredth,
because nobody needs to know 0.0001 from 0.0002. Seconds are those of the day and machine on which a
side was fitted, which differ: `study_times.md` has sides beside each other.
"""

import argparse

import numpy as np

import machine
import sides
import splits
from results import Results, trials

FLOOR = 0.01
HEADS = {
    "public": ("# Libraries left to their defaults", "", "`bench/run study table`", ""),
    "aside": (
        "# Libraries left to their defaults, on sets kept aside",
        "",
        "`bench/run study table --collection aside`",
        "",
    ),
    "made": (
        "# Libraries left to their defaults, on made tables",
        "",
        "`bench/run study table --collection made`",
        "",
    ),
}
CHOSEN = {
    "public": "weald's defaults were chosen by trials on these sets and splits, which flatters its "
    "place; the peers' were not.",
    "aside": "weald's defaults were not chosen on these sets.",
    "made": "weald's defaults were chosen on these tables too; the peers' were not.",
}


def arguments(parser):
    splits.option(parser)
    parser.add_argument("--sides", help="names; default: all that are known")
    parser.add_argument("--trials", action="store_true", help="also every labelled trial")
    parser.add_argument("--sets", help="names; default: those that all sides have")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--output", help="where the page goes besides")


def known(args):
    """Results by the side's name."""
    names = args.sides.split(",") if args.sides else [*sides.OURS, *sides.PEERS]
    found = {name: Results(args.collection, *name.split(":", 1)) for name in names}
    if args.trials:
        found |= trials(args.collection)
    return {name: side for name, side in found.items() if side.found and name != "constant"}


class Grid:
    """Losses and times: a row for each set, a column for each side."""

    def __init__(self, found, args):
        constant = Results(args.collection, "constant")
        entries = splits.entries(args.collection)
        wanted = args.sets.split(",") if args.sets else list(entries)
        everyone = [*found.values(), constant]

        def known_splits(name):
            return [n for n in range(args.splits) if all(side.get(name, n) for side in everyone)]

        self.splits = {name: numbers for name in wanted if (numbers := known_splits(name))}
        self.sets = list(self.splits)
        self.missing = [name for name in wanted if name not in self.sets]
        self.sides = list(found)
        self.entries = [entries[name] for name in self.sets]

        def mean(side, name, key):
            return np.mean([side.get(name, n)[key] for n in self.splits[name]])

        shape = (len(self.sets), len(self.sides))
        self.losses, self.seconds = np.zeros(shape), np.zeros(shape)
        self.constant = np.array([mean(constant, name, "loss") for name in self.sets])
        for column, side in enumerate(found.values()):
            for row, name in enumerate(self.sets):
                self.losses[row, column] = mean(side, name, "loss")
                self.seconds[row, column] = mean(side, name, "cpu")
        for row, entry in enumerate(self.entries):
            if entry["task"] == "regression":
                self.losses[row] /= self.constant[row]
                self.constant[row] = 1

    def ranks(self):
        below = (self.losses[:, :, None] > self.losses[:, None, :]).sum(axis=2)
        same = (self.losses[:, :, None] == self.losses[:, None, :]).sum(axis=2)
        return below + (same + 1) / 2

    def above_best(self):
        best = self.losses.min(axis=1, keepdims=True)
        return (self.losses - best) / np.maximum(best, FLOOR * self.constant[:, None])


def page(args):
    found = known(args)
    grid = Grid(found, args)
    if not grid.sets:
        raise SystemExit("no set is known for all of these sides: bench/run study run")
    forests = [name for name in grid.sides if name.split(":")[0] in sides.FORESTS]
    lines = list(HEADS[args.collection])
    lines += [f"Conditions: {machine.described()}; one thread for every side.", ""]
    about = splits if args.collection == "public" else splits.COLLECTIONS[args.collection]
    lines += [" ".join([*__doc__.split("\n\n", 1)[1].split(), CHOSEN[args.collection]]), ""]
    lines += [" ".join(about.__doc__.split("\n\n", 1)[1].split()), ""]
    lines += summary(grid, found)
    if len(forests) > 1:
        among = argparse.Namespace(**vars(args) | {"sides": ",".join(forests), "trials": False})
        lines += ["", "## Forests alone", "", *summary(Grid(known(among), args), found)]
    if args.collection == "made":
        lines += ["", "## Accuracy, or R²", "", *scores(grid, found)]
    lines += ["", "## Losses", ""]
    lines += losses(grid)
    if grid.missing:
        lines += ["", f"Not known for all sides: {', '.join(grid.missing)}."]
    for side, result in found.items():
        names = [f"{n} ({limit} s)" for n in result.found if (limit := result.given_up(n))]
        if names:
            lines += ["", f"Given up by {side}: {', '.join(names)}."]
    return "\n".join(lines) + "\n"


def summary(grid, found):
    """A line for each side."""
    ranks, above = grid.ranks(), grid.above_best()
    heads = ["side", "version", "mean rank", "best on", "mean above the best", "worst", "on"]
    heads += ["over 10 %", "seconds", "log10 of seconds, mean"]
    lines = [f"| {' | '.join(heads)} |", "|---|---|" + "--:|" * 4 + "---|" + "--:|" * 3]
    for column in np.argsort(ranks.mean(axis=0)):
        name, shares = grid.sides[column], above[:, column]
        cells = [name, found[name].version, f"{ranks[:, column].mean():.2f}"]
        cells += [int((ranks[:, column] == 1).sum()), f"{100 * np.minimum(shares, 1).mean():.1f} %"]
        cells += [f"{100 * shares.max():.0f} %", grid.sets[shares.argmax()]]
        cells += [int((shares > 0.1).sum()), f"{grid.seconds[:, column].sum():.1f}"]
        cells += [f"{np.log10(grid.seconds[:, column] + 1e-4).mean():.2f}"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def losses(grid):
    heads = ["set", "task", "rows", "features", "splits", *grid.sides]
    lines = [f"| {' | '.join(heads)} |", "|---|---|" + "--:|" * (len(heads) - 2)]
    best = grid.losses.min(axis=1)
    for row, entry in enumerate(grid.entries):
        cells = [entry["name"], entry["task"], min(entry["rows"], splits.MOST_ROWS)]
        cells += [entry["features"], len(grid.splits[entry["name"]])]
        for loss in grid.losses[row]:
            cells.append(f"**{loss:.4f}**" if loss == best[row] else f"{loss:.4f}")
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def scores(grid, found):
    """What users ask for first, and how far weald is behind the best of the others."""
    peers = [name for name in grid.sides if name in sides.PEERS and name not in sides.FORESTS]
    lines = [f"| {' | '.join(['set', *grid.sides, 'weald behind'])} |"]
    lines += ["|---|" + "--:|" * (len(grid.sides) + 1)]
    for name in grid.sets:
        of = {
            side: np.mean([found[side].get(name, n)["score"] for n in grid.splits[name]])
            for side in grid.sides
        }
        best = max(of.values())
        cells = [f"**{score:.4f}**" if score == best else f"{score:.4f}" for score in of.values()]
        behind = max(of[peer] for peer in peers) - of["weald"]
        share = behind / max(of[peer] for peer in peers)
        cells.append("" if behind <= 0 or "noise_of" in name else f"{100 * share:.1f} %")
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return lines
