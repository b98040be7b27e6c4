"""How good libraries are on new rows when all they are told is the loss, one loss after the other.

    bench/run study losses [--losses quantile:0.1,cox] [--sets boston] [--sides weald] [--splits 3]
    bench/run study losses --sides weald --label slow --set learning_rate=0.03
    bench/run study losses --sides "" --output FILE

Fits what has not been fitted yet and prints what is known: For each loss and peer the geometric
mean, over the sets that both have, of weald's loss on new rows divided by the peer's (below 1:
weald is ahead), each loss the mean over the splits that both have; for quantiles also the share of
new rows at or below them, which should be the level.
"""

import time
import traceback
from pathlib import Path

import numpy as np

import loss_judge
import loss_sets
import loss_sides
import machine
import sides
from results import Results, trials

COLLECTION = "losses"
LOSSES = (*loss_sets.CENTRES, "poisson", "gamma", "tweedie:1.5", "cox", "lambdarank:10")


def arguments(parser):
    parser.add_argument("--losses", default=",".join(LOSSES))
    parser.add_argument("--sets", help="names; default: all of the losses")
    parser.add_argument("--sides", default=",".join(["weald", *loss_sides.PEERS]))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--label", help="the name of a trial")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--fresh", action="store_true", help="fit again what is known")
    parser.add_argument("--output", help="where the page goes besides")


def chosen(args):
    """The sets and losses that are asked for."""
    wanted, names = args.losses.split(","), args.sets and args.sets.split(",")
    known = loss_sets.all_sets()
    if unknown := [name for name in names or [] if name not in known]:
        raise SystemExit(f"not in the study of losses: {', '.join(unknown)}")
    found = [known[name] for name in names or known]
    return [(one, loss) for one in found for loss in one.losses if loss in wanted]


def run(args, words):
    names = [name for name in args.sides.split(",") if name]
    kept = {name: Results(COLLECTION, name, args.label) for name in names}
    data = {}
    for number in range(args.splits):
        for one, loss in chosen(args):
            key = f"{one.name} {loss}"
            todo = [n for n, s in kept.items() if args.fresh or s.tried(key, number) is None]
            if todo and one.name not in data:
                data = {one.name: loss_sets.read(one)}
            for name in todo:
                train, test = loss_sets.split(data[one.name], number)
                side = loss_sides.of(name, words)
                try:
                    found = measured(loss, side, train, test, number)
                except Exception:
                    traceback.print_exc()
                    continue
                if found is None:
                    continue
                kept[name].version = sides.version(name)
                kept[name].put(key, number, found)
                print(f"{key} {number} {kept[name].name} {found}", flush=True)


def measured(loss, side, train, test, seed):
    """What rows that were not trained on say, and processor seconds; nothing without the loss."""
    given = side(loss, train, test, seed)
    if given is None:
        return None
    fit, predict = given
    begun = time.process_time()
    fit()
    cpu = time.process_time() - begun
    said = np.asarray(predict(), dtype="float64").reshape(len(test), -1)[:, 0]
    found = {"loss": round(loss_judge.judge(loss, train, test, said), 9), "cpu": round(cpu, 3)}
    if loss.startswith("quantile"):
        found["covered"] = round(loss_judge.coverage(test, said), 4)
    return found


def page(args):
    found = {name: Results(COLLECTION, name) for name in ["weald", *loss_sides.PEERS]}
    ours, peers = found.pop("weald"), {n: side for n, side in found.items() if n != "constant"}
    lines = [
        "# Libraries given a loss and otherwise left to their defaults",
        "",
        "`bench/run study losses`",
    ]
    versions = ", ".join(f"{name} {side.version}" for name, side in peers.items())
    lines += ["", f"Conditions: {machine.described()}; one thread for every side; {versions}.", ""]
    about = [__doc__.split("prints what is known: ")[1], about_sides()]
    lines += [" ".join(" ".join(about).split())]
    lines += ["", *summary(args, ours, peers), "", "## By set", "", *by_set(args, ours, found)]
    return "\n".join(lines) + "\n"


def about_sides():
    return " ".join(m.__doc__.split("\n\n", 1)[1] for m in (loss_sets, loss_sides, loss_judge))


def mean(side, key, what, splits):
    """Over the splits that are known; NaN if none is."""
    found = [one[what] for number in range(splits) if (one := side.get(key, number))]
    return np.mean(found) if found else np.nan


def relative(ours, theirs, key, splits):
    """Our loss by theirs, each the mean over the splits that both have."""
    both = [n for n in range(splits) if ours.get(key, n) and theirs.get(key, n)]
    sums = [sum(side.get(key, n)["loss"] for n in both) for side in (ours, theirs)]
    return sums[0] / sums[1] if both else np.nan


def summary(args, ours, peers):
    """A line for each loss."""
    heads = ["loss", "sets"]
    for name in peers:
        heads += [f"to {name}", "ahead on", "kept aside"]
    heads += ["covered", *(f"{name} covers" for name in peers)]
    lines = [f"| {' | '.join(heads)} |", "|---|" + "--:|" * (len(heads) - 1)]
    for loss in args.losses.split(","):
        pairs = [(one, loss) for one, its in chosen(args) if its == loss]
        keys = np.array([f"{one.name} {loss}" for one, _ in pairs])
        is_aside = np.array([one.is_aside for one, _ in pairs])
        own = np.array([mean(ours, key, "loss", args.splits) for key in keys])
        if not len(keys) or np.isnan(own).all():
            continue
        cells = [loss, int((~np.isnan(own)).sum())]
        for side in peers.values():
            ratios = np.array([relative(ours, side, key, args.splits) for key in keys])
            known = ~np.isnan(ratios)
            cells += ratio(ratios[known & ~is_aside], True) + ratio(ratios[known & is_aside])
        for side in (ours, *peers.values()):
            cells.append(covered(side, keys, args.splits) if loss.startswith("quantile") else "")
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def covered(side, keys, splits):
    shares = [mean(side, key, "covered", splits) for key in keys]
    return f"{np.nanmean(shares):.3f}"


def ratio(ratios, count=False):
    if not len(ratios):
        return ["", ""] if count else [""]
    mean = f"{np.exp(np.log(ratios).mean()):.3f}"
    return [mean, f"{(ratios < 1).sum()} of {len(ratios)}"] if count else [mean]


def by_set(args, ours, peers):
    heads = ["set", "loss", "weald", *peers, "seconds"]
    heads += [f"{name}'s" for name in peers if name != "constant"]
    lines = [f"| {' | '.join(heads)} |", "|---|---|" + "--:|" * (len(heads) - 2)]
    for one, loss in chosen(args):
        key = f"{one.name} {loss}"
        losses = [mean(side, key, "loss", args.splits) for side in (ours, *peers.values())]
        if np.isnan(losses[0]):
            continue
        best = np.nanmin(losses)
        cells = [one.name + (" (kept aside)" if one.is_aside else ""), loss]
        cells += [
            "" if np.isnan(x) else f"**{x:.4g}**" if x == best else f"{x:.4g}" for x in losses
        ]
        timed = [ours, *(side for name, side in peers.items() if name != "constant")]
        seconds = [mean(side, key, "cpu", args.splits) for side in timed]
        cells += ["" if np.isnan(x) else f"{x:.2f}" for x in seconds]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def trial_lines(args):
    """What labelled trials are worth: their loss by the defaults', and by the peers'."""
    peers = {name: Results(COLLECTION, name) for name in loss_sides.PEERS if name != "constant"}
    lines = []
    for name, trial in trials(COLLECTION).items():
        own = {"weald": Results(COLLECTION, "weald"), **peers}
        shown = summary(args, trial, own)
        lines += ["", f"## {name}", "", *shown] if len(shown) > 2 else []
    return lines


def main(args, words):
    run(args, words)
    text = page(args)
    print(text, *trial_lines(args), sep="\n")
    if args.output:
        Path(args.output).write_text(text)
