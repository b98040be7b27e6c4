"""Races gradient boosting against its peers, each in a process of its own, in turn.

    bench/run boost_race [--jobs dense,small] [--peers lightgbm,xgboost] [--threads 1,2]
        [--repeat 3] [--scale 0.01] [--output FILE]

All sides get the same rows and the same settings (`boost_settings`). A fit counts from numbers in
memory to a model, binning included. The best time of the repetitions counts; medians stand in
brackets. Ratios are peer / weald: above 1, weald is faster, smaller or better. Memory is the most
held while fitting less what was held before; it is taken in a run of its own, in which the
allocator gives back at once what is freed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np

import boost_settings
import judge
import machine
import public_data
from boost_jobs import JOBS, PREDICTING, chosen
from boost_libraries import LIBRARIES
from boost_record import markdown

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
TIMES = ("fit", "predict_seconds", "row_nanoseconds")
GIVES_BACK = {
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "MALLOC_TOP_PAD_": "65536",
}


class Race:
    """One job on one number of threads."""

    def __init__(self, name, folder, parts, threads, settings):
        train, test = parts
        self.name, self.folder, self.threads, self.settings = name, folder, threads, settings
        self.rows, self.columns, self.test_rows = len(train), train.shape[1] - 1, len(test)
        self.truth = test["y"].to_numpy()
        codes = np.issubdtype(self.truth.dtype, np.integer)
        self.classes = int(max(train["y"].max(), test["y"].max())) + 1 if codes else 0
        self.others, self.sides = 0.0, {}

    def run(self, peers, repeat, patience):
        """Every side once for its memory, then all in turn for their times."""
        machine.wait_until_quiet(patience)
        watch = machine.Watch()
        runs = {side: [] for side in ("weald", *peers)}
        for repetition in range(repeat + 1):
            for side, found in runs.items():
                if not found or "error" not in found[0]:
                    found.append(self.once(side, GIVES_BACK if repetition == 0 else {}))
        self.others = watch.share_of_others()
        self.sides = {side: self.judged(side, *found) for side, found in runs.items()}

    def once(self, side, environment):
        files = [str(self.folder / name) for name in ("train.arrow", "test.arrow", side)]
        if side == "weald":
            task = "classification" if self.classes else "regression"
            program = str(ROOT / "target/release/weald-bench")
            command = [program, files[0], "y", task, str(self.threads), "gradient-boosting"]
            command += [*boost_settings.weald(self.settings), "--test", files[1]]
            command += ["--predictions", files[2]]
        else:
            settings = json.dumps(asdict(self.settings))
            command = [sys.executable, str(HERE / "boost_peer.py"), side, *files[:2]]
            command += [str(self.classes), str(self.threads), settings, files[2]]
        own = {"OMP_NUM_THREADS": str(self.threads), "ARROW_DEFAULT_MEMORY_POOL": "system"}
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **own, **environment}
        )
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
            return {"error": lines[-1][:200]}
        return json.loads(done.stdout.splitlines()[-1])

    def judged(self, side, first, *runs):
        """Memory from the first run, times from the others, quality from the last."""
        failed = [run["error"] for run in (first, *runs) if "error" in run]
        if failed:
            return {"error": failed[0]}
        found = {key: runs[-1].get(key) for key in ("version", "trees", "leaves", "predict_rows")}
        if "memory_peak" in first:
            found["memory"] = max(first["memory_peak"] - first["memory_loaded"], 0)
        for key in TIMES:
            if key in runs[0]:
                times = [run[key] for run in runs]
                found[key] = (min(times), statistics.median(times))
        names = runs[-1].get("classes")
        given = judge.predictions(self.folder / side, self.test_rows, self.classes, names)
        found["quality"] = judge.quality(self.truth, given, self.classes)
        return found


def command():
    """The options as given, but for where the record goes."""
    words = sys.argv[1:]
    if "--output" in words:
        at = words.index("--output")
        del words[at : at + 2]
    return " ".join(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", default="all", help=f"all, growth or of {', '.join(JOBS)}")
    parser.add_argument("--peers", help=f"of {', '.join(LIBRARIES)}; default: those of the job")
    parser.add_argument("--threads", default="2,1")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows, to try it out")
    parser.add_argument(
        "--patience", type=float, default=120, help="seconds to wait for other work to end"
    )
    parser.add_argument("--trees", type=int, default=boost_settings.Settings.trees)
    parser.add_argument("--leaves", type=int, default=boost_settings.Settings.leaves)
    parser.add_argument("--output", type=Path, help="where the record goes; default: printed only")
    args = parser.parse_args()
    settings = boost_settings.Settings(trees=args.trees, leaves=args.leaves)
    peers = args.peers.split(",") if args.peers else None
    unknown = set(peers or []) - set(PREDICTING)
    if unknown:
        raise SystemExit(f"no peer {', '.join(sorted(unknown))}: there are {', '.join(PREDICTING)}")
    build = ["cargo", "build", "--release", "--quiet", "-p", "weald-bench"]
    subprocess.run(build, cwd=ROOT, check=True)
    races = []
    for name in chosen(args.jobs.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            parts = JOBS[name].parts(args.scale)
            for part, file in zip(parts, ("train.arrow", "test.arrow"), strict=True):
                public_data.write(part, Path(folder) / file)
            for threads in map(int, args.threads.split(",")):
                race = Race(name, Path(folder), parts, threads, settings)
                race.run(peers or JOBS[name].peers, args.repeat, args.patience)
                races.append(race)
                record = markdown(races, machine.described(), command())
                if args.output:
                    args.output.write_text(record)
                print(markdown(races[-1:]), flush=True)
    if len(races) > 1:
        print(record)


if __name__ == "__main__":
    main()
