"""How fast streaming forests are: rows a second with their scores, and memory.

bench/run stream_speed [--rows 1000000] [--output FILE]
"""

import argparse
import json
import subprocess
from pathlib import Path

import machine

ROOT = Path(__file__).resolve().parent.parent

ABOUT = """\
Made rows of 10 numbers pass through a streaming forest with its defaults (50 trees, 256 rows each,
a window of 2048), each scored before it is learned from; making them is not counted. Memory of the
model: by its own account, after four windows and at the end. Resident: of the process, after four
windows and the most from then on.
`whole`: ten values a column. `cauchy`: tails so heavy that trees are often grown again.
"""

SIDES = (
    ("normal", 1, 1024),
    ("normal", 2, 1024),
    ("normal", 1, 1),
    ("uniform", 1, 1024),
    ("whole", 1, 1024),
    ("cauchy", 1, 1024),
)


def measured(kind, threads, batch, rows):
    program = str(ROOT / "target/release/weald-stream")
    words = [program, kind, str(rows), "10", str(batch), str(threads)]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--patience", type=float, default=120)
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    build = ["cargo", "build", "--release", "--quiet", "-p", "weald-bench"]
    subprocess.run(build, cwd=ROOT, check=True)
    machine.wait_until_quiet(args.patience)
    lines = ["# The speed of streaming forests", "", "`bench/run stream_speed`", ""]
    lines += [f"Conditions: {machine.described()}.", "", ABOUT]
    lines += ["| rows | threads | at a time | rows a second | model, MB | resident, MB |"]
    lines += ["|---|--:|--:|--:|---|---|"]
    for kind, threads, batch in SIDES:
        found = measured(kind, threads, batch, args.rows if batch > 1 else args.rows // 10)
        kept = [found[key] / 1e6 for key in ("model_bytes_when_full", "model_bytes")]
        held = [found[key] / 1e6 for key in ("resident_when_full", "resident_peak")]
        lines.append(
            f"| {kind}, {found['rows']:,} | {threads} | {batch:,} | "
            f"{found['rows_per_second']:,.0f} | {kept[0]:.2f} to {kept[1]:.2f} | "
            f"{held[0]:.1f} to {held[1]:.1f} |"
        )
        print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    if args.output:
        args.output.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
