"""The same gradient boosting in every library's words.

Cannot be matched: XGBoost has no limit on rows per leaf (for squared loss the sum of hessians is
the same; elsewhere the limit is left as small as the others' own), CatBoost grows symmetric trees
of 2^depth leaves, scikit-learn takes at most 255 levels (more are read as numbers). What
libraries do with categories is their own, at their defaults.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    trees: int = 100
    leaves: int = 63
    rate: float = 0.1
    min_leaf_rows: int = 20
    bins: int = 255
    seed: int = 0

    def __str__(self):
        return (
            f"{self.trees} trees of {self.leaves} leaves, rate {self.rate}, l2 0, "
            f"at least {self.min_leaf_rows} rows per leaf, {self.bins} bins"
        )


MIN_HESSIAN = 1e-3


def weald(settings):
    return [
        f"n_trees={settings.trees}",
        f"max_leaves={settings.leaves}",
        f"learning_rate={settings.rate}",
        f"min_leaf_rows={settings.min_leaf_rows}",
        f"min_child_weight={MIN_HESSIAN}",
        "l2=0",
        "subsample=1",
        "colsample=1",
        "n_runs=1",
        "vector_leaves=false",
        "early_stopping_rounds=none",
    ]


def lightgbm(settings, classes, threads):
    """`classes`: how many; 0 for numbers. So below."""
    objective = {0: "regression", 2: "binary"}.get(classes, "multiclass")
    found = {
        "objective": objective,
        "num_leaves": settings.leaves,
        "learning_rate": settings.rate,
        "min_data_in_leaf": settings.min_leaf_rows,
        "min_sum_hessian_in_leaf": MIN_HESSIAN,
        "lambda_l2": 0.0,
        "max_bin": settings.bins,
        "num_threads": threads,
        "seed": settings.seed,
        "verbosity": -1,
    }
    return found | ({"num_class": classes} if classes > 2 else {})


def xgboost(settings, classes, threads):
    objective = {0: "reg:squarederror", 2: "binary:logistic"}.get(classes, "multi:softprob")
    found = {
        "objective": objective,
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_leaves": settings.leaves,
        "max_depth": 0,
        "eta": settings.rate,
        "min_child_weight": settings.min_leaf_rows if classes == 0 else MIN_HESSIAN,
        "reg_lambda": 0.0,
        "max_bin": settings.bins,
        "nthread": threads,
        "seed": settings.seed,
        "verbosity": 0,
    }
    return found | ({"num_class": classes} if classes > 2 else {})


def catboost(settings, classes, threads):
    return {
        "loss_function": {0: "RMSE", 2: "Logloss"}.get(classes, "MultiClass"),
        "iterations": settings.trees,
        "depth": (settings.leaves - 1).bit_length(),
        "grow_policy": "SymmetricTree",
        "learning_rate": settings.rate,
        "l2_leaf_reg": 0.0,
        "border_count": settings.bins - 1,
        "boosting_type": "Plain",
        "bootstrap_type": "No",
        "random_strength": 0.0,
        "leaf_estimation_iterations": 1,
        "boost_from_average": classes <= 2,
        "thread_count": threads,
        "random_seed": settings.seed,
        "allow_writing_files": False,
        "verbose": False,
    }


def scikit_learn(settings):
    return {
        "max_iter": settings.trees,
        "max_leaf_nodes": settings.leaves,
        "max_depth": None,
        "learning_rate": settings.rate,
        "min_samples_leaf": settings.min_leaf_rows,
        "l2_regularization": 0.0,
        "max_bins": settings.bins,
        "early_stopping": False,
        "random_state": settings.seed,
    }


def ydf(settings, threads):
    return {
        "num_trees": settings.trees,
        "growing_strategy": "BEST_FIRST_GLOBAL",
        "max_num_nodes": settings.leaves,
        "max_depth": -1,
        "shrinkage": settings.rate,
        "min_examples": settings.min_leaf_rows,
        "l2_regularization": 0.0,
        "use_hessian_gain": True,
        "discretize_numerical_columns": True,
        "num_discretized_numerical_bins": settings.bins,
        "validation_ratio": 0.0,
        "early_stopping": "NONE",
        "num_threads": threads,
        "random_seed": settings.seed,
    }
