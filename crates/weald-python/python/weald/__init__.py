"""weald: ensemble learning on one fast, exact tree engine.

The same seed gives the same model, to the byte, on any number of threads.
"""

from . import plot
from ._adaboost import AdaBoostClassifier, AdaBoostRegressor
from ._bagging import BaggingClassifier, BaggingRegressor
from ._boosting import GradientBoostingClassifier, GradientBoostingRegressor
from ._compare import compare
from ._dataset import Dataset
from ._density import DensityForest
from ._forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from ._isolation import IsolationForest
from ._listen import Progress
from ._model import Model, load
from ._online import (
    ExponentiallyWeightedAverage,
    Halving,
    Hedge,
    RandomizedWeightedMajority,
    WeightedMajority,
)
from ._query import query
from ._ranking import GradientBoostingRanker
from ._tree import DecisionTreeClassifier, DecisionTreeRegressor
from ._warn import DataWarning
from ._weald import InternalError, ModelFileError, WealdError, __version__

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "DataWarning",
    "Dataset",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "DensityForest",
    "ExponentiallyWeightedAverage",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRanker",
    "GradientBoostingRegressor",
    "Halving",
    "Hedge",
    "InternalError",
    "IsolationForest",
    "Model",
    "ModelFileError",
    "Progress",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomizedWeightedMajority",
    "WealdError",
    "WeightedMajority",
    "__version__",
    "compare",
    "load",
    "plot",
    "query",
]
