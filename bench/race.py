"""Races a method against its peers, each side in a process of its own, in turn.

All sides get the same rows and the same settings. A fit counts from numbers in memory to a model,
binning included. The best time of the repetitions counts; medians stand in brackets. Ratios are
peer / weald: above 1, weald is faster, smaller or better. Memory is the most held while fitting
less what was held before; it is taken in a run of its own, in which the allocator gives back at
once what is freed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

import judge
import machine
import public_data
from jobs import chosen
from race_record import markdown

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
TIMES = ("fit", "predict_seconds", "row_nanoseconds")
RUST = "weald-rust"
FACTS = ("version", "trees", "leaves", "predict_rows", "model_bytes", "file_bytes")
GIVES_BACK = {
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "MALLOC_TOP_PAD_": "65536",
}


@dataclass(frozen=True)
class Contest:
    """What is raced: `name` begins the names of its modules; `options` adds its own to a parser,
    `settings` makes the settings from them, a job and its number of columns; `weald` gives the
    words for weald-bench, from the method on, for each side that is ours, `weald` the first: all
    race by the Python package, and the first by the library too;
    `prepare` sets up the peers that need it; `quality` judges what is predicted."""

    name: str
    title: str
    about: str
    jobs: dict
    libraries: dict
    options: Callable
    settings: Callable
    weald: Callable
    prepare: Callable = lambda peers: None
    quality: Callable = judge.quality


class Race:
    """One job on one number of threads."""

    def __init__(self, contest, name, folder, parts, threads, settings):
        train, test = parts
        self.contest, self.name, self.folder = contest, name, folder
        self.threads, self.settings = threads, settings
        self.ours = contest.weald(settings)
        self.ours[RUST] = self.ours["weald"]
        self.rows, self.columns, self.test_rows = len(train), train.shape[1] - 1, len(test)
        self.truth = test["y"].to_numpy()
        codes = np.issubdtype(self.truth.dtype, np.integer)
        self.classes = int(max(train["y"].max(), test["y"].max())) + 1 if codes else 0
        self.others, self.sides = 0.0, {}

    def run(self, peers, repeat, seeds, patience):
        """Every side once for its memory, then all in turn for their times, each time with another
        seed as long as there are more."""
        machine.wait_until_quiet(patience)
        watch = machine.Watch()
        runs = {side: [] for side in (*self.ours, *peers)}
        for repetition in range(max(repeat, seeds) + 1):
            for side, found in runs.items():
                if found and "error" in found[-1]:
                    continue
                first = repetition == 0
                seed = 0 if first else (repetition - 1) % seeds
                found.append(self.once(side, seed, GIVES_BACK if first else {}))
        self.others = watch.share_of_others()
        self.sides = {side: judged(*found, seeds=seeds) for side, found in runs.items()}

    def once(self, side, seed, environment):
        files = [str(self.folder / name) for name in ("train.arrow", "test.arrow", side)]
        if side == RUST:
            task = "classification" if self.classes else "regression"
            program = str(ROOT / "target/release/weald-bench")
            command = [program, files[0], "y", task, str(self.threads), *self.ours["weald"]]
            command += ["--seed", str(seed), "--test", files[1], "--predictions", files[2]]
        else:
            settings = asdict(replace(self.settings, seed=seed))
            if side in self.ours:
                settings = {"words": self.ours[side], "seed": seed}
            command = [sys.executable, str(HERE / "peer.py"), self.contest.name, side, *files[:2]]
            command += [str(self.classes), str(self.threads), json.dumps(settings), files[2]]
        own = {"OMP_NUM_THREADS": str(self.threads), "ARROW_DEFAULT_MEMORY_POOL": "system"}
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **own, **environment}
        )
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
            return {"error": lines[-1][:200]}
        found = json.loads(done.stdout.splitlines()[-1])
        given = judge.predictions(files[2], self.test_rows, self.classes, found.get("classes"))
        return found | {"quality": self.contest.quality(self.truth, given, self.classes)}


def judged(first, *runs, seeds):
    """Memory from the first run, times from the others, quality once for each seed."""
    failed = [run["error"] for run in (first, *runs) if "error" in run]
    if failed:
        return {"error": failed[0]}
    found = {key: runs[-1].get(key) for key in FACTS}
    if "memory_peak" in first:
        found["memory"] = max(first["memory_peak"] - first["memory_loaded"], 0)
    for key in TIMES:
        if key in runs[0]:
            times = [run[key] for run in runs]
            found[key] = (min(times), statistics.median(times))
    kinds = runs[0]["quality"]
    found["quality"] = {kind: [run["quality"][kind] for run in runs[:seeds]] for kind in kinds}
    return found


def command():
    """The options as given, but for where the record goes."""
    words = sys.argv[1:]
    if "--output" in words:
        at = words.index("--output")
        del words[at : at + 2]
    return " ".join(words)


def arguments(contest, description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--jobs", default="all", help=f"all or of {', '.join(contest.jobs)}")
    parser.add_argument(
        "--peers", help=f"of {', '.join(contest.libraries)}; default: those of the job"
    )
    parser.add_argument("--threads", default="2,1")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=1, help="how many; quality is their mean")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows, to try it out")
    parser.add_argument(
        "--patience", type=float, default=120, help="seconds to wait for other work to end"
    )
    parser.add_argument("--output", type=Path, help="where the record goes; default: printed only")
    contest.options(parser)
    args = parser.parse_args()
    args.peers = args.peers.split(",") if args.peers else None
    if unknown := set(args.peers or []) - set(contest.libraries):
        there = ", ".join(contest.libraries)
        parser.error(f"no peer {', '.join(sorted(unknown))}: there are {there}")
    if args.repeat < 1 or args.seeds < 1:
        parser.error("--repeat and --seeds are at least 1")
    return args


def run(contest, description):
    args = arguments(contest, description)
    names = chosen(contest.jobs, args.jobs.split(","))
    contest.prepare(args.peers or {peer for name in names for peer in contest.jobs[name].peers})
    build_weald()
    races = []
    for name in names:
        job = contest.jobs[name]
        with tempfile.TemporaryDirectory() as folder:
            parts = job.parts(args.scale)
            for part, file in zip(parts, ("train.arrow", "test.arrow"), strict=True):
                public_data.write(part, Path(folder) / file)
            settings = contest.settings(args, job, parts[0].shape[1] - 1)
            for threads in map(int, args.threads.split(",")):
                race = Race(contest, name, Path(folder), parts, threads, settings)
                race.run(args.peers or job.peers, args.repeat, args.seeds, args.patience)
                races.append(race)
                record = markdown(contest, races, machine.described(), command())
                if args.output:
                    args.output.write_text(record)
                print(markdown(contest, races[-1:]), flush=True)
    if len(races) > 1:
        print(record)


def build_weald():
    build_bench()
    build_python()


def build_bench():
    build = ["cargo", "build", "--release", "--quiet", "-p", "weald-bench"]
    subprocess.run(build, cwd=ROOT, check=True)


def build_python():
    package = ROOT / "crates/weald-python"
    build = [sys.executable, "-m", "maturin", "develop", "--release", "--quiet"]
    prefix = {"VIRTUAL_ENV": sys.prefix}
    subprocess.run(build, cwd=package, check=True, env={**os.environ, **prefix})
