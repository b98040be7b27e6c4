"""What a change of weald's defaults did to the study: ranks, losses and times before and after.

What was before is a commit, whose record is read, or the label of a trial. All is told of the sets
and splits that both and every peer have fitted.
"""

import argparse
import copy
import json
import subprocess

import numpy as np

import machine
import sides
import splits
import table
from results import BENCH, FOLDERS, Results

SAME = 0.002


def arguments(parser):
    splits.option(parser)
    parser.add_argument("before", help="a commit, or label:NAME")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--output", help="where the page goes besides")


def known_before(args):
    if args.before.startswith("label:"):
        return Results(args.collection, "weald", args.before.removeprefix("label:"))
    file = f"bench/record/{FOLDERS[args.collection]}/weald.json"
    command = ["git", "show", f"{args.before}:{file}"]
    text = subprocess.run(command, cwd=BENCH.parent, check=True, capture_output=True).stdout
    before = copy.copy(Results(args.collection, "weald"))
    before.found = json.loads(text)["found"]
    return before


def page(args):
    peers = {name: Results(args.collection, name) for name in sides.PEERS if name != "constant"}
    peers = {name: side for name, side in peers.items() if side.found}
    ours = {"before": known_before(args), "after": Results(args.collection, "weald")}
    options = argparse.Namespace(collection=args.collection, sets=None, splits=args.splits)
    grid = table.Grid(ours | peers, options)
    ratios = grid.losses[:, 1] / np.maximum(grid.losses[:, 0], 1e-300)
    told = ratios[grid.losses[:, 0] >= table.FLOOR * grid.constant]
    lines = [
        "| | " + " | ".join(ours) + " |",
        "|---|--:|--:|",
        of_ranks(grid, ours),
        f"| losses, geometric mean of {len(told)} ratios | 1 | {np.exp(np.log(told).mean()):.4f} |",
        f"| sets better, worse by more than {100 * SAME:g} % | | "
        f"{(told < 1 - SAME).sum()}, {(told > 1 + SAME).sum()} |",
        "| processor seconds | " + " | ".join(f"{s:.1f}" for s in grid.seconds.sum(0)[:2]) + " |",
    ]
    if args.collection == "made":
        lines += ["", *scores(grid, ours, peers)]
    text = f"{machine.described()}; {len(grid.sets)} sets; before: `{args.before}`"
    return "\n".join(["# Before and after", "", f"Conditions: {text}.", "", *lines]) + "\n"


def of_ranks(grid, ours):
    """Each of both among the peers, without the other."""
    ranks = []
    for column in range(len(ours)):
        alone = copy.copy(grid)
        alone.losses = np.delete(grid.losses, 1 - column, axis=1)
        ranks.append(alone.ranks()[:, 0].mean())
    return "| mean rank | " + " | ".join(f"{rank:.3f}" for rank in ranks) + " |"


def scores(grid, ours, peers):
    """Accuracy or R², where either is more than 1 % behind the best peer."""
    lines = ["| set | before | after | best peer | before behind | after behind |"]
    lines += ["|---|--:|--:|--:|--:|--:|"]
    behind = []
    for name, numbers in grid.splits.items():

        def mean(side, name=name, numbers=numbers):
            return np.mean([side.get(name, n)["score"] for n in numbers])

        best = max(mean(side) for side in peers.values())
        own = [mean(side) for side in ours.values()]
        gaps = [0.0 if "noise_of" in name else (best - score) / best for score in own]
        behind.append([gap > 0.01 for gap in gaps])
        if any(behind[-1]):
            cells = [f"{x:.4f}" for x in [*own, best]] + [f"{100 * gap:.1f} %" for gap in gaps]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    before, after = np.sum(behind, axis=0)
    lines.append(f"| more than 1 % behind | {before} | {after} | of {len(behind)} | | |")
    return lines
