"""Races reading CSV against polars, in separate processes, in turn.

    python bench/csv_race.py [--rows 500000] [--rounds 3] [--threads 2]

Two files: 28 columns of floats with six digits, and a mix of long floats, integers and words.
Each side reads the file three times in one process; the best counts. polars rechunks, since weald
gives contiguous columns too.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent

POLARS = """
import sys, time
import polars
best = 1e9
for _ in range(3):
    start = time.perf_counter()
    polars.read_csv(sys.argv[1]).rechunk()
    best = min(best, time.perf_counter() - start)
print(best)
"""


def floats(rows):
    values = np.random.default_rng(0).normal(size=(rows, 28)).round(6)
    return pd.DataFrame(values, columns=[f"x{i}" for i in range(28)])


def mixed(rows):
    draws = np.random.default_rng(1)
    words = np.array(["ash", "birch", "cedar", "elm", "fir", "oak"])
    columns = {f"long{i}": draws.normal(size=rows) for i in range(8)}
    columns |= {f"whole{i}": draws.integers(0, 10**6, rows) for i in range(8)}
    columns |= {f"word{i}": words[draws.integers(0, 6, rows)] for i in range(4)}
    return pd.DataFrame(columns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    build = ["cargo", "build", "--release", "--quiet", "-p", "weald-io", "--example", "read_csv"]
    subprocess.run(build, cwd=ROOT, check=True)
    reader = str(ROOT / "target/release/examples/read_csv")
    limits = {**os.environ, "POLARS_MAX_THREADS": str(args.threads)}

    def output(command):
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=limits)
        return done.stdout

    with tempfile.TemporaryDirectory() as folder:
        for make in (floats, mixed):
            file = str(Path(folder) / f"{make.__name__}.csv")
            make(args.rows).to_csv(file, index=False)
            megabytes = Path(file).stat().st_size / 1e6
            load = os.getloadavg()[0]
            print(f"{make.__name__}: {args.rows} rows, {megabytes:.0f} MB, load {load:.2f}")
            for _ in range(args.rounds):
                lines = output([reader, file, str(args.threads), "3"]).splitlines()
                ours = min(json.loads(line)["seconds"] for line in lines)
                theirs = float(output([sys.executable, "-c", POLARS, file]))
                ratio = theirs / ours
                print(f"weald {ours:.3f} s   polars {theirs:.3f} s   ratio {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
