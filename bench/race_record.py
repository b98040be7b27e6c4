"""The record of a race, as markdown."""

import statistics

ABOUT = """\
Each side in a process of its own, in turn, on the same rows with the same settings; `fit` is from
numbers in memory to a model, binning included; the best of the repetitions, medians in brackets.
Ratios are peer / weald: above 1, weald is faster or smaller. Memory: the most held while fitting
less what was held before, in a run of its own. `weald` is the Python package and `weald-rust` the
library with the same settings. One row: the mean of many calls, by `Model.predict_row` for weald,
by the C interface for single rows for LightGBM, by Python or R for the others, whose own work
counts.
"""

BUSY = 0.05


def markdown(contest, races, machine=None, arguments=""):
    """All races of one contest; with the machine, as a whole page."""
    lines = []
    if machine:
        lines += [f"# {contest.title}", ""]
        lines += [f"`bench/run {contest.name}_race {arguments}`".replace(" `", "`"), ""]
        lines += [
            f"Conditions: {machine}.",
            f"Peers: {versions(races)}.",
            "",
            ABOUT + contest.about,
        ]
        lines += [*summary(races), ""]
    for race in races:
        lines += [*table(race), ""]
    return "\n".join(lines)


def versions(races):
    found = {}
    for race in races:
        for side, result in race.sides.items():
            if result.get("version"):
                found[side] = result["version"]
    return ", ".join(f"{side} {version}" for side, version in found.items())


def summary(races):
    """A line for each race: weald beside the best peer of each kind."""
    lines = ["## Summary", "Each ratio is that of the best peer, which is named.", ""]
    lines.append(
        "| job | threads | weald fit, s | µs per row | fit | predict | one row | memory | saved |"
    )
    lines.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for race in races:
        ours = race.sides["weald"]
        if "error" in ours:
            lines.append(f"| {race.name} | {race.threads} | {ours['error']} |")
            continue
        fit = ours["fit"][0]
        cells = [race.name, race.threads, f"{fit:.3f}", f"{1e6 * fit / race.rows:.2f}"]
        for key in ("fit", "predict_seconds", "row_nanoseconds", "memory", "file_bytes"):
            cells.append(best_of_peers(race, key))
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def best_of_peers(race, key):
    found = [
        (number(result, key), side)
        for side, result in race.sides.items()
        if side not in race.ours and number(result, key) is not None
    ]
    if not found:
        return ""
    value, side = min(found)
    return f"{ratio(value, number(race.sides['weald'], key))} {side}"


def table(race):
    kinds = next((r["quality"] for r in race.sides.values() if "quality" in r), {})
    threads = f"{race.threads} thread" + ("s" if race.threads > 1 else "")
    task = {0: "regression"}.get(race.classes, f"{race.classes} classes")
    lines = [
        f"## {race.name}, {threads}",
        f"{race.rows:,} x {race.columns}, {task}; tested on {race.test_rows:,}. {race.settings}.",
    ]
    if race.others > BUSY:
        share = f"{100 * race.others:.0f} % of the machine"
        lines.append(f"**Times not to be relied on: other work took {share} meanwhile.**")
    columns = ["side", "fit, s", "ratio", "predict, s", "ratio", "one row, µs", "ratio"]
    columns += ["memory, MB", "ratio", "model, MB", "ratio", "saved, MB", *kinds]
    columns += ["trees", "leaves per tree"]
    lines += ["", "| " + " | ".join(columns) + " |", "|---|" + "--:|" * (len(columns) - 1)]
    ours = race.sides["weald"]
    for side, result in race.sides.items():
        if "error" in result:
            lines.append(f"| {side} | failed: {result['error']} |")
            continue
        cells = [side]
        for key, unit in [("fit", 1), ("predict_seconds", 1), ("row_nanoseconds", 1e-3)]:
            cells += [seconds(result.get(key), unit), beside(result, ours, key)]
        for key in ("memory", "model_bytes"):
            cells += [megabytes(result, key), beside(result, ours, key)]
        cells += [megabytes(result, "file_bytes"), *map(spread, result["quality"].values())]
        cells += [str(result["trees"]), f"{result['leaves'] / max(result['trees'], 1):.1f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def number(result, key):
    value = result.get(key)
    return value[0] if isinstance(value, tuple) else value


def megabytes(result, key):
    value = number(result, key)
    return "" if value is None else f"{value / 1e6:.1f}"


def spread(values):
    """The mean over the seeds, and their standard deviation if there are several."""
    mean = f"{statistics.mean(values):.5f}"
    return mean if len(values) == 1 else f"{mean} ± {statistics.stdev(values):.5f}"


def beside(result, ours, key):
    return ratio(number(result, key), number(ours, key))


def ratio(theirs, ours):
    return f"{theirs / ours:.2f}" if theirs is not None and ours else ""


def seconds(pair, unit):
    if pair is None:
        return ""
    best, median = (x * unit for x in pair)
    digits = 1 if unit != 1 else 3
    return f"{best:.{digits}f} ({median:.{digits}f})"
