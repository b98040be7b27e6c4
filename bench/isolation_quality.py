"""Isolation forests beside published figures: the area under the curve on ten public sets.

    bench/run isolation_quality [--sets ad_http,ad_pima] [--seeds 10] [--output FILE]

100 trees, 256 rows each, height limit 8: the settings of Liu, Ting & Zhou. All rows are trained on
without their labels, and then scored; AUC is by the labels. Means and standard deviations are over
the seeds. `published` is the literature's figure for these settings on the set of that name.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn import metrics

import machine
import public_data
from race import build_weald, command

PUBLISHED = {
    "ad_annthyroid": 0.813,
    "ad_breastw": 0.986,
    "ad_cover": 0.882,
    "ad_http": 1.00,
    "ad_ionosphere": 0.844,
    "ad_mammography": 0.865,
    "ad_pima": 0.668,
    "ad_satellite": 0.717,
    "ad_shuttle": 0.997,
    "ad_smtp": 0.910,
}
WITHIN = 0.02


def areas(entry, n_seeds):
    import weald

    data = public_data.read(entry)
    features = data.drop(columns="y")
    found = []
    for seed in range(n_seeds):
        forest = weald.IsolationForest(100, max_samples=256, random_state=seed, n_jobs=2)
        found.append(
            metrics.roc_auc_score(data["y"], -forest.fit(features).score_samples(features))
        )
    return len(data), features.shape[1], np.array(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(PUBLISHED))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    build_weald()
    lines = ["# Isolation forests beside published figures", ""]
    lines += [f"`bench/run isolation_quality {command()}`".replace(" `", "`"), ""]
    lines += [f"Conditions: {machine.described()}.", ""]
    lines += [" ".join(__doc__.split("\n\n", 2)[2].split()), ""]
    lines += ["| set | rows | columns | AUC | deviation | published | difference |"]
    lines += ["|---|--:|--:|--:|--:|--:|--:|"]
    near = 0
    names = args.sets.split(",")
    for name in names:
        rows, columns, found = areas(public_data.entries()[name], args.seeds)
        difference = found.mean() - PUBLISHED[name]
        near += abs(difference) <= WITHIN
        cells = [name, rows, columns, f"{found.mean():.4f}", f"{found.std(ddof=1):.4f}"]
        cells += [f"{PUBLISHED[name]:.3f}", f"{difference:+.4f}"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
        print(lines[-1], flush=True)
    lines += ["", f"Within {WITHIN} of the published figure: {near} of {len(names)} sets."]
    print(lines[-1])
    if args.output:
        args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
