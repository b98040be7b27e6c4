"""Random forests and extra trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from . import _text
from ._committee import Committee, CommitteeClassifier, CommitteeRegressor
from ._describe import documented
from ._estimator import Given
from ._inside import OfForest
from ._threads import n_threads
from ._tree import CRITERIA


class _Forest(OfForest, Committee):
    _weighs_classes_itself = True
    _renamed: ClassVar[dict[str, str]] = {
        "n_estimators": "n_trees",
        "max_depth": "max_depth",
        "max_leaf_nodes": "max_leaves",
        "min_samples_split": "min_split_rows",
        "min_samples_leaf": "min_leaf_rows",
        "min_impurity_decrease": "min_gain",
        "patience": "patience",
        "permutation_importance": "permutation_importance",
        "keep_rows": "keep_rows",
        "level_charge": "level_charge",
        "bins": "bins",
    }

    def _settings(self, given: Given) -> dict[str, str]:
        resampling = self.resampling or ("bootstrap" if self.bootstrap else "none")
        if resampling == "none" and self.max_samples is not None:
            raise ValueError("max_samples needs bootstrap=True, or a resampling that draws rows")
        settings = super()._settings(given) | {
            "criterion": _text.text(CRITERIA.get(self.criterion, self.criterion)),
            "max_features": _text.feature_count(self.max_features),
            "sample_share": _text.share(self.max_samples, given.n_rows),
            "resampling": _text.text(resampling),
            "min_leaf_weight": _text.text(self.min_weight_fraction_leaf * given.weight),
            "monotone": _text.monotone(self.monotone_constraints, given.names),
            "interactions": _text.interactions(self.interaction_constraints, given.names),
        }
        if hasattr(self, "class_weight"):
            settings["class_weights"] = _text.class_weights(self.class_weight, given.classes)
        return settings


class _ForestRegressor(_Forest, CommitteeRegressor):
    def predict_quantiles(self, X: Any, quantiles: Sequence[float] = (0.1, 0.5, 0.9)) -> np.ndarray:
        """Predict quantiles of what may happen (Meinshausen 2006); needs ``keep_rows=True``."""
        table = self._predict_table(X)
        levels = [float(level) for level in quantiles]
        return self.model_._core.quantiles(table, levels, n_threads(self.n_jobs))


@documented
class RandomForestClassifier(_Forest, CommitteeClassifier):
    """A random forest for classes (Breiman 2001).

    Deep trees on bootstraps of the rows, each split among a few features drawn for it; the mean of
    what the trees say. A strong method that needs no tuning, and one that tests itself: see
    ``oob_score``.
    """

    _method = "random-forest"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_features: Any = "sqrt",
        bootstrap: bool = True,
        resampling: str | None = None,
        max_samples: int | float | None = None,
        oob_score: Any = False,
        patience: int | None = None,
        class_weight: Any = None,
        permutation_importance: bool = False,
        keep_rows: bool = False,
        level_charge: float = 2.0,
        monotone_constraints: Any = None,
        interaction_constraints: Any = None,
        categorical_features: Any = "from_dtype",
        bins: str = "fine",
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.resampling = resampling
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.patience = patience
        self.class_weight = class_weight
        self.permutation_importance = permutation_importance
        self.keep_rows = keep_rows
        self.level_charge = level_charge
        self.monotone_constraints = monotone_constraints
        self.interaction_constraints = interaction_constraints
        self.categorical_features = categorical_features
        self.bins = bins
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks


@documented
class RandomForestRegressor(_ForestRegressor):
    """A random forest for numbers, one or several a row (Breiman 2001).

    Deep trees on bootstraps of the rows, each split among a few features drawn for it; the mean of
    what the trees say. With ``keep_rows=True`` it also answers with quantiles and standard errors.
    """

    _method = "random-forest"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_features: Any = 1 / 3,
        bootstrap: bool = True,
        resampling: str | None = None,
        max_samples: int | float | None = None,
        oob_score: Any = False,
        patience: int | None = None,
        permutation_importance: bool = False,
        keep_rows: bool = False,
        level_charge: float = 2.0,
        monotone_constraints: Any = None,
        interaction_constraints: Any = None,
        categorical_features: Any = "from_dtype",
        bins: str = "fine",
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.resampling = resampling
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.patience = patience
        self.permutation_importance = permutation_importance
        self.keep_rows = keep_rows
        self.level_charge = level_charge
        self.monotone_constraints = monotone_constraints
        self.interaction_constraints = interaction_constraints
        self.categorical_features = categorical_features
        self.bins = bins
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks


@documented
class ExtraTreesClassifier(_Forest, CommitteeClassifier):
    """Extremely randomised trees for classes (Geurts, Ernst & Wehenkel 2006).

    Split points are drawn at random, and every tree sees all rows: smoother than a random forest,
    weaker where few features matter.
    """

    _method = "extra-trees"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_features: Any = "sqrt",
        bootstrap: bool = False,
        resampling: str | None = None,
        max_samples: int | float | None = None,
        oob_score: Any = False,
        patience: int | None = None,
        class_weight: Any = None,
        permutation_importance: bool = False,
        keep_rows: bool = False,
        level_charge: float = 2.0,
        monotone_constraints: Any = None,
        interaction_constraints: Any = None,
        categorical_features: Any = "from_dtype",
        bins: str = "fast",
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.resampling = resampling
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.patience = patience
        self.class_weight = class_weight
        self.permutation_importance = permutation_importance
        self.keep_rows = keep_rows
        self.level_charge = level_charge
        self.monotone_constraints = monotone_constraints
        self.interaction_constraints = interaction_constraints
        self.categorical_features = categorical_features
        self.bins = bins
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks


@documented
class ExtraTreesRegressor(_ForestRegressor):
    """Extremely randomised trees for numbers (Geurts, Ernst & Wehenkel 2006).

    Split points are drawn at random, and every tree sees all rows: smoother than a random forest,
    weaker where few features matter.
    """

    _method = "extra-trees"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_features: Any = 1 / 3,
        bootstrap: bool = False,
        resampling: str | None = None,
        max_samples: int | float | None = None,
        oob_score: Any = False,
        patience: int | None = None,
        permutation_importance: bool = False,
        keep_rows: bool = False,
        level_charge: float = 2.0,
        monotone_constraints: Any = None,
        interaction_constraints: Any = None,
        categorical_features: Any = "from_dtype",
        bins: str = "fast",
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.resampling = resampling
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.patience = patience
        self.permutation_importance = permutation_importance
        self.keep_rows = keep_rows
        self.level_charge = level_charge
        self.monotone_constraints = monotone_constraints
        self.interaction_constraints = interaction_constraints
        self.categorical_features = categorical_features
        self.bins = bins
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks
