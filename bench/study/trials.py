"""Trials beside the defaults, as a page: what each parameter is worth.

    bench/run study trials [--collection aside] [--sides weald] [--splits 3] [--output FILE]

A trial is weald with one or two parameters that are not its defaults (`run --label`). On each set
its loss, the mean over the splits, is divided by that of the defaults; both with a hundredth of the
best constant's loss added, so that sets without errors do not count for more than others. The table
has the geometric mean of these ratios (above 1: worse than the defaults), on how many sets the
trial was better, the worst and the best set, and processor time as a multiple of the defaults'. A
trial that was run before a default changed was run with what the others were then. No default is
chosen by trials on the sets kept aside: they tell whether a choice holds there too.
"""

import numpy as np

import machine
import splits
from results import Results, trials
from table import FLOOR


def arguments(parser):
    splits.option(parser)
    parser.add_argument("--sides", default="weald,weald-forest")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--output", help="where the page goes besides")


def page(args):
    if args.collection == "public":
        lines = ["# What the defaults were chosen by", "", "`bench/run study trials`", ""]
    else:
        lines = ["# Whether choices hold on the sets kept aside", ""]
        lines += [f"`bench/run study trials --collection {args.collection}`", ""]
    lines += [f"Conditions: {machine.described()}; one thread.", ""]
    lines += [" ".join(__doc__.split("\n\n", 2)[2].split()), ""]
    for side in args.sides.split(","):
        lines += [f"## {side}", "", "| trial | sets | ratio | better on | best | worst | time |"]
        lines += ["|---|--:|--:|--:|---|---|--:|"]
        defaults = Results(args.collection, side)
        own = {n: t for n, t in trials(args.collection).items() if n.split(":")[0] == side}
        rows = [row for name, trial in own.items() if (row := line(name, trial, defaults, args))]
        lines += [text for _, text in sorted(rows)]
        lines.append("")
    return "\n".join(lines)


def line(name, trial, defaults, args):
    """The ratio of a trial, and its line; nothing if no set is known for both."""
    constant, numbers = Results(args.collection, "constant"), range(args.splits)
    have = lambda data_set, side: all(side.get(data_set, n) for n in numbers)  # noqa: E731
    sets = [s for s in trial.found if have(s, trial) and have(s, defaults)]
    if not sets:
        return None
    mean = lambda side, s, key: np.mean([side.get(s, n)[key] for n in numbers])  # noqa: E731
    above = np.array([FLOOR * mean(constant, s, "loss") for s in sets])
    losses = [np.array([mean(side, s, "loss") for s in sets]) for side in (trial, defaults)]
    ratios = (losses[0] + above) / (losses[1] + above)
    seconds = [sum(mean(side, s, "cpu") for s in sets) for side in (trial, defaults)]
    ratio = float(np.exp(np.log(ratios).mean()))
    ends = [f"{sets[at]} {ratios[at]:.2f}" for at in (ratios.argmin(), ratios.argmax())]
    cells = [name.split(":")[1], len(sets), f"{ratio:.4f}", int((ratios < 1).sum()), *ends]
    cells.append(f"{seconds[0] / seconds[1]:.2f}")
    return ratio, "| " + " | ".join(map(str, cells)) + " |"
