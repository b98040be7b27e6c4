"""Races one decision tree against scikit-learn's on made numbers, in separate processes, in turn.

    python bench/tree_race.py [--rows 500000] [--rounds 3] [--task classification] [--threads 2]

Both sides grow a full tree by Gini (or variance) on the same rows; times are of the fit alone.
scikit-learn's tree uses one thread, which is all it can.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from made_data import made

ROOT = Path(__file__).resolve().parent.parent

SKLEARN = """
import json, sys, time
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
file, task, leaf = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = pd.read_parquet(file)
x, y = data.drop(columns="y").to_numpy("float32"), data["y"].to_numpy()
kind = DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor
tree = kind(min_samples_leaf=leaf, random_state=0)
start = time.perf_counter()
tree.fit(x, y)
print(json.dumps({"fit": time.perf_counter() - start, "nodes": int(tree.tree_.node_count)}))
"""


def run(command, **environment):
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--min-leaf", type=int, default=1)
    parser.add_argument(
        "--task", default="classification", choices=["classification", "regression"]
    )
    args = parser.parse_args()
    build = ["cargo", "build", "--release", "--quiet", "-p", "weald-bench"]
    subprocess.run(build, cwd=ROOT, check=True)
    weald = ROOT / "target/release/weald-bench"
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "made.parquet")
        made(args.rows, args.columns, args.task).to_parquet(file)
        print(f"{args.rows} x {args.columns}, {args.task}, load {os.getloadavg()[0]:.2f}")
        for _ in range(args.rounds):
            settings = [args.task, str(args.threads), "decision-tree"]
            settings.append(f"min_leaf_rows={args.min_leaf}")
            ours = run([str(weald), file, "y", *settings])
            theirs = run([sys.executable, "-c", SKLEARN, file, args.task, str(args.min_leaf)])
            print(
                f"weald {ours['fit']:.3f} s ({ours['nodes']} nodes; "
                f"{ours['refit']:.3f} s with bins made)   "
                f"scikit-learn {theirs['fit']:.3f} s ({theirs['nodes']} nodes)   "
                f"ratio {theirs['fit'] / ours['fit']:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
