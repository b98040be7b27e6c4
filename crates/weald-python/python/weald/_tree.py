"""A single decision tree."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Self

from . import _text
from ._at_once import at_once
from ._describe import documented
from ._estimator import Classifier, Given, Regressor
from ._inside import Inside

CRITERIA = {"squared_error": "variance", "log_loss": "entropy"}
"""scikit-learn's names of criteria that weald calls otherwise."""


@dataclass(eq=False, repr=False)
class Grown(Inside):
    """What trees are grown by, alone or in a forest."""

    _: KW_ONLY
    criterion: str = "gini"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    max_features: Any = None
    level_charge: float = 0.0
    monotone_constraints: Any = None
    interaction_constraints: Any = None
    bins: str = "auto"

    _renamed: ClassVar[dict[str, str]] = {
        "max_depth": "max_depth",
        "max_leaf_nodes": "max_leaves",
        "min_samples_split": "min_split_rows",
        "min_samples_leaf": "min_leaf_rows",
        "min_impurity_decrease": "min_gain",
        "level_charge": "level_charge",
        "bins": "bins",
    }

    def _settings(self, given: Given) -> dict[str, str]:
        return super()._settings(given) | {
            "criterion": _text.known(CRITERIA, self.criterion),
            "max_features": _text.feature_count(self.max_features),
            "min_leaf_weight": _text.text(self._min_leaf_weight(given)),
            "monotone": _text.monotone(self.monotone_constraints, given.names),
            "interactions": _text.interactions(self.interaction_constraints, given.names),
        }

    def _min_leaf_weight(self, given: Given) -> float:
        share = self.min_weight_fraction_leaf
        if not isinstance(share, Real) or isinstance(share, bool):
            raise ValueError(f"min_weight_fraction_leaf is {share!r:.80}; expected a number")
        return float(share) * given.weight


@dataclass(eq=False, repr=False)
class _Tree(Grown):
    _: KW_ONLY
    splitter: str = "best"
    ccp_alpha: float = 0.0
    pruning: str | None = None

    _method = "decision-tree"
    _renamed: ClassVar[dict[str, str]] = Grown._renamed | {"splitter": "splitter"}

    def _settings(self, given: Given) -> dict[str, str]:
        if self.ccp_alpha and self.pruning is not None:
            raise ValueError("give either ccp_alpha or pruning, not both")
        pruning = f"cost-complexity:{self.ccp_alpha}" if self.ccp_alpha else self.pruning
        return super()._settings(given) | {"pruning": _text.text(pruning)}


@documented
@dataclass(eq=False, repr=False)
class DecisionTreeClassifier(_Tree, Classifier):
    """One decision tree for classes of one target or several (Breiman et al. 1984).

    The model to prefer when a person must read it; as a predictor a forest or boosting is better.
    A tree like C4.5's: ``criterion="gain_ratio", min_samples_leaf=2, pruning="error-based:0.25"``.
    """

    _: KW_ONLY
    class_weight: Any = None

    _takes_several = True

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the tree."""
        self._fit(X, y, sample_weight)
        return self


@documented
@dataclass(eq=False, repr=False)
class DecisionTreeRegressor(_Tree, Regressor):
    """One decision tree for numbers, one or several a row (Breiman et al. 1984).

    The model to prefer when a person must read it; as a predictor a forest or boosting is better.
    """

    _: KW_ONLY
    criterion: str = "squared_error"

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the tree."""
        self._fit(X, y, sample_weight)
        return self
