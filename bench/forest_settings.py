"""The same forest in every library's words: trees grown to the end, on bootstraps.

Cannot be matched: LightGBM and XGBoost draw .632 of the rows without replacement (as many rows as
a bootstrap has distinct ones), fit gradients of the log loss from the classes' shares, a tree for
each class if there are more than two, and average the scores instead of the probabilities.
LightGBM's cache of histograms is held to 512 MB: by default it is as large as all leaves need.
LightGBM, XGBoost and YDF take categories as such. scikit-learn and ranger (at its default) take
their codes as numbers; to ranger a missing category is one more code, and it takes no missing
number. YDF and scikit-learn look at every distinct value, LightGBM and XGBoost at 255 bins, and so
do `ydf-discretized` and `weald-fast`; `weald` looks at 255 of its up to 16,320 bins at a time,
`weald-exact` at every distinct value up to 65,535.
"""

import math
from dataclasses import dataclass

IN_BAG = 1 - math.exp(-1)
LIGHTGBM_MOST_LEAVES = 131_072


@dataclass(frozen=True)
class Settings:
    """`features`: how many a node chooses from; `extra`: extremely randomised trees, which draw
    their thresholds and take all rows."""

    trees: int = 100
    features: int = 1
    extra: bool = False
    bins: int = 255
    seed: int = 0

    def __str__(self):
        kind = "extra trees on all rows" if self.extra else "trees on bootstraps"
        return f"{self.trees} {kind}, full depth, {self.features} features per node"


def feature_count(rule, columns):
    """Rounded down, at least one, as weald, scikit-learn and ranger have it."""
    counts = {"sqrt": math.isqrt(columns), "third": columns // 3, "all": columns}
    return max(counts[rule], 1)


def weald(settings, bins):
    """The words for weald-bench, from the method on."""
    words = ["extra-trees" if settings.extra else "random-forest"]
    words += [f"n_trees={settings.trees}", f"max_features={settings.features}", "min_leaf_rows=1"]
    words += ["leaf_smoothing=0"]
    return words if settings.extra else [*words, f"bins={bins}"]


def scikit_learn(settings, threads):
    return {
        "n_estimators": settings.trees,
        "max_features": settings.features,
        "bootstrap": not settings.extra,
        "n_jobs": threads,
        "random_state": settings.seed,
    }


def lightgbm(settings, classes, threads, rows, columns):
    """`classes`: how many; 0 for numbers. So below."""
    objective = {0: "regression", 2: "binary"}.get(classes, "multiclass")
    found = {
        "boosting": "rf",
        "objective": objective,
        "bagging_fraction": IN_BAG,
        "bagging_freq": 1,
        "feature_fraction_bynode": settings.features / columns,
        "num_leaves": min(max(rows, 2), LIGHTGBM_MOST_LEAVES),
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "max_bin": settings.bins,
        "histogram_pool_size": 512,
        "num_threads": threads,
        "seed": settings.seed,
        "verbosity": -1,
    }
    return found | ({"num_class": classes} if classes > 2 else {})


def xgboost(settings, classes, threads, columns):
    objective = {0: "reg:squarederror", 2: "binary:logistic"}.get(classes, "multi:softprob")
    found = {
        "objective": objective,
        "num_parallel_tree": settings.trees,
        "subsample": IN_BAG,
        "colsample_bynode": settings.features / columns,
        "tree_method": "hist",
        "max_depth": 0,
        "eta": 1.0,
        "min_child_weight": 0.0,
        "reg_lambda": 0.0,
        "max_bin": settings.bins,
        "nthread": threads,
        "seed": settings.seed,
        "verbosity": 0,
    }
    return found | ({"num_class": classes} if classes > 2 else {})


def ydf(settings, threads):
    return {
        "num_trees": settings.trees,
        "num_candidate_attributes": settings.features,
        "max_depth": -1,
        "min_examples": 1,
        "winner_take_all": False,
        "compute_oob_performances": False,
        "num_threads": threads,
        "random_seed": settings.seed,
    }


def ranger(settings, classes, threads):
    """The words of `forest_ranger.R`, in its order."""
    split = "extratrees" if settings.extra else ("gini" if classes else "variance")
    words = (settings.trees, settings.features, split, classes, threads, settings.seed)
    return [str(word) for word in words]
