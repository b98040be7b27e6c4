"""How good libraries are when left to their defaults, on every public set or on sets kept aside.

    bench/run study run [--sides weald,catboost] [--sets adult,spam] [--splits 3] [--fresh]
    bench/run study run --collection aside --sides catboost --limit 300
    bench/run study run --sides weald --label slow --set learning_rate=0.03
    bench/run study table [--sides weald,catboost,...] [--output FILE]
    bench/run study trials [--sides weald] [--output FILE]
    bench/run study change COMMIT [--collection made] [--output FILE]
    bench/run study losses [--losses quantile:0.1,cox] [--splits 3] [--output FILE]

`run` fits what has not been fitted yet and keeps what it finds; `table` prints what is kept. A
label names a trial: weald with parameters that are not its defaults; `trials` prints what they are
worth; `change` sets a commit's record beside that of today. All take `--collection aside`: sets to
check the defaults by; defaults are not chosen on it.
"""

import one_thread  # noqa: F401

# isort: split
import argparse
import ast
import multiprocessing
import resource
import signal
import time
import traceback
from pathlib import Path

import numpy as np

import change
import judge
import losses
import sides
import splits
import table
import trials
from results import Results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="fit what has not been fitted yet")
    splits.option(run)
    run.add_argument("--sides", default=",".join([*sides.OURS, *sides.PEERS]))
    run.add_argument("--sets", help="names; default: all of the study")
    run.add_argument("--tasks", help="binary, multiclass, regression; default: all")
    run.add_argument("--splits", type=int, default=3)
    run.add_argument("--label", help="the name of a trial")
    run.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    run.add_argument("--fresh", action="store_true", help="fit again what is known")
    run.add_argument("--limit", type=int, help="processor seconds after which a fit is given up")
    shown = commands.add_parser("table", help="print what is known")
    table.arguments(shown)
    trials.arguments(commands.add_parser("trials", help="print what trials are worth"))
    change.arguments(commands.add_parser("change", help="ranks and losses before and after"))
    losses.arguments(commands.add_parser("losses", help="the same, one loss after the other"))
    args = parser.parse_args()
    if args.command == "losses":
        losses.main(args, words(args))
        return
    if args.command != "run":
        text = {"table": table, "trials": trials, "change": change}[args.command].page(args)
        print(text)
        if args.output:
            Path(args.output).write_text(text)
        return
    for number in range(args.splits):
        for entry in chosen(args):
            run_set(entry, number, args)


def chosen(args):
    entries = splits.entries(args.collection)
    if args.tasks:
        entries = {n: e for n, e in entries.items() if e["task"] in args.tasks.split(",")}
    if not args.sets:
        return list(entries.values())
    if unknown := [name for name in args.sets.split(",") if name not in entries]:
        raise SystemExit(f"not in the study: {', '.join(unknown)}")
    return [entries[name] for name in args.sets.split(",")]


def run_set(entry, number, args):
    """All sides on one split of one set."""
    kept = {name: Results(args.collection, name, args.label) for name in args.sides.split(",")}
    todo = [n for n, s in kept.items() if args.fresh or s.tried(entry["name"], number) is None]
    if not todo:
        return
    train, test, classes = splits.split(entry, splits.read(entry, args.collection), number)
    for name in todo:
        given = (sides.of(name, words(args)), train, test, classes, number)
        try:
            found = limited(args.limit, *given) if args.limit else measured(*given)
        except Exception:
            traceback.print_exc()
            continue
        kept[name].version = sides.version(name)
        kept[name].put(entry["name"], number, found)
        print(f"{entry['name']} {number} {kept[name].name} {found}", flush=True)


def words(args):
    """Parameters as Python would read them; what it cannot read is text."""
    found = {}
    for word in args.set:
        name, value = word.split("=", 1)
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            found[name] = value
    return found


def limited(seconds, *given):
    """As `measured`, in a process of its own that is ended after so many seconds of its processor's
    time."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def measure():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        theirs.send(measured(*given))

    child = context.Process(target=measure)
    child.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        child.join()
        if child.exitcode == -signal.SIGXCPU:
            return {"given_up": seconds}
        raise RuntimeError("the fit failed") from None
    finally:
        child.join()


def measured(side, train, test, classes, seed):
    """The loss on the test rows, and seconds of processor time and by the clock for the fit."""
    fit, predict = side(train, test, classes, seed)
    begun, begun_cpu = time.perf_counter(), time.process_time()
    fit()
    cpu, wall = time.process_time() - begun_cpu, time.perf_counter() - begun
    said = np.asarray(predict(), dtype="float64")
    if classes:  # single precision sums to one but nearly
        said = said / said.sum(axis=1, keepdims=True)
    loss = judge.loss(test["y"].to_numpy(), said, classes)
    score = judge.score(test["y"].to_numpy(), said, classes)
    found = {"loss": loss, "score": score, "cpu": cpu, "wall": wall}
    return {key: round(value, 9 if key == "loss" else 4) for key, value in found.items()}


if __name__ == "__main__":
    main()
