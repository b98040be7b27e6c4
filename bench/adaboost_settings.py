"""The same AdaBoost in both libraries' words: stumps by Gini, one after the other.

scikit-learn's `AdaBoostClassifier` has one algorithm, SAMME, which for two classes is AdaBoost.
It looks at every distinct value, weald at 255 bins of a column above 100,000 rows. It fits on one
thread, which is all it can.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How many stumps."""

    rounds: int = 100
    seed: int = 0

    def __str__(self):
        return f"{self.rounds} stumps by Gini"


def weald(settings):
    """The words for weald-bench, from the method on."""
    return ["adaboost", f"n_rounds={settings.rounds}"]


def scikit_learn(settings):
    return {"n_estimators": settings.rounds, "random_state": settings.seed}
