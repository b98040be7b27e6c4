"""weald: ensemble learning on one fast, exact tree engine.

The same seed gives the same model, to the byte, on any number of threads.
"""

from . import plot
from ._adaboost import AdaBoostClassifier, AdaBoostRegressor
from ._bagging import BaggingClassifier, BaggingRegressor
from ._boosting import GradientBoostingClassifier, GradientBoostingRegressor
from ._calibration import CalibratedClassifierCV
from ._combining import (
    BayesOptimalClassifier,
    BayesOptimalRegressor,
    DynamicSelectionClassifier,
    EnsembleSelectionClassifier,
    EnsembleSelectionRegressor,
    StackingClassifier,
    StackingRegressor,
    SuperLearnerClassifier,
    SuperLearnerRegressor,
    VotingClassifier,
    VotingRegressor,
)
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
from ._linear import LinearSVC, LogisticRegression, Ridge
from ._listen import Progress
from ._mixture import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from ._model import Model, load
from ._naive_bayes import NaiveBayes
from ._neighbours import KNeighborsClassifier, KNeighborsRegressor
from ._online import (
    ExponentiallyWeightedAverage,
    Halving,
    Hedge,
    RandomizedWeightedMajority,
    WeightedMajority,
)
from ._query import query
from ._ranking import GradientBoostingRanker
from ._schemes import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from ._tree import DecisionTreeClassifier, DecisionTreeRegressor
from ._warn import DataWarning
from ._weald import (
    InternalError,
    ModelFileError,
    OutOfMemoryError,
    WealdError,
    __version__,
)

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BayesOptimalClassifier",
    "BayesOptimalRegressor",
    "CalibratedClassifierCV",
    "DataWarning",
    "Dataset",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "DensityForest",
    "DynamicSelectionClassifier",
    "EnsembleSelectionClassifier",
    "EnsembleSelectionRegressor",
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
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "LinearSVC",
    "LogisticRegression",
    "MixtureOfExpertsClassifier",
    "MixtureOfExpertsRegressor",
    "Model",
    "ModelFileError",
    "NaiveBayes",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutOfMemoryError",
    "OutputCodeClassifier",
    "Progress",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomizedWeightedMajority",
    "Ridge",
    "StackingClassifier",
    "StackingRegressor",
    "SuperLearnerClassifier",
    "SuperLearnerRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "WealdError",
    "WeightedMajority",
    "__version__",
    "compare",
    "load",
    "plot",
    "query",
]
