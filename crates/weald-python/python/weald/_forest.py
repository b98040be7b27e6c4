"""Random forests and extra trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from . import _text
from ._committee import Committee, CommitteeClassifier, CommitteeRegressor
from ._describe import documented
from ._estimator import Given
from ._inside import OfForest
from ._threads import n_threads
from ._tree import Grown


@dataclass(eq=False, repr=False)
class _Forest(OfForest, Grown, Committee):
    n_estimators: int | str = "auto"
    _: KW_ONLY
    permutation_importance: bool = False
    keep_rows: bool = False
    leaf_smoothing: float = 0.05
    level_charge: float = 2.0
    bins: str = "fine"

    _weighs_classes_itself = True
    _renamed: ClassVar[dict[str, str]] = Grown._renamed | {
        "n_estimators": "n_trees",
        "patience": "patience",
        "permutation_importance": "permutation_importance",
        "keep_rows": "keep_rows",
        "leaf_smoothing": "leaf_smoothing",
    }

    def _settings(self, given: Given) -> dict[str, str]:
        resampling = self.resampling or ("bootstrap" if self.bootstrap else "none")
        if resampling == "none" and self.max_samples is not None:
            raise ValueError("max_samples needs bootstrap=True, or a resampling that draws rows")
        return super()._settings(given) | {
            "sample_share": _text.share("max_samples", self.max_samples, given.n_rows),
            "resampling": _text.text(resampling),
        }


@dataclass(eq=False, repr=False)
class _ForestClassifier(_Forest, CommitteeClassifier):
    _: KW_ONLY
    max_features: Any = "sqrt"
    class_weight: Any = None

    _takes_several = True

    def _settings(self, given: Given) -> dict[str, str]:
        if self._has_several and self.class_weight not in (None, "balanced"):
            raise ValueError('class_weight of several targets is None or "balanced"')
        weights = _text.class_weights(self.class_weight, given.classes)
        return super()._settings(given) | {"class_weights": weights}


@dataclass(eq=False, repr=False)
class _ForestRegressor(_Forest, CommitteeRegressor):
    _: KW_ONLY
    criterion: str = "squared_error"
    max_features: Any = 0.5

    def predict_quantiles(self, X: Any, quantiles: Sequence[float] = (0.1, 0.5, 0.9)) -> np.ndarray:
        """Predict quantiles of what may happen (Meinshausen 2006); needs ``keep_rows=True``."""
        table = self._predict_table(X)
        levels = [float(level) for level in quantiles]
        return self.model_._core.quantiles(table, levels, n_threads(self.n_jobs))


@documented
@dataclass(eq=False, repr=False)
class RandomForestClassifier(_ForestClassifier):
    """A random forest for classes of one target or several (Breiman 2001).

    Deep trees on bootstraps of the rows, each split among a few features drawn for it; the mean of
    what the trees say. A strong method that needs no tuning, and one that tests itself: see
    ``oob_score``.
    """

    _method = "random-forest"


@documented
@dataclass(eq=False, repr=False)
class RandomForestRegressor(_ForestRegressor):
    """A random forest for numbers, one or several a row (Breiman 2001).

    Deep trees on bootstraps of the rows, each split among a few features drawn for it; the mean of
    what the trees say. With ``keep_rows=True`` it also answers with quantiles and standard errors.
    """

    _method = "random-forest"


@documented
@dataclass(eq=False, repr=False)
class ExtraTreesClassifier(_ForestClassifier):
    """Extremely randomised trees for classes of one target or several (Geurts et al. 2006).

    Split points are drawn at random, and every tree sees all rows: smoother than a random forest,
    weaker where few features matter.
    """

    _: KW_ONLY
    bootstrap: bool = False
    bins: str = "fast"

    _method = "extra-trees"


@documented
@dataclass(eq=False, repr=False)
class ExtraTreesRegressor(_ForestRegressor):
    """Extremely randomised trees for numbers (Geurts, Ernst & Wehenkel 2006).

    Split points are drawn at random, and every tree sees all rows: smoother than a random forest,
    weaker where few features matter.
    """

    _: KW_ONLY
    bootstrap: bool = False
    bins: str = "fast"

    _method = "extra-trees"
