"""The same isolation forest in every library's words: axis-parallel cuts, psi rows a tree, height
limit ceil(log2 psi), the paper's score.

isotree draws the rows of a tree with `sample_size` and cuts like the paper with `ndim=1`; it is
told that no value is missing, which spares it the looking.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How many trees, on how many rows each."""

    trees: int = 100
    sample_rows: int = 256
    seed: int = 0

    def __str__(self):
        return f"{self.trees} trees on {self.sample_rows} rows each"


def weald(settings):
    """The words for weald-bench, from the method on."""
    return [
        "isolation-forest",
        f"n_trees={settings.trees}",
        f"sample_rows={settings.sample_rows}",
    ]


def scikit_learn(settings, threads):
    return {
        "n_estimators": settings.trees,
        "max_samples": settings.sample_rows,
        "random_state": settings.seed,
        "n_jobs": threads,
    }


def isotree(settings, threads):
    return {
        "ntrees": settings.trees,
        "sample_size": settings.sample_rows,
        "ndim": 1,
        "missing_action": "fail",
        "random_seed": settings.seed + 1,
        "nthreads": threads,
    }
